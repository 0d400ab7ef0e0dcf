/* cross_entropy.h -- the loss of a block of rows of logits, in nats.
 *
 *   loss = sum_r -ln softmax(logits[r,:])[target[r]]
 *
 * Summed in double. With last_is_zero the last symbol's logit is 0 and not stored: softmax sees differences only. The
 * caller owns every buffer. */
#ifndef SOLILOQUY_LAYERS_CROSS_ENTROPY_H
#define SOLILOQUY_LAYERS_CROSS_ENTROPY_H

#include "kernels/matrix.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the sum over rows; logits stay as they are. */
double cross_entropy_forward(Matrix logits, bool last_is_zero, const int32_t *targets);

/* Returns the same sum; logits[r,v] become d_logits[r,v] = weight (softmax(logits[r,:])[v] - [v = target[r]]), the
 * gradient of weight * loss. */
double cross_entropy_backward(Matrix logits, bool last_is_zero, const int32_t *targets, real weight);

#endif
