#include "model/sequence.h"

#include "kernels/transpose.h"
#include "layers/embedding.h"

void sequence_layout(Sequence *s, Arena *arena, const Tables *tables)
{
    int T = tables->config.context, H = tables->config.head_size, D = tables_value_columns(tables);
    int multiplied = tables->plan.score_table ? 0 : T;
    s->query = matrix_take(arena, multiplied, H);
    s->key = matrix_take(arena, multiplied, H);
    s->d_query = matrix_take(arena, multiplied, H);
    s->d_key = matrix_take(arena, multiplied, H);
    s->value = matrix_take(arena, T, D);
    s->d_value = matrix_take(arena, T, D);
    s->key_transposed = matrix_take(arena, multiplied > 0 ? H : 0, T);
    s->value_transposed = matrix_take(arena, D, T);
}

static bool has_queries(const Tables *tables)
{
    return tables->config.mixing == MIXING_ATTENTION && !tables->plan.score_table;
}

static void gather(const Tables *tables, Matrix rows, const int32_t *row_of, Matrix to, int first)
{
    Matrix positions = tables_position_part(tables, rows);
    if (positions.rows > 0)
        positions = matrix_rows(positions, first, positions.rows - first);
    embedding_forward(tables_token_part(tables, rows), positions, row_of + first, to);
}

static void scatter(const Tables *tables, Matrix from, const int32_t *row_of, Matrix rows, int first)
{
    Matrix positions = tables_position_part(tables, rows);
    if (positions.rows > 0)
        positions = matrix_rows(positions, first, positions.rows - first);
    embedding_backward(from, row_of + first, tables_token_part(tables, rows), positions);
}

void sequence_gather(Sequence *s, const Tables *tables, const int32_t *row_of, int first, int end, int columns,
                     bool backward)
{
    HeadTables head = tables_head(tables);
    Matrix value = matrix_rows(s->value, 0, columns);
    if (has_queries(tables)) {
        Matrix key = matrix_rows(s->key, 0, columns);
        gather(tables, head.query, row_of, matrix_rows(s->query, first, end - first), first);
        gather(tables, head.key, row_of, key, 0);
        transpose_copy(key, matrix_columns(s->key_transposed, 0, columns));
    }
    gather(tables, head.value, row_of, value, 0);
    if (backward) {
        transpose_copy(value, matrix_columns(s->value_transposed, 0, columns));
    }
}

void sequence_scatter(const Sequence *s, const Tables *tables, const int32_t *row_of, int first, int end, int columns,
                      HeadTables gradients)
{
    if (has_queries(tables)) {
        scatter(tables, matrix_rows(s->d_query, first, end - first), row_of, gradients.query, first);
        scatter(tables, matrix_rows(s->d_key, 0, columns), row_of, gradients.key, 0);
    }
    scatter(tables, matrix_rows(s->d_value, 0, columns), row_of, gradients.value, 0);
}

AttentionInputs sequence_inputs(const Sequence *s, int first, int count, int columns)
{
    AttentionInputs inputs = {.value = matrix_rows(s->value, 0, columns),
                              .value_transposed = matrix_columns(s->value_transposed, 0, columns)};
    if (s->query.rows > 0) {
        inputs.query = matrix_rows(s->query, first, count);
        inputs.key = matrix_rows(s->key, 0, columns);
        inputs.key_transposed = matrix_columns(s->key_transposed, 0, columns);
    }
    return inputs;
}

AttentionGradients sequence_gradients(const Sequence *s, int first, int count, int columns, int fresh)
{
    AttentionGradients gradients = {.d_value = matrix_rows(s->d_value, 0, columns), .fresh = fresh};
    if (s->query.rows > 0) {
        gradients.d_query = matrix_rows(s->d_query, first, count);
        gradients.d_key = matrix_rows(s->d_key, 0, columns);
    }
    return gradients;
}
