#include "base/random.h"

#include <math.h>

static const uint64_t golden_increment = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, made odd */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* An odd increment whose bits change often enough: the paper asks for at least 24 transitions. */
static uint64_t mix_increment(uint64_t z)
{
    z = (z ^ (z >> 33)) * 0xff51afd7ed558ccdu;
    z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53u;
    z = (z ^ (z >> 33)) | 1u;
    return __builtin_popcountll(z ^ (z >> 1)) < 24 ? z ^ 0xaaaaaaaaaaaaaaaau : z;
}

Random random_seed(uint64_t seed)
{
    return (Random){.counter = seed, .increment = golden_increment};
}

uint64_t random_bits(Random *random)
{
    random->counter += random->increment;
    return mix(random->counter);
}

Random random_split(Random *parent)
{
    uint64_t counter = random_bits(parent);
    parent->counter += parent->increment;
    return (Random){.counter = counter, .increment = mix_increment(parent->counter)};
}

uint64_t random_below(Random *random, uint64_t limit)
{
    uint64_t threshold = -limit % limit; /* the outputs below it would favour small results */
    for (;;) {
        unsigned __int128 product = (unsigned __int128)random_bits(random) * limit;
        if ((uint64_t)product >= threshold)
            return (uint64_t)(product >> 64);
    }
}

double random_uniform(Random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double random_normal(Random *random)
{
    for (;;) {
        double x = 2 * random_uniform(random) - 1, y = 2 * random_uniform(random) - 1;
        double square = x * x + y * y;
        if (square > 0 && square < 1)
            return x * sqrt(-2 * log(square) / square);
    }
}
