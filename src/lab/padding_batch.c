#include "lab/padding_batch.h"

#include "lab/broadcast.h"
#include "lab/lesson_queries.h"
#include "lab/rounded.h"

#include <math.h>
#include <string.h>

enum { LONGEST = BANKING77_LONGEST, BATCH = 32, SQUARE = 48, LARGE = 64 };

static const double CLOSE = 1e-6; /* the source's tolerance for computations of different shapes */

/* The first queries and where their padding is. */
typedef struct Batch {
    const Banking77Queries *queries;
    bool blocked[LARGE][LONGEST];
} Batch;

/* What a mask of this shape hides from query b of a batch whose scores have that shape. */
static PaddingMask mask_of(const Batch *batch, Shape mask, Shape scores, int b)
{
    ptrdiff_t first = b * broadcast_stride(mask, scores, 0);
    return (PaddingMask){&batch->blocked[0][0] + first, broadcast_stride(mask, scores, scores.rank - 2)};
}

static double total_on_pads(const LessonTokens *tokens, const bool *blocked)
{
    double total = 0;
    for (int r = 0; r < tokens->count; r++)
        for (int j = 0; j < tokens->count; j++)
            total += blocked[j] ? (double)matrix_row(tokens->weights, r)[j] : 0;
    return total;
}

/* Two masks, query by query. */
typedef struct Comparison {
    double apart;   /* the largest difference of their outputs */
    double on_pads; /* all that the first one's weights give to pads */
} Comparison;

static Comparison compare(const Batch *batch, const LessonLayer *layer, LessonTokens pair[2], const Shape masks[2],
                          const Shape scores[2])
{
    Comparison result = {0};
    for (int b = 0; b < scores[0].sizes[0]; b++) {
        for (int i = 0; i < 2; i++) {
            lesson_project(&pair[i], layer, batch->queries->ids[b]);
            lesson_attend(&pair[i], (LessonMask){.padding = mask_of(batch, masks[i], scores[i], b)});
        }
        double apart = largest_difference(pair[0].output, pair[1].output);
        result.apart = isnan(apart) || isnan(result.apart) ? NAN : fmax(result.apart, apart);
        result.on_pads += total_on_pads(&pair[0], batch->blocked[b]);
    }
    return result;
}

static void put_shape(Shape shape, int last, double *figures)
{
    for (int i = 0; i < shape.rank; i++)
        figures[i] = i == shape.rank - 1 && last > 0 ? last : shape.sizes[i];
}

/* The wrong shape at a batch that is not as large as a query is long. */
static void refused(Lab *lab)
{
    Shape both;
    Error refusal = {""};
    bool passed = broadcast((Shape){2, {BATCH, LONGEST}}, (Shape){3, {BATCH, LONGEST, LONGEST}}, &both, &refusal);
    lab_exact_text(lab, "a [32, 48] mask on a batch of 32 is refused",
                   "The size of tensor a (32) must match the size of tensor b (48) at non-singleton dimension 1",
                   passed ? "it was let through" : refusal.message, 3);
}

/* The same at a batch of 48 passes, and hides the wrong keys. */
static void wrong_mask(Lab *lab, const Batch *batch, const LessonLayer *layer, LessonTokens pair[2])
{
    const Shape masks[] = {{3, {SQUARE, 1, LONGEST}}, {2, {SQUARE, LONGEST}}};
    Shape scores[2] = {{3, {SQUARE, LONGEST, LONGEST}}, {3, {SQUARE, LONGEST, LONGEST}}}, both;
    double shape[3];
    Error refusal = {""};
    if (!broadcast(masks[1], scores[1], &both, &refusal)) {
        lab_holds(lab, "a [48, 48] mask on a batch of 48 passes", false, "%s", refusal.message);
        return;
    }
    put_shape(both, layer->width, shape);
    lab_exact_all(lab, "a [48, 48] mask on a batch of 48 passes: shape of the outputs", "48 48 16", shape);
    Comparison wrong = compare(batch, layer, pair, masks, scores);
    lab_holds(lab, "and they are wrong: each token has another query's padding", wrong.apart > CLOSE,
              "largest difference from the right ones %.4f", wrong.apart);
}

/* One dimension more in front of the tokens, as heads add. */
static void four_dimensions(Lab *lab, const Batch *batch, const LessonLayer *layer, LessonTokens pair[2])
{
    const Shape masks[] = {{3, {BATCH, 1, LONGEST}}, {4, {BATCH, 1, 1, LONGEST}}};
    const Shape scores[] = {{3, {BATCH, LONGEST, LONGEST}}, {4, {BATCH, 1, LONGEST, LONGEST}}};
    Shape four, grown;
    double shapes[8] = {0};
    Error refusal = {""};
    lab_source(lab, "003 Checking Against PyTorch");
    if (!broadcast(masks[1], scores[1], &four, &refusal) || !broadcast(masks[0], scores[1], &grown, &refusal)) {
        lab_holds(lab, "masks of three and four dimensions", false, "%s", refusal.message);
        return;
    }
    put_shape(four, layer->width, shapes);
    put_shape(grown, layer->width, shapes + 4);
    lab_exact_all(lab, "with a dimension more: outputs of a [32, 1, 1, 48] mask, and of a [32, 1, 48] one, which grow",
                  "32 1 48 16 32 32 48 16", shapes);
    Comparison same = compare(batch, layer, pair, masks, scores);
    lab_holds(lab, "the first are the batch's own outputs", same.apart <= CLOSE, "%.1e", same.apart);
}

static void batch_of_32(Lab *lab, const Batch *batch, const LessonLayer *layer, LessonTokens pair[2])
{
    const Shape mask = {3, {BATCH, 1, LONGEST}}, scores = {3, {BATCH, LONGEST, LONGEST}};
    double shapes[9];
    put_shape(scores, layer->width, shapes);
    put_shape(scores, 0, shapes + 3);
    put_shape(scores, layer->width, shapes + 6);
    lab_exact_all(lab, "32 validation queries: shapes of queries, weights and outputs", "32 48 16 32 48 48 32 48 16",
                  shapes);
    Comparison right = compare(batch, layer, pair, (const Shape[]){mask, mask}, (const Shape[]){scores, scores});
    lab_exact(lab, "what all their tokens give to pads", "0.0", right.on_pads);
}

/* A causal mask joined to the padding's, on the 32 queries. */
static void joined(Lab *lab, const Batch *batch, const LessonLayer *layer, LessonTokens *tokens)
{
    const Shape mask = {3, {BATCH, 1, LONGEST}}, causal = {2, {LONGEST, LONGEST}};
    Shape both = {0};
    double shape[3] = {0}, first[3] = {0};
    int not_numbers = 0;
    Error refusal = {""};
    lab_source(lab, "003 The Causal Mask");
    if (broadcast(mask, causal, &both, &refusal))
        put_shape(both, 0, shape);
    lab_exact_all(lab, "padding and causal masks joined: their shape", "32 48 48", shape);
    for (int b = 0; b < BATCH; b++) {
        lesson_project(tokens, layer, batch->queries->ids[b]);
        lesson_attend(tokens, (LessonMask){.causal = true, .padding = {batch->blocked[b], 0}});
        for (int j = 0; b == 0 && j < 3; j++)
            first[j] = (double)matrix_row(tokens->weights, 0)[j];
        for (int r = 0; r < LONGEST; r++)
            for (int c = 0; c < layer->width; c++)
                not_numbers += isnan(matrix_row(tokens->output, r)[c]) != 0;
    }
    lab_holds(lab, "no output is NaN: every row keeps key 0", not_numbers == 0, "%d of them", not_numbers);
    lab_exact_all(lab, "the first query's first weights", "1. 0. 0.", first);
}

/* Lab 2 on 64 queries. */
typedef struct Proof {
    int shortest, longest;
    double on_pads, apart, first_apart; /* apart: from the query alone; first_apart: of row 0 from its value, causal */
} Proof;

static bool prove(const Batch *batch, const LessonLayer *layer, Proof *proof, Error *error)
{
    LessonTokens padded = {0}, alone = {0};
    bool ready = lesson_tokens_open(&padded, layer, LONGEST, error);
    *proof = (Proof){.shortest = LONGEST};
    for (int b = 0; ready && b < LARGE; b++) {
        const int length = batch->queries->lengths[b];
        const PaddingMask mask = {batch->blocked[b], 0};
        lesson_project(&padded, layer, batch->queries->ids[b]);
        lesson_attend(&padded, (LessonMask){.padding = mask});
        ready = lesson_run(&alone, layer, batch->queries->ids[b], length, (LessonMask){0}, error);
        if (!ready)
            break;
        proof->shortest = length < proof->shortest ? length : proof->shortest;
        proof->longest = length > proof->longest ? length : proof->longest;
        proof->on_pads += total_on_pads(&padded, batch->blocked[b]);
        double apart = largest_difference(matrix_rows(padded.output, 0, length), alone.output);
        proof->apart = apart <= proof->apart ? proof->apart : apart;
        lesson_attend(&padded, (LessonMask){.causal = true, .padding = mask});
        apart = largest_difference(matrix_rows(padded.output, 0, 1), matrix_rows(padded.inputs.value, 0, 1));
        proof->first_apart = apart <= proof->first_apart ? proof->first_apart : apart;
        lesson_tokens_close(&alone);
    }
    lesson_tokens_close(&padded);
    return ready;
}

static bool lab_2(Lab *lab, const Batch *batch, Error *error)
{
    enum { WIDTH = 32 };
    LessonLayer layer = {0};
    Proof proof;
    bool ready = lesson_layer_open(&layer, WIDTH, error) && prove(batch, &layer, &proof, error);
    lesson_layer_close(&layer);
    if (!ready)
        return false;
    double sizes[] = {LARGE, LONGEST, proof.shortest, proof.longest}, shape[3] = {0};
    double bytes[] = {LARGE * LONGEST * LONGEST * sizeof(real), LARGE * 512.0 * 512.0 * sizeof(real)};
    Shape both = {0};
    lab_source(lab, "003 lab 2");
    lab_exact_all(lab, "64 validation queries: the batch, its shortest and longest", "64 48 4 48", sizes);
    lab_exact(lab, "what any query gives to a pad", "0.0", proof.on_pads);
    lab_holds(lab, "each query alone, unmasked, gives what it gives in the batch", proof.apart < CLOSE, "%.1e",
              proof.apart);
    if (broadcast((Shape){3, {LARGE, 1, LONGEST}}, (Shape){2, {LONGEST, LONGEST}}, &both, error))
        put_shape(both, 0, shape);
    lab_exact_all(lab, "shape of the joined mask", "64 48 48", shape);
    lab_holds(lab, "joined masks: every query's first output is its own value", proof.first_apart <= CLOSE, "%.1e",
              proof.first_apart);
    lab_exact_all(lab, "bytes of the batch's weights, and at 512 tokens", "589824 67108864", bytes);
    return true;
}

/* That the words of the examples have the ids with which the other rows are computed. */
static void words(Lab *lab, const Banking77 *b)
{
    static const char *const texts[] = {"Where is my card?", "My card never arrived."};
    const int32_t *const expected[] = {lesson_ask, lesson_arrived};
    int32_t ids[2][LONGEST];
    double figures[8];
    bool same = b->vocabulary_size == LESSON_VOCABULARY;
    for (int i = 0; i < 2; i++)
        same = banking77_encode(b, texts[i], ids[i]) == LESSON_WORDS &&
               memcmp(ids[i], expected[i], LESSON_WORDS * sizeof ids[i][0]) == 0 && same;
    for (int i = 0; i < 8; i++)
        figures[i] = ids[0][i];
    lab_exact_all(lab, "Where is my card? as ids, and the first pads", "62 11 4 9 3 0 0 0", figures);
    lab_holds(lab, "this program's fixed ids are the vocabulary's", same, "%d entries", b->vocabulary_size);
}

static bool with_queries(Lab *lab, const Banking77 *b, const LessonLayer *layer, Error *error)
{
    Batch batch = {.queries = &b->validation};
    LessonTokens pair[2] = {{0}, {0}};
    for (int q = 0; q < LARGE; q++)
        padding_of(b->validation.ids[q], LONGEST, BANKING77_PAD, batch.blocked[q]);
    bool ready = lesson_tokens_open(&pair[0], layer, LONGEST, error) &&
                 lesson_tokens_open(&pair[1], layer, LONGEST, error);
    if (ready) {
        words(lab, b);
        batch_of_32(lab, &batch, layer, pair);
        wrong_mask(lab, &batch, layer, pair);
        four_dimensions(lab, &batch, layer, pair);
        joined(lab, &batch, layer, &pair[0]);
    }
    lesson_tokens_close(&pair[1]);
    lesson_tokens_close(&pair[0]);
    return ready && lab_2(lab, &batch, error);
}

bool padding_batches(Lab *lab, const LessonLayer *layer, Error *error)
{
    Banking77 b;
    bool present;
    lab_source(lab, "003 The Padding Mask");
    refused(lab);
    if (!lesson_queries_open(&b, lab, &present, error))
        return false;
    bool done = true;
    if (present) {
        done = with_queries(lab, &b, layer, error);
    } else {
        lab_skip(lab, "its words as ids, its batches of 32 and 48, a dimension more, both masks joined", 39,
                 LESSON_QUERIES_MISSING);
        lab_source(lab, "003 lab 2");
        lab_skip(lab, "the batch of 64: pads, each query alone, both masks, bytes", 12, LESSON_QUERIES_MISSING);
    }
    banking77_close(&b);
    return done;
}
