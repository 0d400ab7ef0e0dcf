#include "lab/mersenne_twister.h"

enum { WORDS = MERSENNE_TWISTER_WORDS, MIDDLE = 397 };

MersenneTwister mersenne_twister_seed(uint32_t seed)
{
    MersenneTwister twister = {.words = {seed}};
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t before = twister.words[i - 1];
        twister.words[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
    return twister;
}

static uint32_t temper(uint32_t word)
{
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

uint32_t mersenne_twister_next(MersenneTwister *twister)
{
    const int place = twister->oldest, next = place + 1 < WORDS ? place + 1 : 0;
    const int middle = place + MIDDLE < WORDS ? place + MIDDLE : place + MIDDLE - WORDS;
    const uint32_t joined = (twister->words[place] & 0x80000000u) | (twister->words[next] & 0x7fffffffu);
    const uint32_t newest = twister->words[middle] ^ (joined >> 1) ^ (0x9908b0dfu & -(joined & 1u));
    twister->words[place] = newest;
    twister->oldest = next;
    return temper(newest);
}
