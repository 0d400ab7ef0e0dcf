/* small_model.h -- a model of random numbers, as the program holds it and as tests/naive_model.h reads it. */
#ifndef SOLILOQUY_TESTS_SMALL_MODEL_H
#define SOLILOQUY_TESTS_SMALL_MODEL_H

#include "model/parameters.h"
#include "naive_model.h"
#include "text/ids.h"

#include <stdlib.h>

typedef struct SmallModel {
    Parameters parameters;
    NaiveModel naive; /* the same numbers in double */
    double *memory;   /* owned */
} SmallModel;

static inline SmallModel small_model_open(ModelConfig config, uint64_t seed)
{
    SmallModel model;
    Error error;
    if (!parameters_open(&model.parameters, &config, &error))
        abort();
    parameters_initialise(&model.parameters, random_seed(seed));
    model.memory = calloc(model.parameters.count, sizeof *model.memory);
    if (model.memory == NULL)
        abort();
    double *place = model.memory, *starts[TENSOR_COUNT];
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = model.parameters.tensors[i].values;
        starts[i] = place;
        for (int r = 0; r < values.rows; r++)
            for (int c = 0; c < values.columns; c++)
                *place++ = (double)matrix_row(values, r)[c];
    }
    model.naive = (NaiveModel){
        .V = config.vocabulary_size, .T = config.context, .C = config.channels, .H = config.head_size,
        .positions = (NaivePositions)config.positions, .mask = (NaiveMask)config.mask,
        .mixing = (NaiveMixing)config.mixing, .scale = (NaiveScale)config.scale,
        .token = starts[0], .position = starts[1], .query = starts[2], .key = starts[3], .value = starts[4],
        .lm_weight = starts[5], .lm_bias = starts[6],
    };
    return model;
}

static inline void small_model_close(SmallModel *model)
{
    parameters_close(&model->parameters);
    free(model->memory);
}

/* `count` random symbols; the caller frees them. */
static inline Ids small_model_text(const SmallModel *model, size_t count, uint64_t seed)
{
    Ids ids;
    Error error;
    Random random = random_seed(seed);
    if (!ids_allocate(&ids, count, model->naive.V, &error))
        abort();
    for (size_t i = 0; i < count; i++)
        ids_put(ids, i, (int32_t)random_below(&random, (uint64_t)model->naive.V));
    return ids;
}

/* The i-th of the 24 combinations of positions, mask, mixing and scale, at ragged sizes. */
enum { SMALL_CONFIGS = 24 };
static inline ModelConfig small_config(int i)
{
    static const int contexts[] = {1, 7, 37, 70}, vocabularies[] = {13, 1, 65, 5};
    return (ModelConfig){
        .context = contexts[i % 4], .channels = 6 + i % 5, .head_size = 5 + i % 7,
        .vocabulary_size = vocabularies[i / 4 % 4],
        .positions = (Positions)(i / 8), .mask = (Mask)(i / 4 % 2), .mixing = (Mixing)(i / 2 % 2),
        .scale = (Scale)(i % 2),
    };
}

#endif
