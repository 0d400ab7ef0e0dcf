#include "lab/trained_layer.h"

#include <math.h>

int trained_layer_window(const Trained *trained, int32_t ids[TRAINED_LAYER_LONGEST])
{
    int T = trained->head.config.context, longest = T < TRAINED_LAYER_LONGEST ? T : TRAINED_LAYER_LONGEST;
    size_t available = trained->validation.count;
    int n = available < (size_t)longest ? (int)available : longest;
    ids_copy(trained->validation, 0, (size_t)n, ids);
    return n;
}

static void load(Matrix weight, real factor, Matrix transposed)
{
    for (int h = 0; h < weight.rows; h++)
        for (int c = 0; c < weight.columns; c++)
            matrix_row(transposed, c)[h] = factor * matrix_row(weight, h)[c];
}

bool trained_layer_open(SourceHead *head, const Parameters *parameters, int n, bool causal, Error *error)
{
    const ModelConfig *config = &parameters->config;
    if (!source_head_open(head, config->channels, config->head_size, n, causal, error))
        return false;
    load(parameters->query, (real)(model_config_scale(config) * sqrt(config->head_size)), head->query_weight);
    load(parameters->key, 1, head->key_weight);
    load(parameters->value, 1, head->value_weight);
    return true;
}

void trained_layer_embed(const Parameters *parameters, const int32_t *ids, int n, bool positions, float *x)
{
    bool placed = positions && parameters->position_embedding.rows > 0;
    for (int t = 0; t < n; t++)
        for (int c = 0; c < parameters->config.channels; c++)
            *x++ = (float)(matrix_row(parameters->token_embedding, ids[t])[c] +
                           (placed ? matrix_row(parameters->position_embedding, t)[c] : 0));
}
