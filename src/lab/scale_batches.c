/* scale_batches.c -- 003, "Scaling by the Square Root of d": rows of 48 weights at d = 16, 64, 512. */
#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/scale.h"
#include "lab/torch_random.h"

#include <math.h>
#include <string.h>

enum { SIZES = 3, BATCH = 256, N = 48, WIDEST = 512 };

static const int sizes[SIZES] = {16, 64, WIDEST};
static const char *const raw_printed[SIZES] = {"4.01 0.5976 1.2796 0.0251", "7.98 0.8031 0.5434 0.2128",
                                               "22.62 0.9321 0.1690 0.6281"};
static const char *const scaled_printed[SIZES] = {"1.00 0.1273 3.4085 0.0000", "1.00 0.1285 3.4068 0.0000",
                                                  "1.00 0.1285 3.4057 0.0000"};
static const char *const raw_claims[SIZES] = {
    "d = 16 raw: deviation of scores, mean largest weight, mean entropy, share of rows above 0.99", "d = 64 raw",
    "d = 512 raw"};
static const char *const scaled_claims[SIZES] = {"d = 16 scaled", "d = 64 scaled", "d = 512 scaled"};

typedef struct Buffers {
    float *query_drawn, *key_drawn;    /* [BATCH,N,WIDEST] */
    Matrix query, key, key_transposed; /* [N,WIDEST], [WIDEST,N] */
    Matrix raw, weights;               /* [BATCH * N, N] */
} Buffers;

static void layout(Buffers *b, Arena *arena)
{
    b->query_drawn = arena_take(arena, (size_t)BATCH * N * WIDEST, sizeof *b->query_drawn);
    b->key_drawn = arena_take(arena, (size_t)BATCH * N * WIDEST, sizeof *b->key_drawn);
    b->query = matrix_take(arena, N, WIDEST);
    b->key = matrix_take(arena, N, WIDEST);
    b->key_transposed = matrix_take(arena, WIDEST, N);
    b->raw = matrix_take(arena, BATCH * N, N);
    b->weights = matrix_take(arena, BATCH * N, N);
}

static void draw_scores(Buffers *b, TorchRandom *random, int d)
{
    Matrix query = matrix_columns(b->query, 0, d), key = matrix_columns(b->key, 0, d);
    Matrix key_transposed = matrix_rows(b->key_transposed, 0, d);
    size_t each = (size_t)N * (size_t)d;
    torch_normal(random, b->query_drawn, BATCH * each);
    torch_normal(random, b->key_drawn, BATCH * each);
    for (int i = 0; i < BATCH; i++) {
        array_load(b->query_drawn + (size_t)i * each, query);
        array_load(b->key_drawn + (size_t)i * each, key);
        transpose_copy(key, key_transposed);
        multiply(query, key_transposed, matrix_rows(b->raw, i * N, N), NULL);
    }
}

/* The four figures of a printed line, at that factor on the scores. */
static void line(Buffers *b, double factor, double figures[4])
{
    Moments scores = array_moments(b->raw), largest = {0}, entropy = {0}, above = {0};
    for (int r = 0; r < b->raw.rows; r++)
        memcpy(matrix_row(b->weights, r), matrix_row(b->raw, r), N * sizeof(real));
    softmax_rows(b->weights, N, (real)factor);
    for (int r = 0; r < b->weights.rows; r++) {
        const real *row = matrix_row(b->weights, r);
        real top = row[row_largest(row, N)];
        moments_add(&largest, (double)top);
        moments_add(&entropy, row_entropy(row, N, 0));
        moments_add(&above, top > (real)0.99 ? 1 : 0);
    }
    figures[0] = factor * sqrt(moments_sample_variance(&scores));
    figures[1] = largest.mean;
    figures[2] = entropy.mean;
    figures[3] = above.mean;
}

/* Whether every row's largest raw score is still its largest after the division. */
static bool order_kept(Matrix raw, double divisor)
{
    for (int r = 0; r < raw.rows; r++) {
        real divided[N];
        for (int c = 0; c < N; c++)
            divided[c] = matrix_row(raw, r)[c] / (real)divisor;
        if (row_largest(divided, N) != row_largest(matrix_row(raw, r), N))
            return false;
    }
    return true;
}

static double variance_of(const float *drawn, size_t count)
{
    Moments moments = {0};
    for (size_t i = 0; i < count; i++)
        moments_add(&moments, (double)drawn[i]);
    return moments_sample_variance(&moments);
}

/* What is left of the largest size. */
static void why(Lab *lab, const Buffers *b)
{
    size_t count = (size_t)BATCH * N * WIDEST;
    Moments raw = array_moments(b->raw);
    lab_exact_text(lab, "the scale never changes which key is the largest", "True",
                   order_kept(b->raw, sqrt(WIDEST)) ? "True" : "False", 1);
    lab_exact_all(lab, "variance of the entries of q, of k, and of their products at d = 512", "0.9999 1.0001 511.8",
                  (const double[]){variance_of(b->query_drawn, count), variance_of(b->key_drawn, count),
                                   moments_sample_variance(&raw)});
}

bool scale_batches(Lab *lab, Error *error)
{
    Arena arena = {0};
    Buffers b;
    layout(&b, &arena);
    if (!arena_open(&arena, "256 sets of 48 queries and keys", error))
        return false;
    layout(&b, &arena);
    TorchRandom random = torch_random_seed(42);
    lab_source(lab, "003 scaling");
    for (int i = 0; i < SIZES; i++) {
        double figures[4];
        draw_scores(&b, &random, sizes[i]);
        line(&b, 1, figures);
        lab_exact_all(lab, raw_claims[i], raw_printed[i], figures);
        line(&b, 1 / sqrt(sizes[i]), figures);
        lab_exact_all(lab, scaled_claims[i], scaled_printed[i], figures);
    }
    lab_exact(lab, "the entropy of 48 equal weights, log(48)", "3.8712", log(N));
    why(lab, &b);
    arena_close(&arena);
    return true;
}
