#include "kernels/gemm.h"

static real element(Matrix m, int row, int column)
{
    return m.data[row * m.row_stride + column * m.column_stride];
}

static int visible_columns(int columns, int visible, int row)
{
    return visible + row < columns ? visible + row : columns;
}

/* sum_{first <= k < end} a[i,k] b[k,j] */
static real dot(Matrix a, Matrix b, int i, int j, int first, int end)
{
    double sum = 0;
    for (int k = first; k < end; k++)
        sum += (double)element(a, i, k) * (double)element(b, k, j);
    return (real)sum;
}

void reference_multiply(Matrix a, Matrix b, Matrix c)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            matrix_row(c, i)[j] = dot(a, b, i, j, 0, a.columns);
}

void reference_multiply_add(Matrix a, Matrix b, Matrix c)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            matrix_row(c, i)[j] += dot(a, b, i, j, 0, a.columns);
}

void reference_multiply_causal(Matrix a, Matrix b, Matrix c, int visible)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < visible_columns(c.columns, visible, i); j++)
            matrix_row(c, i)[j] = dot(a, b, i, j, 0, a.columns);
}

void reference_multiply_causal_left(Matrix a, Matrix b, Matrix c, int visible)
{
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            matrix_row(c, i)[j] = dot(a, b, i, j, 0, visible_columns(a.columns, visible, i));
}

void reference_multiply_causal_transposed(Matrix a, Matrix b, Matrix c, int visible, int fresh)
{
    Matrix left = matrix_transpose(a);
    for (int j = 0; j < c.rows; j++)
        for (int n = 0; n < c.columns; n++) {
            int first = j < visible ? 0 : j - visible + 1;
            if (first < left.columns)
                matrix_row(c, j)[n] = (j < fresh ? matrix_row(c, j)[n] : 0) + dot(left, b, j, n, first, left.columns);
        }
}
