#include "model/parameters.h"

#include "layers/positions.h"

#include <math.h>

/* Walks the list in order: names, shapes and, once memory is open, places. */
static void parameters_layout(Parameters *p)
{
    int T = p->config.context, C = p->config.channels, H = p->config.head_size, V = p->config.vocabulary_size;
    bool attends = p->config.mixing == MIXING_ATTENTION;
    int position_rows = p->config.positions == POSITIONS_NONE ? 0 : T;
    const struct {
        Matrix *view;
        const char *name;
        int rank, rows, columns;
        bool trained;
    } list[TENSOR_COUNT] = {
        {&p->token_embedding, "token_embedding_table.weight", 2, V, C, true},
        {&p->position_embedding, "position_embedding_table.weight", 2, position_rows, C,
         p->config.positions == POSITIONS_LEARNED},
        {&p->query, "sa_head.query.weight", 2, H, C, attends},
        {&p->key, "sa_head.key.weight", 2, H, C, attends},
        {&p->value, "sa_head.value.weight", 2, H, C, true},
        {&p->lm_weight, "lm_head.weight", 2, V, H, true},
        {&p->lm_bias, "lm_head.bias", 1, 1, V, true},
    };
    p->count = 0;
    for (int i = 0; i < TENSOR_COUNT; i++)
        p->count += (size_t)list[i].rows * (size_t)list[i].columns;
    real *place = arena_take(&p->memory, p->count + ARENA_ALIGNMENT / sizeof(real), sizeof(real));
    for (int i = 0; i < TENSOR_COUNT; i++) {
        *list[i].view = matrix_view(place, list[i].rows, list[i].columns, list[i].columns);
        p->tensors[i] = (Tensor){list[i].name, *list[i].view, list[i].rank, list[i].trained};
        if (place != NULL)
            place += (size_t)list[i].rows * (size_t)list[i].columns;
    }
}

bool parameters_open(Parameters *parameters, const ModelConfig *config, Error *error)
{
    *parameters = (Parameters){.config = *config};
    if (!model_config_check(config, error))
        return false;
    parameters_layout(parameters);
    if (!arena_open(&parameters->memory, "the model", error))
        return false;
    parameters_layout(parameters);
    return true;
}

Parameters parameters_shape(const ModelConfig *config)
{
    Parameters shape = {.config = *config};
    parameters_layout(&shape);
    shape.memory = (Arena){0};
    return shape;
}

void parameters_close(Parameters *parameters)
{
    arena_close(&parameters->memory);
    *parameters = (Parameters){0};
}

static void fill_normal(Matrix m, Random *random)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] = (real)random_normal(random);
}

static void fill_uniform(Matrix m, int inputs, Random *random)
{
    double bound = 1 / sqrt((double)inputs);
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] = (real)(bound * (2 * random_uniform(random) - 1));
}

void parameters_initialise(Parameters *parameters, Random random)
{
    /* A stream for each tensor, so that an ablation leaves the others' numbers as they were. */
    Random streams[TENSOR_COUNT];
    for (int i = 0; i < TENSOR_COUNT; i++)
        streams[i] = random_split(&random);
    int C = parameters->config.channels, H = parameters->config.head_size;
    fill_normal(parameters->token_embedding, &streams[0]);
    if (parameters->config.positions == POSITIONS_SINUSOIDAL)
        positions_sinusoidal(parameters->position_embedding);
    else
        fill_normal(parameters->position_embedding, &streams[1]);
    if (parameters->config.mixing == MIXING_ATTENTION) {
        fill_uniform(parameters->query, C, &streams[2]);
        fill_uniform(parameters->key, C, &streams[3]);
    }
    fill_uniform(parameters->value, C, &streams[4]);
    fill_uniform(parameters->lm_weight, H, &streams[5]);
    fill_uniform(parameters->lm_bias, H, &streams[6]);
}

size_t parameters_trained_count(const Parameters *parameters)
{
    size_t count = 0;
    for (int i = 0; i < TENSOR_COUNT; i++)
        if (parameters->tensors[i].trained)
            count += (size_t)parameters->tensors[i].values.rows * (size_t)parameters->tensors[i].values.columns;
    return count;
}

const Tensor *parameters_find_nonfinite(const Parameters *parameters)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = parameters->tensors[i].values;
        for (int r = 0; r < values.rows; r++)
            for (int c = 0; c < values.columns; c++)
                if (!isfinite(matrix_row(values, r)[c]))
                    return &parameters->tensors[i];
    }
    return NULL;
}
