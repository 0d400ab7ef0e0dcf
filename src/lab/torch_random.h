/* torch_random.h -- the random numbers of PyTorch on a CPU: torch.manual_seed(seed), then these calls in any order.
 *
 * Reproduces PyTorch 1.13 bit for bit, as it computes on an x86-64 processor with AVX2. Its code for other processors
 * draws the same outputs for the same purposes, but rounds the product of a uniform number's range before its sum, and
 * calls another logarithm, sine and cosine for 16 normal values or more: about half of these differ in their last bits.
 *
 * Generator: MT19937 (lab/mersenne_twister.h).
 * Uniform: the low 24 bits of one output, over 2^24; times high - low, plus low, with one rounding.
 * Normal: Box and Muller, "A note on the generation of random normal deviates", Annals of Mathematical Statistics 29,
 * 1958: sqrt(-2 ln(1-u)) cos(2 pi v), and the same with the sine.
 * From 16 values on, all uniform numbers are drawn first, and then each block of 16 is replaced: u its first eight, v
 * its last eight, cosines before sines; where 16 does not divide the count, the last 16 values are drawn anew. ln, sin
 * and cos are those of Moshier's Cephes library in single precision, with one rounding for a product and its sum.
 * Below 16 values, the formula is computed in double, v drawn before u, from 53 bits of two outputs each; the sine's
 * value waits for the next such call, whatever is drawn in between.
 *
 * The struct is the whole state; a copy goes on by itself. Nothing here allocates or fails. */
#ifndef SOLILOQUY_LAB_TORCH_RANDOM_H
#define SOLILOQUY_LAB_TORCH_RANDOM_H

#include "lab/mersenne_twister.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct TorchRandom {
    MersenneTwister twister;
    double waiting; /* the second value of a pair drawn in double, if there is one */
    bool has_waiting;
} TorchRandom;

/* PyTorch uses the low 32 bits of the seed. */
TorchRandom torch_random_seed(uint64_t seed);

/* tensor.uniform_(low, high); rand with 0 and 1. */
void torch_uniform(TorchRandom *random, double low, double high, float *out, size_t count);

/* randn, normal_. One call here for one tensor there: the count decides what is drawn. */
void torch_normal(TorchRandom *random, float *out, size_t count);

/* randint(limit): `limit` in 1 ... 2^32 - 1. */
void torch_integers(TorchRandom *random, uint32_t limit, int64_t *out, size_t count);

/* randperm(count), of 0 ... count-1. */
void torch_permutation(TorchRandom *random, int64_t *out, int64_t count);

/* A number of two outputs, the first of them above. A shuffling DataLoader draws one of these before each epoch's
 * permutation (without its top bit). */
uint64_t torch_random_64(TorchRandom *random);

/* The initial weight [rows, columns] of nn.Embedding; with `padding`, padding_idx = 0: row 0 is zeroed when drawn. */
void torch_embedding(TorchRandom *random, float *weight, int rows, int columns, bool padding);

/* The initial weight [outputs, inputs] and bias [outputs] of nn.Linear; with bias NULL, none is drawn. */
void torch_linear(TorchRandom *random, float *weight, float *bias, int inputs, int outputs);

#endif
