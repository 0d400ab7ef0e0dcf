/* bench_options.h -- the command line of `bench`: workloads by name, or one of sizes of the user's own. */
#ifndef SOLILOQUY_CLI_BENCH_OPTIONS_H
#define SOLILOQUY_CLI_BENCH_OPTIONS_H

#include "cli/benchmark.h"

enum { BENCH_MOST_WORKLOADS = 16 };

typedef struct BenchOptions {
    const Workload *chosen[BENCH_MOST_WORKLOADS]; /* borrowed, from benchmark.h's list or `custom` */
    int count;
    Workload custom; /* training of the sizes given; those of `default` where one is not given */
    int threads;
    Precision precision; /* of the trainings */
    bool json, help;
} BenchOptions;

/* Parses; with --help prints it to standard output and sets help. Refuses sizes beside names, and sizes whose step does
 * not fit the machine's memory. `options` must stay where it is, since chosen[] may point into it. */
bool bench_options_parse(BenchOptions *options, int argc, char **argv, Error *error);

#endif
