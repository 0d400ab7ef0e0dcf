#include "optimizer/adam.h"

#include "kernels/denormals.h"

#include <math.h>
#include <stdlib.h>

/* Tensors stand one behind the other and are cut as one run of numbers, so that a model of any size is shared out
 * evenly. A chunk is one thread's piece: even the smallest models have enough for eight. */
enum { CHUNK = 1024 };

static size_t chunk_total(const Parameters *p)
{
    return (p->count + CHUNK - 1) / CHUNK;
}

bool adam_open(Adam *adam, const ModelConfig *config, AdamSettings settings, Error *error)
{
    *adam = (Adam){.settings = settings};
    bool opened = parameters_open(&adam->m, config, error) && parameters_open(&adam->v, config, error);
    if (opened && (adam->squares = calloc(chunk_total(&adam->m), sizeof *adam->squares)) == NULL)
        opened = error_set(error, "no memory for the sums of %zu gradients; choose smaller sizes", adam->m.count);
    if (!opened)
        adam_close(adam);
    return opened;
}

void adam_close(Adam *adam)
{
    parameters_close(&adam->m);
    parameters_close(&adam->v);
    free(adam->squares);
    adam->squares = NULL;
}

/* Numbers first..end-1 of all. */
typedef struct Range {
    size_t first, end;
} Range;

/* What a chunk has of a tensor, if that is trained; otherwise, or where they do not meet, nothing. */
static Range chunk_range(const Parameters *p, size_t chunk, int tensor)
{
    Tensor t = p->tensors[tensor];
    size_t first = (size_t)(t.values.data - p->tensors[0].values.data), end = first;
    if (t.trained)
        end += (size_t)t.values.rows * (size_t)t.values.columns;
    size_t from = chunk * CHUNK, to = from + CHUNK;
    Range range = {first > from ? first : from, end < to ? end : to};
    return range.first < range.end ? range : (Range){0, 0};
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

static double chunk_squares(const Parameters *gradient, size_t chunk)
{
    double total = 0;
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Range range = chunk_range(gradient, chunk, i);
        total += sum_of_squares(gradient->tensors[0].values.data + range.first, range.end - range.first);
    }
    return total;
}

double adam_gradient_norm(const Parameters *gradient)
{
    double total = 0;
    for (size_t chunk = 0; chunk < chunk_total(gradient); chunk++)
        total += chunk_squares(gradient, chunk);
    return sqrt(total);
}

double adam_gradient_norm_team(Adam *adam, const Parameters *gradient)
{
    size_t chunks = chunk_total(gradient);
    double total = 0;
#pragma omp for schedule(static)
    for (size_t chunk = 0; chunk < chunks; chunk++)
        adam->squares[chunk] = chunk_squares(gradient, chunk);
    for (size_t chunk = 0; chunk < chunks; chunk++)
        total += adam->squares[chunk];
    return sqrt(total);
}

/* The step's constants, in the number the arrays have: 1 - beta is rounded once, after the subtraction. */
typedef struct Factors {
    real beta1, rest1, beta2, rest2, epsilon, rate, keep, clip, correction2;
} Factors;

static void update_range(Factors f, size_t count, real *restrict w, const real *restrict gradient, real *restrict m,
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

static Factors factors_of(const AdamSettings *s, int64_t t, double gradient_norm, double learning_rate)
{
    return (Factors){
        .beta1 = (real)s->beta1,
        .rest1 = (real)(1 - s->beta1),
        .beta2 = (real)s->beta2,
        .rest2 = (real)(1 - s->beta2),
        .epsilon = (real)s->epsilon,
        .rate = (real)(learning_rate / (1 - pow(s->beta1, (double)t))),
        .keep = (real)(1 - learning_rate * s->weight_decay),
        .clip = (real)(s->clip > 0 && gradient_norm > s->clip ? s->clip / gradient_norm : 1),
        .correction2 = (real)(1 / (1 - pow(s->beta2, (double)t))),
    };
}

void adam_update_numbers(const AdamSettings *settings, int64_t t, double learning_rate, size_t count, real *w,
                         const real *gradient, real *m, real *v)
{
    update_range(factors_of(settings, t, 0, learning_rate), count, w, gradient, m, v);
}

void adam_update_team(const Adam *adam, Parameters *parameters, const Parameters *gradient, double gradient_norm,
                      double learning_rate)
{
    Factors f = factors_of(&adam->settings, adam->step + 1, gradient_norm, learning_rate);
    real *w = parameters->tensors[0].values.data, *g = gradient->tensors[0].values.data;
    real *m = adam->m.tensors[0].values.data, *v = adam->v.tensors[0].values.data;
    size_t chunks = chunk_total(parameters);
#pragma omp for schedule(static) nowait
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (int i = 0; i < TENSOR_COUNT; i++) {
            Range range = chunk_range(parameters, chunk, i);
            size_t first = range.first;
            update_range(f, range.end - first, w + first, g + first, m + first, v + first);
        }
}

void adam_update(Adam *adam, Parameters *parameters, const Parameters *gradient, double gradient_norm,
                 double learning_rate, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        uint64_t state = denormals_flush();
        adam_update_team(adam, parameters, gradient, gradient_norm, learning_rate);
        denormals_restore(state);
    }
    adam->step++;
}
