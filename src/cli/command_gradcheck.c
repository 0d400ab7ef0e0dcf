#include "cli/commands.h"

#include "base/parallel.h"
#include "cli/options.h"
#include "cli/output.h"
#include "storage/checkpoint.h"
#include "text/batch.h"
#include "text/corpus.h"
#include "training/gradient_check.h"

#include <math.h>
#include <string.h>

enum { LARGEST_BATCH = 4, CHECKED_ENTRIES = 48, LONGEST_WINDOW = 160, DESCRIPTION = 160 };

/* What is asked for, whatever the model. */
typedef struct Wish {
    uint64_t seed;
    int threads;
    bool each;
    Mistake mistake;
} Wish;

/* What all configurations together showed of one tensor. */
typedef struct Summary {
    const char *tensor;
    int64_t entries;
    int checks;
    double error;
    char where[DESCRIPTION]; /* the configuration of the largest error */
    bool passed;
} Summary;

typedef struct Totals {
    Summary tensors[GRADIENT_CHECK_TENSORS];
    int tensor_count, checks, configurations;
    double error;
    bool passed;
} Totals;

static void describe(const GradientCheckRequest *r, char text[DESCRIPTION])
{
    const ModelConfig *c = &r->config;
    snprintf(text, DESCRIPTION,
             "B%d T%d C%d H%d V%d, positions %s, mask %s, mixing %s, scale %s, lm_head %s, scores %s", r->batch,
             c->context, c->channels, c->head_size, c->vocabulary_size, positions_names[c->positions],
             mask_names[c->mask], mixing_names[c->mixing], scale_names[c->scale], r->linear_first ? "first" : "last",
             r->score_table ? "looked up" : "multiplied");
}

static Summary *summary_of(Totals *totals, const char *tensor)
{
    for (int i = 0; i < totals->tensor_count; i++)
        if (strcmp(totals->tensors[i].tensor, tensor) == 0)
            return &totals->tensors[i];
    totals->tensors[totals->tensor_count] = (Summary){.tensor = tensor, .passed = true};
    return &totals->tensors[totals->tensor_count++];
}

/* The larger of two errors; a NaN is the largest of all. */
static double worse(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

static void add_result(Totals *totals, const GradientCheckRequest *request, const GradientCheckResult *result,
                       bool each)
{
    char where[DESCRIPTION];
    describe(request, where);
    totals->configurations++;
    for (int i = 0; i < result->row_count; i++) {
        const GradientCheckRow *row = &result->rows[i];
        Summary *summary = summary_of(totals, row->tensor);
        if (each)
            printf("%-32s %8lld %12.2e  %-6s %s\n", row->tensor, (long long)row->entries, row->error,
                   row->passed ? "pass" : "FAIL", where);
        summary->entries += row->entries;
        summary->checks++;
        summary->passed = summary->passed && row->passed;
        if (summary->checks == 1 || (!(row->error <= summary->error) && !isnan(summary->error))) {
            summary->error = row->error;
            memcpy(summary->where, where, sizeof where);
        }
        totals->error = worse(totals->error, row->error);
        totals->checks++;
        totals->passed = totals->passed && row->passed;
    }
}

/* Which tensors give a mistake away. It may change nothing: no-scale without a scale, channels where C = H. */
static void report_mistake(const Totals *totals, Mistake mistake)
{
    if (totals->passed) {
        printf("gradcheck: the mistake %s changes nothing here: every gradient is right\n", mistake_names[mistake]);
        return;
    }
    printf("gradcheck: the mistake %s (%s) is refused at", mistake_names[mistake], mistake_meanings[mistake]);
    const char *separator = " ";
    for (int i = 0; i < totals->tensor_count; i++)
        if (!totals->tensors[i].passed) {
            printf("%s%s", separator, totals->tensors[i].tensor);
            separator = ", ";
        }
    putchar('\n');
}

static int report(const Totals *totals, Mistake mistake)
{
    printf("%-32s %8s %12s  %s\n", "tensor", "entries", "largest", "verdict");
    for (int i = 0; i < totals->tensor_count; i++) {
        const Summary *s = &totals->tensors[i];
        printf("%-32s %8lld %12.2e  %s", s->tensor, (long long)s->entries, s->error, s->passed ? "pass\n" : "FAIL at ");
        if (!s->passed)
            printf("%s\n", s->where);
    }
    printf("gradcheck: largest relative error %.2e over %d tensors in %d configurations\n", totals->error,
           totals->checks, totals->configurations);
    if (mistake != MISTAKE_NONE)
        report_mistake(totals, mistake);
    return totals->passed ? EXIT_DONE : EXIT_FAILED;
}

/* Fills in what is the same for all configurations. */
static bool check_one(Totals *totals, GradientCheckRequest request, const Wish *wish, Error *error)
{
    GradientCheckResult result;
    request.seed = wish->seed;
    request.threads = wish->threads;
    request.entries = CHECKED_ENTRIES;
    request.mistake = wish->mistake;
    request.update = wish->mistake == MISTAKE_ADAM_STEP;
    if (!gradient_check_double(&request, &result, error))
        return false;
    add_result(totals, &request, &result, wish->each);
    return true;
}

/* Ragged sizes with C != H: one below a vector and a tile, one beyond a block of rows. */
static const ModelConfig shapes[] = {
    {.context = 9, .channels = 6, .head_size = 5, .vocabulary_size = 7},
    {.context = 70, .channels = 20, .head_size = 17, .vocabulary_size = 33},
};

/* Every combination of positions, mask, mixing, scale and plan, on both shapes. */
static bool check_all(Totals *totals, const Wish *wish, Error *error)
{
    enum { COMBINATIONS = 3 * 2 * 2 * 2 * 2 * 2, SHAPES = 2 };
    for (int i = 0; i < COMBINATIONS * SHAPES; i++) {
        ModelConfig config = shapes[i / COMBINATIONS];
        int32_t inputs[LARGEST_BATCH * 70], targets[LARGEST_BATCH * 70];
        int batch = config.context < 16 ? 3 : 2, combination = i % COMBINATIONS;
        Random random = random_seed(wish->seed + (uint64_t)i);
        for (int k = 0; k < batch * config.context; k++) {
            inputs[k] = (int32_t)random_below(&random, (uint64_t)config.vocabulary_size);
            targets[k] = (int32_t)random_below(&random, (uint64_t)config.vocabulary_size);
        }
        config.positions = (Positions)(combination / 32);
        config.mask = (Mask)(combination / 16 % 2);
        config.mixing = (Mixing)(combination / 8 % 2);
        config.scale = (Scale)(combination / 4 % 2);
        GradientCheckRequest request = {
            .config = config, .linear_first = combination % 2 == 1,
            .score_table = combination / 2 % 2 == 1, .batch = batch, .length = config.context,
            .inputs = inputs, .targets = targets,
        };
        if (!check_one(totals, request, wish, error))
            return false;
    }
    return true;
}

/* A trained model on windows of the text it was trained on. */
static bool check_windows(Totals *totals, const Checkpoint *checkpoint, const Corpus *corpus, const Wish *wish,
                          Error *error)
{
    int context = checkpoint->parameters.config.context;
    int length = context < LONGEST_WINDOW ? context : LONGEST_WINDOW;
    if (corpus->ids.count <= (size_t)length)
        return error_set(error, "%s: too short for a window of %d characters", checkpoint->data, length);
    int32_t inputs[2 * LONGEST_WINDOW], targets[2 * LONGEST_WINDOW];
    Random random = random_seed(wish->seed);
    batch_draw(&random, corpus->ids, 2, length, inputs, targets);
    for (int plan = 0; plan < 4; plan++) {
        GradientCheckRequest request = {
            .config = checkpoint->parameters.config, .linear_first = plan % 2 == 1,
            .score_table = plan / 2 == 1, .batch = 2, .length = length,
            .inputs = inputs, .targets = targets, .parameters = checkpoint->parameters.tensors[0].values.data,
        };
        if (!check_one(totals, request, wish, error))
            return false;
    }
    return true;
}

static bool check_model(Totals *totals, const char *model, const char *data, const Wish *wish, Error *error)
{
    Checkpoint checkpoint;
    Corpus corpus;
    if (!checkpoint_open(&checkpoint, model, error))
        return false;
    const char *path = data != NULL ? data : checkpoint.data;
    bool checked = corpus_open_with(&corpus, path, &checkpoint.vocabulary, UNKNOWN_FORBID, error);
    if (checked) {
        checked = check_windows(totals, &checkpoint, &corpus, wish, error);
        corpus_close(&corpus);
    }
    checkpoint_close(&checkpoint);
    return checked;
}

/* The words of --break: the mistakes, and at their end `list`. */
enum { LIST_MISTAKES = MISTAKE_COUNT };

static void break_words(const char *words[MISTAKE_COUNT + 2])
{
    memcpy(words, mistake_names, MISTAKE_COUNT * sizeof *words);
    words[LIST_MISTAKES] = "list";
    words[LIST_MISTAKES + 1] = NULL;
}

static int list_mistakes(void)
{
    for (int i = MISTAKE_NONE + 1; i < MISTAKE_COUNT; i++)
        printf("%-18s %s\n", mistake_names[i], mistake_meanings[i]);
    return EXIT_DONE;
}

static const char description[] =
    "Checks every gradient against central differences in double precision: small models of\n"
    "every combination of options, or a trained MODEL on its own text. Exit 1 above a relative\n"
    "error of 1e-6. With --break the gradient is computed with a classic mistake, which must be\n"
    "refused: exit 1 then, too; for adam-step it is Adam's steps that are checked.";

int command_gradcheck(int argc, char **argv)
{
    Wish wish = {.seed = 1337};
    int broken = MISTAKE_NONE;
    const char *data = NULL, *words[1], *breaks[MISTAKE_COUNT + 2];
    int64_t threads = 1; /* the checked models are small */
    break_words(breaks);
    Option rows[] = {
        {.name = "each", .kind = OPTION_FLAG, .value.flag = &wish.each,
         .help = "a line for each tensor of each configuration"},
        {.name = "break", .kind = OPTION_CHOICE, .value.choice = &broken, .choices = breaks,
         .help = "make that mistake on the way back; list explains them"},
        {.name = "data", .kind = OPTION_PATH, .value.text = &data, .shown = "the text MODEL was trained on",
         .help = "the text to check MODEL on"},
        {.name = "seed", .kind = OPTION_SEED, .value.seed = &wish.seed,
         .help = "of the sizes' numbers and the sampled entries"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = &threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads"},
    };
    OptionTable table = {rows, sizeof rows / sizeof rows[0]};
    Positionals rest = {.words = words, .limit = 1};
    Error error = {0};
    if (!options_parse(table, argc, argv, &rest, &error))
        return report_usage("gradcheck", &error);
    if (rest.help) {
        options_print_help(stdout, "soliloquy gradcheck [MODEL] [options]", description, table);
        return EXIT_DONE;
    }
    if (broken == LIST_MISTAKES)
        return list_mistakes();
    wish.threads = (int)threads;
    wish.mistake = (Mistake)broken;
    Totals totals = {.passed = true};
    bool done = rest.count == 0 ? check_all(&totals, &wish, &error)
                                : check_model(&totals, words[0], data, &wish, &error);
    if (!done)
        return report_failure("gradcheck", &error);
    return report(&totals, wish.mistake);
}
