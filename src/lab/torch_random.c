#include "lab/torch_random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 16, HALF = BLOCK / 2 };

TorchRandom torch_random_seed(uint64_t seed)
{
    return (TorchRandom){.twister = mersenne_twister_seed((uint32_t)seed)};
}

static float uniform(TorchRandom *random)
{
    return (float)(mersenne_twister_next(&random->twister) & 0xffffffu) * 0x1p-24f;
}

void torch_uniform(TorchRandom *random, double low, double high, float *out, size_t count)
{
    const float from = (float)low, range = (float)high - from;
    for (size_t i = 0; i < count; i++)
        out[i] = fmaf(uniform(random), range, from);
}

uint64_t torch_random_64(TorchRandom *random)
{
    const uint64_t high = mersenne_twister_next(&random->twister);
    return high << 32 | mersenne_twister_next(&random->twister);
}

/* In the functions below every product that meets a sum is an argument of fmaf, so that no compiler's choice of which
 * of them to fuse can change a bit. */

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ln x, for normal x > 0: x = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)),
 *   ln(1 + f) = f - f^2/2 + f^3 P(f),   ln 2 = 0.693359375 - 2.12194440e-4. */
static inline float cephes_log(float x)
{
    const uint32_t bits = bits_of_float(x);
    const float mantissa = float_of_bits((bits & 0x007fffffu) | 0x3f000000u); /* in [1/2, 1) */
    const bool low = mantissa < 0.707106781186547524f;
    const float exponent = (float)((int32_t)(bits >> 23) - 126 - low);
    const float f = low ? 2 * mantissa - 1 : mantissa - 1; /* exact */
    const float square = f * f;
    float p = fmaf(7.0376836292e-2f, f, -1.1514610310e-1f);
    p = fmaf(p, f, 1.1676998740e-1f);
    p = fmaf(p, f, -1.2420140846e-1f);
    p = fmaf(p, f, 1.4249322787e-1f);
    p = fmaf(p, f, -1.6668057665e-1f);
    p = fmaf(p, f, 2.0000714765e-1f);
    p = fmaf(p, f, -2.4999993993e-1f);
    p = fmaf(p, f, 3.3333331174e-1f);
    const float rest = fmaf(p * f, square, exponent * -2.12194440e-4f);
    return fmaf(exponent, 0.693359375f, f + fmaf(-square, 0.5f, rest));
}

/* sin x and cos x for x in [0, 2 pi]: x less the nearest multiple of pi/2 (pi/4 in three parts, the first two short),
 * then a polynomial for each; the quadrant says which is which and its sign. */
static inline void cephes_sine_cosine(float x, float *sine, float *cosine)
{
    const int32_t eighths = ((int32_t)(x * 1.27323954473516f) + 1) & ~1; /* 1.27 is 4/pi */
    const float multiple = (float)eighths;
    float rest = fmaf(multiple, -0.78515625f, x);
    rest = fmaf(multiple, -2.4187564849853515625e-4f, rest);
    rest = fmaf(multiple, -3.77489497744594108e-8f, rest);
    const float square = rest * rest;
    float c = fmaf(2.443315711809948e-5f, square, -1.388731625493765e-3f);
    c = fmaf(c, square, 4.166664568298827e-2f) * square;
    c = fmaf(c, square, -0.5f * square) + 1;
    float s = fmaf(-1.9515295891e-4f, square, 8.3321608736e-3f);
    s = fmaf(s, square, -1.6666654611e-1f) * square;
    s = fmaf(s, rest, rest);
    const bool swapped = (eighths & 2) != 0;
    const float sine_size = swapped ? c : s, cosine_size = swapped ? s : c;
    *sine = (eighths & 4) != 0 ? -sine_size : sine_size;
    *cosine = ((eighths + 2) & 4) != 0 ? -cosine_size : cosine_size;
}

/* Uniform numbers become normal ones, in place. PyTorch adds the mean, 0: no result is -0. */
static void make_normal(float block[BLOCK])
{
    for (int i = 0; i < HALF; i++) {
        float sine, cosine;
        const float radius = sqrtf(-2 * cephes_log(1 - block[i]));
        cephes_sine_cosine(6.28318530717958648f * block[i + HALF], &sine, &cosine);
        block[i] = radius * cosine + 0.0f;
        block[i + HALF] = radius * sine + 0.0f;
    }
}

/* A value in double: the waiting one, or the first of a new pair. */
static double normal_of_pair(TorchRandom *random)
{
    if (random->has_waiting) {
        random->has_waiting = false;
        return random->waiting;
    }
    const uint64_t mask = (UINT64_C(1) << 53) - 1;
    const double v = (double)(torch_random_64(random) & mask) * 0x1p-53;
    const double u = (double)(torch_random_64(random) & mask) * 0x1p-53;
    const double radius = sqrt(-2 * log(1 - u)), angle = 2 * M_PI * v;
    random->waiting = radius * sin(angle);
    random->has_waiting = true;
    return radius * cos(angle);
}

void torch_normal(TorchRandom *random, float *out, size_t count)
{
    if (count < BLOCK) {
        for (size_t i = 0; i < count; i++)
            out[i] = (float)(normal_of_pair(random) + 0.0);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = uniform(random);
    for (size_t i = 0; i + BLOCK <= count; i += BLOCK)
        make_normal(out + i);
    if (count % BLOCK != 0) {
        float *last = out + count - BLOCK;
        for (int i = 0; i < BLOCK; i++)
            last[i] = uniform(random);
        make_normal(last);
    }
}

void torch_integers(TorchRandom *random, uint32_t limit, int64_t *out, size_t count)
{
    assert(limit > 0);
    for (size_t i = 0; i < count; i++)
        out[i] = mersenne_twister_next(&random->twister) % limit;
}

void torch_permutation(TorchRandom *random, int64_t *out, int64_t count)
{
    assert(count <= UINT32_MAX);
    for (int64_t i = 0; i < count; i++)
        out[i] = i;
    for (int64_t i = 0; i < count - 1; i++) {
        const int64_t other = i + mersenne_twister_next(&random->twister) % (count - i), value = out[i];
        out[i] = out[other];
        out[other] = value;
    }
}

void torch_embedding(TorchRandom *random, float *weight, int rows, int columns, bool padding)
{
    torch_normal(random, weight, (size_t)rows * (size_t)columns);
    if (padding && rows > 0)
        memset(weight, 0, (size_t)columns * sizeof *weight);
}

void torch_linear(TorchRandom *random, float *weight, float *bias, int inputs, int outputs)
{
    const double bound = 1 / sqrt(inputs); /* of the weight, too: what kaiming_uniform_ comes to, as a float */
    torch_uniform(random, -bound, bound, weight, (size_t)outputs * (size_t)inputs);
    if (bias != NULL)
        torch_uniform(random, -bound, bound, bias, (size_t)outputs);
}
