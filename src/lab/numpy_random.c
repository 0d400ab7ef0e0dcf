#include "lab/numpy_random.h"

#include "lab/mersenne_twister.h"

#include <assert.h>
#include <math.h>

enum { POOL = 4, LAYERS = ZIGGURAT_LAYERS };

/* Where the tail begins, and the area of each layer: the digits with which NumPy's tables were computed. */
#define TAIL 3.6541528853610087963519472518
#define TAIL_INVERSE 0.27366123732975827203338247596
#define AREA 0.0049286732339746519

/* The seed sequence's hash: every use multiplies the constant on. */
static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ (value >> 16);
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    const uint32_t result = 0xca01f9ddu * x - 0x4973f715u * y;
    return result ^ (result >> 16);
}

/* The seed's 32-bit words, spread over a pool of four, and out of it eight words, the low one first in each of 64. */
static void seed_sequence(uint64_t seed, uint64_t out[POOL])
{
    uint32_t constant = 0x43b0d7e5u;
    uint32_t pool[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int i = 0; i < POOL; i++)
        pool[i] = hash(pool[i], &constant, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875u));
    constant = 0x8b51f9ddu;
    for (int i = 0; i < POOL; i++) {
        const uint64_t low = hash(pool[2 * i % POOL], &constant, 0x58f38dedu);
        const uint64_t high = hash(pool[(2 * i + 1) % POOL], &constant, 0x58f38dedu);
        out[i] = high << 32 | low;
    }
}

static unsigned __int128 pair(uint64_t high, uint64_t low)
{
    return (unsigned __int128)high << 64 | low;
}

static void advance(NumpyRandom *random)
{
    random->state = random->state * pair(0x2360ed051fc65da4u, 0x4385df649fccf645u) + random->increment;
}

static uint64_t next_bits(NumpyRandom *random)
{
    advance(random);
    const uint64_t high = (uint64_t)(random->state >> 64), folded = high ^ (uint64_t)random->state;
    const int turn = (int)(high >> 58);
    return folded >> turn | folded << (-turn & 63);
}

static double next_uniform(NumpyRandom *random)
{
    return (double)(next_bits(random) >> 11) * 0x1p-53;
}

/* From the tail up, each layer has the area: x_(i-1) = f^-1(AREA / x_i + f_i). NumPy's tables are doubles, each step
 * rounded correctly: hence the long doubles, which make that so with any good libm. One entry, f_38, is the exception:
 * its exact value lies within 0.002 ulp of the middle of two doubles, and NumPy has the other one. */
static void build_ziggurat(Ziggurat *ziggurat)
{
    double x = TAIL;
    for (int i = LAYERS - 1; i > 0; i--) {
        double height = (double)expl((long double)(-0.5 * x * x));
        if (i == 38)
            height = nextafter(height, 1);
        const double above = i > 1 ? sqrt(-2 * (double)logl((long double)(AREA / x + height))) : 0;
        ziggurat->height[i] = height;
        ziggurat->unit[i] = x * 0x1p-52;
        ziggurat->inside[i] = (uint64_t)llrint(above / x * 0x1p52);
        x = above;
    }
    const double lowest = ziggurat->height[LAYERS - 1];
    ziggurat->height[0] = 1;
    ziggurat->unit[0] = AREA / lowest * 0x1p-52;
    ziggurat->inside[0] = (uint64_t)llrint(TAIL * lowest / AREA * 0x1p52);
}

NumpyRandom numpy_random_seed(uint64_t seed)
{
    NumpyRandom random = {0};
    uint64_t words[POOL];
    seed_sequence(seed, words);
    random.increment = pair(words[2], words[3]) << 1 | 1;
    advance(&random);
    random.state += pair(words[0], words[1]);
    advance(&random);
    build_ziggurat(&random.ziggurat);
    return random;
}

/* A product rounded by itself, whatever is added to it: NumPy's build does not fuse the two. */
static double product(double a, double b)
{
    volatile double rounded = a * b;
    return rounded;
}

static double normal_of_tail(NumpyRandom *random)
{
    for (;;) {
        const double beyond = product(-TAIL_INVERSE, log1p(-next_uniform(random)));
        const double y = -log1p(-next_uniform(random));
        if (y + y > product(beyond, beyond))
            return TAIL + beyond;
    }
}

static double normal(NumpyRandom *random)
{
    const Ziggurat *ziggurat = &random->ziggurat;
    for (;;) {
        const uint64_t bits = next_bits(random);
        const int layer = (int)(bits & 0xff);
        const uint64_t place = bits >> 9 & ((UINT64_C(1) << 52) - 1);
        const double size = (double)place * ziggurat->unit[layer], x = (bits & 0x100) != 0 ? -size : size;
        if (place < ziggurat->inside[layer])
            return x;
        if (layer == 0) {
            const double tail = normal_of_tail(random);
            return (place & 0x100) != 0 ? -tail : tail; /* another bit than elsewhere */
        }
        const double floor = ziggurat->height[layer], step = ziggurat->height[layer - 1] - floor;
        if (product(step, next_uniform(random)) + floor < exp(-0.5 * x * x))
            return x;
    }
}

void numpy_normal(NumpyRandom *random, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = normal(random);
}

void numpy_legacy_permutation(uint32_t seed, int64_t *out, int64_t count)
{
    assert(count <= UINT32_MAX);
    MersenneTwister twister = mersenne_twister_seed(seed);
    for (int64_t i = 0; i < count; i++)
        out[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        const uint32_t largest = (uint32_t)i, mask = UINT32_MAX >> __builtin_clz(largest);
        uint32_t other;
        do
            other = mersenne_twister_next(&twister) & mask;
        while (other > largest);
        const int64_t value = out[i];
        out[i] = out[other];
        out[other] = value;
    }
}
