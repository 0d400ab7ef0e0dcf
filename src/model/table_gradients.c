#include "model/table_gradients.h"

#include "kernels/rows.h"
#include "kernels/vector.h"

#include <string.h>

void table_gradients_layout(TableGradients *g, Arena *arena, const Tables *t, TableExtent extent)
{
    int H = t->config.head_size, V = t->config.vocabulary_size, D = tables_value_columns(t);
    int64_t characters = (int64_t)extent.sequences * extent.columns;
    int tokens = characters < t->token_limit ? (int)characters : t->token_limit;
    bool multiplied = t->config.mixing == MIXING_ATTENTION && !t->plan.score_table, positioned = t->position_rows > 0;
    int columns = positioned ? extent.columns : 0, queries = positioned ? extent.end - extent.first : 0;
    size_t before = arena->used;
    *g = (TableGradients){.first = extent.first};
    g->lm_weight = matrix_take(arena, t->plan.linear_first ? 0 : V, H);
    g->memory = g->lm_weight.data;
    if (!t->plan.linear_first)
        g->lm_bias = arena_take(arena, (size_t)padded(V), sizeof(real));
    g->scores = matrix_take(arena, t->scores.rows, t->scores.columns);
    g->tokens.query = matrix_take(arena, multiplied ? tokens : 0, H);
    g->tokens.key = matrix_take(arena, multiplied ? tokens : 0, H);
    g->tokens.value = matrix_take(arena, tokens, D);
    g->positions.query = matrix_take(arena, multiplied ? queries : 0, H);
    g->positions.key = matrix_take(arena, multiplied ? columns : 0, H);
    g->positions.value = matrix_take(arena, columns, D);
    g->bytes = arena->used - before;
    g->place_of = arena_take(arena, (size_t)t->token_limit, sizeof(int32_t));
}

void table_gradients_begin(TableGradients *g, const Tables *t)
{
    g->token_rows = 0;
    memset(g->memory, 0, g->bytes);
    memset(g->place_of, -1, (size_t)t->token_rows * sizeof(int32_t));
}

void table_gradients_meet(TableGradients *g, const int32_t *row_of, int count, int32_t *places)
{
    for (int i = 0; i < count; i++) {
        int32_t *place = &g->place_of[row_of[i]];
        if (*place < 0)
            *place = g->token_rows++;
        places[i] = *place;
    }
}

static Matrix part_of(HeadTables rows, TablePart part)
{
    return part == PART_QUERY ? rows.query : part == PART_KEY ? rows.key : rows.value;
}

void table_gradients_add(const TableGradients *g, const Tables *t, TablePart part, int first, bool begins, Matrix sum)
{
    Matrix tokens = part_of(g->tokens, part), positions = part_of(g->positions, part);
    int position_first = t->position_first + (part == PART_QUERY ? g->first : 0);
    size_t bytes = (size_t)padded(sum.columns) * sizeof(real);
    for (int r = 0; r < sum.rows; r++) {
        bool is_token = first + r < t->token_rows;
        int place = is_token ? g->place_of[first + r] : first + r - position_first;
        Matrix from = is_token ? tokens : positions;
        bool met = place >= 0 && place < from.rows;
        if (met && !begins)
            row_add(matrix_row(sum, r), matrix_row(from, place), sum.columns);
        else if (met)
            memcpy(matrix_row(sum, r), matrix_row(from, place), bytes);
        else if (begins)
            memset(matrix_row(sum, r), 0, bytes);
    }
}
