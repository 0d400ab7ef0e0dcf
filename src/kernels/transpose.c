#include "kernels/transpose.h"

#include "kernels/vector.h"

/* One stage of the transposition of a square of VECTOR_LANES x VECTOR_LANES: rows d apart trade the lanes whose
 * d bit differs from the row's. */
#if VECTOR_LANES == 16
#define LANES_OF(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#elif VECTOR_LANES == 8
#define LANES_OF(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#elif VECTOR_LANES == 4
#define LANES_OF(f) f(0), f(1), f(2), f(3)
#else
#define LANES_OF(f) f(0), f(1)
#endif

#define TRADE_STAGE(square, d)                                                                                        \
    for (int i = 0; i < VECTOR_LANES; i++)                                                                            \
        if ((i & (d)) == 0) {                                                                                         \
            Vector upper = square[i], lower = square[i + (d)];                                                        \
            square[i] = __builtin_shufflevector(upper, lower, LANES_OF(UPPER_LANE_##d));                              \
            square[i + (d)] = __builtin_shufflevector(upper, lower, LANES_OF(LOWER_LANE_##d));                        \
        }
#define UPPER_LANE(l, d) (((l) & (d)) ? (l) - (d) + VECTOR_LANES : (l))
#define LOWER_LANE(l, d) (((l) & (d)) ? (l) + VECTOR_LANES : (l) + (d))
#define UPPER_LANE_1(l) UPPER_LANE(l, 1)
#define LOWER_LANE_1(l) LOWER_LANE(l, 1)
#define UPPER_LANE_2(l) UPPER_LANE(l, 2)
#define LOWER_LANE_2(l) LOWER_LANE(l, 2)
#define UPPER_LANE_4(l) UPPER_LANE(l, 4)
#define LOWER_LANE_4(l) LOWER_LANE(l, 4)
#define UPPER_LANE_8(l) UPPER_LANE(l, 8)
#define LOWER_LANE_8(l) LOWER_LANE(l, 8)

KERNEL void square_transpose(Vector square[VECTOR_LANES])
{
    TRADE_STAGE(square, 1)
#if VECTOR_LANES >= 4
    TRADE_STAGE(square, 2)
#endif
#if VECTOR_LANES >= 8
    TRADE_STAGE(square, 4)
#endif
#if VECTOR_LANES >= 16
    TRADE_STAGE(square, 8)
#endif
}

void transpose_copy(Matrix from, Matrix to)
{
    int columns_of_to = padded(from.rows);
    for (int c = 0; c < from.columns; c += VECTOR_LANES)
        for (int r = 0; r < columns_of_to; r += VECTOR_LANES) {
            Vector square[VECTOR_LANES];
            for (int i = 0; i < VECTOR_LANES; i++)
                square[i] = r + i < from.rows ? vector_load(matrix_row(from, r + i) + c) : vector_set(0);
            square_transpose(square);
            for (int i = 0; i < VECTOR_LANES && c + i < from.columns; i++)
                vector_store(matrix_row(to, c + i) + r, square[i]);
        }
}
