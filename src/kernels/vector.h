/* vector.h -- whole registers of reals, in GNU C vector extensions: one source for 16, 32 and 64 bytes.
 *
 * VECTOR_BYTES follows the target (AVX-512 64, AVX 32, otherwise 16) unless the build sets it. Rows of every
 * workspace matrix are padded to ROW_ALIGNMENT reals (64 bytes), so that a row is a whole number of vectors of
 * any of the three widths and no kernel needs a remainder loop. */
#ifndef SOLILOQUY_KERNELS_VECTOR_H
#define SOLILOQUY_KERNELS_VECTOR_H

#include "base/real.h"

#include <stdint.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#ifndef VECTOR_BYTES
#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#endif

#ifdef REAL_IS_DOUBLE
#define VECTOR_LANES (VECTOR_BYTES / 8)
#define ROW_ALIGNMENT 8
typedef int64_t Lane;
typedef uint64_t LaneBits;
#else
#define VECTOR_LANES (VECTOR_BYTES / 4)
#define ROW_ALIGNMENT 16
typedef int32_t Lane;
typedef uint32_t LaneBits;
#endif

typedef real Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Lane VectorInteger __attribute__((vector_size(VECTOR_BYTES))); /* also a mask: -1 true, 0 false */
typedef LaneBits VectorBits __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t UnalignedIndex __attribute__((vector_size(4 * VECTOR_LANES), aligned(4), may_alias));
typedef real UnalignedVector __attribute__((vector_size(VECTOR_BYTES), aligned(__alignof__(real)), may_alias));

/* f(0, d), f(1, d), ... for every lane. */
#if VECTOR_LANES == 16
#define VECTOR_EACH_LANE(f, d) f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d), f(8, d), \
    f(9, d), f(10, d), f(11, d), f(12, d), f(13, d), f(14, d), f(15, d)
#elif VECTOR_LANES == 8
#define VECTOR_EACH_LANE(f, d) f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d)
#elif VECTOR_LANES == 4
#define VECTOR_EACH_LANE(f, d) f(0, d), f(1, d), f(2, d), f(3, d)
#else
#define VECTOR_EACH_LANE(f, d) f(0, d), f(1, d)
#endif

#define KERNEL static inline __attribute__((always_inline))

/* Before a short loop of constant length whose arrays shall live in registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

KERNEL int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* The number of columns that a row of `columns` reals occupies. */
KERNEL int padded(int columns)
{
    return (columns + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

KERNEL Vector vector_load(const real *address)
{
    return *(const UnalignedVector *)address;
}

KERNEL void vector_store(real *address, Vector x)
{
    *(UnalignedVector *)address = x;
}

KERNEL Vector vector_set(real value)
{
    return value - (Vector){0}; /* x - 0 is x, and costs nothing; 0 + x would be an addition: -0 becomes +0 */
}

/* mask ? a : b, lane by lane. */
KERNEL Vector vector_select(VectorInteger mask, Vector a, Vector b)
{
    return (Vector)((mask & (VectorInteger)a) | (~mask & (VectorInteger)b));
}

/* mask ? 0 : x. The comparison is what GCC folds into the instruction that made x. */
KERNEL Vector vector_clear(VectorInteger mask, Vector x)
{
    return (Vector)((mask == 0) & (VectorInteger)x);
}

/* Lane l compares first + l < limit. */
KERNEL VectorInteger vector_below(int first, int limit)
{
    VectorInteger lane = {0};
    for (int l = 0; l < VECTOR_LANES; l++)
        lane[l] = l;
    return lane < (VectorInteger){0} + (Lane)(limit - first);
}

/* The larger of each lane; b where either is NaN. */
KERNEL Vector vector_maximum(Vector a, Vector b)
{
#if defined __AVX512F__ && VECTOR_BYTES == 64 && defined REAL_IS_DOUBLE
    return (Vector)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined __AVX512F__ && VECTOR_BYTES == 64
    return (Vector)_mm512_max_ps((__m512)a, (__m512)b); /* GCC makes three of the comparison */
#else
    return vector_select(a > b, a, b);
#endif
}

/* As many indices as a vector has lanes. */
KERNEL VectorInteger vector_load_index(const int32_t *address)
{
    return __builtin_convertvector(*(const UnalignedIndex *)address, VectorInteger);
}

/* Of the 2 VECTOR_LANES numbers in a and b, those at `index`, whose higher bits do not count. */
KERNEL Vector vector_pick(Vector a, Vector b, VectorInteger index)
{
#ifdef __clang__
    Vector table[2] = {a, b}, picked;
    UNROLL for (int l = 0; l < VECTOR_LANES; l++)
        picked[l] = ((const real *)table)[index[l] & (2 * VECTOR_LANES - 1)];
    return picked;
#else
    return __builtin_shuffle(a, b, index);
#endif
}

#endif
