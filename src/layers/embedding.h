/* embedding.h -- each character's row plus its position's row.
 *
 *   y[t,:] = tokens[row_of[t],:] + positions[t,:]      t < T
 *
 * The tables may be the embeddings themselves or any linear image of them: W (E[c] + P[t]) = (W E)[c] + (W P)[t],
 * which is how the model uses it. The caller owns every buffer. */
#ifndef SOLILOQUY_LAYERS_EMBEDDING_H
#define SOLILOQUY_LAYERS_EMBEDDING_H

#include "kernels/matrix.h"

#include <stdint.h>

/* y has as many rows as there are characters; positions.rows is at least that, or 0 where there are none. */
void embedding_forward(Matrix tokens, Matrix positions, const int32_t *row_of, Matrix y);

/* d_tokens[row_of[t],:] += d_y[t,:];   d_positions[t,:] += d_y[t,:], in order of t. */
void embedding_backward(Matrix d_y, const int32_t *row_of, Matrix d_tokens, Matrix d_positions);

#endif
