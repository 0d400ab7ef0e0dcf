#include "lab/experiments.h"

#include "kernels/transpose.h"
#include "lab/lesson_layer.h"
#include "lab/lesson_queries.h"
#include "storage/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Document 003, "Checking Against PyTorch's Own Attention": this program's attention against the stored outputs of
 * PyTorch's function on the same inputs, with its masks, and with the padding mask the wrong way round. */

static const char GOLDEN[] = "tests/golden/attention.safetensors";
/* The source's tolerance, torch.allclose(atol=1e-6): |ours - theirs| <= CLOSE + RELATIVE |theirs|. */
static const double CLOSE = 1e-6, RELATIVE = 1e-5;

enum { LONGEST = BANKING77_LONGEST, LARGE = 64, MOST_COLUMNS = 8 };

typedef enum Variant { NONE, PADDING, FLIPPED, CAUSAL, BOTH, VARIANTS } Variant;

static const char *const variant_names[VARIANTS] = {"none", "padding", "flipped", "causal", "both"};

/* Dense stored outputs [B,n,columns]: the first columns of each output; data is NULL where the file lacks them. */
typedef struct Stored {
    const float *data;
    int columns;
} Stored;

static Stored stored_find(const Safetensors *file, const char *group, const char *name, int sequences, int n)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", group, name);
    const SafetensorsTensor *tensor = safetensors_find(file, full);
    bool right = tensor != NULL && tensor->type == SAFETENSORS_F32 && tensor->rank == 3 &&
                 tensor->shape[0] == (size_t)sequences && tensor->shape[1] == (size_t)n &&
                 tensor->shape[2] <= MOST_COLUMNS;
    return right ? (Stored){tensor->data, (int)tensor->shape[2]} : (Stored){0};
}

/* Two largest values over a batch; NaN stays. */
typedef struct Gap {
    double apart, beyond; /* |ours - theirs|, and what of it is more than RELATIVE |theirs| */
} Gap;

static double larger(double so_far, double value)
{
    return value <= so_far || isnan(so_far) ? so_far : value;
}

/* Our outputs of sequence b against the stored ones. */
static Gap compare(Stored stored, int b, Matrix output, Gap gap)
{
    for (int r = 0; r < output.rows; r++)
        for (int c = 0; c < stored.columns; c++) {
            size_t row = (size_t)b * (size_t)output.rows + (size_t)r;
            double theirs = (double)stored.data[row * (size_t)stored.columns + (size_t)c];
            double apart = fabs((double)matrix_row(output, r)[c] - theirs);
            gap = (Gap){larger(gap.apart, apart), larger(gap.beyond, apart - RELATIVE * fabs(theirs))};
        }
    return gap;
}

/* The keys that are hidden from all queries of one sequence; the wrong way round, those that are not. */
static LessonMask mask_of(Variant variant, const bool *pads, bool *flipped, int n)
{
    for (int j = 0; j < n; j++)
        flipped[j] = !pads[j];
    const PaddingMask masks[VARIANTS] = {[PADDING] = {pads, 0}, [FLIPPED] = {flipped, 0}, [BOTH] = {pads, 0}};
    return (LessonMask){.causal = variant == CAUSAL || variant == BOTH, .padding = masks[variant]};
}

/* One batch, through every variant that is stored for it. */
typedef struct Batch {
    const char *group;
    int sequences;
    const int32_t (*ids)[LONGEST]; /* NULL: the file's random queries, keys and values, and its lengths */
    const float *inputs[3], *lengths;
} Batch;

static void load(LessonTokens *tokens, const float *const data[3], int b)
{
    const Matrix to[3] = {tokens->inputs.query, tokens->inputs.key, tokens->inputs.value};
    size_t columns = (size_t)to[0].columns, from = (size_t)b * (size_t)tokens->count * columns;
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < to[i].rows; r++)
            for (size_t c = 0; c < columns; c++)
                matrix_row(to[i], r)[c] = data[i][from + (size_t)r * columns + c];
    transpose_copy(tokens->inputs.key, tokens->inputs.key_transposed);
    transpose_copy(tokens->inputs.value, tokens->inputs.value_transposed);
}

/* Queries, keys and values of sequence b into tokens, and where its padding is. */
static void prepare(const Batch *batch, int b, const LessonLayer *layer, LessonTokens *tokens, bool *pads)
{
    if (batch->ids != NULL) {
        padding_of(batch->ids[b], tokens->count, WORD_PAD, pads);
        lesson_project(tokens, layer, batch->ids[b]);
        return;
    }
    for (int j = 0; j < tokens->count; j++)
        pads[j] = (float)j >= batch->lengths[b];
    load(tokens, batch->inputs, b);
}

/* What a variant came to. */
typedef struct Outcome {
    Gap same, right;    /* from PyTorch's outputs with the same mask, and from those with the right padding mask */
    bool not_a_number;
} Outcome;

static Outcome run_variant(const Batch *batch, Variant variant, Stored same, Stored right, const LessonLayer *layer,
                           LessonTokens *tokens)
{
    Outcome outcome = {.not_a_number = false};
    for (int b = 0; b < batch->sequences; b++) {
        bool pads[LONGEST], flipped[LONGEST];
        prepare(batch, b, layer, tokens, pads);
        lesson_attend(tokens, mask_of(variant, pads, flipped, tokens->count));
        outcome.same = compare(same, b, tokens->output, outcome.same);
        outcome.right = compare(right, b, tokens->output, outcome.right);
        for (int r = 0; r < tokens->count; r++)
            for (int c = 0; c < tokens->output.columns; c++)
                outcome.not_a_number = outcome.not_a_number || isnan(matrix_row(tokens->output, r)[c]);
    }
    return outcome;
}

static void report(Lab *lab, const Batch *batch, Variant variant, Outcome outcome)
{
    static const char *const what[VARIANTS] = {
        "no mask", "the padding mask", "the padding mask the wrong way round", "the causal mask", "both masks",
    };
    const char *whose = batch->ids == NULL ? "random queries" : batch->sequences == LARGE ? "64 queries" : "32 queries";
    char claim[128];
    snprintf(claim, sizeof claim, "%s, %s: PyTorch's outputs", whose, what[variant]);
    lab_holds(lab, claim, outcome.same.beyond <= CLOSE, "largest difference %.1e", outcome.same.apart);
    if (variant != FLIPPED)
        return;
    snprintf(claim, sizeof claim, "%s: those are not the right ones, and no NaN says so", whose);
    lab_holds(lab, claim, outcome.right.beyond > CLOSE && !outcome.not_a_number, "largest difference %.4f",
              outcome.right.apart);
}

static bool run_batch(Lab *lab, const Safetensors *file, const Batch *batch, const LessonLayer *layer,
                      LessonTokens *tokens, Error *error)
{
    int n = tokens->count;
    Stored right = stored_find(file, batch->group, "padding", batch->sequences, n);
    if (right.data == NULL)
        return error_set(error, "%s lacks %s; scripts/attention_reference.py writes it anew", GOLDEN, batch->group);
    for (Variant variant = NONE; variant < VARIANTS; variant++) {
        Stored same = stored_find(file, batch->group, variant_names[variant], batch->sequences, n);
        if (same.data != NULL)
            report(lab, batch, variant, run_variant(batch, variant, same, right, layer, tokens));
    }
    return true;
}

/* A layer of that width for sequences of n. */
static bool with_layer(Lab *lab, const Safetensors *file, const Batch *batch, int width, int n, Error *error)
{
    LessonLayer layer = {0};
    LessonTokens tokens = {0};
    bool done = lesson_layer_open(&layer, width, error) && lesson_tokens_open(&tokens, &layer, n, error) &&
                run_batch(lab, file, batch, &layer, &tokens, error);
    lesson_tokens_close(&tokens);
    lesson_layer_close(&layer);
    return done;
}

static bool random_queries(Lab *lab, const Safetensors *file, Error *error)
{
    enum { SEQUENCES = 3, N = 12, WIDTH = 8 };
    static const char *const names[3] = {"query", "key", "value"};
    const SafetensorsTensor *lengths = safetensors_find(file, "random.lengths");
    Batch batch = {.group = "random", .sequences = SEQUENCES};
    bool complete = lengths != NULL && lengths->type == SAFETENSORS_F32 && lengths->bytes == SEQUENCES * sizeof(float);
    batch.lengths = complete ? lengths->data : NULL;
    for (int i = 0; i < 3; i++) {
        Stored stored = stored_find(file, "random", names[i], SEQUENCES, N);
        batch.inputs[i] = stored.data;
        complete = complete && stored.data != NULL && stored.columns == WIDTH;
    }
    if (!complete)
        return error_set(error, "%s lacks its random queries; scripts/attention_reference.py writes it anew", GOLDEN);
    return with_layer(lab, file, &batch, WIDTH, N, error);
}

static bool with_queries(Lab *lab, const Safetensors *file, Error *error)
{
    Banking77 b;
    bool present, done = true;
    if (!lesson_queries_open(&b, lab, &present, error))
        return false;
    if (present) {
        const int32_t (*ids)[LONGEST] = (const int32_t (*)[LONGEST])b.validation.ids;
        const Batch lesson = {.group = "lesson", .sequences = 32, .ids = ids};
        const Batch lab2 = {.group = "lab2", .sequences = LARGE, .ids = ids};
        done = with_layer(lab, file, &lesson, 16, LONGEST, error);
        lab_source(lab, "003 lab 2");
        done = done && with_layer(lab, file, &lab2, 32, LONGEST, error);
    } else {
        lab_skip(lab, "32 queries: padding, wrong way round, causal, both", 5, LESSON_QUERIES_MISSING);
        lab_source(lab, "003 lab 2");
        lab_skip(lab, "64 queries: padding, both", 2, LESSON_QUERIES_MISSING);
    }
    banking77_close(&b);
    return done;
}

bool lab_reference(Lab *lab, Error *error)
{
    Safetensors file;
    lab_source(lab, "003 Checking Against PyTorch");
    if (access(GOLDEN, F_OK) != 0) {
        lab_skip(lab, "PyTorch's own attention on the same inputs", 13,
                 "needs tests/golden/attention.safetensors: run in the folder of the sources");
        return true;
    }
    if (!safetensors_open(&file, GOLDEN, error))
        return false;
    bool done = random_queries(lab, &file, error) && with_queries(lab, &file, error);
    safetensors_close(&file);
    return done;
}
