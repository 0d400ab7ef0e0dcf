/* Compiled in the double flavour only. */
#include "training/update_check.h"

#include "optimizer/adam_mistake.h"

#include <math.h>

enum { STEPS = 3 };

static const AdamSettings settings = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
static const double learning_rate = 1e-2;

/* What the equations make of the gradients, from the start on. */
typedef struct Reference {
    Parameters start, weights, m, v;
} Reference;

static bool reference_open(Reference *r, const Parameters *start, Error *error)
{
    const ModelConfig *config = &start->config;
    *r = (Reference){0};
    if (!parameters_open(&r->start, config, error) || !parameters_open(&r->weights, config, error) ||
        !parameters_open(&r->m, config, error) || !parameters_open(&r->v, config, error))
        return false;
    for (size_t i = 0; i < start->count; i++)
        r->start.tensors[0].values.data[i] = r->weights.tensors[0].values.data[i] = start->tensors[0].values.data[i];
    return true;
}

static void reference_close(Reference *r)
{
    parameters_close(&r->start);
    parameters_close(&r->weights);
    parameters_close(&r->m);
    parameters_close(&r->v);
}

static size_t numbers(Matrix values)
{
    return (size_t)values.rows * (size_t)values.columns;
}

static void reference_step(Reference *r, const Parameters *gradient, int t)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        const real *g = gradient->tensors[i].values.data;
        real *w = r->weights.tensors[i].values.data, *m = r->m.tensors[i].values.data, *v = r->v.tensors[i].values.data;
        for (size_t k = 0; gradient->tensors[i].trained && k < numbers(gradient->tensors[i].values); k++) {
            m[k] = settings.beta1 * m[k] + (1 - settings.beta1) * g[k];
            v[k] = settings.beta2 * v[k] + (1 - settings.beta2) * g[k] * g[k];
            double m_hat = m[k] / (1 - pow(settings.beta1, t)), v_hat = v[k] / (1 - pow(settings.beta2, t));
            w[k] -= learning_rate * m_hat / (sqrt(v_hat) + settings.epsilon);
        }
    }
}

static GradientCheckRow compare(const Reference *r, const Parameters *parameters, int tensor)
{
    Tensor judged = parameters->tensors[tensor];
    const real *start = r->start.tensors[tensor].values.data, *right = r->weights.tensors[tensor].values.data;
    double largest = 0, squares = 0;
    for (size_t k = 0; k < numbers(judged.values); k++) {
        double distance = fabs(judged.values.data[k] - right[k]), moved = right[k] - start[k];
        if (!(distance <= largest) && !isnan(largest))
            largest = distance; /* a NaN, once there, stays */
        squares += moved * moved;
    }
    GradientCheckRow row = {.tensor = judged.name, .entries = (int64_t)numbers(judged.values), .norm = sqrt(squares)};
    row.error = row.norm > 0 ? largest / row.norm : largest + row.norm; /* NaN stays NaN */
    row.passed = row.error <= GRADIENT_CHECK_LIMIT;
    return row;
}

bool update_check(Step *step, Parameters *parameters, Parameters *gradient, Batch batch, Mistake mistake,
                  GradientCheckResult *result, Error *error)
{
    Reference reference;
    Adam adam = {0};
    bool opened = reference_open(&reference, parameters, error) &&
                  adam_open(&adam, &parameters->config, settings, error);
    for (int t = 1; opened && t <= STEPS; t++) {
        double loss = step_gradient(step, parameters, batch, gradient);
        result->loss = t == 1 ? loss : result->loss;
        reference_step(&reference, gradient, t);
        if (mistake == MISTAKE_ADAM_STEP)
            adam_update_by_tensor(&adam, parameters, gradient, learning_rate);
        else
            adam_update(&adam, parameters, gradient, 0, learning_rate, 1);
    }
    for (int i = 0; opened && i < TENSOR_COUNT; i++)
        if (parameters->tensors[i].trained)
            result->rows[result->row_count++] = compare(&reference, parameters, i);
    adam_close(&adam);
    reference_close(&reference);
    return opened;
}
