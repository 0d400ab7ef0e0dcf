#include "model/tables.h"

#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "kernels/vector.h"
#include "layers/linear.h"

#include <string.h>

enum { CHUNK_ROWS = 16 }; /* rows of a table that one thread takes at a time: two register tiles */

bool tables_prefer_linear_first(const ModelConfig *config)
{
    double seen = config->mask == MASK_CAUSAL ? (config->context + 1) / 2.0 : config->context;
    double V = config->vocabulary_size, H = config->head_size;
    return seen * V < seen * H + H * V;
}

/* A view of columns where arithmetic on a NULL of the measuring pass is avoided. */
static Matrix columns_of(Matrix m, int first, int count)
{
    return m.data == NULL ? (Matrix){0} : matrix_columns(m, first, count);
}

void tables_layout(Tables *t, Arena *arena, const ModelConfig *config, bool linear_first, int token_rows)
{
    int C = config->channels, H = config->head_size, V = config->vocabulary_size, wide = 3 * padded(H);
    *t = (Tables){.config = *config, .linear_first = linear_first};
    t->position_rows = config->positions == POSITIONS_NONE ? 0 : config->context;
    int rows = token_rows + t->position_rows;
    t->embedding = matrix_take(arena, rows, C);
    t->projected = matrix_take(arena, rows, wide);
    t->output = matrix_take(arena, linear_first ? rows : 0, V);
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

void table_gradients_layout(TableGradients *g, Arena *arena, const Tables *t, int token_rows)
{
    int H = t->config.head_size, V = t->config.vocabulary_size, rows = token_rows + t->position_rows;
    int width = padded(H), depth = padded(t->linear_first ? V : H);
    size_t by_row = (size_t)rows * (size_t)(2 * width + depth);
    size_t of_head = t->linear_first ? 0 : (size_t)V * (size_t)width + (size_t)padded(V);
    g->count = by_row + of_head;
    g->memory = arena_take(arena, g->count, sizeof(real));
    Matrix all = matrix_view(g->memory, rows, 2 * width + depth, 2 * width + depth);
    g->head = (HeadTables){columns_of(all, 0, H), columns_of(all, width, H),
                           columns_of(all, 2 * width, t->linear_first ? V : H)};
    g->lm_weight = (Matrix){0};
    g->lm_bias = NULL;
    if (!t->linear_first && g->memory != NULL) {
        g->lm_weight = matrix_view(g->memory + by_row, V, H, width);
        g->lm_bias = g->memory + by_row + (size_t)V * (size_t)width;
    }
}

HeadTables tables_head(const Tables *t)
{
    int H = t->config.head_size, width = padded(H);
    Matrix value = t->linear_first ? t->output : matrix_columns(t->projected, 2 * width, H);
    return (HeadTables){matrix_columns(t->projected, 0, H), matrix_columns(t->projected, width, H), value};
}

Matrix tables_token_part(const Tables *t, Matrix rows)
{
    return matrix_rows(rows, 0, t->token_rows);
}

Matrix tables_position_part(const Tables *t, Matrix rows)
{
    return matrix_rows(rows, t->token_rows, t->position_rows);
}

/* to = from, whose rows are dense. */
static void copy_rows(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++)
        memcpy(matrix_row(to, r), matrix_row(from, r), (size_t)from.columns * sizeof(real));
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
        copy_rows(p->lm_weight, t->lm_weight);
        transpose_copy(t->lm_weight, t->lm_weight_transposed);
        copy_rows(p->lm_bias, matrix_view(t->lm_bias, 1, t->config.vocabulary_size, 0));
    }
}

static int chunk_count(int rows)
{
    return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static Matrix chunk_of(Matrix m, int chunk)
{
    int first = chunk * CHUNK_ROWS, left = m.rows - first;
    return matrix_rows(m, first, left < CHUNK_ROWS ? left : CHUNK_ROWS);
}

void tables_forward(Tables *t, const Parameters *p, const int32_t *tokens, int count)
{
#pragma omp single
    t->token_rows = count;
    int rows = count + t->position_rows, H = t->config.head_size;
    Matrix embedding = matrix_rows(t->embedding, 0, rows), projected = matrix_rows(t->projected, 0, rows);
#pragma omp for schedule(static) nowait
    for (int item = 0; item < 4; item++)
        pack_weight(t, p, item);
#pragma omp for schedule(static)
    for (int row = 0; row < rows; row++) {
        const real *source = row < count ? matrix_row(p->token_embedding, tokens[row])
                                         : matrix_row(p->position_embedding, row - count);
        memcpy(matrix_row(embedding, row), source, (size_t)embedding.columns * sizeof(real));
    }
#pragma omp for schedule(static)
    for (int chunk = 0; chunk < chunk_count(rows); chunk++) {
        Matrix of_chunk = chunk_of(projected, chunk);
        linear_forward(chunk_of(embedding, chunk), t->projection_transposed, NULL, of_chunk);
        if (t->linear_first) {
            Matrix value = matrix_columns(of_chunk, 2 * padded(H), H);
            Matrix output = chunk_of(matrix_rows(t->output, 0, rows), chunk);
            linear_forward(value, t->lm_weight_transposed, NULL, output);
            for (int r = 0; r < output.rows && chunk * CHUNK_ROWS + r < count; r++)
                row_add(matrix_row(output, r), t->lm_bias, output.columns);
        }
    }
}

/* sum[row] = the shards' rows, added in order. */
static void add_shards(const TableGradients *shards, int shard_count, size_t offset, real *sum, int columns)
{
    memcpy(sum, shards[0].memory + offset, (size_t)columns * sizeof(real));
    for (int s = 1; s < shard_count; s++)
        row_add(sum, shards[s].memory + offset, columns);
}

/* Sums the shards into d_projected and (linear_first) into `output`, which its forward use no longer needs; then
 * d_embedding of the chunk. */
static void chunk_backward(Tables *t, const TableGradients *shards, int shard_count, int first, int count)
{
    int H = t->config.head_size, width = padded(H);
    HeadTables places = shards[0].head;
    for (int r = first; r < first + count; r++) {
        size_t offset = (size_t)(matrix_row(places.query, r) - shards[0].memory);
        size_t value_offset = (size_t)(matrix_row(places.value, r) - shards[0].memory);
        real *sum = matrix_row(t->d_projected, r);
        add_shards(shards, shard_count, offset, sum, 2 * width);
        if (t->linear_first)
            add_shards(shards, shard_count, value_offset, matrix_row(t->output, r), padded(t->output.columns));
        else
            add_shards(shards, shard_count, value_offset, sum + 2 * width, width);
    }
    Matrix d_projected = matrix_rows(t->d_projected, first, count);
    if (t->linear_first)
        linear_backward_input(matrix_rows(t->output, first, count), t->lm_weight,
                              matrix_columns(d_projected, 2 * width, H));
    linear_backward_input(d_projected, t->projection, matrix_rows(t->d_embedding, first, count));
}

/* A row of d_embedding goes to the gradient of its character or position. */
static void store_embedding_row(const Tables *t, const int32_t *tokens, int row, Parameters *gradient)
{
    size_t bytes = (size_t)t->config.channels * sizeof(real);
    if (row < t->token_rows)
        memcpy(matrix_row(gradient->token_embedding, tokens[row]), matrix_row(t->d_embedding, row), bytes);
    else if (t->config.positions == POSITIONS_LEARNED)
        memcpy(matrix_row(gradient->position_embedding, row - t->token_rows), matrix_row(t->d_embedding, row), bytes);
}

/* d_W [rows of a chunk] = d_y^T x, and the dense copy. */
static void weight_chunk(Matrix x, Matrix d_y, Matrix d_weight, Matrix gradient, int chunk)
{
    Matrix d_rows = chunk_of(matrix_rows(d_weight, 0, gradient.rows), chunk);
    for (int r = 0; r < d_rows.rows; r++)
        memset(matrix_row(d_rows, r), 0, (size_t)padded(d_rows.columns) * sizeof(real));
    linear_backward_weight(x, matrix_columns(d_y, chunk * CHUNK_ROWS, d_rows.rows), d_rows, NULL);
    Matrix dense = chunk_of(gradient, chunk);
    for (int r = 0; r < dense.rows; r++)
        memcpy(matrix_row(dense, r), matrix_row(d_rows, r), (size_t)dense.columns * sizeof(real));
}

static void lm_head_backward(Tables *t, const TableGradients *shards, int shard_count, int chunk, Parameters *gradient)
{
    int rows = t->token_rows + t->position_rows, width = padded(t->config.head_size);
    if (t->linear_first) {
        Matrix value = matrix_columns(matrix_rows(t->projected, 0, rows), 2 * width, t->config.head_size);
        weight_chunk(value, matrix_rows(t->output, 0, rows), t->d_lm_weight, gradient->lm_weight, chunk);
        return;
    }
    Matrix d_rows = chunk_of(t->d_lm_weight, chunk), dense = chunk_of(gradient->lm_weight, chunk);
    for (int r = 0; r < d_rows.rows; r++) {
        size_t offset = (size_t)(matrix_row(shards[0].lm_weight, chunk * CHUNK_ROWS + r) - shards[0].memory);
        add_shards(shards, shard_count, offset, matrix_row(d_rows, r), width);
        memcpy(matrix_row(dense, r), matrix_row(d_rows, r), (size_t)dense.columns * sizeof(real));
    }
}

/* The bias rides on the characters' rows, or has its own sums. lm_bias, packed anew each step, is the scratch. */
static void bias_backward(Tables *t, const TableGradients *shards, int shard_count, Parameters *gradient)
{
    int V = t->config.vocabulary_size;
    if (t->linear_first) {
        memset(t->lm_bias, 0, (size_t)padded(V) * sizeof(real));
        for (int r = 0; r < t->token_rows; r++)
            row_add(t->lm_bias, matrix_row(t->output, r), V);
    } else {
        add_shards(shards, shard_count, (size_t)(shards[0].lm_bias - shards[0].memory), t->lm_bias, padded(V));
    }
    memcpy(gradient->lm_bias.data, t->lm_bias, (size_t)V * sizeof(real));
}

void tables_backward(Tables *t, const TableGradients *shards, int shard_count, const int32_t *tokens,
                     Parameters *gradient)
{
    int rows = t->token_rows + t->position_rows, width = padded(t->config.head_size);
    int head_chunks = chunk_count(t->config.head_size), lm_chunks = chunk_count(t->config.vocabulary_size);
#pragma omp for schedule(static) nowait
    for (int row = 0; row < t->config.vocabulary_size; row++)
        memset(matrix_row(gradient->token_embedding, row), 0, (size_t)t->config.channels * sizeof(real));
#pragma omp for schedule(static)
    for (int chunk = 0; chunk < chunk_count(rows); chunk++) {
        int first = chunk * CHUNK_ROWS, left = rows - first;
        chunk_backward(t, shards, shard_count, first, left < CHUNK_ROWS ? left : CHUNK_ROWS);
    }
    Matrix embedding = matrix_rows(t->embedding, 0, rows), d_projected = matrix_rows(t->d_projected, 0, rows);
#pragma omp for schedule(static) nowait
    for (int row = 0; row < rows; row++)
        store_embedding_row(t, tokens, row, gradient);
#pragma omp for schedule(static)
    for (int item = 0; item < 3 * head_chunks + lm_chunks + 1; item++) {
        int part = item / head_chunks;
        if (part < 3) {
            Matrix of_part = part == 0 ? gradient->query : part == 1 ? gradient->key : gradient->value;
            if (part == 2 || t->config.mixing == MIXING_ATTENTION)
                weight_chunk(embedding, matrix_columns(d_projected, part * width, t->config.head_size),
                             matrix_rows(t->d_projection, part * width, width), of_part, item % head_chunks);
        } else if (item < 3 * head_chunks + lm_chunks) {
            lm_head_backward(t, shards, shard_count, item - 3 * head_chunks, gradient);
        } else {
            bias_backward(t, shards, shard_count, gradient);
        }
    }
}
