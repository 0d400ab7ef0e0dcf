#include "lab/source_head.h"

#include "kernels/transpose.h"
#include "kernels/vector.h"
#include "lab/arrays.h"
#include "layers/linear.h"

#include <assert.h>
#include <math.h>

static void layout(SourceHead *head)
{
    int T = head->context, C = head->channels, H = head->head_size;
    Arena *arena = &head->memory;
    head->x = matrix_take(arena, T, C);
    head->key_weight = matrix_take(arena, C, H);
    head->query_weight = matrix_take(arena, C, H);
    head->value_weight = matrix_take(arena, C, H);
    head->inputs = (AttentionInputs){
        .query = matrix_take(arena, T, H), .key = matrix_take(arena, T, H), .value = matrix_take(arena, T, H),
        .key_transposed = matrix_take(arena, H, T), .value_transposed = matrix_take(arena, H, T),
    };
    head->weights = matrix_take(arena, T, T);
    head->output = matrix_take(arena, T, H);
    head->drawn = arena_take(arena, (size_t)H * (size_t)C, sizeof *head->drawn);
}

bool source_head_open(SourceHead *head, int channels, int head_size, int context, bool causal, Error *error)
{
    *head = (SourceHead){.channels = channels, .head_size = head_size, .context = context, .causal = causal};
    layout(head);
    if (!arena_open(&head->memory, "a source's head", error))
        return false;
    layout(head);
    return true;
}

void source_head_close(SourceHead *head)
{
    arena_close(&head->memory);
    *head = (SourceHead){0};
}

void source_head_draw(SourceHead *head, TorchRandom *random)
{
    Matrix weights[] = {head->key_weight, head->query_weight, head->value_weight};
    for (int i = 0; i < 3; i++) {
        torch_linear(random, head->drawn, NULL, head->channels, head->head_size);
        for (int h = 0; h < head->head_size; h++)
            for (int c = 0; c < head->channels; c++)
                matrix_row(weights[i], c)[h] = (real)head->drawn[(size_t)h * (size_t)head->channels + (size_t)c];
    }
}

void source_head_forward(SourceHead *head, const float *x, int n)
{
    assert(n >= 1 && n <= head->context);
    AttentionInputs inputs = head->inputs;
    Matrix rows = matrix_rows(head->x, 0, n);
    array_load(x, rows);
    inputs.query.rows = inputs.key.rows = inputs.value.rows = n;
    inputs.key_transposed.columns = inputs.value_transposed.columns = n;
    linear_forward(rows, head->query_weight, NULL, inputs.query, NULL);
    linear_forward(rows, head->key_weight, NULL, inputs.key, NULL);
    linear_forward(rows, head->value_weight, NULL, inputs.value, NULL);
    transpose_copy(inputs.key, inputs.key_transposed);
    transpose_copy(inputs.value, inputs.value_transposed);
    Matrix weights = matrix_view(head->weights.data, n, n, head->weights.row_stride);
    AttentionRule rule = {.visible = head->causal ? 1 : n, .scale = (real)(1 / sqrt(head->head_size))};
    attention_forward(rule, inputs, weights, matrix_rows(head->output, 0, n));
}
