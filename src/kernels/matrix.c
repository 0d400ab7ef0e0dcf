#include "kernels/matrix.h"

#include "kernels/vector.h"

Matrix matrix_take(Arena *arena, int rows, int columns)
{
    real *data = arena_take(arena, (size_t)rows * (size_t)padded(columns), sizeof(real));
    return matrix_view(data, rows, columns, padded(columns));
}
