/* real_matrix.h -- matrices for the tests that run in both flavours of `real`.
 *
 * Their memory is exactly as long as kernels/vector.h promises, so that AddressSanitizer sees one access beyond it;
 * all of it starts as NaN, so that padding that reaches a result shows. test_matrix_free releases any of them.
 * Running out of memory aborts. */
#ifndef SOLILOQUY_TESTS_REAL_MATRIX_H
#define SOLILOQUY_TESTS_REAL_MATRIX_H

#include "base/random.h"
#include "kernels/matrix.h"
#include "kernels/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool real_is_double(void)
{
    return sizeof(real) == sizeof(double);
}

static inline double tolerance(double of_float, double of_double)
{
    return real_is_double() ? of_double : of_float;
}

static inline real *test_reals(size_t count)
{
    real *values = malloc((count > 0 ? count : 1) * sizeof *values);
    if (values == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        values[i] = (real)NAN;
    return values;
}

static inline Matrix test_matrix(int rows, int columns)
{
    return matrix_view(test_reals((size_t)rows * (size_t)padded(columns)), rows, columns, padded(columns));
}

static inline void test_matrix_free(Matrix m)
{
    free(m.data);
}

/* Standard normal entries. */
static inline Matrix test_matrix_random(int rows, int columns, Random *random)
{
    Matrix m = test_matrix(rows, columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            matrix_row(m, r)[c] = (real)random_normal(random);
    return m;
}

/* values[rows * columns], one row after another. */
static inline Matrix test_matrix_from(int rows, int columns, const double *values)
{
    Matrix m = test_matrix(rows, columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            matrix_row(m, r)[c] = (real)values[r * columns + c];
    return m;
}

/* Of a row-major matrix with padded rows, padding included. */
static inline Matrix test_matrix_copy(Matrix m)
{
    Matrix copy = test_matrix(m.rows, m.columns);
    for (int r = 0; r < m.rows; r++)
        memcpy(matrix_row(copy, r), matrix_row(m, r), (size_t)padded(m.columns) * sizeof(real));
    return copy;
}

static inline bool matrix_same_bits(Matrix a, Matrix b)
{
    for (int r = 0; r < a.rows; r++)
        if (memcmp(matrix_row(a, r), matrix_row(b, r), (size_t)a.columns * sizeof(real)) != 0)
            return false;
    return a.rows == b.rows && a.columns == b.columns;
}

/* |ours - expected| / |expected|, Euclidean; where expected is all zero, |ours|. NaN when anything is. */
static inline double matrix_difference(Matrix ours, const double *expected)
{
    double squares = 0, difference = 0;
    for (int r = 0; r < ours.rows; r++)
        for (int c = 0; c < ours.columns; c++) {
            double e = expected[(size_t)r * (size_t)ours.columns + (size_t)c], d = (double)matrix_row(ours, r)[c] - e;
            squares += e * e;
            difference += d * d;
        }
    return squares > 0 ? sqrt(difference / squares) : squares == 0 ? sqrt(difference) : NAN;
}

/* The analytic gradient of a loss by `values` against central differences: the largest difference of an entry,
 * relative to the norm of the tensor's gradient; infinite where that norm is 0. Meaningful in double alone. */
static inline double gradient_difference(Matrix values, Matrix analytic, double (*loss)(void *), void *context)
{
    const real step = (real)1e-5;
    double squares = 0, largest = 0;
    for (int r = 0; r < values.rows; r++)
        for (int c = 0; c < values.columns; c++) {
            real *place = matrix_row(values, r) + c, kept = *place;
            *place = kept + step;
            double above = loss(context);
            *place = kept - step;
            double below = loss(context);
            *place = kept;
            double numeric = (above - below) / (2 * (double)step);
            double difference = fabs((double)matrix_row(analytic, r)[c] - numeric);
            if (isnan(difference))
                return NAN;
            squares += numeric * numeric;
            largest = difference > largest ? difference : largest;
        }
    return squares > 0 ? largest / sqrt(squares) : INFINITY;
}

#endif
