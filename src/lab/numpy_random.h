/* numpy_random.h -- the random numbers of NumPy: default_rng(seed).standard_normal, RandomState(seed).permutation.
 *
 * Reproduces NumPy 1.24 bit for bit.
 * Seeding: O'Neill's seed_seq_fe128 ("Developing a seed_seq alternative", 2015), NumPy's SeedSequence.
 * Generator: PCG64, that is PCG XSL RR 128/64 (O'Neill, "PCG: a family of simple fast space-efficient statistically
 *   good algorithms for random number generation", HMC-CS-2014-0905).
 * Normal: the ziggurat of Marsaglia and Tsang (Journal of Statistical Software 5(8), 2000) with 256 layers of equal
 *   area over the half bell exp(-x^2/2), the lowest of them with the tail beyond R, drawn as by Marsaglia (1964).
 * Permutation: MT19937 (lab/mersenne_twister.h) and the shuffle of Fisher and Yates from the end, each place by masking
 *   an output to the bits of the largest place and refusing what is above.
 * The rare values at the bell's edge and in its tail take libm's exp and log1p: they are as exact as these.
 *
 * The struct is the whole state; a copy goes on by itself. Nothing here allocates or fails. */
#ifndef SOLILOQUY_LAB_NUMPY_RANDOM_H
#define SOLILOQUY_LAB_NUMPY_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum { ZIGGURAT_LAYERS = 256 };

/* Layer 1 is the top, 255 the second lowest, 0 the lowest with the tail. x_i is the right edge of layer i,
 * f_i = exp(-x_i^2/2), and x_0 the width that gives the lowest layer, as a rectangle, its area with the tail. */
typedef struct Ziggurat {
    uint64_t inside[ZIGGURAT_LAYERS]; /* 2^52 x_(i-1) / x_i: below this a point is under the bell for certain */
    double unit[ZIGGURAT_LAYERS];     /* x_i / 2^52 */
    double height[ZIGGURAT_LAYERS];   /* f_i; f_0 = 1 */
} Ziggurat;

typedef struct NumpyRandom {
    unsigned __int128 state, increment;
    Ziggurat ziggurat; /* computed by numpy_random_seed, the same for every seed */
} NumpyRandom;

/* default_rng(seed) */
NumpyRandom numpy_random_seed(uint64_t seed);

/* standard_normal(count); several calls give what one call for all of them would. */
void numpy_normal(NumpyRandom *random, double *out, size_t count);

/* RandomState(seed).permutation(count), of 0 ... count-1. */
void numpy_legacy_permutation(uint32_t seed, int64_t *out, int64_t count);

#endif
