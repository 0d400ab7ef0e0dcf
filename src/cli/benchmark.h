/* benchmark.h -- how fast this machine does the program's work: one measurement at a time. */
#ifndef SOLILOQUY_CLI_BENCHMARK_H
#define SOLILOQUY_CLI_BENCHMARK_H

#include "base/error.h"
#include "model/config.h"

typedef enum BenchmarkKind { BENCHMARK_TRAINING, BENCHMARK_VALIDATION, BENCHMARK_SAMPLING,
                            BENCHMARK_LOADING } BenchmarkKind;

typedef struct Workload {
    const char *name;
    BenchmarkKind kind;
    ModelConfig config;
    int batch;
    double characters; /* of validation, sampling and loading */
} Workload;

/* The design's workloads, by name. */
extern const Workload workloads[];
extern const int workload_count;

typedef struct Measurement {
    double seconds;        /* a step, or the whole of what is not training: the best of several tries */
    double single_seconds; /* the same on one thread */
    double characters;     /* processed in that time */
    double flops;          /* the causal minimum of a step, model/config.h's letters:
                              3 B T (2 H (T+1) + 2 H V) + 18 (V+T) C H; 0 for what is not training */
} Measurement;

/* On a text of its own (seeded, with a few symbols frequent and many rare), so that no file is needed. */
bool benchmark_run(const Workload *workload, int threads, Measurement *measurement, Error *error);

#endif
