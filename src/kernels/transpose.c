#include "kernels/transpose.h"

#include "kernels/square.h"
#include "kernels/vector.h"

void transpose_copy(Matrix from, Matrix to)
{
    int columns_of_to = padded(from.rows);
    for (int c = 0; c < from.columns; c += VECTOR_LANES)
        for (int r = 0; r < columns_of_to; r += VECTOR_LANES) {
            Vector square[VECTOR_LANES];
            square_load(from, r, c, square);
            square_transpose(square);
            UNROLL for (int i = 0; i < VECTOR_LANES; i++)
                if (c + i < from.columns)
                    vector_store(matrix_row(to, c + i) + r, square[i]);
        }
}
