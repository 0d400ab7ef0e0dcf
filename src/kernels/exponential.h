/* exponential.h -- exp of a vector of non-positive numbers, for softmax.
 *
 * exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| <= ln(2)/2, or by sixteenths of n where a register holds the
 * powers 2^(k/16); exp(r) is a polynomial. In float it is within 2 units in the last place of libm's on x <= 0, and
 * exactly 0 below the smallest normal number (x < -87.33): no denormal ever leaves it. In double it is within a few
 * units of the last place. NaN stays NaN. */
#ifndef SOLILOQUY_KERNELS_EXPONENTIAL_H
#define SOLILOQUY_KERNELS_EXPONENTIAL_H

#include "kernels/vector.h"

#ifdef REAL_IS_DOUBLE
enum { EXPONENT_BIAS = 1023, MANTISSA_BITS = 52 };
#define EXPONENTIAL_LOWEST -708.39
#define ROUNDING_CONSTANT 0x1.8p52
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45
#else
enum { EXPONENT_BIAS = 127, MANTISSA_BITS = 23 };
#define EXPONENTIAL_LOWEST -87.33f
#define ROUNDING_CONSTANT 0x1.8p23f
#define LN2_HIGH 0x1.62ep-1f /* 12 bits: times a count of sixteenths, of up to 11, it is exact also without FMA */
#define LN2_LOW 0x1.0bfbe8p-15f
#endif

#if VECTOR_LANES == 16
/* exp(x) = 2^n 2^(k/16) exp(r) with n + k/16 = round(16 x / ln 2) / 16 and |r| <= ln(2)/32: a register holds the
 * sixteen powers, and the series to r^3 leaves 9e-9. */
KERNEL Vector exponential(Vector x)
{
    const Vector powers = {0x1p0f, 0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f, 0x1.306fe0p0f, 0x1.3dea64p0f,
                           0x1.4bfdaep0f, 0x1.5ab07ep0f, 0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f,
                           0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f, 0x1.ea4afap0f};
    Vector shifted = x * 23.0831206542234146f + ROUNDING_CONSTANT; /* the sixteenths, in its low bits */
    Vector sixteenths = shifted - ROUNDING_CONSTANT;
    Vector r = (x - sixteenths * (LN2_HIGH / 16)) - sixteenths * (LN2_LOW / 16);
    Vector p = vector_set(1.0f / 6);
    p = p * r + 0.5f;
    p = p * r + 1;
    VectorBits bits = (VectorBits)shifted; /* k in the lowest four, n above them; what the constant has leaves them */
    Vector power = vector_pick(powers, powers, (VectorInteger)bits);
    power = (Vector)((VectorBits)power + (bits >> 4 << MANTISSA_BITS));
    return vector_clear(x < EXPONENTIAL_LOWEST, p * r * power + power);
}
#else
KERNEL Vector exponential(Vector x)
{
    /* Adding the constant leaves round(x / ln 2) in the low bits of the sum. */
    Vector shifted = x * (real)1.44269504088896340736 + ROUNDING_CONSTANT;
    Vector n = shifted - ROUNDING_CONSTANT;
    Vector r = (x - n * LN2_HIGH) - n * LN2_LOW;
#ifdef REAL_IS_DOUBLE
    /* Taylor's series to r^13: its rest is below 5e-18. */
    Vector p = vector_set(1.0 / 6227020800.0);
    static const double factorials[] = {479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2};
    for (int i = 0; i < 11; i++)
        p = p * r + 1.0 / factorials[i];
#else
    /* exp(r) = 1 + r + r^2 p(r), p of degree 4 fitted to equal ripple: relative error 3.1e-9. */
    Vector p = vector_set(0x1.6a23cep-10f);
    p = p * r + 0x1.123a20p-7f;
    p = p * r + 0x1.5558f2p-5f;
    p = p * r + 0x1.555492p-3f;
    p = p * r + 0x1.fffffcp-2f;
#endif
    p = (p * r + 1) * r + 1;
    /* Unsigned, since far below the lowest x, whose result is not taken, this wraps around. */
    VectorBits exponent = ((VectorBits)shifted - (VectorBits)vector_set(ROUNDING_CONSTANT) + EXPONENT_BIAS)
                          << MANTISSA_BITS;
    return vector_clear(x < EXPONENTIAL_LOWEST, p * (Vector)exponent);
}
#endif

#endif
