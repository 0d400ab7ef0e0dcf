/* small_trainer.h -- a model of a hundred numbers on a text of five letters, for the tests of training. */
#ifndef SOLILOQUY_TESTS_SMALL_TRAINER_H
#define SOLILOQUY_TESTS_SMALL_TRAINER_H

#include "scratch.h"

#include "training/trainer.h"

static const ModelConfig small = {.context = 6, .channels = 5, .head_size = 4};

static const TrainingSettings quick = {
    .batch_size = 3,
    .schedule = {SCHEDULE_CONSTANT, 1e-2, 0, 0, 100},
    .adam = {0.9, 0.99, 1e-8, 0, 0},
    .seed = 1,
    .validation_fraction = 0.25,
    .eval_every = 10,
    .data = "the text",
};

/* A text of `size` characters of five kinds. */
static inline void corpus_make(Corpus *corpus, size_t size)
{
    char path[PATH_SIZE], *text = malloc(size);
    Error error = {0};
    for (size_t i = 0; i < size; i++)
        text[i] = "abcde"[(i * i + i / 3) % 5];
    put(scratch("text.txt", path), text, size);
    free(text);
    CHECK(corpus_open(corpus, path, false, &error), "%s", error.message);
}

static inline bool trainer_make(Trainer *t, const Corpus *corpus, TrainingSettings settings, Error *error)
{
    ModelConfig config = small;
    config.vocabulary_size = corpus->vocabulary.size;
    return trainer_open(t, &config, &settings, corpus, 2, error);
}

#endif
