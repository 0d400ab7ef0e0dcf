/* benchmark.h -- how fast this machine does the program's work: one measurement at a time. */
#ifndef SOLILOQUY_CLI_BENCHMARK_H
#define SOLILOQUY_CLI_BENCHMARK_H

#include "base/error.h"
#include "model/tables.h"
#include "text/ids.h"

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
    double seconds;        /* a step, or the whole of what is not training: the best of several tries (a step of
                              seconds is tried once) */
    double single_seconds; /* the same on one thread */
    double characters;     /* processed in that time */
    double flops;          /* the causal minimum of a step, model/config.h's letters:
                              3 B T (2 H (T+1) + 2 H V) + 18 (V+T) C H; 0 for what is not training */
} Measurement;

/* Fills `text` with `count` symbols that are as unequal as English's; the caller frees it. A step's cost depends on how
 * many different symbols its batch holds, so a flatter text would measure another program than a real text does. The
 * symbol of rank r (0: the most frequent) has the probability ~ e^(-r / (0.22 V)) (1 - r / V): at V = 65, and in
 * brackets on tiny Shakespeare, 3.34 nats a symbol (3.31), and 38 (41) different ones among 256, 57 (60) among 4,096
 * and 62 (62) among 16,384. Seeded: the same text every time. */
bool benchmark_text(Ids *text, size_t count, int vocabulary_size, Error *error);

/* On such a text, so that no file is needed. The precision is that of training, which takes as many of the threads as
 * its step has shards, also where the trainer would take one. */
bool benchmark_run(const Workload *workload, Precision precision, int threads, Measurement *measurement, Error *error);

#endif
