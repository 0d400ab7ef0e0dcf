#include "lab/head_gradient.h"

#include "kernels/transpose.h"
#include "layers/linear.h"

#include <math.h>
#include <string.h>

static void layout(HeadGradient *g, const SourceHead *head)
{
    int T = head->context, C = head->channels, H = head->head_size;
    Arena *arena = &g->memory;
    g->d_x = matrix_take(arena, T, C);
    g->part = matrix_take(arena, T, C);
    g->d_output = matrix_take(arena, T, H);
    g->d_scores = matrix_take(arena, T, T);
    g->d_query = matrix_take(arena, T, H);
    g->d_key = matrix_take(arena, T, H);
    g->d_value = matrix_take(arena, T, H);
    g->weight = matrix_take(arena, H, C);
}

bool head_gradient_open(HeadGradient *gradient, const SourceHead *head, Error *error)
{
    *gradient = (HeadGradient){0};
    layout(gradient, head);
    if (!arena_open(&gradient->memory, "the gradient of a source's head", error))
        return false;
    layout(gradient, head);
    return true;
}

void head_gradient_close(HeadGradient *gradient)
{
    arena_close(&gradient->memory);
    *gradient = (HeadGradient){0};
}

static void add_projection(HeadGradient *g, Matrix d_projected, Matrix weight_transposed)
{
    transpose_copy(weight_transposed, g->weight);
    linear_backward_input(d_projected, g->weight, g->part, NULL);
    for (int r = 0; r < g->d_x.rows; r++)
        for (int c = 0; c < g->d_x.columns; c++)
            matrix_row(g->d_x, r)[c] += matrix_row(g->part, r)[c];
}

void head_gradient_of_row(HeadGradient *g, const SourceHead *head, int row)
{
    const AttentionRule rule = {.visible = head->causal ? 1 : head->context,
                                .scale = (real)(1 / sqrt(head->head_size))};
    const AttentionGradients gradients = {.d_query = g->d_query, .d_key = g->d_key, .d_value = g->d_value, .fresh = 0};
    for (int r = 0; r < g->d_x.rows; r++) {
        memset(matrix_row(g->d_x, r), 0, (size_t)g->d_x.columns * sizeof(real));
        for (int h = 0; h < g->d_output.columns; h++)
            matrix_row(g->d_output, r)[h] = r == row;
    }
    attention_backward(rule, head->inputs, head->weights, g->d_output, g->d_scores, gradients);
    add_projection(g, g->d_query, head->query_weight);
    add_projection(g, g->d_key, head->key_weight);
    add_projection(g, g->d_value, head->value_weight);
}
