#include "lab/equivariance_exercise.h"

#include "lab/arrays.h"
#include "lab/equivariance_cases.h"
#include "lab/numpy_random.h"
#include "layers/positions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The source computes in float64, and one of its two figures is the rounding of that: here it is computed in plain
 * doubles. The other one comes from the program's layers. */

enum { N = 6, D = 8, SEED = 42 };

static const int64_t order[N] = {3, 0, 5, 1, 4, 2};

typedef struct Exercise {
    double weights[3][D * D]; /* W_Q, W_K, W_V as X W reads them: [D,D] */
    double x[N * D];
} Exercise;

/* One stream runs through document 000: before this exercise it has given the scores of exercise 2 (2,4,4), and for
 * each d_k of exercise 4 queries and keys (2000,d_k) and (8,d_k). */
static void draw(Exercise *e)
{
    NumpyRandom random = numpy_random_seed(SEED);
    double passed[2008];
    numpy_normal(&random, passed, 2 * 4 * 4);
    for (int width = 4; width <= 256; width *= 4)
        for (int i = 0; i < 2 * width; i++)
            numpy_normal(&random, passed, 2000 + 8);
    for (int w = 0; w < 3; w++) {
        numpy_normal(&random, e->weights[w], D * D);
        for (int i = 0; i < D * D; i++)
            e->weights[w][i] *= 0.5;
    }
    numpy_normal(&random, e->x, N * D);
}

static void project(const double *x, const double *weight, double *y)
{
    for (int r = 0; r < N; r++)
        for (int c = 0; c < D; c++) {
            y[r * D + c] = 0;
            for (int i = 0; i < D; i++)
                y[r * D + c] += x[r * D + i] * weight[i * D + c];
        }
}

static void attend_row(const double *query, const double *keys, const double *values, double *out)
{
    double weights[N], largest = -INFINITY, sum = 0;
    for (int j = 0; j < N; j++) {
        weights[j] = 0;
        for (int i = 0; i < D; i++)
            weights[j] += query[i] * keys[j * D + i];
        weights[j] /= sqrt(D);
        largest = fmax(largest, weights[j]);
    }
    for (int j = 0; j < N; j++)
        sum += weights[j] = exp(weights[j] - largest);
    for (int c = 0; c < D; c++) {
        out[c] = 0;
        for (int j = 0; j < N; j++)
            out[c] += weights[j] / sum * values[j * D + c];
    }
}

static void attend(const Exercise *e, const double *x, double *out)
{
    double projected[3][N * D];
    for (int w = 0; w < 3; w++)
        project(x, e->weights[w], projected[w]);
    for (int r = 0; r < N; r++)
        attend_row(projected[0] + r * D, projected[1], projected[2], out + r * D);
}

static double apart_in_double(const Exercise *e)
{
    double reordered[N * D], in_order_out[N * D], reordered_out[N * D], apart = 0;
    for (int r = 0; r < N; r++)
        memcpy(reordered + r * D, e->x + order[r] * D, D * sizeof reordered[0]);
    attend(e, e->x, in_order_out);
    attend(e, reordered, reordered_out);
    for (int r = 0; r < N; r++)
        for (int c = 0; c < D; c++)
            apart = fmax(apart, fabs(reordered_out[r * D + c] - in_order_out[order[r] * D + c]));
    return apart;
}

/* The rounding of sums whose order changed: its last bits belong to the machine's exp and to how products are added. */
static void rounding(Lab *lab, double apart)
{
    static const char claim[] = "max |Attn(PX) - P Attn(X)| without positions, in float64", published[] = "4.44e-16";
    char ours[32];
    snprintf(ours, sizeof ours, "%.2e", apart);
    if (apart >= 4.435e-16 && apart < 4.445e-16)
        lab_exact(lab, claim, published, apart);
    else
        lab_within(lab, claim, published, apart, 0, 3.6e-15,
                   "rounding of float64: at most eight units in the last place of outputs between 2 and 4");
}

static bool with_layers(Lab *lab, const Exercise *e, SourceHead *head, Error *error)
{
    float x[N * D], reordered[N * D], placed[N * D], reordered_placed[N * D];
    double largest, without, with;
    Matrix weights[] = {head->query_weight, head->key_weight, head->value_weight};
    for (int w = 0; w < 3; w++)
        array_load_doubles(e->weights[w], weights[w]);
    positions_sinusoidal(head->x);
    for (int r = 0; r < N; r++)
        for (int c = 0; c < D; c++) {
            float position = matrix_row(head->x, r)[c];
            x[r * D + c] = (float)e->x[r * D + c];
            reordered[r * D + c] = (float)e->x[order[r] * D + c];
            placed[r * D + c] = x[r * D + c] + position;
            reordered_placed[r * D + c] = reordered[r * D + c] + position;
        }
    if (!equivariance_apart(head, x, reordered, order, &without, &largest, error) ||
        !equivariance_apart(head, placed, reordered_placed, order, &with, &largest, error))
        return false;
    lab_holds(lab, "the same by the program's layers, in float32", without <= 1e-5, "%.2e", without);
    lab_exact(lab, "max |Attn(PX+PE) - P Attn(X+PE)| with positions", "2.30e+00", with);
    return true;
}

bool equivariance_exercise(Lab *lab, Error *error)
{
    Exercise e;
    SourceHead head;
    lab_source(lab, "000 ex. 5");
    draw(&e);
    rounding(lab, apart_in_double(&e));
    if (!source_head_open(&head, D, D, N, false, error))
        return false;
    bool done = with_layers(lab, &e, &head, error);
    source_head_close(&head);
    return done;
}
