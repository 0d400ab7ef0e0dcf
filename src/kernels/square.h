/* square.h -- as many vectors as a vector has lanes: their transposition, and the sum or largest of each.
 *
 * Rows are halved together: stage d of a reduction or a transposition trades lanes d apart between rows d apart, so
 * that VECTOR_LANES rows cost about as many operations as two would on their own. The order of a row's terms is fixed
 * and the same in every place of the square. */
#ifndef SOLILOQUY_KERNELS_SQUARE_H
#define SOLILOQUY_KERNELS_SQUARE_H

#include "kernels/matrix.h"
#include "kernels/vector.h"

/* The square of a matrix at (row, column); rows that it does not have are 0. */
KERNEL void square_load(Matrix m, int row, int column, Vector square[VECTOR_LANES])
{
    UNROLL for (int i = 0; i < VECTOR_LANES; i++)
        square[i] = row + i < m.rows ? vector_load(matrix_row(m, row + i) + column) : vector_set(0);
}

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

#if VECTOR_LANES == 16
/* By the shuffles that processors have for it: fours of rows within the quarters of a vector, then whole quarters. */
#define QUARTERS(l) 4 * (l), 4 * (l) + 1, 4 * (l) + 2, 4 * (l) + 3
#define quarters_of(a, b, i, j, k, l) \
    __builtin_shufflevector(a, b, QUARTERS(i), QUARTERS(j), QUARTERS(4 + k), QUARTERS(4 + l))
#define zip_lane(l, first) ((l) / 4 * 4 + (first) + (l) % 4 / 2 + (l) % 2 * 16)
#define zip_pairs_lane(l, first) ((l) / 4 * 4 + (first) + (l) % 2 + (l) % 4 / 2 * 16)
#define zip(a, b, first) __builtin_shufflevector(a, b, VECTOR_EACH_LANE(zip_lane, first))
#define zip_pairs(a, b, first) __builtin_shufflevector(a, b, VECTOR_EACH_LANE(zip_pairs_lane, first))

KERNEL void square_transpose(Vector square[VECTOR_LANES])
{
    UNROLL for (int i = 0; i < 16; i += 4) {
        Vector *four = square + i;
        Vector low = zip(four[0], four[1], 0), high = zip(four[0], four[1], 2);
        Vector next_low = zip(four[2], four[3], 0), next_high = zip(four[2], four[3], 2);
        four[0] = zip_pairs(low, next_low, 0);
        four[1] = zip_pairs(low, next_low, 2);
        four[2] = zip_pairs(high, next_high, 0);
        four[3] = zip_pairs(high, next_high, 2);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        Vector low = quarters_of(square[i], square[4 + i], 0, 1, 0, 1);
        Vector high = quarters_of(square[i], square[4 + i], 2, 3, 2, 3);
        Vector next_low = quarters_of(square[8 + i], square[12 + i], 0, 1, 0, 1);
        Vector next_high = quarters_of(square[8 + i], square[12 + i], 2, 3, 2, 3);
        square[i] = quarters_of(low, next_low, 0, 2, 0, 2);
        square[4 + i] = quarters_of(low, next_low, 1, 3, 1, 3);
        square[8 + i] = quarters_of(high, next_high, 0, 2, 0, 2);
        square[12 + i] = quarters_of(high, next_high, 1, 3, 1, 3);
    }
}
#else
KERNEL void square_transpose(Vector square[VECTOR_LANES])
{
    VECTOR_TRADE_ROWS(square, 1)
#if VECTOR_LANES >= 4
    VECTOR_TRADE_ROWS(square, 2)
#endif
#if VECTOR_LANES >= 8
    VECTOR_TRADE_ROWS(square, 4)
#endif
}
#endif

/* Lane i of SQUARE_REDUCE is all lanes of rows[i], combined two by two in a fixed order. */
#if VECTOR_LANES == 16
#define ZIPPED(rows, i, j) zip((rows)[i], (rows)[j], 0), zip((rows)[i], (rows)[j], 2)
#define PAIRS_ZIPPED(rows, i, j) zip_pairs((rows)[i], (rows)[j], 0), zip_pairs((rows)[i], (rows)[j], 2)
#define HALVES(rows, i, j) quarters_of((rows)[i], (rows)[j], 0, 1, 0, 1), quarters_of((rows)[i], (rows)[j], 2, 3, 2, 3)
#define QUARTERS_SORTED(rows, i, j) \
    quarters_of((rows)[i], (rows)[j], 0, 2, 0, 2), quarters_of((rows)[i], (rows)[j], 1, 3, 1, 3)
#define SQUARE_REDUCE(rows, combine)                                                                                  \
    UNROLL for (int i = 0; i < 16; i += 2)                                                                            \
        rows[i] = combine(ZIPPED(rows, i, i + 1));                                                                    \
    UNROLL for (int i = 0; i < 16; i += 4)                                                                            \
        rows[i] = combine(PAIRS_ZIPPED(rows, i, i + 2));                                                              \
    UNROLL for (int i = 0; i < 16; i += 8)                                                                            \
        rows[i] = combine(HALVES(rows, i, i + 4));                                                                    \
    rows[0] = combine(QUARTERS_SORTED(rows, 0, 8));
#else
#define HALVE(rows, d, combine)                                                                                       \
    UNROLL for (int i = 0; i + (d) < VECTOR_LANES; i += 2 * (d))                                                      \
        rows[i] = combine(vector_upper(rows[i], rows[i + (d)], d), vector_lower(rows[i], rows[i + (d)], d));
#if VECTOR_LANES == 8
#define SQUARE_REDUCE(rows, combine) HALVE(rows, 1, combine) HALVE(rows, 2, combine) HALVE(rows, 4, combine)
#elif VECTOR_LANES == 4
#define SQUARE_REDUCE(rows, combine) HALVE(rows, 1, combine) HALVE(rows, 2, combine)
#else
#define SQUARE_REDUCE(rows, combine) HALVE(rows, 1, combine)
#endif
#endif

KERNEL Vector vector_plus(Vector a, Vector b)
{
    return a + b;
}

/* Lane i is the sum of all lanes of rows[i], which are overwritten. */
KERNEL Vector square_sums(Vector rows[VECTOR_LANES])
{
    SQUARE_REDUCE(rows, vector_plus)
    return rows[0];
}

/* Lane i is the largest of all lanes of rows[i], which are overwritten. */
KERNEL Vector square_largest(Vector rows[VECTOR_LANES])
{
    SQUARE_REDUCE(rows, vector_maximum)
    return rows[0];
}

#endif
