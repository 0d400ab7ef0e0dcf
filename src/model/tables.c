#include "model/tables.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "kernels/vector.h"
#include "layers/linear.h"
#include "model/chunk.h"

#include <string.h>

const char *const precision_names[] = {"float", "bf16", NULL};

int tables_token_limit(const ModelConfig *config, int batch)
{
    int64_t characters = (int64_t)batch * config->context;
    return characters < config->vocabulary_size ? (int)characters : config->vocabulary_size;
}

/* The rows of the tables of a batch, at most. */
static double rows_of_batch(const ModelConfig *config, int batch)
{
    int token_rows = padded(tables_token_limit(config, batch));
    return token_rows + (config->positions == POSITIONS_NONE ? 0 : (double)config->context);
}

/* A mix of V - 1 instead of H columns for each character, and the lm_head for each row instead of each character. */
static bool prefer_linear_first(const ModelConfig *config, int batch)
{
    double seen = config->mask == MASK_CAUSAL ? (config->context + 1) / 2.0 : config->context;
    double V = config->vocabulary_size, H = config->head_size, characters = (double)batch * config->context;
    double moved = seen * (V - 1) + rows_of_batch(config, batch) / characters * H * (V - 1);
    return V > 1 && moved < seen * H + H * V;
}

/* In units of one multiplication and addition inside a register tile, measured: a score's lookup and the collection of
 * its gradient cost as many as LOOKUP, a column of a row's sums ROW, and an entry of G ENTRY besides its products.
 * Multiplied, a score costs three products of H, and as tiles reach beyond the diagonal, a quarter more. */
static bool prefer_score_table(const ModelConfig *config, int batch)
{
    enum { LOOKUP = 35, ROW = 4, ENTRY = 30, LARGEST = 1024 };
    double T = config->context, B = batch, H = config->head_size;
    double rows = rows_of_batch(config, batch);
    double scores = B * T * (config->mask == MASK_CAUSAL ? (T + 1) / 2 : T);
    double looked_up = scores * LOOKUP + B * T * rows * ROW + rows * rows * (3 * H + ENTRY);
    return config->mixing == MIXING_ATTENTION && rows <= LARGEST && looked_up < scores * 3 * H * 1.25;
}

TablesPlan tables_plan(const ModelConfig *config, int batch, Precision precision)
{
    return (TablesPlan){
        .linear_first = prefer_linear_first(config, batch),
        .score_table = prefer_score_table(config, batch),
        .pairs = precision == PRECISION_BF16,
    };
}

/* The most rows of a table of up to token_limit characters. */
static int row_limit(const Tables *t)
{
    return padded(t->token_limit) + t->position_rows;
}

void tables_layout(Tables *t, Arena *arena, const ModelConfig *config, TablesPlan plan, int token_limit)
{
    int C = config->channels, H = config->head_size, V = config->vocabulary_size, wide = 3 * padded(H);
    *t = (Tables){.config = *config, .plan = plan, .token_limit = token_limit};
    t->plan.score_table = plan.score_table && config->mixing == MIXING_ATTENTION; /* a uniform mix has no scores */
    t->plan.linear_first = plan.linear_first && V > 1;
    t->position_rows = config->positions == POSITIONS_NONE ? 0 : config->context;
    int rows = row_limit(t), square = t->plan.score_table ? rows : 0;
    t->embedding = matrix_take(arena, rows, C);
    t->projected = matrix_take(arena, rows, wide);
    t->output = matrix_take(arena, t->plan.linear_first ? rows : 0, V);
    t->scores = matrix_take(arena, square, rows);
    t->key_transposed = matrix_take(arena, t->plan.score_table ? H : 0, rows);
    t->projection = matrix_take(arena, wide, C);
    t->projection_transposed = matrix_take(arena, C, wide);
    t->lm_weight = matrix_take(arena, V, H);
    t->lm_weight_transposed = matrix_take(arena, H, V);
    t->lm_bias = arena_take(arena, (size_t)padded(V), sizeof(real));
    t->d_projected = matrix_take(arena, rows, wide);
    t->d_embedding = matrix_take(arena, rows, C);
    t->d_projection = matrix_take(arena, wide, C);
    t->d_lm_weight = matrix_take(arena, V, H);
}

int tables_rows(const Tables *t)
{
    return t->position_first + t->position_rows;
}

int tables_value_columns(const Tables *t)
{
    return t->plan.linear_first ? t->config.vocabulary_size - 1 : t->config.head_size;
}

HeadTables tables_head(const Tables *t)
{
    int H = t->config.head_size, width = padded(H), D = tables_value_columns(t);
    HeadTables head = {.value = t->plan.linear_first ? matrix_columns(t->output, 0, D)
                                                     : matrix_columns(t->projected, 2 * width, D)};
    if (t->plan.score_table) {
        head.scores = matrix_columns(t->scores, 0, tables_rows(t));
    } else {
        head.query = matrix_columns(t->projected, 0, H);
        head.key = matrix_columns(t->projected, width, H);
    }
    return head;
}

Matrix tables_token_part(const Tables *t, Matrix rows)
{
    return matrix_rows(rows, 0, t->token_rows);
}

Matrix tables_position_part(const Tables *t, Matrix rows)
{
    return matrix_rows(rows, t->position_first, t->position_rows);
}

/* to = from, whose rows are dense. */
static void copy_rows(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++)
        memcpy(matrix_row(to, r), matrix_row(from, r), (size_t)from.columns * sizeof(real));
}

/* Softmax cannot tell logits from logits less a number of each row's own. */
static void subtract_last_row(Matrix m)
{
    const real *last = matrix_row(m, m.rows - 1);
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] -= last[c];
}

/* The weights, copied into padded rows in both orientations. Item 0 to 2: a projection; 3: the lm_head. */
static void pack_weight(Tables *t, const Parameters *p, int item)
{
    int H = t->config.head_size, width = padded(H);
    if (item < 3) {
        Matrix weight = item == 0 ? p->query : item == 1 ? p->key : p->value;
        Matrix rows = matrix_rows(t->projection, item * width, H);
        copy_rows(weight, rows);
        transpose_copy(rows, matrix_columns(t->projection_transposed, item * width, H));
    } else {
        Matrix bias = matrix_view(t->lm_bias, t->config.vocabulary_size, 1, 1);
        copy_rows(p->lm_weight, t->lm_weight);
        copy_rows(matrix_transpose(p->lm_bias), bias);
        if (t->plan.linear_first) {
            subtract_last_row(t->lm_weight);
            subtract_last_row(bias);
        }
        transpose_copy(t->lm_weight, t->lm_weight_transposed);
    }
}

static void embed_row(Tables *t, const Parameters *p, const int32_t *tokens, int row)
{
    size_t bytes = (size_t)t->config.channels * sizeof(real);
    real *to = matrix_row(t->embedding, row);
    if (row < t->token_rows)
        memcpy(to, matrix_row(p->token_embedding, tokens[row]), bytes);
    else if (row < t->position_first)
        memset(to, 0, bytes);
    else
        memcpy(to, matrix_row(p->position_embedding, row - t->position_first), bytes);
}

/* Rows of a chunk: X; Q, K, V; the lm_head's output; the chunk's columns of K^T. */
static void project_chunk(Tables *t, const Parameters *p, const int32_t *tokens, int chunk, real *pairs)
{
    int rows = tables_rows(t), H = t->config.head_size, first = chunk_first(rows, chunk);
    Matrix projected = chunk_of(matrix_rows(t->projected, 0, rows), chunk);
    Matrix embedding = chunk_of(matrix_rows(t->embedding, 0, rows), chunk);
    for (int r = 0; r < projected.rows; r++)
        embed_row(t, p, tokens, first + r);
    linear_forward(embedding, t->projection_transposed, NULL, projected, pairs);
    if (t->plan.linear_first) {
        Matrix value = matrix_columns(projected, 2 * padded(H), H);
        Matrix output = chunk_of(matrix_rows(t->output, 0, rows), chunk);
        output.columns = tables_value_columns(t);
        linear_forward(value, matrix_columns(t->lm_weight_transposed, 0, output.columns), NULL, output, pairs);
        for (int r = 0; r < output.rows && first + r < t->token_rows; r++)
            row_add(matrix_row(output, r), t->lm_bias, output.columns);
    }
    if (t->plan.score_table)
        transpose_copy(matrix_columns(projected, padded(H), H),
                       matrix_columns(t->key_transposed, first, projected.rows));
}

void tables_number(Tables *t, int count)
{
    t->token_rows = count;
    t->position_first = padded(count);
}

void tables_pack(Tables *t, const Parameters *p)
{
#pragma omp for schedule(static) nowait
    for (int item = 0; item < 4; item++)
        pack_weight(t, p, item);
}

void tables_project(Tables *t, const Parameters *p, const int32_t *tokens, real *pairs)
{
    int rows = tables_rows(t);
#pragma omp for schedule(static)
    for (int chunk = 0; chunk < chunk_count(rows); chunk++)
        project_chunk(t, p, tokens, chunk, pairs);
    if (!t->plan.score_table)
        return;
    Matrix query = matrix_rows(matrix_columns(t->projected, 0, t->config.head_size), 0, rows);
    Matrix key_transposed = matrix_columns(t->key_transposed, 0, rows);
    Matrix scores = matrix_columns(matrix_rows(t->scores, 0, rows), 0, rows);
#pragma omp for schedule(static)
    for (int chunk = 0; chunk < chunk_count(rows); chunk++)
        multiply(chunk_of(query, chunk), key_transposed, chunk_of(scores, chunk), pairs);
}
