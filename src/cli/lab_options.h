/* lab_options.h -- the words and options of `soliloquy lab`. */
#ifndef SOLILOQUY_CLI_LAB_OPTIONS_H
#define SOLILOQUY_CLI_LAB_OPTIONS_H

#include "lab/lab.h"

enum { LAB_MOST_EXPERIMENTS = 32 };

typedef struct LabOptions {
    const Experiment *chosen[LAB_MOST_EXPERIMENTS]; /* each once, in the order named; all of them where none was */
    int count;
    bool list, help;                                /* what was asked for instead; help has been printed */
    const char *data, *model, *out;                 /* model and out: NULL where not given */
    int threads;
} LabOptions;

/* Refuses a name that is none, with the nearest that is one. */
bool lab_options_parse(LabOptions *options, int argc, char **argv, Error *error);

#endif
