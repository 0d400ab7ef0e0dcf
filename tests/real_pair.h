/* real_pair.h -- halves of pairs (kernels/pair.h) as the tests see them: their place in memory, their value, and a
 * rounding that shares nothing with src. Lane l of a vector of pairs is halves 2l and 2l+1 (little-endian). */
#ifndef SOLILOQUY_TESTS_REAL_PAIR_H
#define SOLILOQUY_TESTS_REAL_PAIR_H

#include "real_matrix.h"

/* The largest exponent and the smallest are float's in both flavours. */
#ifdef REAL_IS_DOUBLE
typedef uint32_t Half;   /* a float */
typedef uint64_t Number; /* the bits of a real */
enum { HALF_PRECISION = 24, DROPPED_BITS = 29 };
#else
typedef uint16_t Half; /* a bfloat16 */
typedef uint32_t Number;
enum { HALF_PRECISION = 8, DROPPED_BITS = 16 };
#endif
enum { SMALLEST_EXPONENT = -126 };

static inline real half_value(Half half)
{
    uint32_t bits = sizeof half == 2 ? (uint32_t)half << 16 : half;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (real)value;
}

/* To nearest, ties to even, with denormals: by arithmetic alone. */
static inline double half_rounded(double x)
{
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    int exponent;
    frexp(x, &exponent); /* |x| is in [2^(exponent-1), 2^exponent) */
    int unit = exponent - HALF_PRECISION, least = SMALLEST_EXPONENT - (HALF_PRECISION - 1);
    if (unit < least)
        unit = least;
    double units = ldexp(fabs(x), -unit), whole = floor(units), rest = units - whole;
    if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) == 1))
        whole += 1;
    double rounded = ldexp(whole, unit);
    return copysign(rounded >= ldexp(1, 128) ? INFINITY : rounded, x);
}

/* Is `half` what x rounds to? Zeros keep their sign, NaN is NaN, a denormal (of either kind) may have become 0. */
static inline bool half_is_rounded(Half half, real x)
{
    double ours = (double)half_value(half), expected = half_rounded((double)x);
    if (isnan(x))
        return isnan(ours);
    if (fabs((double)x) < ldexp(1, SMALLEST_EXPONENT) && x != 0 && ours == 0)
        return true;
    return ours == expected && !signbit(ours) == !signbit(expected);
}

/* Half `index` of a row of pairs. */
static inline Half half_at(const real *row, int index)
{
    Half half;
    memcpy(&half, (const char *)row + (size_t)index * sizeof half, sizeof half);
    return half;
}

#endif
