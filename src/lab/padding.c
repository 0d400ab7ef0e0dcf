#include "lab/padding_batch.h"

#include "lab/experiments.h"
#include "lab/rounded.h"
#include "layers/pooling.h"

#include <math.h>
#include <string.h>

/* Document 003 on padding: "Where is my card?" with 43 pads behind it and with 5, with and without its mask, and with a
 * wrong one; then its answer 4, pads on the right and on the left of a causal mask. Batches are in padding_batch.c. */

enum { WIDTH = 16, REAL = LESSON_WORDS, LONG = 48, SHORT = 10 };

static const double CLOSE = 1e-6; /* the source's tolerance for computations of different shapes */

static const char masked_weights[] = "0.1900 0.1700 0.2600 0.2100 0.1600 0.1500 0.2300 0.1700 0.2500 0.2000 0.3200 "
    "0.1600 0.1400 0.1600 0.2300 0.2500 0.2200 0.1600 0.1300 0.2200 0.1600 0.1800 0.2300 0.2300 0.2000";

/* The question padded on the right, in both lengths. */
typedef struct Padded {
    int32_t ids[LONG];
    bool blocked[LONG];
    int pads;
    LessonTokens full, cut; /* 48 tokens, and the first 10 */
} Padded;

static void padded_close(Padded *p)
{
    lesson_tokens_close(&p->cut);
    lesson_tokens_close(&p->full);
}

static bool padded_open(Padded *p, const LessonLayer *layer, Error *error)
{
    *p = (Padded){.pads = 0};
    memcpy(p->ids, lesson_ask, sizeof lesson_ask);
    p->pads = LONG - padding_of(p->ids, LONG, WORD_PAD, p->blocked);
    if (!lesson_tokens_open(&p->full, layer, LONG, error) || !lesson_tokens_open(&p->cut, layer, SHORT, error)) {
        padded_close(p);
        return false;
    }
    lesson_project(&p->full, layer, p->ids);
    lesson_project(&p->cut, layer, p->ids);
    return true;
}

static void attend(Padded *p, LessonMask mask)
{
    lesson_attend(&p->full, mask);
    lesson_attend(&p->cut, mask);
}

/* How far the real tokens' outputs are apart in the two lengths. */
static double moved(const Padded *p)
{
    return largest_difference(matrix_rows(p->full.output, 0, REAL), matrix_rows(p->cut.output, 0, REAL));
}

/* What each real token gives to the pads. */
static void pad_weights(const LessonTokens *tokens, double of_row[REAL])
{
    for (int r = 0; r < REAL; r++) {
        of_row[r] = 0;
        for (int j = REAL; j < tokens->count; j++)
            of_row[r] += (double)matrix_row(tokens->weights, r)[j];
    }
}

static void unmasked(Lab *lab, const LessonLayer *layer, Padded *p)
{
    attend(p, (LessonMask){0});
    double shapes[] = {1, p->full.weights.rows, p->full.weights.columns}, of_row[REAL];
    lab_exact_all(lab, "shape of the weights of the padded question", "1 48 48", shapes);
    pad_weights(&p->full, of_row);
    for (int r = 0; r < REAL; r++)
        of_row[r] = rounded((real)of_row[r], 4);
    lab_exact_all(lab, "unmasked: what each real token gives to the 43 pads", "0.8994 0.8826 0.9006 0.8937 0.9059",
                  of_row);
    Matrix key = p->full.inputs.key;
    double from_bias = largest_difference(matrix_rows(key, REAL, 1), layer->key_bias);
    double from_last = largest_difference(matrix_rows(key, REAL, 1), matrix_rows(key, LONG - 1, 1));
    lab_holds(lab, "a pad's key is the key projection's bias", from_bias == 0, "largest difference %.1e", from_bias);
    lab_holds(lab, "the same for every pad", from_last == 0, "largest difference %.1e", from_last);
    lab_exact(lab, "unmasked: how far 48 tokens instead of 10 move the real ones' outputs", "0.1516",
              rounded((real)moved(p), 4));
}

/* The means of the real tokens in both lengths; scratch is a matrix with two rows. */
static double pooled_apart(const Padded *p, Matrix scratch)
{
    Matrix of_full = matrix_rows(scratch, 0, 1), of_cut = matrix_rows(scratch, 1, 1);
    pooling_forward(p->full.output, p->blocked, of_full);
    pooling_forward(p->cut.output, p->blocked, of_cut);
    return largest_difference(of_full, of_cut);
}

static void masked(Lab *lab, Padded *p, Matrix scratch)
{
    LessonMask mask = {.padding = {p->blocked, 0}};
    double shapes[] = {1, LONG, 1, 1, LONG, p->pads}, weights[REAL * REAL], of_row[REAL], total = 0;
    lab_exact_all(lab, "shapes of ids == 0 and of the mask, and how many are pads", "1 48 1 1 48 43", shapes);
    attend(p, mask);
    pad_weights(&p->full, of_row);
    for (int r = 0; r < REAL; r++)
        total += of_row[r];
    lab_exact(lab, "masked: what all real tokens give to the pads", "0.0", total);
    lab_holds(lab, "and that is 0 to the last bit", total == 0, "%g", total);
    lab_holds(lab, "masked: 48 tokens or 10, the real ones' outputs agree", moved(p) <= CLOSE, "%.1e", moved(p));
    double apart = pooled_apart(p, scratch);
    lab_holds(lab, "masked: and so do the means of the real tokens", apart <= CLOSE, "%.1e", apart);
    rounded_matrix(matrix_columns(matrix_rows(p->full.weights, 0, REAL), 0, REAL), 2, weights);
    lab_exact_all(lab, "masked: the real tokens' weights", masked_weights, weights);

    mask.zero_filled = true;
    attend(p, mask);
    pad_weights(&p->full, of_row);
    double ends[2] = {of_row[0], of_row[0]};
    for (int r = 0; r < REAL; r++) {
        ends[0] = fmin(ends[0], of_row[r]);
        ends[1] = fmax(ends[1], of_row[r]);
        of_row[r] = rounded((real)of_row[r], 4);
    }
    lab_exact_all(lab, "filled with 0: what each real token gives to the pads", "0.8985 0.8732 0.9084 0.8935 0.9021",
                  of_row);
    lab_source(lab, "003 answer 3");
    lab_exact_all(lab, "filled with 0: the least and the most of it", "0.8732 0.9084", ends);
}

/* Answer 4: the five tokens alone, padded on the right, and with the pads moved in front of them. */
static bool right_and_left(Lab *lab, const LessonLayer *layer, const Padded *p, Error *error)
{
    LessonTokens alone = {0}, right = {0}, left = {0}, fixed = {0};
    int32_t left_ids[LONG] = {0};
    bool left_blocked[LONG];
    memcpy(left_ids + LONG - REAL, p->ids, REAL * sizeof left_ids[0]);
    padding_of(left_ids, LONG, WORD_PAD, left_blocked);
    const LessonMask causal = {.causal = true}, joined = {.causal = true, .padding = {left_blocked, 0}};
    bool ready = lesson_run(&alone, layer, p->ids, REAL, causal, error) &&
                 lesson_run(&right, layer, p->ids, LONG, causal, error) &&
                 lesson_run(&left, layer, left_ids, LONG, causal, error) &&
                 lesson_run(&fixed, layer, left_ids, LONG, joined, error);
    if (ready) {
        double on_right = largest_difference(matrix_rows(right.output, 0, REAL), alone.output);
        double on_left = largest_difference(matrix_rows(left.output, LONG - REAL, REAL), alone.output);
        double with_both = largest_difference(matrix_rows(fixed.output, LONG - REAL, REAL), alone.output);
        lab_source(lab, "003 answer 4");
        lab_holds(lab, "causal, pads on the right: the real outputs are those alone", on_right <= CLOSE, "%.1e",
                  on_right);
        lab_exact(lab, "causal, pads on the left: how far they move", "0.9619", rounded((real)on_left, 4));
        lab_holds(lab, "joined to the padding mask they match again", with_both <= CLOSE, "%.1e", with_both);
    }
    lesson_tokens_close(&fixed);
    lesson_tokens_close(&left);
    lesson_tokens_close(&right);
    lesson_tokens_close(&alone);
    return ready;
}

static bool question(Lab *lab, const LessonLayer *layer, Error *error)
{
    Padded p;
    LessonTokens scratch = {0};
    if (!padded_open(&p, layer, error))
        return false;
    bool ready = lesson_tokens_open(&scratch, layer, 2, error);
    if (ready) {
        lab_source(lab, "003 The Padding Mask");
        unmasked(lab, layer, &p);
        masked(lab, &p, scratch.output);
    }
    lesson_tokens_close(&scratch);
    ready = ready && right_and_left(lab, layer, &p, error);
    padded_close(&p);
    return ready;
}

bool lab_padding(Lab *lab, Error *error)
{
    LessonLayer layer = {0};
    bool done = lesson_layer_open(&layer, WIDTH, error) && question(lab, &layer, error) &&
                padding_batches(lab, &layer, error);
    lesson_layer_close(&layer);
    return done;
}
