/* order_model.h -- document 003's classifier: what a query wants, from the mean of its words' vectors.
 *
 *   x = E[ids]                                                      x [T,C]
 *   y = softmax((x W_q^T + b_q)(x W_k^T + b_k)^T / sqrt(C)) (x W_v^T + b_v)    or y = x, the bag
 *   logits = mean_t(y) W_h^T + b_h                                  [I] intents
 *
 * Words are real tokens alone: a padded key has a weight of exactly 0 and the mean leaves padded rows out
 * (layers/padding.h, layers/pooling.h), so that nothing is computed for either. The queries of a batch stand one
 * behind the other, without gaps. With ORDER_CAUSAL a token sees itself and those before it.
 *
 * All memory is taken by order_model_open; steps allocate nothing. */
#ifndef SOLILOQUY_LAB_ORDER_MODEL_H
#define SOLILOQUY_LAB_ORDER_MODEL_H

#include "kernels/matrix.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum OrderMixing { ORDER_BAG, ORDER_ATTENTION, ORDER_CAUSAL } OrderMixing;

typedef struct OrderSizes {
    int vocabulary_size, channels, intents;
    int longest; /* tokens of a query */
    int batch;   /* queries at once */
} OrderSizes;

/* Everything that is trained, or the gradient of that, or one of Adam's moments. */
typedef struct OrderTensors {
    Matrix embedding;                   /* [V,C] */
    Matrix query, key, value;           /* [C,C]; no rows in the bag */
    Matrix query_bias, key_bias, value_bias; /* [1,C] */
    Matrix head, head_bias;             /* [I,C], [1,I] */
    real *first;                        /* all of it, `count` numbers with the rows' padding */
    size_t count;
} OrderTensors;

/* Queries packed one behind the other. */
typedef struct OrderBatch {
    int count;       /* queries */
    int32_t *ids;    /* the tokens of all of them */
    int *starts;     /* [count+1]: where each query's tokens begin, and the last one's end */
    int32_t *labels; /* [count] */
} OrderBatch;

typedef struct OrderWorkspace OrderWorkspace;

typedef struct OrderModel {
    OrderSizes sizes;
    OrderMixing mixing;
    OrderTensors values, gradients, first_moments, second_moments;
    int64_t step;              /* updates so far */
    OrderBatch batch;
    OrderWorkspace *workspace;
    Arena memory;              /* owned: all of the above */
} OrderModel;

/* All numbers are 0. */
bool order_model_open(OrderModel *model, OrderSizes sizes, OrderMixing mixing, Error *error);

/* Accepts a zeroed model. */
void order_model_close(OrderModel *model);

/* Empties the batch. */
void order_batch_begin(OrderModel *model);

/* Adds a query of 1 to `longest` tokens; `backwards` turns their order round. */
void order_batch_add(OrderModel *model, const int32_t *ids, int length, int32_t label, bool backwards);

/* The logits [count,I] of the batch, valid until the next call. */
Matrix order_forward(OrderModel *model);

/* The gradients of the batch's mean loss, which it returns, in nats: forward and back. */
double order_backward(OrderModel *model);

/* One step of Adam (optimizer/adam.h) with PyTorch's defaults, on the gradients of order_backward. */
void order_update(OrderModel *model, double learning_rate);

#endif
