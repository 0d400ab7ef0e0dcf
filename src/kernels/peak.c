#include "kernels/peak.h"

#include "base/clock.h"
#include "kernels/vector.h"

enum {
    CHAINS = 12,    /* independent sums: more than a processor's latency times its units, fewer than its registers */
    ROUNDS = 20000, /* a few hundred thousand multiply-adds between two looks at the clock */
    TRIES = 8,
};

/* `sink` stands for whoever needs the sums, and gives numbers that the compiler cannot know: nothing is left out. */
static void run_chains(volatile real *sink)
{
    Vector sums[CHAINS], factor = vector_set((real)0.999), addend = vector_set(*sink);
    for (int i = 0; i < CHAINS; i++)
        sums[i] = addend * (real)i;
    for (int round = 0; round < ROUNDS; round++)
        UNROLL for (int i = 0; i < CHAINS; i++)
            sums[i] = sums[i] * factor + addend;
    for (int i = 1; i < CHAINS; i++)
        sums[0] += sums[i];
    real total = 0;
    for (int l = 0; l < VECTOR_LANES; l++)
        total += sums[0][l];
    *sink = total;
}

double peak_flops(int threads, double seconds)
{
    double best = 0, per_round = 2.0 * CHAINS * VECTOR_LANES * ROUNDS;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double flops = 0, begin = clock_seconds(), end = begin + seconds / TRIES;
#pragma omp parallel num_threads(threads) reduction(+ : flops)
        {
            volatile real sink = (real)0.001;
            while (clock_seconds() < end) {
                run_chains(&sink);
                flops += per_round;
            }
        }
        double rate = flops / (clock_seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}
