/* pooling.h -- the mean of each sequence's real tokens: one vector for a whole query.
 *
 *   y[b,:] = (1/n_b) sum over real t of x[b T + t,:]      n_b: the real tokens of sequence b
 *
 * Source: document 003, "The Padding Mask" and its assignment. Sequences of T = x.rows / y.rows tokens stand one behind
 * the other. Sums go in order of t. Each sequence has at least one real token (asserted). The caller owns every
 * buffer. */
#ifndef SOLILOQUY_LAYERS_POOLING_H
#define SOLILOQUY_LAYERS_POOLING_H

#include "kernels/matrix.h"

#include <stdbool.h>

/* blocked[b T + t] says which tokens are padding; NULL where none is. y [B,C] is overwritten. */
void pooling_forward(Matrix x, const bool *blocked, Matrix y);

/* d_x[b T + t,:] = d_y[b,:] / n_b for a real token, 0 for padding. */
void pooling_backward(Matrix d_y, const bool *blocked, Matrix d_x);

#endif
