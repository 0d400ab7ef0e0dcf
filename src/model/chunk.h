/* chunk.h -- the rows of a table that one thread takes at a time. */
#ifndef SOLILOQUY_MODEL_CHUNK_H
#define SOLILOQUY_MODEL_CHUNK_H

#include "kernels/matrix.h"

enum { CHUNK_LEAST = 16, CHUNK_MOST = 64 }; /* two register tiles, worth a call; beyond eight, height gains nothing */

/* Four chunks of a small table; of a large one as many as it takes: enough for many cores. */
static inline int chunk_height(int rows)
{
    int quarter = (rows / 4 + CHUNK_LEAST - 1) / CHUNK_LEAST * CHUNK_LEAST;
    return quarter < CHUNK_LEAST ? CHUNK_LEAST : quarter > CHUNK_MOST ? CHUNK_MOST : quarter;
}

static inline int chunk_first(int rows, int chunk)
{
    return chunk * chunk_height(rows);
}

static inline int chunk_count(int rows)
{
    return (rows + chunk_height(rows) - 1) / chunk_height(rows);
}

static inline Matrix chunk_of(Matrix m, int chunk)
{
    int first = chunk_first(m.rows, chunk), left = m.rows - first, height = chunk_height(m.rows);
    return matrix_rows(m, first, left < height ? left : height);
}

#endif
