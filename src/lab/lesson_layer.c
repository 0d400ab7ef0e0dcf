#include "lab/lesson_layer.h"

#include "kernels/gemm.h"
#include "kernels/transpose.h"
#include "lab/torch_random.h"
#include "layers/embedding.h"
#include "layers/linear.h"

#include <math.h>

const int32_t lesson_ask[LESSON_WORDS] = {WORD_WHERE, WORD_IS, WORD_MY, WORD_CARD, WORD_QUESTION};
const int32_t lesson_told[LESSON_WORDS] = {WORD_WHERE, WORD_IS, WORD_MY, WORD_CARD, WORD_STOP};
const int32_t lesson_arrived[LESSON_WORDS] = {WORD_MY, WORD_CARD, WORD_NEVER, WORD_ARRIVED, WORD_STOP};

enum { SEED = 42 };

/* Also takes the scratch that weights are drawn into. */
static float *layout(LessonLayer *layer)
{
    int d = layer->width;
    Arena *arena = &layer->memory;
    float *embedding = arena_take(arena, (size_t)LESSON_VOCABULARY * (size_t)d, sizeof *embedding);
    layer->embedding = matrix_view(embedding, LESSON_VOCABULARY, d, d);
    layer->query_weight = matrix_take(arena, d, d);
    layer->key_weight = matrix_take(arena, d, d);
    layer->value_weight = matrix_take(arena, d, d);
    layer->query_bias = matrix_take(arena, 1, d);
    layer->key_bias = matrix_take(arena, 1, d);
    layer->value_bias = matrix_take(arena, 1, d);
    return arena_take(arena, (size_t)d * (size_t)d, sizeof(float));
}

static void draw_linear(TorchRandom *random, float *drawn, Matrix transposed, Matrix bias)
{
    int d = bias.columns;
    torch_linear(random, drawn, bias.data, d, d);
    for (int output = 0; output < d; output++)
        for (int input = 0; input < d; input++)
            matrix_row(transposed, input)[output] = drawn[(size_t)output * (size_t)d + (size_t)input];
}

bool lesson_layer_open(LessonLayer *layer, int width, Error *error)
{
    *layer = (LessonLayer){.width = width};
    layout(layer);
    if (!arena_open(&layer->memory, "the layer of document 003", error))
        return false;
    float *drawn = layout(layer);
    TorchRandom random = torch_random_seed(SEED);
    torch_embedding(&random, layer->embedding.data, LESSON_VOCABULARY, width, true);
    draw_linear(&random, drawn, layer->query_weight, layer->query_bias);
    draw_linear(&random, drawn, layer->key_weight, layer->key_bias);
    draw_linear(&random, drawn, layer->value_weight, layer->value_bias);
    return true;
}

void lesson_layer_close(LessonLayer *layer)
{
    arena_close(&layer->memory);
    *layer = (LessonLayer){0};
}

static void tokens_layout(LessonTokens *tokens, int d)
{
    int n = tokens->count;
    Arena *arena = &tokens->memory;
    tokens->x = matrix_take(arena, n, d);
    tokens->inputs = (AttentionInputs){
        .query = matrix_take(arena, n, d), .key = matrix_take(arena, n, d), .value = matrix_take(arena, n, d),
        .key_transposed = matrix_take(arena, d, n), .value_transposed = matrix_take(arena, d, n),
    };
    tokens->weights = matrix_take(arena, n, n);
    tokens->output = matrix_take(arena, n, d);
}

bool lesson_tokens_open(LessonTokens *tokens, const LessonLayer *layer, int count, Error *error)
{
    *tokens = (LessonTokens){.count = count, .scale = (real)(1 / sqrt(layer->width))};
    tokens_layout(tokens, layer->width);
    if (!arena_open(&tokens->memory, "a query of document 003", error))
        return false;
    tokens_layout(tokens, layer->width);
    return true;
}

void lesson_tokens_close(LessonTokens *tokens)
{
    arena_close(&tokens->memory);
    *tokens = (LessonTokens){0};
}

void lesson_project(LessonTokens *tokens, const LessonLayer *layer, const int32_t *ids)
{
    AttentionInputs inputs = tokens->inputs;
    embedding_forward(layer->embedding, (Matrix){0}, ids, tokens->x);
    linear_forward(tokens->x, layer->query_weight, layer->query_bias.data, inputs.query, NULL);
    linear_forward(tokens->x, layer->key_weight, layer->key_bias.data, inputs.key, NULL);
    linear_forward(tokens->x, layer->value_weight, layer->value_bias.data, inputs.value, NULL);
    transpose_copy(inputs.key, inputs.key_transposed);
    transpose_copy(inputs.value, inputs.value_transposed);
}

void lesson_attend(LessonTokens *tokens, LessonMask mask)
{
    AttentionRule rule = {.visible = mask.causal ? 1 : tokens->count, .scale = tokens->scale};
    if (mask.padding.blocked == NULL) {
        attention_forward(rule, tokens->inputs, tokens->weights, tokens->output);
        return;
    }
    multiply_causal(tokens->inputs.query, tokens->inputs.key_transposed, tokens->weights, rule.visible, NULL);
    padding_forward(mask.padding, mask.zero_filled ? 0 : -(real)INFINITY, tokens->weights);
    attention_mix_forward(rule, tokens->weights, tokens->inputs.value, tokens->output);
}

bool lesson_run(LessonTokens *tokens, const LessonLayer *layer, const int32_t *ids, int count, LessonMask mask,
                Error *error)
{
    if (!lesson_tokens_open(tokens, layer, count, error))
        return false;
    lesson_project(tokens, layer, ids);
    lesson_attend(tokens, mask);
    return true;
}
