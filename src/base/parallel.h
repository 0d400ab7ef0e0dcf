/* parallel.h -- the few words of OpenMP's library that the program uses, also true without OpenMP.
 *
 * Parallel loops are written as `#pragma omp`. Work is divided by the shape of the problem, never by the number
 * of threads, so that results have the same bits for any number. */
#ifndef SOLILOQUY_BASE_PARALLEL_H
#define SOLILOQUY_BASE_PARALLEL_H

#ifdef _OPENMP
#include <omp.h>
#endif

/* This thread's number in its team, from 0. */
static inline int parallel_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

enum { PARALLEL_MOST_THREADS = 1024 };

/* How many threads the user allows: OMP_NUM_THREADS, or one a processor; not more than PARALLEL_MOST_THREADS. 1 without
 * OpenMP. */
static inline int parallel_default_threads(void)
{
#ifdef _OPENMP
    int threads = omp_get_max_threads();
    return threads < PARALLEL_MOST_THREADS ? threads : PARALLEL_MOST_THREADS;
#else
    return 1;
#endif
}

#endif
