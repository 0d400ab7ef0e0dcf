#include "model/plain_step.h"

#include "kernels/denormals.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "layers/cross_entropy.h"
#include "layers/embedding.h"
#include "layers/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void tensors_layout(PlainTensors *t, Arena *arena, const ModelConfig *config)
{
    int T = config->context, C = config->channels, H = config->head_size, V = config->vocabulary_size;
    t->token = matrix_take(arena, V, C);
    t->position = matrix_take(arena, config->positions == POSITIONS_NONE ? 0 : T, C);
    for (int i = 0; i < PLAIN_PROJECTIONS; i++)
        t->projection[i] = matrix_take(arena, H, C);
    t->lm_weight = matrix_take(arena, V, H);
    t->lm_bias = matrix_take(arena, 1, V);
}

/* In the order of model/parameters.h. */
static Matrix tensor_at(const PlainTensors *t, int index)
{
    const Matrix list[TENSOR_COUNT] = {t->token, t->position, t->projection[0], t->projection[1], t->projection[2],
                                       t->lm_weight, t->lm_bias};
    return list[index];
}

static void layout(PlainStep *s)
{
    int T = s->config.context, C = s->config.channels, H = s->config.head_size, V = s->config.vocabulary_size;
    Arena *arena = &s->memory;
    tensors_layout(&s->weights, arena, &s->config);
    tensors_layout(&s->gradients, arena, &s->config);
    for (int i = 0; i < PLAIN_PROJECTIONS; i++)
        s->projection_transposed[i] = matrix_take(arena, C, H);
    s->lm_weight_transposed = matrix_take(arena, H, V);
    s->x = matrix_take(arena, T, C);
    s->d_x = matrix_take(arena, T, C);
    s->d_share = matrix_take(arena, T, C);
    s->inputs = (AttentionInputs){
        .query = matrix_take(arena, T, H), .key = matrix_take(arena, T, H), .value = matrix_take(arena, T, H),
        .key_transposed = matrix_take(arena, H, T), .value_transposed = matrix_take(arena, H, T),
    };
    s->to = (AttentionGradients){.d_query = matrix_take(arena, T, H), .d_key = matrix_take(arena, T, H),
                                 .d_value = matrix_take(arena, T, H)};
    s->attention = matrix_take(arena, T, T);
    s->d_scores = matrix_take(arena, T, T);
    s->mixed = matrix_take(arena, T, H);
    s->d_mixed = matrix_take(arena, T, H);
    s->logits = matrix_take(arena, T, V);
}

bool plain_step_open(PlainStep *step, const ModelConfig *config, Error *error)
{
    *step = (PlainStep){.config = *config};
    if (!model_config_check(config, error))
        return false;
    layout(step);
    if (!arena_open(&step->memory, "a plain step of this context and model", error))
        return false;
    layout(step);
    return true;
}

void plain_step_close(PlainStep *step)
{
    arena_close(&step->memory);
    *step = (PlainStep){0};
}

/* to = from, row by row. */
static void copy(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++)
        memcpy(matrix_row(to, r), matrix_row(from, r), (size_t)from.columns * sizeof(real));
}

static void load(PlainStep *s, const Parameters *parameters)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix gradient = tensor_at(&s->gradients, i);
        copy(parameters->tensors[i].values, tensor_at(&s->weights, i));
        for (int r = 0; r < gradient.rows; r++)
            memset(matrix_row(gradient, r), 0, (size_t)gradient.columns * sizeof(real));
    }
    for (int i = 0; i < PLAIN_PROJECTIONS; i++)
        transpose_copy(s->weights.projection[i], s->projection_transposed[i]);
    transpose_copy(s->weights.lm_weight, s->lm_weight_transposed);
}

/* The same step for sequences of n positions: what has T rows or columns has n. */
static PlainStep shortened(const PlainStep *step, int n)
{
    PlainStep s = *step;
    Matrix *const tall[] = {&s.x, &s.d_x, &s.d_share, &s.inputs.query, &s.inputs.key, &s.inputs.value, &s.to.d_query,
                            &s.to.d_key, &s.to.d_value, &s.attention, &s.d_scores, &s.mixed, &s.d_mixed, &s.logits};
    Matrix *const wide[] = {&s.inputs.key_transposed, &s.inputs.value_transposed, &s.attention, &s.d_scores};
    for (size_t i = 0; i < sizeof tall / sizeof tall[0]; i++)
        tall[i]->rows = n;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        wide[i]->columns = n;
    return s;
}

static AttentionRule rule_of(const PlainStep *s)
{
    return (AttentionRule){.visible = s->config.mask == MASK_CAUSAL ? 1 : s->x.rows,
                           .uniform = s->config.mixing == MIXING_UNIFORM,
                           .scale = (real)model_config_scale(&s->config)};
}

static void forward(const PlainStep *s, const int32_t *ids)
{
    const Matrix parts[PLAIN_PROJECTIONS] = {s->inputs.query, s->inputs.key, s->inputs.value};
    embedding_forward(s->weights.token, s->weights.position, ids, s->x);
    for (int i = 0; i < PLAIN_PROJECTIONS; i++)
        linear_forward(s->x, s->projection_transposed[i], NULL, parts[i], NULL);
    transpose_copy(s->inputs.key, s->inputs.key_transposed);
    transpose_copy(s->inputs.value, s->inputs.value_transposed);
    attention_forward(rule_of(s), s->inputs, s->attention, s->mixed);
    linear_forward(s->mixed, s->lm_weight_transposed, s->weights.lm_bias.data, s->logits, NULL);
}

/* The softmax taken for a function of each score alone: d_S = scale A (1 - A) d_A, and d_Q and d_K from it. */
static void diagonal_softmax(const PlainStep *s, AttentionRule rule)
{
    if (rule.uniform)
        return;
    multiply_causal(s->d_mixed, s->inputs.value_transposed, s->d_scores, rule.visible, NULL);
    for (int r = 0; r < s->attention.rows; r++) {
        const real *a = matrix_row(s->attention, r);
        real *d = matrix_row(s->d_scores, r);
        for (int j = 0; j < s->attention.columns; j++)
            d[j] = a[j] != 0 ? rule.scale * a[j] * (1 - a[j]) * d[j] : 0; /* where the mask is, d was not computed */
    }
    multiply_causal_left(s->d_scores, s->inputs.key, s->to.d_query, rule.visible, NULL);
    multiply_causal_transposed(s->d_scores, s->inputs.query, s->to.d_key, rule.visible, 0, NULL);
}

/* What position j hands to the queries is taken to be read by query j alone: d_v_j = A_jj d_y_j, d_k_j = d_S_jj q_j. */
static void own_query_alone(const PlainStep *s, AttentionRule rule)
{
    for (int j = 0; j < s->x.rows; j++) {
        real weight = matrix_row(s->attention, j)[j], d_score = matrix_row(s->d_scores, j)[j];
        for (int h = 0; h < s->config.head_size; h++) {
            matrix_row(s->to.d_value, j)[h] = weight * matrix_row(s->d_mixed, j)[h];
            if (!rule.uniform)
                matrix_row(s->to.d_key, j)[h] = d_score * matrix_row(s->inputs.query, j)[h];
        }
    }
}

static void mistaken_attention_backward(const PlainStep *s, Mistake mistake)
{
    AttentionRule rule = rule_of(s);
    if (s->config.scale == SCALE_SQRT && mistake == MISTAKE_NO_SCALE)
        rule.scale = 1;
    if (s->config.scale == SCALE_SQRT && mistake == MISTAKE_CHANNELS)
        rule.scale = (real)(1 / sqrt((double)s->config.channels));
    attention_backward(rule, s->inputs, s->attention, s->d_mixed, s->d_scores, s->to);
    if (mistake == MISTAKE_DIAGONAL_SOFTMAX)
        diagonal_softmax(s, rule);
    if (mistake == MISTAKE_LATER_QUERIES)
        own_query_alone(s, rule);
}

/* The logits have become their gradients. */
static void backward(PlainStep *s, const int32_t *ids, Mistake mistake)
{
    const Matrix d_parts[PLAIN_PROJECTIONS] = {s->to.d_query, s->to.d_key, s->to.d_value};
    int first = s->config.mixing == MIXING_UNIFORM ? PLAIN_PROJECTIONS - 1 : 0;
    linear_backward_weight(s->mixed, s->logits, s->gradients.lm_weight, s->gradients.lm_bias.data, NULL);
    linear_backward_input(s->logits, s->weights.lm_weight, s->d_mixed, NULL);
    mistaken_attention_backward(s, mistake);
    for (int i = first; i < PLAIN_PROJECTIONS; i++) {
        linear_backward_weight(s->x, d_parts[i], s->gradients.projection[i], NULL, NULL);
        linear_backward_input(d_parts[i], s->weights.projection[i], i == first ? s->d_x : s->d_share, NULL);
        for (int r = 0; i > first && r < s->x.rows; r++)
            row_add(matrix_row(s->d_x, r), matrix_row(s->d_share, r), s->config.channels);
    }
    embedding_backward(s->d_x, ids, s->gradients.token, s->gradients.position);
}

double plain_step_gradient(PlainStep *step, const Parameters *parameters, Batch batch, Mistake mistake,
                           Parameters *gradient)
{
    assert(batch.length <= step->config.context);
    double count = (double)batch.count * batch.length, loss = 0;
    real weight = mistake == MISTAKE_SUM ? 1 : (real)(1 / count);
    uint64_t state = denormals_flush();
    load(step, parameters);
    PlainStep s = shortened(step, batch.length);
    for (int b = 0; b < batch.count; b++) {
        ptrdiff_t start = (ptrdiff_t)b * batch.length;
        forward(&s, batch.inputs + start);
        loss += cross_entropy_backward(s.logits, false, batch.targets + start, weight);
        backward(&s, batch.inputs + start, mistake);
    }
    for (int i = 0; i < TENSOR_COUNT; i++)
        if (gradient->tensors[i].trained)
            copy(tensor_at(&s.gradients, i), gradient->tensors[i].values);
    denormals_restore(state);
    return loss / count;
}
