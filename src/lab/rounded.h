/* rounded.h -- figures as a source rounds them before it prints them: tensor.round(decimals=2) shows 0.7000. */
#ifndef SOLILOQUY_LAB_ROUNDED_H
#define SOLILOQUY_LAB_ROUNDED_H

#include "kernels/matrix.h"

/* The nearest multiple of 10^-decimals, ties to the even one, in the value's own precision as PyTorch does it. */
double rounded(real value, int decimals);

/* The elements of m, row after row, each rounded; m may have any strides. Returns where the next figure goes. */
double *rounded_matrix(Matrix m, int decimals, double *figures);

/* The largest |a - b| of two matrices of one shape: NaN where one of them has a NaN. */
double largest_difference(Matrix a, Matrix b);

#endif
