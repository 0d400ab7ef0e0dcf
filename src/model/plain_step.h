/* plain_step.h -- a step as one writes it from the equations, with a place for the classic mistakes.
 *
 *   x = E[c] + P;   q, k, v = x W^T;   A = softmax(scale q k^T);   logits = (A v) W_lm^T + b;   and back
 *
 * One sequence after the other, all of its T x T weights at once, on one thread, by the functions of layers/: a mistake
 * is a wrong argument to one of them, or a few lines after it. Without one this is the gradient of model/step.h but for
 * rounding. It shows what the checks refuse (gradcheck --break, lab mistakes); nothing is trained with it otherwise. */
#ifndef SOLILOQUY_MODEL_PLAIN_STEP_H
#define SOLILOQUY_MODEL_PLAIN_STEP_H

#include "layers/attention.h"
#include "model/mistakes.h"
#include "model/step.h"

enum { PLAIN_PROJECTIONS = 3 }; /* query, key, value */

/* The tensors of a model with padded rows. */
typedef struct PlainTensors {
    Matrix token, position;               /* [V,C], [T,C] or no rows */
    Matrix projection[PLAIN_PROJECTIONS]; /* [H,C] */
    Matrix lm_weight, lm_bias;            /* [V,H], [1,V] */
} PlainTensors;

typedef struct PlainStep {
    ModelConfig config;
    PlainTensors weights, gradients;
    Matrix projection_transposed[PLAIN_PROJECTIONS]; /* [C,H] */
    Matrix lm_weight_transposed;                     /* [H,V] */
    Matrix x, d_x, d_share;                          /* [T,C] */
    AttentionInputs inputs;                          /* with T rows or columns */
    AttentionGradients to;                           /* with T rows */
    Matrix attention, d_scores;                      /* [T,T] */
    Matrix mixed, d_mixed, logits;                   /* [T,H], [T,H], [T,V] */
    Arena memory;                                    /* owned: everything above */
} PlainStep;

bool plain_step_open(PlainStep *step, const ModelConfig *config, Error *error);

/* Accepts a zeroed one. */
void plain_step_close(PlainStep *step);

/* The mean loss of all positions, in nats, and what a backward pass with that mistake takes for its gradient: of every
 * trained tensor, overwritten. MISTAKE_ADAM_STEP is none of the gradient. */
double plain_step_gradient(PlainStep *step, const Parameters *parameters, Batch batch, Mistake mistake,
                           Parameters *gradient);

#endif
