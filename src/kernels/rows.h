/* rows.h -- what happens along the rows of a block: softmax, its adjoint, the loss, sums.
 *
 * Rows are padded as in vector.h. Units of losses are nats. */
#ifndef SOLILOQUY_KERNELS_ROWS_H
#define SOLILOQUY_KERNELS_ROWS_H

#include "kernels/matrix.h"

#include <stdbool.h>
#include <stdint.h>

/* In a block of attention, row r sees min(columns, visible + r) columns (kernels/gemm.h): the softmax is over those,
 * and what lies behind them, to the end of the last vector of the block's columns, becomes 0. */

/* rows[r,j] = exp(scale rows[r,j]) / sum_k exp(scale rows[r,k]); scale > 0. */
void softmax_rows(Matrix rows, int visible, real scale);

/* d_rows[r,j] = scale weights[r,j] (d_rows[r,j] - sum_k weights[r,k] d_rows[r,k]): the adjoint of softmax_rows, in
 * place on the gradient of the weights. */
void softmax_rows_backward(Matrix weights, Matrix d_rows, int visible, real scale);

/* Returns the sum over rows of -ln softmax(logits[r,:])[targets[r]]. With `last_is_zero` each row has one logit more
 * behind its columns, which is 0. */
double cross_entropy_rows(Matrix logits, bool last_is_zero, const int32_t *targets);

/* The same, and logits[r,v] becomes its gradient times `weight`: weight (softmax(logits[r,:])[v] - [v = targets[r]]);
 * 0 in the padding. */
double cross_entropy_rows_backward(Matrix logits, bool last_is_zero, const int32_t *targets, real weight);

/* The sum of a row. */
real row_total(const real *row, int columns);

/* destination[0..columns) += source[0..columns), padding included. */
void row_add(real *destination, const real *source, int columns);

/* The same into two rows at once. */
void row_add_both(real *first, real *second, const real *source, int columns);

#endif
