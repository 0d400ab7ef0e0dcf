/* scale_entropies.c -- 000 ex. 4: the variance of q.k grows like d_k, and unscaled rows lose their entropy. */
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/line_plot.h"
#include "lab/numpy_random.h"
#include "lab/scale.h"
#include "lab/table_file.h"

#include <math.h>
#include <string.h>

enum { SIZES = 4, PAIRS = 2000, TOKENS = 8, WIDEST = 256 };

static const int sizes[SIZES] = {4, 16, 64, WIDEST};
static const char *const printed[SIZES] = {"4.00 1.394 1.808", "16.75 0.435 1.559", "66.00 0.350 1.728",
                                           "255.17 0.085 1.689"};
static const char *const claims[SIZES] = {
    "d_k = 4: Var(q.k), mean entropy of rows unscaled, scaled", "d_k = 16", "d_k = 64", "d_k = 256"};

typedef struct Buffers {
    double *first, *second;             /* [PAIRS,WIDEST] */
    Matrix query, key, key_transposed;  /* [TOKENS,WIDEST], [WIDEST,TOKENS] */
    Matrix scores, weights;             /* [TOKENS,TOKENS] */
} Buffers;

typedef struct Found {
    double sizes[SIZES], variance[SIZES], unscaled[SIZES], scaled[SIZES], uniform[SIZES];
} Found;

static void layout(Buffers *b, Arena *arena)
{
    b->first = arena_take(arena, (size_t)PAIRS * WIDEST, sizeof *b->first);
    b->second = arena_take(arena, (size_t)PAIRS * WIDEST, sizeof *b->second);
    b->query = matrix_take(arena, TOKENS, WIDEST);
    b->key = matrix_take(arena, TOKENS, WIDEST);
    b->key_transposed = matrix_take(arena, WIDEST, TOKENS);
    b->scores = matrix_take(arena, TOKENS, TOKENS);
    b->weights = matrix_take(arena, TOKENS, TOKENS);
}

static void copy(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++)
        memcpy(matrix_row(to, r), matrix_row(from, r), (size_t)from.columns * sizeof(real));
}

/* In double, like the source's arrays. */
static double variance_of_products(Buffers *b, NumpyRandom *random, int d)
{
    Moments products = {0};
    numpy_normal(random, b->first, (size_t)PAIRS * (size_t)d);
    numpy_normal(random, b->second, (size_t)PAIRS * (size_t)d);
    for (int i = 0; i < PAIRS; i++) {
        double sum = 0;
        for (int c = 0; c < d; c++)
            sum += b->first[(size_t)i * (size_t)d + (size_t)c] * b->second[(size_t)i * (size_t)d + (size_t)c];
        moments_add(&products, sum);
    }
    return moments_variance(&products);
}

static void draw_scores(Buffers *b, NumpyRandom *random, int d)
{
    Matrix query = matrix_columns(b->query, 0, d), key = matrix_columns(b->key, 0, d);
    Matrix key_transposed = matrix_rows(b->key_transposed, 0, d);
    numpy_normal(random, b->first, (size_t)TOKENS * (size_t)d);
    array_load_doubles(b->first, query);
    numpy_normal(random, b->first, (size_t)TOKENS * (size_t)d);
    array_load_doubles(b->first, key);
    transpose_copy(key, key_transposed);
    multiply(query, key_transposed, b->scores, NULL);
}

/* Leaves the weights of the drawn scores at that factor; returns their rows' mean entropy. */
static double mean_entropy(Buffers *b, double factor)
{
    double sum = 0;
    copy(b->scores, b->weights);
    softmax_rows(b->weights, TOKENS, (real)factor);
    for (int r = 0; r < TOKENS; r++)
        sum += row_entropy(matrix_row(b->weights, r), TOKENS, 1e-12);
    return sum / TOKENS;
}

static void limits(Lab *lab, Buffers *b)
{
    mean_entropy(b, 1e4);
    Moments cold = array_moments(b->weights);
    bool one_hot = true;
    for (int r = 0; r < TOKENS; r++) {
        int largest = row_largest(matrix_row(b->scores, r), TOKENS);
        one_hot = one_hot && matrix_row(b->weights, r)[largest] >= (real)0.999;
    }
    lab_holds(lab, "temperature to 0: each query picks the key of its largest score",
              one_hot && cold.largest <= 1.000001, "largest weight %.6f at T = 0.0001", cold.largest);
    mean_entropy(b, 1e-6);
    Moments hot = array_moments(b->weights);
    double off = moments_distance(&hot, 1.0 / TOKENS);
    lab_holds(lab, "temperature to infinity: plain averaging", off <= 1e-4, "furthest from 1/8 at T = 1,000,000: %.1e",
              off);
}

static bool write_files(Lab *lab, const Found *found, Error *error)
{
    const PlotCurve curves[] = {
        {"unscaled QK^T", "crimson", found->unscaled, false},
        {"scaled QK^T / sqrt(d_k)", "steelblue", found->scaled, false},
        {"uniform (most entropy)", "gray", found->uniform, true},
    };
    const LinePlot plot = {"Entropy of a row of weights, with and without the scale", "d_k",
                           "nats, mean over the rows", found->sizes, SIZES, true, curves, 3};
    TableFile table;
    if (!line_plot_write(&plot, lab->out, "scale.svg", error) || !table_file_open(&table, lab->out, "scale.csv", error))
        return false;
    static const char *const titles[] = {"d_k", "variance", "entropy_unscaled", "entropy_scaled", "entropy_uniform"};
    for (int i = 0; i < 5; i++)
        table_file_text(&table, titles[i]);
    table_file_end_line(&table);
    for (int i = 0; i < SIZES; i++) {
        const double line[] = {found->sizes[i], found->variance[i], found->unscaled[i], found->scaled[i],
                               found->uniform[i]};
        for (int c = 0; c < 5; c++)
            table_file_number(&table, line[c]);
        table_file_end_line(&table);
    }
    return table_file_commit(&table, error);
}

static void compare(Lab *lab, const Found *f)
{
    bool grows = true, saturates = true;
    double worst = 0;
    for (int i = 0; i < SIZES; i++) {
        lab_exact_all(lab, claims[i], printed[i], (const double[]){f->variance[i], f->unscaled[i], f->scaled[i]});
        double off = fabs(f->variance[i] / f->sizes[i] - 1);
        grows = grows && off <= 0.2;
        worst = off <= worst ? worst : off;
        saturates = saturates && (sizes[i] < 64 || f->scaled[i] > f->unscaled[i] + 0.5);
    }
    lab_exact(lab, "the most entropy of 8 weights, ln 8", "2.08", f->uniform[0]);
    lab_exact(lab, "a typical unscaled score at d_k = 512, sqrt(512)", "22.6", sqrt(512));
    lab_holds(lab, "Var(q.k) is d_k within a fifth", grows, "furthest off: %.1f %%", 100 * worst);
    lab_holds(lab, "scaled rows have half a nat more from d_k = 64 on", saturates, "%.2f more at 64, %.2f at 256",
              f->scaled[2] - f->unscaled[2], f->scaled[3] - f->unscaled[3]);
}

bool scale_entropies(Lab *lab, Error *error)
{
    Arena arena = {0};
    Buffers b;
    Found found;
    layout(&b, &arena);
    if (!arena_open(&arena, "queries and keys", error))
        return false;
    layout(&b, &arena);
    NumpyRandom random = numpy_random_seed(42);
    numpy_normal(&random, b.first, 2 * 4 * 4); /* exercise 2's scores: one generator runs through the document */
    for (int i = 0; i < SIZES; i++) {
        found.sizes[i] = sizes[i];
        found.variance[i] = variance_of_products(&b, &random, sizes[i]);
        draw_scores(&b, &random, sizes[i]);
        found.unscaled[i] = mean_entropy(&b, 1);
        found.scaled[i] = mean_entropy(&b, 1 / sqrt(sizes[i]));
        found.uniform[i] = log(TOKENS);
    }
    compare(lab, &found);
    limits(lab, &b);
    arena_close(&arena);
    return lab->out == NULL || write_files(lab, &found, error);
}
