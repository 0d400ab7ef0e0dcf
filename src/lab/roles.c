#include "lab/experiments.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/lesson_layer.h"
#include "lab/rounded.h"

#include <math.h>

/* Document 003 on "Where is my card?": first its embeddings are queries, keys and values at once, then three
 * projections part them. */

enum { WIDTH = 4, N = LESSON_WORDS, CARD = 3, IS = 1 };

static const char raw_embeddings[] = "1.2600 -0.7100 0.8500 0.5100 -1.2700 2.1200 -1.2300 -0.4900 1.6400 -0.1600 "
    "-0.5000 0.4400 0.3200 -0.4200 0.3100 -0.7700 -0.7300 -0.5600 -0.7700 0.7600";
static const char raw_scores[] = "3.0800 -4.4200 1.9800 0.5700 -0.7800 -4.4200 7.8900 -2.0300 -1.3100 0.3200 1.9800 "
    "-2.0300 3.1600 0.1000 -0.3900 0.5700 -1.3100 0.1000 0.9800 -0.8200 -0.7800 0.3200 -0.3900 -0.8200 2.0200";
static const char raw_weights[] = "0.7000 0.0000 0.2300 0.0600 0.0100 0.0000 1.0000 0.0000 0.0000 0.0000 0.2200 0.0000 "
    "0.7200 0.0300 0.0200 0.2800 0.0400 0.1800 0.4300 0.0700 0.0400 0.1300 0.0600 0.0400 0.7200";
static const char projected_weights[] = "0.2100 0.1800 0.2100 0.2100 0.1900 0.2200 0.1100 0.2300 0.2600 0.1800 0.2100 "
    "0.1500 0.2300 0.2400 0.1700 0.2200 0.1300 0.2300 0.2500 0.1700 0.2800 0.1200 0.2100 0.2500 0.1400";
static const char projected_values[] = "-0.3800 -0.0600 -0.3600 0.4700 1.8400 -0.1700 1.0500 -0.0600 0.4500 -0.2700 "
    "0.1200 -0.0500 0.3600 -0.5100 0.3900 0.1300 -0.0700 -0.7300 -0.2900 1.1800";
static const char projected_outputs[] = "0.4000 -0.3500 0.1600 0.3300 0.3100 -0.3600 0.1100 0.3300 0.3700 -0.3500 "
    "0.1500 0.3200 0.3300 -0.3500 0.1300 0.3200 0.2900 -0.3200 0.1100 0.3100";

static void two_decimals(Lab *lab, const char *claim, const char *published, Matrix m)
{
    double figures[N * N];
    rounded_matrix(m, 2, figures);
    lab_exact_all(lab, claim, published, figures);
}

static void largest_weights(Lab *lab, const char *claim, const char *published, Matrix weights)
{
    double where[N];
    for (int r = 0; r < N; r++)
        where[r] = row_largest(matrix_row(weights, r), N);
    lab_exact_all(lab, claim, published, where);
}

static void shape(Matrix m, double *figures)
{
    figures[0] = 1;
    figures[1] = m.rows;
    figures[2] = m.columns;
}

/* What each row's weights come to; with the softmax down the columns instead, too: `transposed` is scratch. */
static void row_sums(Lab *lab, const LessonTokens *tokens, Matrix scores, Matrix transposed)
{
    double right[N] = {0}, wrong[N] = {0};
    transpose_copy(scores, transposed);
    softmax_rows(transposed, N, 1);
    for (int r = 0; r < N; r++) {
        for (int c = 0; c < N; c++) {
            right[r] += (double)matrix_row(tokens->weights, r)[c];
            wrong[r] += (double)matrix_row(transposed, c)[r];
        }
        right[r] = rounded((real)right[r], 4);
        wrong[r] = rounded((real)wrong[r], 4);
    }
    lab_exact_all(lab, "each row of weights sums to 1", "1. 1. 1. 1. 1.", right);
    lab_exact_all(lab, "softmax along the wrong axis: what the rows sum to", "1.2442 1.1785 1.1949 0.5581 0.8243",
                  wrong);
}

/* A row of the output by a loop over its weights. */
static void looped_row(const LessonTokens *tokens, int row, double out[WIDTH])
{
    for (int c = 0; c < WIDTH; c++) {
        out[c] = 0;
        for (int j = 0; j < N; j++)
            out[c] += (double)matrix_row(tokens->weights, row)[j] * (double)matrix_row(tokens->inputs.value, j)[c];
    }
}

static void card_by_loop(Lab *lab, const LessonTokens *tokens)
{
    double figures[2 * WIDTH], loop[WIDTH], gap = 0;
    looped_row(tokens, CARD, loop);
    double *next = rounded_matrix(matrix_rows(tokens->output, CARD, 1), 4, figures);
    for (int c = 0; c < WIDTH; c++) {
        *next++ = rounded((real)loop[c], 4);
        gap = fmax(gap, fabs(loop[c] - (double)matrix_row(tokens->output, CARD)[c]));
    }
    lab_exact_all(lab, "card's output by the product, and by a loop over its weights",
                  "0.6753 -0.3587 0.1758 -0.0739 0.6753 -0.3587 0.1758 -0.0739", figures);
    lab_holds(lab, "both agree", gap <= 1e-6, "largest difference %.1e", gap);
}

/* Why the diagonal wins: a token's score with itself is its squared length. */
static void diagonal(Lab *lab, const LessonTokens *tokens, Matrix scores)
{
    double other = -INFINITY, apart = 0;
    const real *row = matrix_row(scores, IS);
    for (int c = 0; c < N; c++) {
        if (c != IS)
            other = fmax(other, (double)row[c]);
        for (int r = 0; r < N; r++)
            apart = fmax(apart, fabs((double)(matrix_row(scores, r)[c] - matrix_row(scores, c)[r])));
    }
    const double figures[] = {(double)row[IS], other, rounded(matrix_row(tokens->weights, IS)[IS], 2)};
    lab_exact_all(lab, "is: its score with itself, the largest with another, and what it keeps", "7.89 0.32 1.0000",
                  figures);
    lab_holds(lab, "the scores are symmetric", apart == 0, "largest difference %.1e", apart);
    largest_weights(lab, "every row's largest weight is on the token itself", "0 1 2 3 4", tokens->weights);
}

static void raw_roles(Lab *lab, LessonTokens *tokens, Matrix scores, Matrix transposed)
{
    lab_source(lab, "003 Attention as a Weighted Average");
    transpose_copy(tokens->x, tokens->inputs.key_transposed);
    multiply(tokens->x, tokens->inputs.key_transposed, scores, NULL);
    tokens->inputs.query = tokens->inputs.key = tokens->inputs.value = tokens->x;
    tokens->scale = 1;
    lesson_attend(tokens, (LessonMask){0});
    double shapes[9];
    shape(tokens->x, shapes);
    shape(scores, shapes + 3);
    shape(tokens->output, shapes + 6);
    lab_exact_all(lab, "shapes of embeddings, scores and outputs", "1 5 4 1 5 5 1 5 4", shapes);
    two_decimals(lab, "embeddings of Where is my card?", raw_embeddings, tokens->x);
    two_decimals(lab, "scores x x^T", raw_scores, scores);
    two_decimals(lab, "weights", raw_weights, tokens->weights);
    row_sums(lab, tokens, scores, transposed);
    card_by_loop(lab, tokens);
    diagonal(lab, tokens, scores);
}

static void card_against_my(Lab *lab, const LessonTokens *tokens)
{
    const real *card = matrix_row(tokens->weights, CARD);
    const double figures[] = {(double)card[CARD], (double)card[CARD - 1]};
    lab_exact_all(lab, "card's weight on itself, and on my", "0.25 0.23", figures);
}

static void projected_roles(Lab *lab, const LessonLayer *layer, LessonTokens *tokens, Matrix scores)
{
    lab_source(lab, "003 Query, Key and Value");
    double shapes[9], gap = 0;
    shape(tokens->inputs.query, shapes);
    shape(tokens->inputs.key, shapes + 3);
    shape(tokens->inputs.value, shapes + 6);
    lab_exact_all(lab, "shapes of queries, keys and values", "1 5 4 1 5 4 1 5 4", shapes);
    double apart = largest_difference(tokens->inputs.query, tokens->inputs.key);
    lab_holds(lab, "queries and keys are not the same", apart > 0, "largest difference %.4f", apart);
    lab_exact(lab, "parameters of the three projections", "60",
              3.0 * (layer->query_weight.rows * layer->query_weight.columns + layer->query_bias.columns));
    lesson_attend(tokens, (LessonMask){0});
    two_decimals(lab, "weights", projected_weights, tokens->weights);
    largest_weights(lab, "where the rows' largest weights are: only card's is on itself", "3 3 3 3 0", tokens->weights);
    card_against_my(lab, tokens);
    multiply(tokens->inputs.query, tokens->inputs.key_transposed, scores, NULL);
    for (int j = 0; j < N; j++) {
        double score = 0;
        for (int c = 0; c < WIDTH; c++)
            score += (double)matrix_row(tokens->inputs.query, CARD)[c] * (double)matrix_row(tokens->inputs.key, j)[c];
        gap = fmax(gap, fabs(score / 2 - (double)(matrix_row(scores, CARD)[j] * tokens->scale)));
    }
    lab_holds(lab, "card's scores are its query times every key, over 2", gap <= 1e-6, "largest difference %.1e", gap);
    two_decimals(lab, "values", projected_values, tokens->inputs.value);
    two_decimals(lab, "outputs", projected_outputs, tokens->output);
}

bool lab_roles(Lab *lab, Error *error)
{
    LessonLayer layer = {0};
    LessonTokens raw = {0}, projected = {0}, scratch = {0};
    bool ready = lesson_layer_open(&layer, WIDTH, error) && lesson_tokens_open(&raw, &layer, N, error) &&
                 lesson_tokens_open(&projected, &layer, N, error) && lesson_tokens_open(&scratch, &layer, N, error);
    if (ready) {
        lesson_project(&raw, &layer, lesson_ask);
        lesson_project(&projected, &layer, lesson_ask);
        double ids[] = {1, N};
        lab_source(lab, "003 Attention as a Weighted Average");
        lab_exact_all(lab, "shape of the ids", "1 5", ids);
        raw_roles(lab, &raw, scratch.weights, projected.weights);
        projected_roles(lab, &layer, &projected, scratch.weights);
    }
    lesson_tokens_close(&scratch);
    lesson_tokens_close(&projected);
    lesson_tokens_close(&raw);
    lesson_layer_close(&layer);
    return ready;
}
