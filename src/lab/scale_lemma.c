/* scale_lemma.c -- 002 lemma 4.5: raw scores have standard deviation sqrt(d_k), and then the softmax saturates. */
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/lecture_stream.h"
#include "lab/scale.h"

#include <math.h>
#include <string.h>

enum { SIZES = 3, T = LECTURE_CONTEXT, WIDEST = 256 };

static const int sizes[SIZES] = {16, 64, WIDEST};

typedef struct Buffers {
    float *drawn;                      /* [T,WIDEST] */
    Matrix query, key, key_transposed; /* [T,WIDEST], [WIDEST,T] */
    Matrix scores, weights, passed;    /* [T,T] */
} Buffers;

typedef struct Found {
    double deviation[SIZES], root[SIZES], scaled_deviation[SIZES];
    double largest[SIZES], scaled_largest[SIZES]; /* weights */
    double gradient[SIZES], scaled_gradient[SIZES];
} Found;

static void layout(Buffers *b, Arena *arena)
{
    b->drawn = arena_take(arena, (size_t)T * WIDEST, sizeof *b->drawn);
    b->query = matrix_take(arena, T, WIDEST);
    b->key = matrix_take(arena, T, WIDEST);
    b->key_transposed = matrix_take(arena, WIDEST, T);
    b->scores = matrix_take(arena, T, T);
    b->weights = matrix_take(arena, T, T);
    b->passed = matrix_take(arena, T, T);
}

static void draw_scores(Buffers *b, TorchRandom *random, int d)
{
    Matrix query = matrix_columns(b->query, 0, d), key = matrix_columns(b->key, 0, d);
    Matrix key_transposed = matrix_rows(b->key_transposed, 0, d);
    torch_normal(random, b->drawn, (size_t)T * (size_t)d);
    array_load(b->drawn, query);
    torch_normal(random, b->drawn, (size_t)T * (size_t)d);
    array_load(b->drawn, key);
    transpose_copy(key, key_transposed);
    multiply(query, key_transposed, b->scores, NULL);
}

/* The row of the largest raw score less its row's second largest: the one that saturates first. */
static int clearest_row(Matrix scores)
{
    int clearest = 0;
    real widest = 0;
    for (int r = 0; r < T; r++) {
        const real *row = matrix_row(scores, r);
        int top = row_largest(row, T);
        real gap = INFINITY;
        for (int c = 0; c < T; c++)
            if (c != top && row[top] - row[c] < gap)
                gap = row[top] - row[c];
        if (gap > widest) {
            widest = gap;
            clearest = r;
        }
    }
    return clearest;
}

/* The largest weight at that factor on the scores; *gradient becomes what a gradient of 1 on the clearest row's largest
 * weight is at its scores: sum_j |dA_max / dS_j|. */
static double saturate(Buffers *b, double factor, double *gradient)
{
    int row = clearest_row(b->scores), top = row_largest(matrix_row(b->scores, row), T);
    for (int r = 0; r < T; r++) {
        memcpy(matrix_row(b->weights, r), matrix_row(b->scores, r), T * sizeof(real));
        memset(matrix_row(b->passed, r), 0, T * sizeof(real));
    }
    softmax_rows(b->weights, T, (real)factor);
    matrix_row(b->passed, row)[top] = 1;
    softmax_rows_backward(b->weights, b->passed, T, 1);
    *gradient = 0;
    for (int c = 0; c < T; c++)
        *gradient += fabs((double)matrix_row(b->passed, row)[c]);
    return array_moments(b->weights).largest;
}

static void compare(Lab *lab, const Found *f)
{
    double worst = 0;
    bool bounded = true;
    for (int i = 0; i < SIZES; i++) {
        double off = fabs(f->scaled_deviation[i] - 1);
        worst = off <= worst ? worst : off;
        bounded = bounded && off <= 0.2;
    }
    lab_source(lab, "002 lemma 4.5");
    lab_exact_all(lab, "standard deviation of raw scores, d_k = 16, 64, 256", "4.12 7.95 18.00", f->deviation);
    lab_exact_all(lab, "against sqrt(d_k)", "4 8 16", f->root);
    lab_exact(lab, "largest unscaled weight already at d_k = 16", "1.000", f->largest[0]);
    lab_holds(lab, "scaled scores have a deviation near 1 at every d_k", bounded, "%.2f %.2f %.2f",
              f->scaled_deviation[0], f->scaled_deviation[1], f->scaled_deviation[2]);
    lab_holds(lab, "the largest scaled weight stays below 1",
              f->scaled_largest[0] < 0.9 && f->scaled_largest[1] < 0.9 && f->scaled_largest[2] < 0.9, "%.3f %.3f %.3f",
              f->scaled_largest[0], f->scaled_largest[1], f->scaled_largest[2]);
    lab_holds(lab, "saturated, diag(p) - pp^T goes to zero: no gradient flows",
              f->gradient[2] <= 1e-3 * f->scaled_gradient[2],
              "at d_k = 256 a gradient of 1 on the clearest row's largest weight leaves %.1e unscaled, %.2f scaled",
              f->gradient[2], f->scaled_gradient[2]);
}

bool scale_lemma(Lab *lab, Error *error)
{
    Arena arena = {0};
    Buffers b;
    Found f;
    layout(&b, &arena);
    if (!arena_open(&arena, "queries and keys", error))
        return false;
    layout(&b, &arena);
    TorchRandom random = lecture_stream(LECTURE_LEMMA);
    for (int i = 0; i < SIZES; i++) {
        draw_scores(&b, &random, sizes[i]);
        Moments raw = array_moments(b.scores);
        f.root[i] = sqrt(sizes[i]);
        f.deviation[i] = sqrt(moments_sample_variance(&raw));
        f.scaled_deviation[i] = f.deviation[i] / f.root[i];
        f.largest[i] = saturate(&b, 1, &f.gradient[i]);
        f.scaled_largest[i] = saturate(&b, 1 / f.root[i], &f.scaled_gradient[i]);
    }
    compare(lab, &f);
    arena_close(&arena);
    return true;
}
