/* matrix.h -- a view of a matrix: data it does not own, a shape, and strides.
 *
 * Element (r, c) is data[r * row_stride + c * column_stride]. A transpose, a block of rows or of columns is
 * another view of the same numbers, so that layer code can be written like its equation. */
#ifndef SOLILOQUY_KERNELS_MATRIX_H
#define SOLILOQUY_KERNELS_MATRIX_H

#include "base/arena.h"
#include "base/real.h"

#include <stddef.h>

typedef struct Matrix {
    real *data;              /* borrows */
    int rows, columns;
    ptrdiff_t row_stride;    /* in reals */
    ptrdiff_t column_stride; /* in reals; 1 for a row-major matrix */
} Matrix;

static inline Matrix matrix_view(real *data, int rows, int columns, ptrdiff_t row_stride)
{
    return (Matrix){data, rows, columns, row_stride, 1};
}

static inline real *matrix_row(Matrix m, int row)
{
    return m.data + row * m.row_stride;
}

static inline Matrix matrix_transpose(Matrix m)
{
    return (Matrix){m.data, m.columns, m.rows, m.column_stride, m.row_stride};
}

static inline Matrix matrix_rows(Matrix m, int first, int count)
{
    return (Matrix){m.data + first * m.row_stride, count, m.columns, m.row_stride, m.column_stride};
}

static inline Matrix matrix_columns(Matrix m, int first, int count)
{
    return (Matrix){m.data + first * m.column_stride, m.rows, count, m.row_stride, m.column_stride};
}

/* A zeroed row-major matrix with padded rows (kernels/vector.h), taken from the arena; no data while it measures. */
Matrix matrix_take(Arena *arena, int rows, int columns);

#endif
