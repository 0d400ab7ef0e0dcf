/* mask.c -- the causal mask: before the softmax, and what becomes of it behind. */
#include "kernels/rows.h"
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "lab/lecture_stream.h"
#include "lab/numpy_random.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, N = 4, T = 8 };

static const double blocked = -1e9; /* what the source fills in */

/* The source's apply_causal_mask: a copy whose upper triangle is a very large negative number. */
static void fill_above(Matrix scores, Matrix masked)
{
    for (int r = 0; r < scores.rows; r++)
        for (int c = 0; c < scores.columns; c++)
            matrix_row(masked, r)[c] = c <= r ? matrix_row(scores, r)[c] : (real)blocked;
}

static void copy(Matrix from, Matrix to)
{
    for (int r = 0; r < from.rows; r++)
        memcpy(matrix_row(to, r), matrix_row(from, r), (size_t)from.columns * sizeof(real));
}

typedef struct Facts {
    Moments above, apart, sums; /* weights above the diagonal, differences of two ways to mask, the rows' sums */
} Facts;

static void gather(Facts *facts, Matrix skipped, Matrix filled)
{
    for (int r = 0; r < skipped.rows; r++) {
        double sum = 0;
        for (int c = 0; c < skipped.columns; c++) {
            double weight = (double)matrix_row(skipped, r)[c];
            moments_add(&facts->apart, weight - (double)matrix_row(filled, r)[c]);
            if (c > r)
                moments_add(&facts->above, weight);
            sum += weight;
        }
        moments_add(&facts->sums, sum);
    }
}

static void publish(Lab *lab, Matrix weights)
{
    static const char *const printed[N] = {"1. 0. 0. 0.", "0.3432 0.6568 0. 0.", "0.2575 0.1116 0.6309 0.",
                                           "0.173 0.5 0.2585 0.0686"};
    static const char *const claims[N] = {"causal weights, batch 0, query 0", "query 1", "query 2", "query 3"};
    double values[N * N];
    array_store(weights, values);
    for (int r = 0; r < N; r++)
        lab_exact_trimmed(lab, claims[r], printed[r], 4, values + (size_t)r * N);
}

/* 000 ex. 2. The layers skip what a row may not see; the source fills it. Both must come to the same weights. */
static void exercise(Lab *lab, Matrix scores, Matrix skipped, Matrix filled)
{
    NumpyRandom random = numpy_random_seed(42);
    Facts facts = {0};
    bool untouched = true, first = true;
    for (int b = 0; b < BATCH; b++) {
        double drawn[N * N];
        real before[N * N];
        numpy_normal(&random, drawn, N * N);
        array_load_doubles(drawn, scores);
        for (int i = 0; i < N * N; i++)
            before[i] = matrix_row(scores, i / N)[i % N];
        fill_above(scores, filled);
        for (int i = 0; i < N * N; i++) {
            int r = i / N, c = i % N;
            untouched = untouched && matrix_row(scores, r)[c] == before[i];
            untouched = untouched && matrix_row(filled, r)[c] == (c <= r ? before[i] : (real)blocked);
        }
        copy(scores, skipped);
        softmax_rows(skipped, 1, 1);
        softmax_rows(filled, N, 1);
        if (b == 0)
            publish(lab, skipped);
        first = first && matrix_row(skipped, 0)[0] == 1;
        gather(&facts, skipped, filled);
    }
    double above = moments_distance(&facts.above, 0), apart = moments_distance(&facts.apart, 0);
    double off = moments_distance(&facts.sums, 1);
    lab_holds(lab, "no weight above the diagonal", above == 0, "largest %g", above);
    lab_holds(lab, "each row still sums to 1", off <= 1e-6, "furthest from 1: %.1e", off);
    lab_holds(lab, "query 0 attends to itself alone", first, "weight %s", first ? "exactly 1" : "not 1");
    lab_holds(lab, "masking leaves its input and all that is allowed as they were", untouched, "%s",
              untouched ? "the same bits" : "changed");
    lab_holds(lab, "skipping what is masked is filling it with -1e9", apart <= 1e-7, "weights differ by %g",
              apart);
}

/* 002 ex. 4 */
static void before_and_after(Lab *lab, Matrix scores, Matrix right, Matrix wrong)
{
    TorchRandom random = lecture_stream(LECTURE_EXERCISE_4);
    float drawn[T * T];
    torch_normal(&random, drawn, T * T);
    array_load(drawn, scores);
    copy(scores, right);
    copy(scores, wrong);
    softmax_rows(right, 1, 1);
    softmax_rows(wrong, T, 1);
    for (int r = 0; r < T; r++)
        for (int c = r + 1; c < T; c++)
            matrix_row(wrong, r)[c] = 0;
    Moments kept = row_sum_moments(right), lost = row_sum_moments(wrong);
    double off = moments_distance(&kept, 1);
    lab_source(lab, "002 ex. 4");
    lab_holds(lab, "-inf before the softmax: rows stay in the simplex", off <= 1e-6, "row sums %.3f .. %.3f",
              kept.smallest, kept.largest);
    lab_holds(lab, "zeroing after it: not stochastic", lost.smallest < 0.5 && fabs(lost.largest - 1) <= 1e-6,
              "row sums %.3f .. %.3f", lost.smallest, lost.largest);
}

typedef struct Buffers {
    Matrix small[3], large[3]; /* [N,N], [T,T] */
} Buffers;

static void layout(Buffers *b, Arena *arena)
{
    for (int i = 0; i < 3; i++) {
        b->small[i] = matrix_take(arena, N, N);
        b->large[i] = matrix_take(arena, T, T);
    }
}

bool lab_mask(Lab *lab, Error *error)
{
    Arena arena = {0};
    Buffers b;
    layout(&b, &arena);
    if (!arena_open(&arena, "a few scores", error))
        return false;
    layout(&b, &arena);
    exercise(lab, b.small[0], b.small[1], b.small[2]);
    before_and_after(lab, b.large[0], b.large[1], b.large[2]);
    arena_close(&arena);
    return true;
}
