/* linear.h -- the same affine map for every row.
 *
 *   y[R,O] = x[R,I] W[O,I]^T + b[O]
 *
 * The caller owns every buffer; nothing here allocates, prints or fails. The weight is handed over in the
 * orientation that each product reads along its rows. `pairs` is scratch for products of pairs, or NULL
 * (kernels/gemm.h). */
#ifndef SOLILOQUY_LAYERS_LINEAR_H
#define SOLILOQUY_LAYERS_LINEAR_H

#include "kernels/matrix.h"

/* weight_transposed is W^T [I,O]; bias [O] with a padded row, or NULL for none. */
void linear_forward(Matrix x, Matrix weight_transposed, const real *bias, Matrix y, real *pairs);

/* d_x = d_y W. */
void linear_backward_input(Matrix d_y, Matrix weight, Matrix d_x, real *pairs);

/* d_W += d_y^T x;   d_b += column sums of d_y (d_bias may be NULL). */
void linear_backward_weight(Matrix x, Matrix d_y, Matrix d_weight, real *d_bias, real *pairs);

#endif
