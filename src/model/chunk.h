/* chunk.h -- the rows of a table that one thread takes at a time. */
#ifndef SOLILOQUY_MODEL_CHUNK_H
#define SOLILOQUY_MODEL_CHUNK_H

#include "kernels/matrix.h"

enum { CHUNK_ROWS = 64 }; /* two register tiles: enough chunks for many cores, few enough to be worth a call */

static inline int chunk_count(int rows)
{
    return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static inline Matrix chunk_of(Matrix m, int chunk)
{
    int first = chunk * CHUNK_ROWS, left = m.rows - first;
    return matrix_rows(m, first, left < CHUNK_ROWS ? left : CHUNK_ROWS);
}

#endif
