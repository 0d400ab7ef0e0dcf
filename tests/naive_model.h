/* naive_model.h -- the whole model written straight from its equations, in double, with plain loops.
 *
 *   x_t = E[c_t] + P[t];   q, k, v = W_Q x, W_K x, W_V x
 *   S_ij = q_i . k_j / sqrt(H);   A_i = softmax of S_i over the keys j that i may read;   out_i = sum_j A_ij v_j
 *   logits_i = W_lm out_i + b;   loss = mean over B*n positions of -ln softmax(logits_i)[target_i], in nats
 *
 * It shares no code with src: the fast path is compared with it. Shapes: V vocabulary, T context, C channels,
 * H head size, B sequences of n <= T positions; every array is row-major. Running out of memory aborts. */
#ifndef SOLILOQUY_TESTS_NAIVE_MODEL_H
#define SOLILOQUY_TESTS_NAIVE_MODEL_H

#include <stddef.h>

/* P[t]: a trained table; PE(p,2i) = sin(p / 10000^(2i/C)) and PE(p,2i+1) = cos(same); or zero. */
typedef enum NaivePositions {
    NAIVE_POSITIONS_LEARNED,
    NAIVE_POSITIONS_SINUSOIDAL,
    NAIVE_POSITIONS_NONE
} NaivePositions;

/* The keys that query i reads: j <= i, or all n. */
typedef enum NaiveMask { NAIVE_MASK_CAUSAL, NAIVE_MASK_NONE } NaiveMask;

/* Uniform: W_Q = W_K = 0, so that every key weighs the same. */
typedef enum NaiveMixing { NAIVE_MIXING_ATTENTION, NAIVE_MIXING_UNIFORM } NaiveMixing;

/* None: S_ij = q_i . k_j. */
typedef enum NaiveScale { NAIVE_SCALE_SQRT, NAIVE_SCALE_NONE } NaiveScale;

/* A model, or the gradient of one. Every pointer borrows. `position` is neither read nor needed unless positions
 * are learned, `query` and `key` unless mixing is attention: they may be NULL then. */
typedef struct NaiveModel {
    int V, T, C, H;
    NaivePositions positions;
    NaiveMask mask;
    NaiveMixing mixing;
    NaiveScale scale;
    double *token;     /* E    [V,C] */
    double *position;  /* P    [T,C] */
    double *query;     /* W_Q  [H,C] */
    double *key;       /* W_K  [H,C] */
    double *value;     /* W_V  [H,C] */
    double *lm_weight; /* W_lm [V,H] */
    double *lm_bias;   /* b    [V] */
} NaiveModel;

/* Classic mistakes of a backward pass, with which the checkers are tested. The loss stays right. With uniform
 * mixing only DROPPED_KEY (through the values) and NAN still differ from the correct gradient. */
typedef enum NaiveFault {
    NAIVE_CORRECT,
    NAIVE_FLIPPED_SIGN,     /* d_q is negated */
    NAIVE_MISSING_SCALE,    /* d_q and d_k without 1/sqrt(H) */
    NAIVE_DROPPED_KEY,      /* d_k and d_v of position j from query j alone, not from the later ones */
    NAIVE_DIAGONAL_SOFTMAX, /* d_S = A (d_A - A d_A) instead of A (d_A - sum(A d_A)) */
    NAIVE_CHANNELS,         /* d_q and d_k with 1/sqrt(C) for 1/sqrt(H) */
    NAIVE_ZERO,             /* d_q = 0 */
    NAIVE_NAN,              /* one entry of d_W_V is NaN */
    NAIVE_FAULT_COUNT
} NaiveFault;

/* One sequence: attention[n,n] (row = query, column = key, 0 where masked) and logits[n,V]. */
void naive_forward(const NaiveModel *model, const int *inputs, int n, double *attention, double *logits);

/* The mean loss of inputs[B,n], targets[B,n]. Unless `gradient` is NULL its arrays are overwritten with
 * d loss / d array; a constant's array, where there is one, with zeros. Only its pointers are read. */
double naive_loss_and_gradient(const NaiveModel *model, int B, int n, const int *inputs, const int *targets,
                               const NaiveModel *gradient, NaiveFault fault);

typedef struct NaiveAdam {
    double learning_rate, beta1, beta2, epsilon;
    int step; /* of this update; the first is 1 */
} NaiveAdam;

/* One update of `count` weights; the moments m and v [count] begin as zeros.
 *   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
 *   w -= learning_rate (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon) */
void naive_adam_step(NaiveAdam adam, size_t count, const double *gradient, double *m, double *v, double *weights);

#endif
