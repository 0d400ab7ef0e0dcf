#include "layers/linear.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"

void linear_forward(Matrix x, Matrix weight_transposed, const real *bias, Matrix y, real *pairs)
{
    multiply(x, weight_transposed, y, pairs);
    if (bias != NULL)
        for (int r = 0; r < y.rows; r++)
            row_add(matrix_row(y, r), bias, y.columns);
}

void linear_backward_input(Matrix d_y, Matrix weight, Matrix d_x, real *pairs)
{
    multiply(d_y, weight, d_x, pairs);
}

void linear_backward_weight(Matrix x, Matrix d_y, Matrix d_weight, real *d_bias, real *pairs)
{
    multiply_add(matrix_transpose(d_y), x, d_weight, pairs);
    if (d_bias != NULL)
        for (int r = 0; r < d_y.rows; r++)
            row_add(d_bias, matrix_row(d_y, r), d_y.columns);
}
