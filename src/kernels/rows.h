/* rows.h -- what happens along the rows of a block: softmax, its adjoint, the loss, sums, moves.
 *
 * Rows are padded as in vector.h. Units of losses are nats. */
#ifndef SOLILOQUY_KERNELS_ROWS_H
#define SOLILOQUY_KERNELS_ROWS_H

#include "base/real.h"

#include <stdint.h>

/* row[j] = exp(scale row[j]) / sum_k exp(scale row[k]) over j < count; 0 for count <= j < end. scale > 0,
 * 0 < count <= end. The vector that holds column end - 1 is written whole. */
void softmax_row(real *row, int count, int end, real scale);

/* d_row[j] = scale weights[j] (d_row[j] - sum_k weights[k] d_row[k]) over j < count; 0 for count <= j < end:
 * the adjoint of softmax_row, in place on the gradient of the weights. */
void softmax_row_backward(const real *weights, real *d_row, int count, int end, real scale);

/* Returns -ln softmax(logits)[target] over `count` logits. */
double cross_entropy_row(const real *logits, int count, int target);

/* The same, and logits[v] becomes its gradient times `weight`: weight (softmax(logits)[v] - [v = target]);
 * 0 in the padding. */
double cross_entropy_row_backward(real *logits, int count, int target, real weight);

/* destination[0..columns) += source[0..columns), padding included. */
void row_add(real *destination, const real *source, int columns);

/* destination = a + b, padding included. */
void row_sum(real *destination, const real *a, const real *b, int columns);

/* out[j] = row[index[j]], and with an addend row[index[j]] + addend[j], over j < count. */
void row_look_up(real *out, const real *row, const int32_t *index, int count);
void row_look_up_add(real *out, const real *row, const int32_t *index, const real *addend, int count);

/* row[index[j]] += values[j], in order of j: the adjoint of looking up. */
void row_collect(real *row, const int32_t *index, const real *values, int count);

#endif
