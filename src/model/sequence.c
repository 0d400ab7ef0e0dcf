#include "model/sequence.h"

#include "kernels/transpose.h"
#include "layers/embedding.h"

static bool has_queries(const Tables *tables)
{
    return tables->config.mixing == MIXING_ATTENTION && !tables->plan.score_table;
}

void sequence_layout(Sequence *s, Arena *arena, const Tables *tables, int block_rows)
{
    int T = tables->config.context, H = tables->config.head_size, D = tables_value_columns(tables);
    bool multiplied = has_queries(tables);
    s->query = matrix_take(arena, multiplied ? block_rows : 0, H);
    s->d_query = matrix_take(arena, multiplied ? block_rows : 0, H);
    s->key = matrix_take(arena, multiplied ? T : 0, H);
    s->d_key = matrix_take(arena, multiplied ? T : 0, H);
    s->value = matrix_take(arena, T, D);
    s->d_value = matrix_take(arena, T, D);
    s->key_transposed = matrix_take(arena, multiplied ? H : 0, T);
    s->value_transposed = matrix_take(arena, D, T);
}

/* From position `first` on, as far as there are positions. */
static Matrix positions_from(Matrix positions, int first)
{
    return positions.rows > 0 ? matrix_rows(positions, first, positions.rows - first) : positions;
}

static void gather(const Tables *tables, Matrix rows, const int32_t *row_of, Matrix to, int first)
{
    Matrix positions = positions_from(tables_position_part(tables, rows), first);
    embedding_forward(tables_token_part(tables, rows), positions, row_of + first, to);
}

void sequence_gather(Sequence *s, const Tables *tables, const int32_t *row_of, int columns, bool backward)
{
    HeadTables head = tables_head(tables);
    Matrix value = matrix_rows(s->value, 0, columns);
    if (has_queries(tables)) {
        Matrix key = matrix_rows(s->key, 0, columns);
        gather(tables, head.key, row_of, key, 0);
        transpose_copy(key, matrix_columns(s->key_transposed, 0, columns));
    }
    gather(tables, head.value, row_of, value, 0);
    if (backward)
        transpose_copy(value, matrix_columns(s->value_transposed, 0, columns));
}

void sequence_gather_queries(Sequence *s, const Tables *tables, const int32_t *row_of, int first, int count)
{
    if (has_queries(tables))
        gather(tables, tables_head(tables).query, row_of, matrix_rows(s->query, 0, count), first);
}

void sequence_scatter(const Sequence *s, const int32_t *places, int columns, TableGradients *gradients)
{
    HeadTables tokens = gradients->tokens, positions = gradients->positions;
    if (s->query.rows > 0)
        embedding_backward(matrix_rows(s->d_key, 0, columns), places, tokens.key, positions.key);
    embedding_backward(matrix_rows(s->d_value, 0, columns), places, tokens.value, positions.value);
}

void sequence_scatter_queries(const Sequence *s, const int32_t *places, int first, int count,
                              TableGradients *gradients)
{
    Matrix positions = positions_from(gradients->positions.query, first - gradients->first);
    if (s->query.rows > 0)
        embedding_backward(matrix_rows(s->d_query, 0, count), places + first, gradients->tokens.query, positions);
}

AttentionInputs sequence_inputs(const Sequence *s, int count, int columns)
{
    AttentionInputs inputs = {.value = matrix_rows(s->value, 0, columns),
                              .value_transposed = matrix_columns(s->value_transposed, 0, columns)};
    if (s->query.rows > 0) {
        inputs.query = matrix_rows(s->query, 0, count);
        inputs.key = matrix_rows(s->key, 0, columns);
        inputs.key_transposed = matrix_columns(s->key_transposed, 0, columns);
    }
    return inputs;
}

AttentionGradients sequence_gradients(const Sequence *s, int count, int columns, int fresh)
{
    AttentionGradients gradients = {.d_value = matrix_rows(s->d_value, 0, columns), .fresh = fresh};
    if (s->query.rows > 0) {
        gradients.d_query = matrix_rows(s->d_query, 0, count);
        gradients.d_key = matrix_rows(s->d_key, 0, columns);
    }
    return gradients;
}
