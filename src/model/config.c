#include "model/config.h"

#include <math.h>
#include <stddef.h>

const char *const positions_names[] = {"learned", "sinusoidal", "none", NULL};
const char *const mask_names[] = {"causal", "none", NULL};
const char *const mixing_names[] = {"attention", "uniform", NULL};
const char *const scale_names[] = {"sqrt", "none", NULL};

bool model_config_check(const ModelConfig *config, Error *error)
{
    const struct {
        const char *name;
        int value;
    } sizes[] = {{"context", config->context},
                 {"channels", config->channels},
                 {"head size", config->head_size},
                 {"vocabulary", config->vocabulary_size}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].value < 1 || sizes[i].value > MODEL_SIZE_LIMIT)
            return error_set(error, "a model with a %s of %d cannot be built; it takes 1 to %d", sizes[i].name,
                             sizes[i].value, MODEL_SIZE_LIMIT);
    return true;
}

double model_config_scale(const ModelConfig *config)
{
    return config->scale == SCALE_SQRT ? 1 / sqrt((double)config->head_size) : 1;
}

void model_config_write(FILE *out, const ModelConfig *config, bool bytes)
{
    fprintf(out, "\"context\": %d, \"channels\": %d, \"head_size\": %d, \"vocabulary_size\": %d, ", config->context,
            config->channels, config->head_size, config->vocabulary_size);
    fprintf(out, "\"positions\": \"%s\", \"mask\": \"%s\", \"mixing\": \"%s\", \"scale\": \"%s\", \"bytes\": %s",
            positions_names[config->positions], mask_names[config->mask], mixing_names[config->mixing],
            scale_names[config->scale], bytes ? "true" : "false");
}
