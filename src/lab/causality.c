#include "lab/experiments.h"

#include "lab/head_gradient.h"
#include "lab/lecture_stream.h"
#include "lab/lesson_layer.h"
#include "lab/lesson_queries.h"
#include "lab/rounded.h"
#include "lab/trained_causality.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* That a causal head does not see what comes later: by changing a later input, and by the gradient. Document 002 on its
 * untrained head (proposition 5.1), document 003 on a question and a statement, and a trained head on real text. */

enum { EACH = LECTURE_CONTEXT * LECTURE_CHANNELS, CHANGED = 5, READER = 3 };

/* What the gradient of one row's output says about the inputs behind it and up to it. */
typedef struct Reach {
    double behind;   /* the largest |d_x| of an input that comes later */
    double weakest;  /* the smallest sum of |d_x[j,:]| of an input j that does not */
} Reach;

static Reach gradient_reach(Matrix d_x, int row)
{
    Reach reach = {.weakest = INFINITY};
    for (int j = 0; j < d_x.rows; j++) {
        double sum = 0;
        for (int c = 0; c < d_x.columns; c++)
            sum += fabs((double)matrix_row(d_x, j)[c]);
        if (j > row)
            reach.behind = sum <= reach.behind ? reach.behind : sum;
        else
            reach.weakest = sum >= reach.weakest ? reach.weakest : sum;
    }
    return reach;
}

static bool same_bits(Matrix a, Matrix b)
{
    for (int r = 0; r < a.rows; r++)
        if (memcmp(matrix_row(a, r), matrix_row(b, r), (size_t)a.columns * sizeof(real)) != 0)
            return false;
    return true;
}

/* x [4,8,32] and the same with position 5 of each sequence drawn anew. */
static void lecture_perturbed(Lab *lab, SourceHead *head, SourceHead *other, TorchRandom *random, float *x)
{
    float anew[LECTURE_BATCH * LECTURE_CHANNELS];
    int identical = 0;
    double moved = 0;
    torch_normal(random, x, LECTURE_BATCH * EACH);
    torch_normal(random, anew, LECTURE_BATCH * LECTURE_CHANNELS);
    for (int b = 0; b < LECTURE_BATCH; b++) {
        float changed[EACH];
        memcpy(changed, x + (size_t)b * EACH, sizeof changed);
        memcpy(changed + CHANGED * LECTURE_CHANNELS, anew + (size_t)b * LECTURE_CHANNELS,
               LECTURE_CHANNELS * sizeof anew[0]);
        source_head_forward(head, x + (size_t)b * EACH, LECTURE_CONTEXT);
        source_head_forward(other, changed, LECTURE_CONTEXT);
        identical += same_bits(matrix_rows(head->output, 0, CHANGED), matrix_rows(other->output, 0, CHANGED));
        moved = fmax(moved, largest_difference(matrix_rows(head->output, CHANGED, LECTURE_CONTEXT - CHANGED),
                                               matrix_rows(other->output, CHANGED, LECTURE_CONTEXT - CHANGED)));
    }
    lab_holds(lab, "position 5 is changed: outputs 0 to 4 keep every bit", identical == LECTURE_BATCH,
              "in %d of %d sequences", identical, LECTURE_BATCH);
    lab_holds(lab, "and those from 5 on move", moved > 1e-5, "by up to %.4f", moved);
}

static void lecture_gradient(Lab *lab, SourceHead *head, HeadGradient *gradient, const float *x)
{
    source_head_forward(head, x, LECTURE_CONTEXT);
    head_gradient_of_row(gradient, head, READER);
    Reach reach = gradient_reach(gradient->d_x, READER);
    lab_holds(lab, "d out_3 / d x_j is exactly 0 for j > 3", reach.behind == 0, "largest %g", reach.behind);
    lab_holds(lab, "and not for any j <= 3", reach.weakest > 0, "smallest sum of sizes %.3f", reach.weakest);
}

static bool lecture(Lab *lab, Error *error)
{
    SourceHead head = {0}, other = {0};
    HeadGradient gradient = {0};
    float x[LECTURE_BATCH * EACH];
    TorchRandom random = lecture_stream(LECTURE_HEAD), again = random;
    bool ready =
        source_head_open(&head, LECTURE_CHANNELS, LECTURE_HEAD_SIZE, LECTURE_CONTEXT, true, error) &&
        source_head_open(&other, LECTURE_CHANNELS, LECTURE_HEAD_SIZE, LECTURE_CONTEXT, true, error) &&
        head_gradient_open(&gradient, &head, error);
    if (ready) {
        source_head_draw(&head, &random);
        source_head_draw(&other, &again);
        lab_source(lab, "002 prop. 5.1");
        lecture_perturbed(lab, &head, &other, &random, x);
        lecture_gradient(lab, &head, &gradient, x);
    }
    head_gradient_close(&gradient);
    source_head_close(&other);
    source_head_close(&head);
    return ready;
}

static const char causal_weights[] = "1.0000 0.0000 0.0000 0.0000 0.0000 0.3900 0.6100 0.0000 0.0000 0.0000 0.5200 "
    "0.2500 0.2300 0.0000 0.0000 0.3300 0.2900 0.2100 0.1700 0.0000 0.1600 0.1800 0.2300 0.2300 0.2000";

/* How far each position's output moves when the last token changes. */
static void movements(Lab *lab, const char *claim, const char *published, const LessonTokens *ask,
                      const LessonTokens *told)
{
    double figures[LESSON_WORDS];
    for (int r = 0; r < LESSON_WORDS; r++) {
        double moved = largest_difference(matrix_rows(ask->output, r, 1), matrix_rows(told->output, r, 1));
        figures[r] = rounded((real)moved, 4);
    }
    lab_exact_all(lab, claim, published, figures);
}

/* The mask as the source prints it, read off the weights: True is a key that gets exactly nothing. */
static void mask_text(Lab *lab, Matrix weights)
{
    char text[LAB_TEXT] = "";
    size_t used = 0;
    for (int r = 0; r < weights.rows; r++)
        for (int c = 0; c < weights.columns; c++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                                     matrix_row(weights, r)[c] == 0 ? "True" : "False");
    lab_exact_text(lab, "the causal mask: what gets exactly no weight",
                   "False True True True True False False True True True False False False True True "
                   "False False False False True False False False False False", text, 1);
}

static bool question_ids(Lab *lab, Error *error)
{
    Banking77 b;
    bool present;
    if (!lesson_queries_open(&b, lab, &present, error))
        return false;
    if (present) {
        int32_t ids[BANKING77_LONGEST];
        double figures[2 * LESSON_WORDS];
        for (int i = 0; i < 2; i++) {
            banking77_encode(&b, i == 0 ? "Where is my card?" : "Where is my card.", ids);
            for (int w = 0; w < LESSON_WORDS; w++)
                figures[i * LESSON_WORDS + w] = ids[w];
        }
        lab_exact_all(lab, "the ids of Where is my card? and of Where is my card.", "62 11 4 9 3 62 11 4 9 5", figures);
    } else {
        lab_skip(lab, "the ids of Where is my card? and of Where is my card.", 10, LESSON_QUERIES_MISSING);
    }
    banking77_close(&b);
    return true;
}

static bool lesson(Lab *lab, Error *error)
{
    LessonLayer layer = {0};
    LessonTokens ask = {0}, told = {0};
    bool ready = lesson_layer_open(&layer, 16, error) && lesson_tokens_open(&ask, &layer, LESSON_WORDS, error) &&
                 lesson_tokens_open(&told, &layer, LESSON_WORDS, error);
    lab_source(lab, "003 The Causal Mask");
    ready = ready && question_ids(lab, error);
    if (ready) {
        lesson_project(&ask, &layer, lesson_ask);
        lesson_project(&told, &layer, lesson_told);
        for (int causal = 0; causal < 2; causal++) {
            lesson_attend(&ask, (LessonMask){.causal = causal});
            lesson_attend(&told, (LessonMask){.causal = causal});
            movements(lab, causal ? "? becomes . behind the mask: how far each output moves"
                                  : "? becomes . without a mask: how far each output moves",
                      causal ? "0.0000 0.0000 0.0000 0.0000 0.1918" : "0.1346 0.1630 0.1836 0.1856 0.1918", &ask,
                      &told);
        }
        bool identical = same_bits(matrix_rows(ask.output, 0, LESSON_WORDS - 1),
                                   matrix_rows(told.output, 0, LESSON_WORDS - 1));
        lab_holds(lab, "behind it the first four keep every bit", identical, "%s", identical ? "yes" : "no");
        mask_text(lab, ask.weights);
        double weights[LESSON_WORDS * LESSON_WORDS];
        rounded_matrix(ask.weights, 2, weights);
        lab_exact_all(lab, "causal weights of Where is my card?", causal_weights, weights);
    }
    lesson_tokens_close(&told);
    lesson_tokens_close(&ask);
    lesson_layer_close(&layer);
    return ready;
}

bool lab_causality(Lab *lab, Error *error)
{
    return lecture(lab, error) && lesson(lab, error) && (lab->model == NULL || trained_causality(lab, error));
}
