/* vector.h -- whole registers of reals, in GNU C vector extensions: one source for 16, 32 and 64 bytes.
 *
 * VECTOR_BYTES follows the target (AVX-512 64, AVX 32, otherwise 16) unless the build sets it. Rows of every
 * workspace matrix are padded to ROW_ALIGNMENT reals (64 bytes), so that a row is a whole number of vectors of
 * any of the three widths and no kernel needs a remainder loop. */
#ifndef SOLILOQUY_KERNELS_VECTOR_H
#define SOLILOQUY_KERNELS_VECTOR_H

#include "base/real.h"

#include <stdint.h>

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
typedef real UnalignedVector __attribute__((vector_size(VECTOR_BYTES), aligned(__alignof__(real)), may_alias));

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

/* Lane l compares first + l < limit. */
KERNEL VectorInteger vector_below(int first, int limit)
{
    VectorInteger lane = {0};
    for (int l = 0; l < VECTOR_LANES; l++)
        lane[l] = l;
    return lane < (VectorInteger){0} + (Lane)(limit - first);
}

KERNEL Vector vector_maximum(Vector a, Vector b)
{
    return vector_select(a > b, a, b);
}

/* Lanes l and l ^ distance trade places; distance is a constant power of two below VECTOR_LANES. */
#if VECTOR_LANES == 16
#define vector_swap(x, d) __builtin_shufflevector(x, x, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d), 4 ^ (d), 5 ^ (d), 6 ^ (d), \
    7 ^ (d), 8 ^ (d), 9 ^ (d), 10 ^ (d), 11 ^ (d), 12 ^ (d), 13 ^ (d), 14 ^ (d), 15 ^ (d))
#elif VECTOR_LANES == 8
#define vector_swap(x, d) __builtin_shufflevector(x, x, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d), 4 ^ (d), 5 ^ (d), 6 ^ (d), \
    7 ^ (d))
#elif VECTOR_LANES == 4
#define vector_swap(x, d) __builtin_shufflevector(x, x, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d))
#else
#define vector_swap(x, d) __builtin_shufflevector(x, x, 0 ^ (d), 1 ^ (d))
#endif

/* Sum and largest of all lanes, by halving: a fixed order. */
KERNEL real vector_sum(Vector x)
{
#if VECTOR_LANES >= 16
    x += vector_swap(x, 8);
#endif
#if VECTOR_LANES >= 8
    x += vector_swap(x, 4);
#endif
#if VECTOR_LANES >= 4
    x += vector_swap(x, 2);
#endif
    x += vector_swap(x, 1);
    return x[0];
}

KERNEL real vector_largest(Vector x)
{
#if VECTOR_LANES >= 16
    x = vector_maximum(x, vector_swap(x, 8));
#endif
#if VECTOR_LANES >= 8
    x = vector_maximum(x, vector_swap(x, 4));
#endif
#if VECTOR_LANES >= 4
    x = vector_maximum(x, vector_swap(x, 2));
#endif
    x = vector_maximum(x, vector_swap(x, 1));
    return x[0];
}

#endif
