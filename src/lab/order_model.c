#include "lab/order_model.h"

#include "kernels/gemm.h"
#include "kernels/transpose.h"
#include "layers/attention.h"
#include "layers/cross_entropy.h"
#include "layers/embedding.h"
#include "layers/linear.h"
#include "layers/pooling.h"
#include "optimizer/adam.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows of tokens are those of the batch's `tokens`, the first of which are in use. N tokens at most, B queries, T the
 * longest. */
struct OrderWorkspace {
    Matrix x, query, key, value, mixed;                /* [N,C] */
    Matrix d_x, d_query, d_key, d_value, d_mixed;      /* [N,C] */
    Matrix weights;                                    /* [N,T]: a query's rows are its weights [L,L] */
    Matrix d_scores;                                   /* [T,T] */
    Matrix transposed;                                 /* [C,T]: a query's keys or values */
    Matrix square;                                     /* [C,C]: a projection's weight, transposed */
    Matrix head;                                       /* [C,I]: the head's weight, transposed */
    Matrix pooled, d_pooled;                           /* [B,C] */
    Matrix logits;                                     /* [B,I] */
};

static OrderTensors take_tensors(Arena *arena, OrderSizes sizes, bool attends)
{
    const size_t before = arena->used;
    const int C = sizes.channels, projected = attends ? C : 0;
    OrderTensors t = {.embedding = matrix_take(arena, sizes.vocabulary_size, C)};
    t.query = matrix_take(arena, projected, C);
    t.key = matrix_take(arena, projected, C);
    t.value = matrix_take(arena, projected, C);
    t.query_bias = matrix_take(arena, attends, C);
    t.key_bias = matrix_take(arena, attends, C);
    t.value_bias = matrix_take(arena, attends, C);
    t.head = matrix_take(arena, sizes.intents, C);
    t.head_bias = matrix_take(arena, 1, sizes.intents);
    t.first = t.embedding.data;
    t.count = (arena->used - before) / sizeof(real);
    return t;
}

static OrderWorkspace *take_workspace(Arena *arena, OrderSizes sizes)
{
    const int C = sizes.channels, T = sizes.longest, B = sizes.batch, I = sizes.intents, N = B * T;
    OrderWorkspace *taken = arena_take(arena, 1, sizeof *taken);
    OrderWorkspace w = {.weights = matrix_take(arena, N, T)};
    Matrix *const rows[] = {&w.x, &w.query, &w.key, &w.value, &w.mixed, &w.d_x, &w.d_query, &w.d_key, &w.d_value,
                            &w.d_mixed};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = matrix_take(arena, N, C);
    w.d_scores = matrix_take(arena, T, T);
    w.transposed = matrix_take(arena, C, T);
    w.square = matrix_take(arena, C, C);
    w.head = matrix_take(arena, C, I);
    w.pooled = matrix_take(arena, B, C);
    w.d_pooled = matrix_take(arena, B, C);
    w.logits = matrix_take(arena, B, I);
    if (taken != NULL)
        *taken = w;
    return taken;
}

static void take_all(OrderModel *model)
{
    const OrderSizes sizes = model->sizes;
    const bool attends = model->mixing != ORDER_BAG;
    Arena *arena = &model->memory;
    model->values = take_tensors(arena, sizes, attends);
    model->gradients = take_tensors(arena, sizes, attends);
    model->first_moments = take_tensors(arena, sizes, attends);
    model->second_moments = take_tensors(arena, sizes, attends);
    model->batch.ids = arena_take(arena, (size_t)sizes.batch * (size_t)sizes.longest, sizeof *model->batch.ids);
    model->batch.starts = arena_take(arena, (size_t)sizes.batch + 1, sizeof *model->batch.starts);
    model->batch.labels = arena_take(arena, (size_t)sizes.batch, sizeof *model->batch.labels);
    model->workspace = take_workspace(arena, sizes);
}

bool order_model_open(OrderModel *model, OrderSizes sizes, OrderMixing mixing, Error *error)
{
    *model = (OrderModel){.sizes = sizes, .mixing = mixing};
    take_all(model);
    if (!arena_open(&model->memory, "a classifier of queries", error))
        return false;
    take_all(model);
    return true;
}

void order_model_close(OrderModel *model)
{
    arena_close(&model->memory);
    *model = (OrderModel){0};
}

/* --- the batch -------------------------------------------------------------------------------------- */

void order_batch_begin(OrderModel *model)
{
    model->batch.count = 0;
    model->batch.starts[0] = 0;
}

void order_batch_add(OrderModel *model, const int32_t *ids, int length, int32_t label, bool backwards)
{
    OrderBatch *batch = &model->batch;
    assert(batch->count < model->sizes.batch && length >= 1 && length <= model->sizes.longest);
    int32_t *to = batch->ids + batch->starts[batch->count];
    for (int t = 0; t < length; t++)
        to[t] = ids[backwards ? length - 1 - t : t];
    batch->labels[batch->count++] = label;
    batch->starts[batch->count] = (int)(to - batch->ids) + length;
}

/* The rows of the batch's query q. */
static Matrix rows_of(const OrderBatch *batch, Matrix m, int q)
{
    return matrix_rows(m, batch->starts[q], batch->starts[q + 1] - batch->starts[q]);
}

/* The rows of all its tokens. */
static Matrix rows_in_use(const OrderBatch *batch, Matrix m)
{
    return matrix_rows(m, 0, batch->starts[batch->count]);
}

/* --- attention -------------------------------------------------------------------------------------- */

static void project(OrderModel *model, Matrix weight, Matrix bias, Matrix projected)
{
    OrderWorkspace *w = model->workspace;
    transpose_copy(weight, w->square);
    linear_forward(rows_in_use(&model->batch, w->x), w->square, bias.data, rows_in_use(&model->batch, projected), NULL);
}

static AttentionRule rule_for(const OrderModel *model, int length)
{
    return (AttentionRule){.visible = model->mixing == ORDER_CAUSAL ? 1 : length,
                           .scale = 1 / (real)sqrt((double)model->sizes.channels)};
}

/* The transpose of a query's keys or values. */
static Matrix transpose_rows(OrderWorkspace *w, Matrix rows)
{
    const Matrix transposed = matrix_columns(w->transposed, 0, rows.rows);
    transpose_copy(rows, transposed);
    return transposed;
}

static void mix_forward(OrderModel *model)
{
    OrderWorkspace *w = model->workspace;
    const OrderBatch *batch = &model->batch;
    project(model, model->values.query, model->values.query_bias, w->query);
    project(model, model->values.key, model->values.key_bias, w->key);
    project(model, model->values.value, model->values.value_bias, w->value);
    for (int q = 0; q < batch->count; q++) {
        const Matrix key = rows_of(batch, w->key, q), value = rows_of(batch, w->value, q);
        const AttentionInputs inputs = {.query = rows_of(batch, w->query, q), .value = value,
                                        .key_transposed = transpose_rows(w, key)};
        attention_forward(rule_for(model, key.rows), inputs, matrix_columns(rows_of(batch, w->weights, q), 0, key.rows),
                          rows_of(batch, w->mixed, q));
    }
}

/* d_x of one projection, added where `add`, and its gradients. */
static void project_backward(OrderModel *model, Matrix weight, Matrix d_projected, bool add, Matrix d_weight,
                             Matrix d_bias)
{
    OrderWorkspace *w = model->workspace;
    const Matrix d_y = rows_in_use(&model->batch, d_projected), d_x = rows_in_use(&model->batch, w->d_x);
    linear_backward_weight(rows_in_use(&model->batch, w->x), d_y, d_weight, d_bias.data, NULL);
    if (add)
        multiply_add(d_y, weight, d_x, NULL);
    else
        linear_backward_input(d_y, weight, d_x, NULL);
}

static void mix_backward(OrderModel *model)
{
    OrderWorkspace *w = model->workspace;
    const OrderBatch *batch = &model->batch;
    OrderTensors *values = &model->values, *d = &model->gradients;
    for (int q = 0; q < batch->count; q++) {
        const Matrix value = rows_of(batch, w->value, q);
        const int L = value.rows;
        const AttentionInputs inputs = {.query = rows_of(batch, w->query, q), .key = rows_of(batch, w->key, q),
                                        .value_transposed = transpose_rows(w, value)};
        const AttentionGradients gradients = {rows_of(batch, w->d_query, q), rows_of(batch, w->d_key, q),
                                              rows_of(batch, w->d_value, q), 0};
        attention_backward(rule_for(model, L), inputs, matrix_columns(rows_of(batch, w->weights, q), 0, L),
                           rows_of(batch, w->d_mixed, q), matrix_columns(matrix_rows(w->d_scores, 0, L), 0, L),
                           gradients);
    }
    project_backward(model, values->query, w->d_query, false, d->query, d->query_bias);
    project_backward(model, values->key, w->d_key, true, d->key, d->key_bias);
    project_backward(model, values->value, w->d_value, true, d->value, d->value_bias);
}

/* --- the whole -------------------------------------------------------------------------------------- */

Matrix order_forward(OrderModel *model)
{
    OrderWorkspace *w = model->workspace;
    const OrderBatch *batch = &model->batch;
    const bool attends = model->mixing != ORDER_BAG;
    const Matrix logits = matrix_rows(w->logits, 0, batch->count);
    embedding_forward(model->values.embedding, (Matrix){0}, batch->ids, rows_in_use(batch, w->x));
    if (attends)
        mix_forward(model);
    for (int q = 0; q < batch->count; q++)
        pooling_forward(rows_of(batch, attends ? w->mixed : w->x, q), NULL, matrix_rows(w->pooled, q, 1));
    transpose_copy(model->values.head, w->head);
    linear_forward(matrix_rows(w->pooled, 0, batch->count), w->head, model->values.head_bias.data, logits, NULL);
    return logits;
}

double order_backward(OrderModel *model)
{
    OrderWorkspace *w = model->workspace;
    OrderTensors *d = &model->gradients;
    const OrderBatch *batch = &model->batch;
    const bool attends = model->mixing != ORDER_BAG;
    const Matrix logits = order_forward(model), d_pooled = matrix_rows(w->d_pooled, 0, batch->count);
    memset(d->first, 0, d->count * sizeof *d->first);
    const double loss = cross_entropy_backward(logits, false, batch->labels, 1 / (real)batch->count) / batch->count;
    linear_backward_weight(matrix_rows(w->pooled, 0, batch->count), logits, d->head, d->head_bias.data, NULL);
    linear_backward_input(logits, model->values.head, d_pooled, NULL);
    for (int q = 0; q < batch->count; q++)
        pooling_backward(matrix_rows(d_pooled, q, 1), NULL, rows_of(batch, attends ? w->d_mixed : w->d_x, q));
    if (attends)
        mix_backward(model);
    embedding_backward(rows_in_use(batch, w->d_x), batch->ids, d->embedding, (Matrix){0});
    return loss;
}

void order_update(OrderModel *model, double learning_rate)
{
    const AdamSettings settings = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    adam_update_numbers(&settings, ++model->step, learning_rate, model->values.count, model->values.first,
                        model->gradients.first, model->first_moments.first, model->second_moments.first);
}
