#include "optimizer/adam.h"

#include "kernels/denormals.h"

#include <math.h>

enum { CHUNK = 4096 }; /* numbers: one thread's piece, 64 KB of the four arrays */

bool adam_open(Adam *adam, const ModelConfig *config, AdamSettings settings, Error *error)
{
    *adam = (Adam){.settings = settings};
    if (parameters_open(&adam->m, config, error) && parameters_open(&adam->v, config, error))
        return true;
    adam_close(adam);
    return false;
}

void adam_close(Adam *adam)
{
    parameters_close(&adam->m);
    parameters_close(&adam->v);
}

static size_t tensor_count(Tensor tensor)
{
    return tensor.trained ? (size_t)tensor.values.rows * (size_t)tensor.values.columns : 0;
}

/* Eight running sums, so that additions overlap; the order is that of the index, whatever the vectors. */
static double sum_of_squares(const real *x, size_t count)
{
    double sums[8] = {0}, total = 0;
    size_t whole = count - count % 8;
    for (size_t i = 0; i < whole; i += 8)
        for (int lane = 0; lane < 8; lane++)
            sums[lane] += (double)x[i + lane] * (double)x[i + lane];
    for (size_t i = whole; i < count; i++)
        sums[i - whole] += (double)x[i] * (double)x[i];
    for (int lane = 0; lane < 8; lane++)
        total += sums[lane];
    return total;
}

double adam_gradient_norm(const Parameters *gradient)
{
    double total = 0;
    for (int i = 0; i < TENSOR_COUNT; i++)
        total += sum_of_squares(gradient->tensors[i].values.data, tensor_count(gradient->tensors[i]));
    return sqrt(total);
}

/* The step's constants, in the number the arrays have: 1 - beta is rounded once, after the subtraction. */
typedef struct Factors {
    real beta1, rest1, beta2, rest2, epsilon, rate, keep, clip, correction2;
} Factors;

static void update_chunk(Factors f, size_t count, real *restrict w, const real *restrict gradient, real *restrict m,
                         real *restrict v)
{
    for (size_t i = 0; i < count; i++) {
        real g = f.clip * gradient[i];
        m[i] = f.beta1 * m[i] + f.rest1 * g;
        v[i] = f.beta2 * v[i] + f.rest2 * (g * g);
#ifdef REAL_IS_DOUBLE
        real root = sqrt(v[i] * f.correction2);
#else
        real root = sqrtf(v[i] * f.correction2);
#endif
        w[i] = f.keep * w[i] - f.rate * m[i] / (root + f.epsilon);
    }
}

void adam_update(Adam *adam, Parameters *parameters, const Parameters *gradient, double gradient_norm,
                 double learning_rate, int threads)
{
    const AdamSettings *s = &adam->settings;
    double t = (double)++adam->step;
    Factors f = {
        .beta1 = (real)s->beta1,
        .rest1 = (real)(1 - s->beta1),
        .beta2 = (real)s->beta2,
        .rest2 = (real)(1 - s->beta2),
        .epsilon = (real)s->epsilon,
        .rate = (real)(learning_rate / (1 - pow(s->beta1, t))),
        .keep = (real)(1 - learning_rate * s->weight_decay),
        .clip = (real)(s->clip > 0 && gradient_norm > s->clip ? s->clip / gradient_norm : 1),
        .correction2 = (real)(1 / (1 - pow(s->beta2, t))),
    };
#pragma omp parallel num_threads(threads)
    {
        uint64_t state = denormals_flush();
        for (int i = 0; i < TENSOR_COUNT; i++) {
            size_t count = tensor_count(parameters->tensors[i]);
            real *w = parameters->tensors[i].values.data, *m = adam->m.tensors[i].values.data;
            real *v = adam->v.tensors[i].values.data, *g = gradient->tensors[i].values.data;
#pragma omp for schedule(static) nowait
            for (size_t first = 0; first < count; first += CHUNK) {
                size_t left = count - first;
                update_chunk(f, left < CHUNK ? left : CHUNK, w + first, g + first, m + first, v + first);
            }
        }
        denormals_restore(state);
    }
}
