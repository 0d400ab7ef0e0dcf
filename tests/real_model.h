/* real_model.h -- the program's model beside the naive one, for the tests that run in both flavours of `real`.
 *
 * Parameters and NaiveModel list the same tensors in the same order. Running out of memory aborts. */
#ifndef SOLILOQUY_TESTS_REAL_MODEL_H
#define SOLILOQUY_TESTS_REAL_MODEL_H

#include "model/step.h"
#include "naive_model.h"
#include "real_matrix.h"

/* LeakSanitizer: what clang's OpenMP runtime keeps for its teams is not ours to free. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libomp";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

/* The places of a naive model's arrays, in the order of Parameters' tensors. */
static inline void naive_places(NaiveModel *naive, double **places[TENSOR_COUNT])
{
    double **const list[TENSOR_COUNT] = {&naive->token, &naive->position, &naive->query, &naive->key,
                                         &naive->value, &naive->lm_weight, &naive->lm_bias};
    memcpy(places, list, sizeof list);
}

/* The same model with the same numbers in double. */
static inline NaiveModel naive_open(const Parameters *p)
{
    const ModelConfig *config = &p->config;
    NaiveModel naive = {
        .V = config->vocabulary_size, .T = config->context, .C = config->channels, .H = config->head_size,
        .positions = (NaivePositions)config->positions, .mask = (NaiveMask)config->mask,
        .mixing = (NaiveMixing)config->mixing, .scale = (NaiveScale)config->scale,
    };
    double **places[TENSOR_COUNT];
    naive_places(&naive, places);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        /* A model without positions has none here either; the naive model leaves room for them. */
        int rows = i == 1 ? config->context : p->tensors[i].values.rows;
        size_t count = (size_t)rows * (size_t)p->tensors[i].values.columns;
        *places[i] = calloc(count, sizeof(double));
        if (*places[i] == NULL)
            abort();
        for (size_t j = 0; p->tensors[i].values.rows > 0 && j < count; j++)
            (*places[i])[j] = (double)p->tensors[i].values.data[j];
    }
    return naive;
}

static inline void naive_close(NaiveModel *naive)
{
    double **places[TENSOR_COUNT];
    naive_places(naive, places);
    for (int i = 0; i < TENSOR_COUNT; i++)
        free(*places[i]);
}

static inline Parameters test_parameters(const ModelConfig *config, uint64_t seed)
{
    Parameters p;
    Error error;
    if (!parameters_open(&p, config, &error))
        abort();
    parameters_initialise(&p, random_seed(seed));
    return p;
}

/* Parameters whose every number is NaN. */
static inline Parameters test_parameters_nan(const ModelConfig *config)
{
    Parameters p = test_parameters(config, 0);
    for (size_t i = 0; i < p.count; i++)
        p.tensors[0].values.data[i] = (real)NAN;
    return p;
}

/* Every place of the two movable products (model/tables.h). */
enum { TEST_PLANS = 4 };

static inline TablesPlan test_plan(int number)
{
    return (TablesPlan){.linear_first = number % 2 == 1, .score_table = number / 2 == 1};
}

static inline const char *test_plan_name(int number)
{
    static const char *const names[TEST_PLANS] = {"linear last", "linear first", "linear last, score table",
                                                  "linear first, score table"};
    return names[number];
}

/* A pass with linear_first leaves V - 1 logits, less the last symbol's (model/tables.h): logits[rows,V] of another
 * model become [rows,columns] likewise. Returns columns: V or V - 1. */
static inline int test_logits_of_plan(int plan, double *logits, int rows, int V)
{
    if (!test_plan(plan).linear_first || V == 1)
        return V;
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < V - 1; v++)
            logits[(size_t)r * (size_t)(V - 1) + (size_t)v] = logits[(size_t)r * (size_t)V + (size_t)v] -
                                                              logits[(size_t)r * (size_t)V + (size_t)V - 1];
    return V - 1;
}

static inline Step test_step(const ModelConfig *config, int batch_limit, int threads, int plan)
{
    Step step;
    Error error;
    if (!step_open(&step, config, batch_limit, threads, test_plan(plan), &error))
        abort();
    return step;
}

/* Random characters and targets; test_batch_close frees them. */
static inline Batch test_batch(int count, int length, int vocabulary_size, uint64_t seed)
{
    Random random = random_seed(seed);
    size_t characters = (size_t)count * (size_t)length;
    int32_t *ids = malloc(2 * characters * sizeof *ids);
    if (ids == NULL)
        abort();
    for (size_t i = 0; i < 2 * characters; i++)
        ids[i] = (int32_t)random_below(&random, (uint64_t)vocabulary_size);
    return (Batch){count, length, ids, ids + characters};
}

static inline void test_batch_close(Batch batch)
{
    free((int32_t *)batch.inputs);
}

/* Gradients of trained tensors side by side: the largest matrix_difference; *where names its tensor. */
static inline double parameters_difference(const Parameters *ours, NaiveModel *expected, const char **where)
{
    double **places[TENSOR_COUNT], largest = 0;
    naive_places(expected, places);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        if (!ours->tensors[i].trained)
            continue;
        double difference = matrix_difference(ours->tensors[i].values, *places[i]);
        if (!(difference <= largest)) {
            largest = difference;
            *where = ours->tensors[i].name;
        }
        if (isnan(largest))
            break;
    }
    return largest;
}

#endif
