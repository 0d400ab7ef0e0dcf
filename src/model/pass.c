#include "model/pass.h"

#include "kernels/gemm.h"
#include "layers/cross_entropy.h"
#include "layers/linear.h"
#include "layers/score_table.h"
#include "model/chunk.h"

/* Numbers of scratch for the largest product of a chunk of the tables or of a block of text. */
static size_t pairs_count(const Tables *t, int block)
{
    int C = t->config.channels, H = t->config.head_size, V = t->config.vocabulary_size, T = t->config.context;
    int wide = t->projected.columns, rows = t->projected.rows, D = tables_value_columns(t), chunk = CHUNK_MOST;
    int square = t->plan.score_table ? rows : 0;
    const struct {
        int rows, depth, columns;
    } products[] = {
        {chunk, C, wide}, {chunk, H, V}, {chunk, H, square}, {chunk, square, H}, {chunk, wide, C}, {chunk, V, H},
        {chunk, rows, C}, {chunk, rows, H},
        {block, H, T}, {block, T, H}, {T, block, H}, {block, D, T}, {block, T, D}, {T, block, D},
        {block, H, V}, {block, V, H}, {V, block, H},
    };
    size_t most = 0;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        size_t count = pair_scratch_count(products[i].rows, products[i].depth, products[i].columns);
        most = count > most ? count : most;
    }
    return most;
}

void pass_layout(Pass *pass, Arena *arena, const Tables *tables)
{
    int rows = PASS_BLOCK_ROWS, V = tables->config.vocabulary_size;
    int mixed_rows = tables->plan.linear_first ? 0 : rows;
    sequence_layout(&pass->sequence, arena, tables, rows);
    pass->weights = matrix_take(arena, rows, tables->config.context);
    pass->d_scores = matrix_take(arena, rows, tables->config.context);
    pass->mixed = matrix_take(arena, mixed_rows, tables->config.head_size);
    pass->d_mixed = matrix_take(arena, mixed_rows, tables->config.head_size);
    pass->logits = matrix_take(arena, rows, tables->plan.linear_first ? V - 1 : V);
    pass->pairs = NULL;
    pass->pair_scratch = tables->plan.pairs ? arena_take(arena, pairs_count(tables, rows), sizeof(real)) : NULL;
    pass->collected = matrix_take(arena, tables->plan.score_table ? tables->token_limit : 0, rows);
    pass->places = arena_take(arena, (size_t)tables->config.context, sizeof(int32_t));
}

static int seen_columns(const Tables *tables, int end, int length)
{
    return tables->config.mask == MASK_CAUSAL ? end : length;
}

static AttentionRule attention_rule(const Pass *pass, const Tables *tables, int first, int length)
{
    return (AttentionRule){
        .visible = seen_columns(tables, first + 1, length),
        .uniform = tables->config.mixing == MIXING_UNIFORM,
        .scale = (real)model_config_scale(&tables->config),
        .pairs = pass->pairs,
    };
}

/* rows x columns at the upper left of a buffer. */
static Matrix corner(Matrix m, int rows, int columns)
{
    return matrix_columns(matrix_rows(m, 0, rows), 0, columns);
}

static ScoreRows score_rows(const Pass *pass, const Tables *tables, int first, int length)
{
    return (ScoreRows){
        .row_of = pass->row_of,
        .first = first,
        .characters = tables->token_rows,
        .position_first = tables->position_rows > 0 ? tables->position_first : -1,
        .visible = seen_columns(tables, first + 1, length),
    };
}

void pass_gather(Pass *pass, const Tables *tables, const int32_t *row_of, int columns, bool backward)
{
    pass->row_of = row_of;
    sequence_gather(&pass->sequence, tables, row_of, columns, backward);
}

int pass_block_forward(Pass *pass, const Tables *tables, int first, int count, int length)
{
    int seen = seen_columns(tables, first + count, length);
    AttentionRule rule = attention_rule(pass, tables, first, length);
    sequence_gather_queries(&pass->sequence, tables, pass->row_of, first, count);
    AttentionInputs inputs = sequence_inputs(&pass->sequence, count, seen);
    Matrix weights = corner(pass->weights, count, seen), logits = matrix_rows(pass->logits, 0, count);
    Matrix mixed = tables->plan.linear_first ? logits : matrix_rows(pass->mixed, 0, count);
    if (tables->plan.score_table) {
        score_table_forward(tables_head(tables).scores, score_rows(pass, tables, first, length), weights);
        attention_mix_forward(rule, weights, inputs.value, mixed);
    } else {
        attention_forward(rule, inputs, weights, mixed);
    }
    if (!tables->plan.linear_first)
        linear_forward(mixed, tables->lm_weight_transposed, tables->lm_bias, logits, pass->pairs);
    return seen;
}

/* The block's logits have become their gradients. Columns from `fresh` on are met for the first time. */
static void block_backward(Pass *pass, const Tables *tables, int first, int count, int length, int fresh,
                           TableGradients *gradients)
{
    int seen = seen_columns(tables, first + count, length);
    AttentionRule rule = attention_rule(pass, tables, first, length);
    AttentionInputs inputs = sequence_inputs(&pass->sequence, count, seen);
    AttentionGradients to = sequence_gradients(&pass->sequence, count, seen, fresh);
    Matrix weights = corner(pass->weights, count, seen), d_scores = corner(pass->d_scores, count, seen);
    Matrix d_output = matrix_rows(pass->logits, 0, count);
    if (!tables->plan.linear_first) {
        Matrix d_mixed = matrix_rows(pass->d_mixed, 0, count);
        linear_backward_weight(matrix_rows(pass->mixed, 0, count), d_output, gradients->lm_weight, gradients->lm_bias,
                               pass->pairs);
        linear_backward_input(d_output, tables->lm_weight, d_mixed, pass->pairs);
        d_output = d_mixed;
    }
    if (tables->plan.score_table) {
        attention_mix_backward(rule, inputs, weights, d_output, d_scores, to);
        score_table_backward(d_scores, score_rows(pass, tables, first, length), pass->collected, gradients->scores);
    } else {
        attention_backward(rule, inputs, weights, d_output, d_scores, to);
    }
}

double pass_rows(Pass *pass, const Tables *tables, const int32_t *row_of, const int32_t *targets, int first, int end,
                 int length, real weight, TableGradients *gradients)
{
    int columns = seen_columns(tables, end, length);
    double loss = 0;
    pass_gather(pass, tables, row_of, columns, gradients != NULL);
    if (gradients != NULL)
        table_gradients_meet(gradients, row_of, columns, pass->places);
    for (int row = first; row < end; row += PASS_BLOCK_ROWS) {
        int count = end - row < PASS_BLOCK_ROWS ? end - row : PASS_BLOCK_ROWS;
        pass_block_forward(pass, tables, row, count, length);
        Matrix logits = matrix_rows(pass->logits, 0, count);
        if (gradients == NULL) {
            loss += cross_entropy_forward(logits, tables->plan.linear_first, targets + row);
        } else {
            loss += cross_entropy_backward(logits, tables->plan.linear_first, targets + row, weight);
            int fresh = row == first ? 0 : seen_columns(tables, row, length);
            block_backward(pass, tables, row, count, length, fresh, gradients);
            sequence_scatter_queries(&pass->sequence, pass->places, row, count, gradients);
        }
    }
    if (gradients != NULL)
        sequence_scatter(&pass->sequence, pass->places, columns, gradients);
    return loss;
}
