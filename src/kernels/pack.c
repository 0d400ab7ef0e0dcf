#include "kernels/pack.h"

#include "kernels/pair.h"
#include "kernels/vector.h"

/* Columns first.. of a row, 0 from `columns` on. */
KERNEL Vector load_columns(const real *row, int first, int columns)
{
    if (first >= columns)
        return vector_set(0);
    return vector_select(vector_below(first, columns), vector_load(row + first), vector_set(0));
}

void pack_neighbours(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++) {
        const real *row = matrix_row(from, r);
        real *pairs = matrix_row(to, r);
        int whole = from.columns / (2 * VECTOR_LANES) * VECTOR_LANES; /* pairs in vectors of columns that all count */
        for (int k = 0; k < whole; k += VECTOR_LANES)
            vector_store(pairs + k, pair_of_neighbours(vector_load(row + 2 * k),
                                                       vector_load(row + 2 * k + VECTOR_LANES)));
        if (2 * whole < from.columns)
            vector_store(pairs + whole,
                         pair_of_neighbours(load_columns(row, 2 * whole, from.columns),
                                            load_columns(row, 2 * whole + VECTOR_LANES, from.columns)));
    }
}

void pack_rows(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r += 2)
        for (int c = 0; c < from.columns; c += VECTOR_LANES) {
            Vector low = vector_load(matrix_row(from, r) + c);
            Vector high = r + 1 < from.rows ? vector_load(matrix_row(from, r + 1) + c) : vector_set(0);
            vector_store(matrix_row(to, r / 2) + c, pair_of(low, high));
        }
}
