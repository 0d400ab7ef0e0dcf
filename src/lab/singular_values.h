/* singular_values.h -- the singular values of a matrix, by rotations of its columns.
 *
 * Source: Hestenes, "Inversion of matrices by biorthogonalization and related results", J. SIAM 6, 1958 (the one-sided
 * Jacobi method): pairs of columns are turned until all are orthogonal; their lengths are then the singular values,
 * the small ones as accurate as double allows. */
#ifndef SOLILOQUY_LAB_SINGULAR_VALUES_H
#define SOLILOQUY_LAB_SINGULAR_VALUES_H

#include <stdbool.h>

/* Of columns[n][m]: n vectors of m numbers each, one behind the other, which it overwrites. values[n] descend. False
 * when one is not finite, or sweeps did not end. */
bool singular_values(double *columns, int n, int m, double *values);

/* How many exceed values[0] * larger side * the step of `float`, as PyTorch's matrix_rank counts. */
int singular_rank(const double *values, int n, int larger_side);

#endif
