/* mersenne_twister.h -- MT19937, the generator behind PyTorch's CPU streams and NumPy's RandomState.
 *
 * Source: Matsumoto, Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
 * generator", ACM TOMACS 8(1), 1998, with the authors' seeding of 2002. With n = 624, m = 397 and 32-bit words x,
 *   x[k+n] = x[k+m] ^ A(upper bit of x[k] | lower 31 bits of x[k+1]),
 * and each output is the newest word, tempered. Reproduces the reference program seeded with one 32-bit number, and so
 * torch.manual_seed(seed) and numpy.random.RandomState(seed). The value is all there is: a copy is a second generator
 * at the same place. */
#ifndef SOLILOQUY_LAB_MERSENNE_TWISTER_H
#define SOLILOQUY_LAB_MERSENNE_TWISTER_H

#include <stdint.h>

enum { MERSENNE_TWISTER_WORDS = 624 };

typedef struct MersenneTwister {
    uint32_t words[MERSENNE_TWISTER_WORDS]; /* the last n words of the sequence, in a ring */
    int oldest;                             /* place of x[k] in the ring */
} MersenneTwister;

MersenneTwister mersenne_twister_seed(uint32_t seed);

/* Uniform on all 32-bit numbers. */
uint32_t mersenne_twister_next(MersenneTwister *twister);

#endif
