#include "lab/experiments.h"

#include "lab/equivariance_cases.h"
#include "lab/equivariance_exercise.h"
#include "lab/lecture_stream.h"
#include "lab/lesson_layer.h"
#include "lab/rounded.h"
#include "lab/trained_layer.h"
#include "layers/pooling.h"

#include <stdlib.h>
#include <string.h>

/* Attention does not know where its inputs stand: documents 002 (theorem 6.1, corollary 6.2), 000 (exercise 5) and 003
 * (no order without positions), and a trained head. */

enum { T = LECTURE_CONTEXT, C = LECTURE_CHANNELS, V = 65 };

/* Document 002's draws behind its exercise 4: the scores of that, a head without a mask, a permutation, a table of
 * positions, tables of tokens and of positions, and eight tokens. */
static bool lecture(Lab *lab, Error *error)
{
    float x[T * C], scores[T * T], x_positions[T * C], table[V * C], token_positions[T * C], tokens[T * C];
    int64_t order[T], ids[T];
    SourceHead head;
    TorchRandom input = lecture_stream(LECTURE_INPUT), random = lecture_stream(LECTURE_EXERCISE_4);
    if (!source_head_open(&head, C, LECTURE_HEAD_SIZE, T, false, error))
        return false;
    float batch[LECTURE_BATCH * T * C];
    torch_normal(&input, batch, LECTURE_BATCH * T * C);
    memcpy(x, batch, sizeof x);
    torch_normal(&random, scores, T * T);
    source_head_draw(&head, &random);
    torch_permutation(&random, order, T);
    torch_embedding(&random, x_positions, T, C, false);
    torch_embedding(&random, table, V, C, false);
    torch_embedding(&random, token_positions, T, C, false);
    torch_integers(&random, V, ids, T);
    for (int t = 0; t < T; t++)
        memcpy(tokens + t * C, table + ids[t] * C, C * sizeof tokens[0]);
    const EquivarianceInputs inputs = {x, x_positions, tokens, token_positions, order, 1e-5};
    lab_source(lab, "002 thm. 6.1");
    bool done = equivariance_cases(lab, "", &head, &inputs, error);
    source_head_close(&head);
    return done;
}

/* The question reordered: card my where is ? */
enum { N = LESSON_WORDS, WIDTH = 16, SHOWN = 4 };

static const int64_t lesson_order[N] = {3, 2, 0, 1, 4};
static const char *const lesson_words[N] = {"where", "is", "my", "card", "?"};

typedef struct Reordered {
    LessonTokens ask, moved;
    Matrix pooled; /* [2,WIDTH]: the means of both */
} Reordered;

/* max |out(P x) - P out(x)| of the last lesson_attend; and both means. */
static double attend_both(Reordered *r, LessonMask mask)
{
    double apart = 0;
    lesson_attend(&r->ask, mask);
    lesson_attend(&r->moved, mask);
    for (int i = 0; i < N; i++) {
        double gap = largest_difference(matrix_rows(r->moved.output, i, 1),
                                        matrix_rows(r->ask.output, (int)lesson_order[i], 1));
        apart = gap <= apart ? apart : gap;
    }
    pooling_forward(r->ask.output, NULL, matrix_rows(r->pooled, 0, 1));
    pooling_forward(r->moved.output, NULL, matrix_rows(r->pooled, 1, 1));
    return apart;
}

static double means_apart(const Reordered *r)
{
    return largest_difference(matrix_rows(r->pooled, 0, 1), matrix_rows(r->pooled, 1, 1));
}

static void lesson_rows(Lab *lab, Reordered *r)
{
    char text[LAB_TEXT] = "";
    double means[2 * SHOWN];
    for (int i = 0; i < N; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, lesson_words[lesson_order[i]]);
    }
    lab_source(lab, "003 No Order Without Positions");
    lab_exact_text(lab, "the question reordered", "card my where is ?", text, 1);
    double apart = attend_both(r, (LessonMask){0});
    lab_holds(lab, "its outputs are the question's, reordered", apart <= 1e-6, "largest difference %.1e", apart);
    lab_holds(lab, "its mean is the question's", means_apart(r) <= 1e-6, "largest difference %.1e", means_apart(r));
    rounded_matrix(matrix_columns(r->pooled, 0, SHOWN), 4, means);
    lab_exact_all(lab, "the first four numbers of both means",
                  "0.0041 -0.0589 0.0809 0.1853 0.0041 -0.0589 0.0809 0.1853", means);
    apart = attend_both(r, (LessonMask){.causal = true});
    lab_holds(lab, "behind a causal mask the outputs are others", apart > 1e-6, "largest difference %.4f", apart);
    lab_exact(lab, "and the means differ by up to", "0.8583", rounded((real)means_apart(r), 4));
}

static bool lesson(Lab *lab, Error *error)
{
    LessonLayer layer = {0};
    LessonTokens scratch = {0};
    Reordered r = {.pooled = {0}};
    int32_t moved[N];
    bool ready = lesson_layer_open(&layer, WIDTH, error) && lesson_tokens_open(&r.ask, &layer, N, error) &&
                 lesson_tokens_open(&r.moved, &layer, N, error) && lesson_tokens_open(&scratch, &layer, 2, error);
    if (ready) {
        r.pooled = scratch.output;
        for (int i = 0; i < N; i++)
            moved[i] = lesson_ask[lesson_order[i]];
        lesson_project(&r.ask, &layer, lesson_ask);
        lesson_project(&r.moved, &layer, moved);
        lesson_rows(lab, &r);
    }
    lesson_tokens_close(&scratch);
    lesson_tokens_close(&r.moved);
    lesson_tokens_close(&r.ask);
    lesson_layer_close(&layer);
    return ready;
}

/* A trained head without its mask, on a window of the validation text read backwards. */
static bool trained_rows(Lab *lab, const Trained *t, Error *error)
{
    const Parameters *parameters = &t->checkpoint.parameters;
    int32_t ids[TRAINED_LAYER_LONGEST];
    int64_t order[TRAINED_LAYER_LONGEST];
    int n = trained_layer_window(t, ids);
    size_t count = (size_t)n * (size_t)parameters->config.channels;
    bool placed = parameters->position_embedding.rows > 0;
    SourceHead head = {0};
    float *tokens = malloc(2 * count * sizeof *tokens);
    bool ready = (tokens != NULL || error_set(error, "no memory for a window of %d characters", n)) &&
                 trained_layer_open(&head, parameters, n, false, error);
    if (ready) {
        float *positions = tokens + count;
        trained_layer_embed(parameters, ids, n, false, tokens);
        trained_layer_embed(parameters, ids, n, true, positions);
        for (size_t i = 0; i < count; i++)
            positions[i] -= tokens[i];
        for (int i = 0; i < n; i++)
            order[i] = n - 1 - i;
        /* A plain mean of everything does not notice where positions stand. */
        bool noticed = placed && parameters->config.mixing == MIXING_ATTENTION;
        /* The source's tolerance is 1e-5; trained scores are larger, and so is their rounding. */
        const EquivarianceInputs inputs = {tokens, placed ? positions : NULL, tokens, noticed ? positions : NULL,
                                           order, 1e-4};
        ready = equivariance_cases(lab, "trained head: ", &head, &inputs, error);
    }
    source_head_close(&head);
    free(tokens);
    return ready;
}

static bool trained(Lab *lab, Error *error)
{
    Trained t;
    if (!trained_open(&t, lab, error))
        return false;
    bool done = true;
    lab_source(lab, "002 thm. 6.1");
    if (t.head.config.context < 2 || t.validation.count < 2)
        lab_skip(lab, "trained head: reordered inputs", 4, "a context of one: there is no other order");
    else
        done = trained_rows(lab, &t, error);
    trained_close(&t);
    return done;
}

bool lab_equivariance(Lab *lab, Error *error)
{
    return lecture(lab, error) && equivariance_exercise(lab, error) && lesson(lab, error) &&
           (lab->model == NULL || trained(lab, error));
}
