/* arrays.h -- a source's dense arrays, to and from matrices whose rows are padded, and what is measured of them. */
#ifndef SOLILOQUY_LAB_ARRAYS_H
#define SOLILOQUY_LAB_ARRAYS_H

#include "kernels/matrix.h"

/* m[r,c] = from[r * columns + c] */
void array_load(const float *from, Matrix m);
void array_load_doubles(const double *from, Matrix m);

/* to[r * columns + c] = m[r,c] */
void array_store(Matrix m, double *to);

/* A running mean, the squares of what differs from it, and both ends. Starts zeroed; a NaN stays in all four. */
typedef struct Moments {
    size_t count;
    double mean, squares, smallest, largest;
} Moments;

void moments_add(Moments *moments, double value);

/* squares / count, and squares / (count - 1). */
double moments_variance(const Moments *moments);
double moments_sample_variance(const Moments *moments);

/* The largest distance of any of the values from `point`. */
double moments_distance(const Moments *moments, double point);

/* Of all elements; and of the rows' sums, each summed in double. */
Moments array_moments(Matrix m);
Moments row_sum_moments(Matrix m);

/* The entropy of one row of weights in nats: -sum w ln(w + tiny), nothing for a weight of 0. */
double row_entropy(const real *weights, int columns, double tiny);

/* Where the largest element of a row first stands. */
int row_largest(const real *row, int columns);

#endif
