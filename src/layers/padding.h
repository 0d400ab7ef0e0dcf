/* padding.h -- the mask on scores: keys that a query must not look at, as padded sequences have them.
 *
 *   S'[r,j] = fill  where key j is blocked for row r,   S[r,j] elsewhere
 *
 * Source: document 003, "The Padding Mask". It stands between the scores and the softmax
 * (attention_mix_forward in layers/attention.h): with fill = -INFINITY a blocked key gets a weight of exactly 0 and
 * the rest still sums to 1. A finite fill is a score like any other, and scaled like them; 0 shows what that does.
 *
 * A causal rule needs no mask; joined to one, keys are hidden when either hides them. A row whose keys are all hidden
 * has no softmax: its weights are NaN, as in the source. The caller owns every buffer; nothing here allocates or
 * fails. */
#ifndef SOLILOQUY_LAYERS_PADDING_H
#define SOLILOQUY_LAYERS_PADDING_H

#include "kernels/matrix.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct PaddingMask {
    const bool *blocked;  /* [J], or [R,J]; borrowed */
    ptrdiff_t row_stride; /* from one row's keys to the next one's; 0: the same keys for every row */
} PaddingMask;

/* blocked[t] = ids[t] is the padding's id, for t < count. Returns how many are not: the real ones. */
int padding_of(const int32_t *ids, int count, int32_t padding_id, bool *blocked);

/* In place. */
void padding_forward(PaddingMask mask, real fill, Matrix scores);

/* d_S = d_S' where not blocked, 0 where blocked: fill is a constant. In place. After -INFINITY the softmax's adjoint
 * has left those exact zeros already. */
void padding_backward(PaddingMask mask, Matrix d_scores);

#endif
