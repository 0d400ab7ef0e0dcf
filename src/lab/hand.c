/* hand.c -- attention on two tokens, as document 000 works it out by hand. */
#include "kernels/gemm.h"
#include "lab/experiments.h"
#include "layers/attention.h"

#include <math.h>

enum { N = 2 };

typedef struct Buffers {
    Matrix query, key_transposed, value, scores, weights, output; /* [N,N] */
} Buffers;

static void layout(Buffers *b, Arena *arena)
{
    Matrix *all[] = {&b->query, &b->key_transposed, &b->value, &b->scores, &b->weights, &b->output};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] = matrix_take(arena, N, N);
}

static void fill(Matrix m, real a, real b, real c, real d)
{
    matrix_row(m, 0)[0] = a, matrix_row(m, 0)[1] = b;
    matrix_row(m, 1)[0] = c, matrix_row(m, 1)[1] = d;
}

/* The matrix row by row, times `factor`. */
static const double *flat(Matrix m, double factor, double values[N * N])
{
    for (int i = 0; i < N * N; i++)
        values[i] = factor * (double)matrix_row(m, i / N)[i % N];
    return values;
}

bool lab_hand(Lab *lab, Error *error)
{
    Arena arena = {0};
    Buffers b;
    double values[N * N];
    layout(&b, &arena);
    if (!arena_open(&arena, "two tokens", error))
        return false;
    layout(&b, &arena);
    fill(b.query, 1, 0, 0, 2);
    fill(b.key_transposed, 1, 0, 1, 1);
    fill(b.value, 10, 0, 0, 10);
    AttentionRule rule = {.visible = N, .scale = (real)(1 / sqrt(N))};
    AttentionInputs inputs = {.query = b.query, .key_transposed = b.key_transposed, .value = b.value};
    multiply(b.query, b.key_transposed, b.scores, NULL);
    attention_forward(rule, inputs, b.weights, b.output);

    lab_exact_trimmed(lab, "raw scores S = Q K^T", "1. 0. 2. 2.", 4, flat(b.scores, 1, values));
    double first = (double)matrix_row(b.scores, 0)[0] * (double)rule.scale;
    lab_exact_trimmed(lab, "scaled scores S' = S / sqrt(2)", "0.7071 0. 1.4142 1.4142", 4,
                      flat(b.scores, (double)rule.scale, values));
    lab_exact_trimmed(lab, "weights A = softmax(S')", "0.6698 0.3302 0.5 0.5", 4, flat(b.weights, 1, values));
    lab_exact(lab, "row 1 of A is the sigmoid of 0.7071 - 0", "0.6698", 1 / (1 + exp(-first)));
    lab_exact_trimmed(lab, "output A V", "6.6976 3.3024 5. 5.", 4, flat(b.output, 1, values));
    double worst = 0;
    for (int r = 0; r < N; r++) {
        double off = fabs((double)matrix_row(b.weights, r)[0] + (double)matrix_row(b.weights, r)[1] - 1);
        worst = off <= worst ? worst : off;
    }
    lab_holds(lab, "rows of A sum to 1", worst <= 1e-6, "furthest from 1: %.1e", worst);
    arena_close(&arena);
    return true;
}
