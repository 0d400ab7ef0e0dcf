/* pair.h -- two numbers of half the width in the place of one real, and products of such pairs.
 *
 * In the float flavour a half is a bfloat16: the upper half of a float, with its range and 8 bits of precision.
 * Products summed in float lose little by it and take half the operations: the pair (x0, x1) times the pair (y0, y1)
 * adds x0 y0 + x1 y1 at once. In the double flavour a half is a float, so that the same code can be checked closely.
 *
 * Pairs stand in the lanes of a Vector whose values as reals mean nothing; moving, transposing and storing them is what
 * it is for any vector. x0 is the lower half. Rounding is to nearest, ties to even; NaN stays NaN, and denormals may
 * count as 0. Where the processor has no instruction for it, ordinary ones do the same work in twice the time. */
#ifndef SOLILOQUY_KERNELS_PAIR_H
#define SOLILOQUY_KERNELS_PAIR_H

#include "kernels/vector.h"

#if defined __AVX512BF16__ && defined __AVX512BW__ && VECTOR_BYTES == 64 && !defined REAL_IS_DOUBLE
#define PAIR_NATIVE 1
#else
#define PAIR_NATIVE 0
#endif

#ifdef REAL_IS_DOUBLE
typedef float HalfVector __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint32_t HalfBits __attribute__((vector_size(VECTOR_BYTES / 2)));

KERNEL Vector pair_widen(VectorBits half)
{
    return __builtin_convertvector((HalfVector)__builtin_convertvector(half, HalfBits), Vector);
}

KERNEL VectorBits pair_round(Vector x)
{
    return __builtin_convertvector((HalfBits)__builtin_convertvector(x, HalfVector), VectorBits);
}
#else
KERNEL Vector pair_widen(VectorBits half)
{
    return (Vector)(half << 16);
}

KERNEL VectorBits pair_round(Vector x)
{
    VectorBits bits = (VectorBits)x, is_nan = (VectorBits)(x != x);
    VectorBits rounded = bits + 0x7fff + ((bits >> 16) & 1);
    return ((is_nan & (bits | 0x400000)) | (~is_nan & rounded)) >> 16;
}
#endif

enum { HALF_BITS = 4 * (int)sizeof(real) };

/* sum + x0 y0 + x1 y1 in each lane. */
KERNEL Vector pair_multiply_add(Vector sum, Vector x, Vector y)
{
#if PAIR_NATIVE
    return (Vector)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)y);
#else
    const VectorBits lower = (VectorBits){0} + (((LaneBits)1 << HALF_BITS) - 1);
    sum += pair_widen((VectorBits)x >> HALF_BITS) * pair_widen((VectorBits)y >> HALF_BITS);
    return sum + pair_widen((VectorBits)x & lower) * pair_widen((VectorBits)y & lower);
#endif
}

/* Lane l is the pair (low[l], high[l]). */
KERNEL Vector pair_of(Vector low, Vector high)
{
#if PAIR_NATIVE
    const __m512i interleave = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                                                6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return (Vector)_mm512_permutexvar_epi16(interleave, (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low));
#else
    return (Vector)(pair_round(low) | pair_round(high) << HALF_BITS);
#endif
}

/* Lane l is the pair (x[2l], x[2l+1]) of the 2 VECTOR_LANES numbers in first and second. */
KERNEL Vector pair_of_neighbours(Vector first, Vector second)
{
#if PAIR_NATIVE
    return (Vector)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
#else
#define PAIR_LANE(l, odd) (2 * (l) + (odd))
    return pair_of(__builtin_shufflevector(first, second, VECTOR_EACH_LANE(PAIR_LANE, 0)),
                   __builtin_shufflevector(first, second, VECTOR_EACH_LANE(PAIR_LANE, 1)));
#undef PAIR_LANE
#endif
}

#endif
