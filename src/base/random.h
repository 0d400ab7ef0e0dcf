/* random.h -- a splittable generator of random numbers: SplitMix64.
 *
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. The state is
 * a counter that grows by an odd constant of the stream; each output is a mix of the counter. Splitting
 * gives a stream of its own constant, so that initialisation, batches and sampling never share numbers.
 * The state is two integers and is kept in the checkpoint: the same state gives the same numbers. */
#ifndef SOLILOQUY_BASE_RANDOM_H
#define SOLILOQUY_BASE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t counter;
    uint64_t increment; /* odd */
} Random;

Random random_seed(uint64_t seed);

/* A new, independent stream; advances `parent` by two outputs. */
Random random_split(Random *parent);

/* Uniform on all 64-bit integers. */
uint64_t random_bits(Random *random);

/* Uniform on {0, ..., limit-1}, without bias; limit > 0. */
uint64_t random_below(Random *random, uint64_t limit);

/* Uniform on [0, 1): a multiple of 2^-53. */
double random_uniform(Random *random);

/* Standard normal, by the polar method; the second value of a pair is not kept, so that the state is all
 * there is. */
double random_normal(Random *random);

#endif
