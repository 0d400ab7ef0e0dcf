#include "lab/experiments.h"

#include "lab/arrays.h"
#include "lab/lesson_layer.h"

#include <math.h>

/* Document 003, lab exercise 1: the row of weights of card in "My card never arrived." by loops, then by the products;
 * and what the scale does to it at two widths. */

enum { WIDTH = 8, N = LESSON_WORDS, CARD = 1 };

static const char *const words[N] = {"my", "card", "never", "arrived", "."};

/* The exercise's loop: Python's numbers are doubles. */
static void by_loops(const LessonTokens *tokens, double row[N], double mixed[WIDTH])
{
    double total = 0;
    const real *query = matrix_row(tokens->inputs.query, CARD);
    for (int j = 0; j < N; j++) {
        double score = 0;
        for (int c = 0; c < WIDTH; c++)
            score += (double)query[c] * (double)matrix_row(tokens->inputs.key, j)[c];
        total += row[j] = exp(score / sqrt(WIDTH));
    }
    for (int c = 0; c < WIDTH; c++)
        mixed[c] = 0;
    for (int j = 0; j < N; j++) {
        row[j] /= total;
        for (int c = 0; c < WIDTH; c++)
            mixed[c] += row[j] * (double)matrix_row(tokens->inputs.value, j)[c];
    }
}

static double difference(const real *ours, const double *loop, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        if (!(fabs((double)ours[i] - loop[i]) <= largest))
            largest = fabs((double)ours[i] - loop[i]);
    return largest;
}

static void loop_rows(Lab *lab, LessonTokens *tokens)
{
    double row[N + 1] = {0}, mixed[WIDTH];
    by_loops(tokens, row, mixed);
    for (int j = 0; j < N; j++)
        row[N] += row[j];
    row[N] = round(row[N] * 1e4) / 1e4;
    lab_exact_all(lab, "card's weights by loops, and their sum", "0.2359 0.1761 0.1764 0.2292 0.1825 1.0", row);
    lesson_attend(tokens, (LessonMask){0});
    const real *weights = matrix_row(tokens->weights, CARD);
    double of_row = difference(weights, row, N), of_output = difference(matrix_row(tokens->output, CARD), mixed, WIDTH);
    lab_holds(lab, "the matrix products give the same row", of_row <= 1e-6, "largest difference %.1e", of_row);
    lab_holds(lab, "and the same output", of_output <= 1e-6, "largest difference %.1e", of_output);
    lab_exact_text(lab, "the word that card weights most", "my", words[row_largest(weights, N)], 1);
    const double most_and_least[] = {row[0], row[CARD]};
    lab_exact_all(lab, "the most is on my, the least on card itself", "0.2359 0.1761", most_and_least);
    bool least = true;
    for (int j = 0; j < N; j++)
        least = least && weights[CARD] <= weights[j];
    lab_holds(lab, "no word gets less than card", least, "%.4f", (double)weights[CARD]);
}

/* Card's largest weight without and with the scale. */
static bool largest_at(int width, double figures[2], Error *error)
{
    LessonLayer layer = {0};
    LessonTokens tokens = {0};
    bool ready = lesson_layer_open(&layer, width, error) && lesson_tokens_open(&tokens, &layer, N, error);
    if (ready) {
        real scale = tokens.scale;
        lesson_project(&tokens, &layer, lesson_arrived);
        for (int scaled = 0; scaled < 2; scaled++) {
            tokens.scale = scaled ? scale : 1;
            lesson_attend(&tokens, (LessonMask){0});
            const real *weights = matrix_row(tokens.weights, CARD);
            figures[scaled] = (double)weights[row_largest(weights, N)];
        }
    }
    lesson_tokens_close(&tokens);
    lesson_layer_close(&layer);
    return ready;
}

bool lab_loops(Lab *lab, Error *error)
{
    LessonLayer layer = {0};
    LessonTokens tokens = {0};
    double figures[4];
    bool ready = lesson_layer_open(&layer, WIDTH, error) && lesson_tokens_open(&tokens, &layer, N, error) &&
                 largest_at(WIDTH, figures, error) && largest_at(512, figures + 2, error);
    if (ready) {
        lesson_project(&tokens, &layer, lesson_arrived);
        lab_source(lab, "003 lab 1");
        loop_rows(lab, &tokens);
        lab_exact_all(lab, "card's largest weight at 8 and 512 dimensions, raw and scaled",
                      "0.3046 0.2359 0.9998 0.3291", figures);
    }
    lesson_tokens_close(&tokens);
    lesson_layer_close(&layer);
    return ready;
}
