/* config.h -- the shape of a model and the ablations it was built with. It holds no memory. */
#ifndef SOLILOQUY_MODEL_CONFIG_H
#define SOLILOQUY_MODEL_CONFIG_H

#include "base/error.h"

#include <stdio.h>

typedef enum Positions { POSITIONS_LEARNED, POSITIONS_SINUSOIDAL, POSITIONS_NONE } Positions;
typedef enum Mask { MASK_CAUSAL, MASK_NONE } Mask;
typedef enum Mixing { MIXING_ATTENTION, MIXING_UNIFORM } Mixing;
typedef enum Scale { SCALE_SQRT, SCALE_NONE } Scale;

/* The words of the command line and of the checkpoint, in the order of the enums, each list ended by NULL. */
extern const char *const positions_names[];
extern const char *const mask_names[];
extern const char *const mixing_names[];
extern const char *const scale_names[];

typedef struct ModelConfig {
    int context;         /* T */
    int channels;        /* C */
    int head_size;       /* H */
    int vocabulary_size; /* V */
    Positions positions;
    Mask mask;
    Mixing mixing;
    Scale scale;
} ModelConfig;

enum { MODEL_SIZE_LIMIT = 1 << 24 }; /* the largest T, C, H or V: products of two fit in 64 bits with room */

/* Refuses sizes below 1 or above MODEL_SIZE_LIMIT, naming the one. */
bool model_config_check(const ModelConfig *config, Error *error);

/* The members of a JSON object, without its braces: "context": T, ..., "scale": "sqrt", "bytes": false. */
void model_config_write(FILE *out, const ModelConfig *config, bool bytes);

/* The factor on the scores: 1/sqrt(H), or 1. */
double model_config_scale(const ModelConfig *config);

#endif
