#include "model/tables_backward.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/vector.h"
#include "layers/linear.h"
#include "model/chunk.h"

#include <string.h>

/* All shards of a step. */
typedef struct ShardSum {
    const TableGradients *shards;
    int count;
} ShardSum;

/* sum[0..columns) = the shards' numbers at the place that `at` has in the first one, added in order. For what every
 * shard has: the score table and the lm_head. */
static void add_shards(ShardSum all, const real *at, real *sum, int columns)
{
    ptrdiff_t offset = at - all.shards[0].memory;
    memcpy(sum, at, (size_t)columns * sizeof(real));
    for (int s = 1; s < all.count; s++)
        row_add(sum, all.shards[s].memory + offset, columns);
}

/* The same for a part of a chunk's rows, of which each shard has those that it met. */
static void sum_part(const Tables *t, ShardSum all, TablePart part, int chunk, Matrix sum)
{
    for (int s = 0; s < all.count; s++)
        table_gradients_add(&all.shards[s], t, part, chunk_first(tables_rows(t), chunk), s == 0, sum);
}

/* What all logits but the last rise by, the last one falls by. */
static void sum_output(Tables *t, ShardSum all, int chunk)
{
    Matrix d_output = chunk_of(matrix_rows(t->output, 0, tables_rows(t)), chunk);
    int others = tables_value_columns(t);
    sum_part(t, all, PART_VALUE, chunk, matrix_columns(d_output, 0, others));
    for (int r = 0; r < d_output.rows; r++)
        matrix_row(d_output, r)[others] = -row_total(matrix_row(d_output, r), others);
}

/* d_G, or d_Q and d_K; and d_output, or d_V, of a chunk of rows. */
static void sum_chunk(Tables *t, ShardSum all, int chunk)
{
    int rows = tables_rows(t), H = t->config.head_size, width = padded(H);
    Matrix d_projected = chunk_of(matrix_rows(t->d_projected, 0, rows), chunk);
    if (t->plan.score_table) {
        Matrix d_scores = chunk_of(matrix_rows(t->scores, 0, rows), chunk);
        for (int r = 0; r < d_scores.rows; r++)
            add_shards(all, matrix_row(all.shards[0].scores, chunk_first(rows, chunk) + r), matrix_row(d_scores, r),
                       padded(rows));
    } else {
        sum_part(t, all, PART_QUERY, chunk, matrix_columns(d_projected, 0, H));
        sum_part(t, all, PART_KEY, chunk, matrix_columns(d_projected, width, H));
    }
    if (t->plan.linear_first)
        sum_output(t, all, chunk);
    else
        sum_part(t, all, PART_VALUE, chunk, matrix_columns(d_projected, 2 * width, H));
}

/* From the sums of a chunk's rows to its d_embedding: d_Q = d_G K, d_K = d_G^T Q, d_V = d_output W, d_X = [..] W. */
static void chunk_backward(Tables *t, int chunk, real *pairs)
{
    int rows = tables_rows(t), H = t->config.head_size, width = padded(H);
    Matrix d_projected = chunk_of(matrix_rows(t->d_projected, 0, rows), chunk);
    if (t->plan.score_table) {
        Matrix projected = matrix_rows(t->projected, 0, rows);
        Matrix query = matrix_columns(projected, 0, H), key = matrix_columns(projected, width, H);
        Matrix d_scores = matrix_columns(matrix_rows(t->scores, 0, rows), 0, rows);
        Matrix d_scores_of_keys = chunk_of(matrix_transpose(d_scores), chunk);
        multiply(chunk_of(d_scores, chunk), key, matrix_columns(d_projected, 0, H), pairs);
        multiply(d_scores_of_keys, query, matrix_columns(d_projected, width, H), pairs);
    }
    if (t->plan.linear_first)
        linear_backward_input(chunk_of(matrix_rows(t->output, 0, rows), chunk), t->lm_weight,
                              matrix_columns(d_projected, 2 * width, H), pairs);
    linear_backward_input(d_projected, t->projection, chunk_of(matrix_rows(t->d_embedding, 0, rows), chunk),
                          pairs);
}

/* A row of d_embedding is the gradient of its character or position. The characters between that of the row before
 * and its own do not occur: theirs is 0. */
static void store_row(const Tables *t, const int32_t *tokens, int row, Parameters *gradient)
{
    size_t bytes = (size_t)t->config.channels * sizeof(real);
    int position = row - t->position_first;
    if (row < t->token_rows) {
        int absent = row == 0 ? 0 : tokens[row - 1] + 1;
        memset(matrix_row(gradient->token_embedding, absent), 0, (size_t)(tokens[row] - absent) * bytes);
        memcpy(matrix_row(gradient->token_embedding, tokens[row]), matrix_row(t->d_embedding, row), bytes);
    } else if (position >= 0 && t->config.positions == POSITIONS_LEARNED) {
        memcpy(matrix_row(gradient->position_embedding, position), matrix_row(t->d_embedding, row), bytes);
    }
}

static void store_chunk(const Tables *t, const int32_t *tokens, int chunk, Parameters *gradient)
{
    int rows = tables_rows(t), last = t->token_rows - 1, absent = tokens[last] + 1;
    for (int row = chunk_first(rows, chunk); row < rows && row < chunk_first(rows, chunk + 1); row++)
        store_row(t, tokens, row, gradient);
    if (chunk == last / chunk_height(rows)) /* behind the last character that occurs */
        memset(matrix_row(gradient->token_embedding, absent), 0,
               (size_t)(t->config.vocabulary_size - absent) * (size_t)t->config.channels * sizeof(real));
}

/* d_W [rows of a chunk] = d_y^T x, and the dense copy. */
static void weight_chunk(Matrix x, Matrix d_y, Matrix d_weight, Matrix gradient, int chunk, real *pairs)
{
    Matrix d_rows = chunk_of(matrix_rows(d_weight, 0, gradient.rows), chunk), dense = chunk_of(gradient, chunk);
    multiply(matrix_transpose(matrix_columns(d_y, chunk_first(gradient.rows, chunk), d_rows.rows)), x, d_rows, pairs);
    for (int r = 0; r < dense.rows; r++)
        memcpy(matrix_row(dense, r), matrix_row(d_rows, r), (size_t)dense.columns * sizeof(real));
}

static void lm_head_backward(Tables *t, ShardSum all, int chunk, Parameters *gradient, real *pairs)
{
    int rows = tables_rows(t), width = padded(t->config.head_size);
    if (t->plan.linear_first) {
        Matrix value = matrix_columns(matrix_rows(t->projected, 0, rows), 2 * width, t->config.head_size);
        weight_chunk(value, matrix_rows(t->output, 0, rows), t->d_lm_weight, gradient->lm_weight, chunk, pairs);
        return;
    }
    Matrix d_rows = chunk_of(t->d_lm_weight, chunk), dense = chunk_of(gradient->lm_weight, chunk);
    for (int r = 0; r < d_rows.rows; r++) {
        add_shards(all, matrix_row(all.shards[0].lm_weight, chunk_first(t->config.vocabulary_size, chunk) + r),
                   matrix_row(d_rows, r), width);
        memcpy(matrix_row(dense, r), matrix_row(d_rows, r), (size_t)dense.columns * sizeof(real));
    }
}

/* The bias rides on the characters' rows, or has its own sums. lm_bias, packed anew each step, is the scratch. */
static void bias_backward(Tables *t, ShardSum all, Parameters *gradient)
{
    int V = t->config.vocabulary_size;
    if (t->plan.linear_first) {
        memset(t->lm_bias, 0, (size_t)padded(V) * sizeof(real));
        for (int r = 0; r < t->token_rows; r++)
            row_add(t->lm_bias, matrix_row(t->output, r), V);
    } else {
        add_shards(all, all.shards[0].lm_bias, t->lm_bias, padded(V));
    }
    memcpy(gradient->lm_bias.data, t->lm_bias, (size_t)V * sizeof(real));
}

/* The weights' gradients in pieces: item counts through the chunks of W_Q, W_K, W_V, the lm_head, and its bias. */
static void weight_item(Tables *t, ShardSum all, int item, Parameters *gradient, real *pairs)
{
    int rows = tables_rows(t), H = t->config.head_size, width = padded(H);
    int chunks = chunk_count(H), part = item / chunks;
    int lm_first = 3 * chunks, lm_chunks = chunk_count(t->config.vocabulary_size);
    if (part < 3) {
        Matrix of_part = part == 0 ? gradient->query : part == 1 ? gradient->key : gradient->value;
        Matrix d_part = matrix_columns(matrix_rows(t->d_projected, 0, rows), part * width, H);
        if (part == 2 || t->config.mixing == MIXING_ATTENTION)
            weight_chunk(matrix_rows(t->embedding, 0, rows), d_part, matrix_rows(t->d_projection, part * width, width),
                         of_part, item % chunks, pairs);
    } else if (item < lm_first + lm_chunks) {
        lm_head_backward(t, all, item - lm_first, gradient, pairs);
    } else {
        bias_backward(t, all, gradient);
    }
}

void tables_backward(Tables *t, const TableGradients *shards, int shard_count, const int32_t *tokens,
                     Parameters *gradient, real *pairs)
{
    ShardSum all = {shards, shard_count};
    int chunks = chunk_count(tables_rows(t));
    int items = 3 * chunk_count(t->config.head_size) + chunk_count(t->config.vocabulary_size) + 1;
    if (t->plan.score_table) { /* d_K of a chunk takes a column of all rows' d_G */
#pragma omp for schedule(static)
        for (int chunk = 0; chunk < chunks; chunk++)
            sum_chunk(t, all, chunk);
    }
#pragma omp for schedule(static)
    for (int chunk = 0; chunk < chunks; chunk++) {
        if (!t->plan.score_table)
            sum_chunk(t, all, chunk);
        chunk_backward(t, chunk, pairs);
        store_chunk(t, tokens, chunk, gradient);
    }
#pragma omp for schedule(dynamic, 1)
    for (int item = 0; item < items; item++)
        weight_item(t, all, item, gradient, pairs);
}
