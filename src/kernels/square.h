/* square.h -- as many vectors as a vector has lanes: their transposition, and the sum or largest of each.
 *
 * Rows are halved together: stage d of a reduction or a transposition trades lanes d apart between rows d apart, so
 * that VECTOR_LANES rows cost about as many operations as two would on their own. The order of a row's terms is fixed
 * and the same in every place of the square. */
#ifndef SOLILOQUY_KERNELS_SQUARE_H
#define SOLILOQUY_KERNELS_SQUARE_H

#include "kernels/vector.h"

/* Two vectors trade the lanes that are d apart: `upper` keeps a's lanes without bit d and takes b's of the same kind
 * between them, `lower` takes a's with bit d and keeps b's. d is a constant power of two below VECTOR_LANES. */
#define VECTOR_UPPER_LANE(l, d) (((l) & (d)) ? (l) - (d) + VECTOR_LANES : (l))
#define VECTOR_LOWER_LANE(l, d) (((l) & (d)) ? (l) + VECTOR_LANES : (l) + (d))
#define vector_upper(a, b, d) __builtin_shufflevector(a, b, VECTOR_EACH_LANE(VECTOR_UPPER_LANE, d))
#define vector_lower(a, b, d) __builtin_shufflevector(a, b, VECTOR_EACH_LANE(VECTOR_LOWER_LANE, d))

/* Row and column of a square of VECTOR_LANES vectors change places. */
#define VECTOR_TRADE_ROWS(square, d)                                                                                  \
    UNROLL for (int i = 0; i < VECTOR_LANES; i++)                                                                     \
        if ((i & (d)) == 0) {                                                                                         \
            Vector a = square[i], b = square[i + (d)];                                                                \
            square[i] = vector_upper(a, b, d);                                                                        \
            square[i + (d)] = vector_lower(a, b, d);                                                                  \
        }

KERNEL void square_transpose(Vector square[VECTOR_LANES])
{
    VECTOR_TRADE_ROWS(square, 1)
#if VECTOR_LANES >= 4
    VECTOR_TRADE_ROWS(square, 2)
#endif
#if VECTOR_LANES >= 8
    VECTOR_TRADE_ROWS(square, 4)
#endif
#if VECTOR_LANES >= 16
    VECTOR_TRADE_ROWS(square, 8)
#endif
}

/* Lane i of the result is the sum, or the largest, of all lanes of rows[i], by halving: a fixed order. */
#define VECTOR_HALVE(rows, d, combine)                                                                                \
    UNROLL for (int i = 0; i < VECTOR_LANES; i++)                                                                     \
        if (i % (2 * (d)) == 0)                                                                                       \
            rows[i] = combine(vector_upper(rows[i], rows[i + (d)], d), vector_lower(rows[i], rows[i + (d)], d));

KERNEL Vector vector_plus(Vector a, Vector b)
{
    return a + b;
}

KERNEL Vector square_sums(Vector rows[VECTOR_LANES])
{
    VECTOR_HALVE(rows, 1, vector_plus)
#if VECTOR_LANES >= 4
    VECTOR_HALVE(rows, 2, vector_plus)
#endif
#if VECTOR_LANES >= 8
    VECTOR_HALVE(rows, 4, vector_plus)
#endif
#if VECTOR_LANES >= 16
    VECTOR_HALVE(rows, 8, vector_plus)
#endif
    return rows[0];
}

KERNEL Vector square_largest(Vector rows[VECTOR_LANES])
{
    VECTOR_HALVE(rows, 1, vector_maximum)
#if VECTOR_LANES >= 4
    VECTOR_HALVE(rows, 2, vector_maximum)
#endif
#if VECTOR_LANES >= 8
    VECTOR_HALVE(rows, 4, vector_maximum)
#endif
#if VECTOR_LANES >= 16
    VECTOR_HALVE(rows, 8, vector_maximum)
#endif
    return rows[0];
}

#endif
