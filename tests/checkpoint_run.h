/* checkpoint_run.h -- everything a checkpoint is written from, made up. */
#ifndef SOLILOQUY_TESTS_CHECKPOINT_RUN_H
#define SOLILOQUY_TESTS_CHECKPOINT_RUN_H

#include "small_model.h"
#include "storage/checkpoint.h"

#include <math.h>

static const char training[] = "{\"data\": \"d\\u00e9\\\"x.txt\", \"data_hash\": \"00ff10abcdef0123\", "
                               "\"validation_fraction\": 0.125, \"note\": [1, 2]}";

static inline Vocabulary make_vocabulary(int size)
{
    uint32_t symbols[256];
    Vocabulary vocabulary;
    Error error;
    for (int i = 0; i < size; i++)
        symbols[i] = i == size - 1 ? 0x1F600 : (uint32_t)('\n' + 3 * i);
    if (!vocabulary_open(&vocabulary, symbols, size, false, &error))
        abort();
    return vocabulary;
}

static inline RunState make_state(void)
{
    return (RunState){.step = 9007199254740993, .batches = {0xfedcba9876543210u, 0x23456789abcdef1u}, .best_loss = 0.1,
                      .best_step = 77, .validation_loss = NAN, .train_loss_sum = 1e300, .train_loss_count = 3};
}

typedef struct Run {
    SmallModel model, m, v;
    Vocabulary vocabulary;
} Run;

static inline Run run_open(ModelConfig config)
{
    return (Run){small_model_open(config, 1), small_model_open(config, 2), small_model_open(config, 3),
                 make_vocabulary(config.vocabulary_size)};
}

static inline void run_close(Run *run)
{
    small_model_close(&run->model);
    small_model_close(&run->m);
    small_model_close(&run->v);
    vocabulary_close(&run->vocabulary);
}

static inline bool run_write(const Run *run, const char *path, bool moments, Error *error)
{
    CheckpointContents contents = {.parameters = &run->model.parameters, .vocabulary = &run->vocabulary,
                                   .training = training, .state = make_state()};
    if (moments) {
        contents.m = &run->m.parameters;
        contents.v = &run->v.parameters;
    }
    return checkpoint_write(path, contents, error);
}

#endif
