/* train_options.h -- what the words after `train` ask for. */
#ifndef SOLILOQUY_CLI_TRAIN_OPTIONS_H
#define SOLILOQUY_CLI_TRAIN_OPTIONS_H

#include "cli/options.h"
#include "model/config.h"
#include "training/settings.h"

typedef struct TrainOptions {
    const char *data;      /* NULL: the run's own (resume), or the default text */
    const char *directory; /* where the run's files go */
    bool resume, overwrite, quiet, bytes, help;
    ModelConfig config;    /* vocabulary_size is the text's, not set here */
    TrainingSettings settings;
    bool steps_given;      /* --steps beside --resume */
    double checkpoint_every, max_seconds;
    int64_t pause_at;
    int threads;
    const char *maps_text; /* NULL: the start of the validation text */
} TrainOptions;

/* Parses; with --help prints it to standard output and sets help. A resume refuses the options that would make it
 * another run. */
bool train_options_parse(TrainOptions *options, int argc, char **argv, Error *error);

#endif
