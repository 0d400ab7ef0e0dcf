/* Compiled in the double flavour only. */
#include "training/gradient_check.h"

#include "model/plain_step.h"
#include "training/update_check.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double step_size = 5e-4;

typedef struct Checker {
    const GradientCheckRequest *request;
    Step step;
    PlainStep plain; /* open where a mistake is asked for */
    Parameters parameters, gradient;
    Batch batch;
} Checker;

static double mean_loss(Checker *c)
{
    return step_loss(&c->step, &c->parameters, c->batch) / ((double)c->batch.count * c->batch.length);
}

static double numeric_gradient(Checker *c, real *weight)
{
    static const double offsets[] = {1, -1, 2, -2}, factors[] = {8, -8, -1, 1};
    double before = *weight, sum = 0;
    for (int i = 0; i < 4; i++) {
        *weight = before + offsets[i] * step_size;
        sum += factors[i] * mean_loss(c);
    }
    *weight = before;
    return sum / (12 * step_size);
}

static double norm(const real *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* The index of the largest |x[i]| among those not yet chosen. */
static size_t largest_left(const real *x, const bool *chosen, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (!chosen[i] && (best == count || fabs(x[i]) > fabs(x[best])))
            best = i;
    return best;
}

/* Marks the entries to check: all of a small tensor. */
static void choose_entries(const real *gradient, size_t count, size_t limit, Random random, bool *chosen)
{
    if (count <= limit) {
        for (size_t i = 0; i < count; i++)
            chosen[i] = true;
        return;
    }
    for (size_t i = 0; i < limit / 2; i++)
        chosen[random_below(&random, count)] = true;
    for (size_t i = 0; i < limit - limit / 2; i++)
        chosen[largest_left(gradient, chosen, count)] = true;
}

static GradientCheckRow check_tensor(Checker *c, int index, bool *chosen)
{
    Tensor tensor = c->parameters.tensors[index];
    size_t count = (size_t)tensor.values.rows * (size_t)tensor.values.columns;
    real *weights = tensor.values.data;
    const real *analytic = c->gradient.tensors[index].values.data;
    Random random = random_seed(c->request->seed + (uint64_t)index);
    double largest = 0, numeric_squares = 0;
    GradientCheckRow row = {.tensor = tensor.name, .norm = norm(analytic, count)};
    choose_entries(analytic, count, (size_t)c->request->entries, random, chosen);
    for (size_t i = 0; i < count; i++) {
        if (!chosen[i])
            continue;
        double numeric = numeric_gradient(c, &weights[i]), difference = fabs(analytic[i] - numeric);
        numeric_squares += numeric * numeric;
        if (!(difference <= largest) && !isnan(largest))
            largest = difference; /* a NaN, once there, stays */
        row.entries++;
    }
    double numeric_norm = sqrt(numeric_squares), scale = row.norm > numeric_norm ? row.norm : numeric_norm;
    row.error = scale > 0 ? largest / scale : largest + row.norm + numeric_norm; /* 0 where all is 0; NaN stays NaN */
    if (isnan(largest) || !isfinite(scale) || !isfinite(row.norm)) /* also of an entry that was not checked */
        row.error = NAN;
    row.passed = row.error <= GRADIENT_CHECK_LIMIT;
    return row;
}

/* The gradient under judgement: the program's own, a mistaken one, or the caller's. */
static void fill_gradient(Checker *c, GradientCheckResult *result)
{
    Mistake mistake = c->request->mistake;
    result->loss = step_gradient(&c->step, &c->parameters, c->batch, &c->gradient);
    if (mistake != MISTAKE_NONE)
        plain_step_gradient(&c->plain, &c->parameters, c->batch, mistake, &c->gradient);
    const double *given = c->request->gradient;
    for (int i = 0; given != NULL && i < TENSOR_COUNT; i++) {
        Matrix values = c->gradient.tensors[i].values;
        size_t count = (size_t)values.rows * (size_t)values.columns;
        for (size_t k = 0; k < count; k++)
            values.data[k] = *given++;
    }
}

static void fill_parameters(Checker *c)
{
    const float *given = c->request->parameters;
    parameters_initialise(&c->parameters, random_seed(c->request->seed));
    for (int i = 0; given != NULL && i < TENSOR_COUNT; i++) {
        Matrix values = c->parameters.tensors[i].values;
        size_t count = (size_t)values.rows * (size_t)values.columns;
        for (size_t k = 0; k < count; k++)
            values.data[k] = *given++;
    }
}

static bool checker_open(Checker *c, const GradientCheckRequest *request, Error *error)
{
    *c = (Checker){.request = request, .batch = {request->batch, request->length, request->inputs, request->targets}};
    TablesPlan plan = {.linear_first = request->linear_first, .score_table = request->score_table};
    return parameters_open(&c->parameters, &request->config, error) &&
           parameters_open(&c->gradient, &request->config, error) &&
           step_open(&c->step, &request->config, request->batch, request->threads, plan, error) &&
           (request->mistake == MISTAKE_NONE || plain_step_open(&c->plain, &request->config, error));
}

static void checker_close(Checker *c)
{
    plain_step_close(&c->plain);
    step_close(&c->step);
    parameters_close(&c->gradient);
    parameters_close(&c->parameters);
}

static bool check_gradient(Checker *c, GradientCheckResult *result, Error *error)
{
    fill_gradient(c, result);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = c->parameters.tensors[i].values;
        if (!c->parameters.tensors[i].trained)
            continue;
        bool *chosen = calloc((size_t)values.rows * (size_t)values.columns, sizeof *chosen);
        if (chosen == NULL)
            return error_set(error, "the gradient check is out of memory; choose a smaller model");
        result->rows[result->row_count++] = check_tensor(c, i, chosen);
        free(chosen);
    }
    return true;
}

bool gradient_check_double(const GradientCheckRequest *request, GradientCheckResult *result, Error *error)
{
    _Static_assert((int)GRADIENT_CHECK_TENSORS == (int)TENSOR_COUNT, "one row for each tensor");
    _Static_assert(sizeof(real) == sizeof(double), "this file belongs to the double flavour");
    assert(request->entries > 1 && request->length <= request->config.context);
    Checker c;
    *result = (GradientCheckResult){0};
    bool done = checker_open(&c, request, error);
    if (done) {
        fill_parameters(&c);
        done = request->update
                   ? update_check(&c.step, &c.parameters, &c.gradient, c.batch, request->mistake, result, error)
                   : check_gradient(&c, result, error);
    }
    checker_close(&c);
    return done;
}
