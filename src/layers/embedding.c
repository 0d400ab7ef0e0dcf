#include "layers/embedding.h"

#include "kernels/rows.h"

#include <string.h>

void embedding_forward(Matrix tokens, Matrix positions, const int32_t *row_of, Matrix y)
{
    for (int t = 0; t < y.rows; t++) {
        const real *token = matrix_row(tokens, row_of[t]);
        if (positions.rows > 0)
            row_sum(matrix_row(y, t), token, matrix_row(positions, t), y.columns);
        else
            memcpy(matrix_row(y, t), token, (size_t)y.columns * sizeof(real));
    }
}

void embedding_backward(Matrix d_y, const int32_t *row_of, Matrix d_tokens, Matrix d_positions)
{
    for (int t = 0; t < d_y.rows; t++) {
        real *d_token = matrix_row(d_tokens, row_of[t]);
        if (d_positions.rows > 0)
            row_add_both(d_token, matrix_row(d_positions, t), matrix_row(d_y, t), d_y.columns);
        else
            row_add(d_token, matrix_row(d_y, t), d_y.columns);
    }
}
