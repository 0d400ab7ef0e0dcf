/* command_score.c -- `soliloquy score`: how well a model expects a text. */
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text_input.h"
#include "inference/head.h"
#include "model/evaluation.h"
#include "storage/checkpoint.h"
#include "text/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ScoreOptions {
    const char *words[2]; /* MODEL, FILE */
    int64_t threads;
    int unknown;
    bool each;
} ScoreOptions;

enum { ROWS = 3, DECIMALS = 6 };

static const char usage[] = "soliloquy score MODEL FILE [options]";
static const char description[] =
    "The loss of a text, exactly as a validation loss is: over windows of T characters, one after the other, each "
    "character predicted once from those before it in its window. FILE - is standard input.\n\n"
    "With --each a table comes first, its fields separated by tabs: `character` OFFSET GLYPH LOSS for every character "
    "but the first, and after each line of the text `line` NUMBER PREDICTIONS LOSS, its mean. OFFSET counts characters "
    "from 0, NUMBER lines from 1, losses are in nats.";

static void make_rows(ScoreOptions *o, Option rows[ROWS])
{
    const Option made[ROWS] = {
        {.name = "each", .kind = OPTION_FLAG, .value.flag = &o->each, .help = "each character and line, too"},
        {.name = "unknown", .kind = OPTION_CHOICE, .value.choice = &o->unknown, .choices = unknown_names,
         .help = "what to do with characters that the model has never seen"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = &o->threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads; the result does not depend on them"},
    };
    memcpy(rows, made, sizeof made);
}

/* Returns an exit status, or -1 to go on. */
static int read_options(ScoreOptions *o, int argc, char **argv)
{
    Option rows[ROWS];
    Error error;
    Positionals positionals = {.words = o->words, .limit = 2};
    OptionTable table = {rows, ROWS};
    make_rows(o, rows);
    if (!options_parse(table, argc, argv, &positionals, &error))
        return report_usage("score", &error);
    if (positionals.help) {
        options_print_help(stdout, usage, description, table);
        return EXIT_DONE;
    }
    if (positionals.count == 2)
        return -1;
    error_set(&error, "name %s FILE, the text to score (- is standard input)",
              positionals.count == 0 ? "a MODEL (a .safetensors file or the directory of a run) and a" : "a");
    return report_usage("score", &error);
}

static bool mean_loss(const Checkpoint *checkpoint, Ids ids, int threads, double *loss, Error *error)
{
    const ModelConfig *config = &checkpoint->parameters.config;
    Step step;
    int batch = evaluation_batch(config->context, ids.count);
    if (!step_open(&step, config, batch, threads, tables_plan(config, batch, PRECISION_FLOAT), error))
        return false;
    bool done = evaluation_loss(&step, &checkpoint->parameters, ids, loss, error);
    step_close(&step);
    return done;
}

/* The line of the text that is being listed. */
typedef struct Line {
    size_t number, predictions;
    double sum;
} Line;

static void end_line(Line *line)
{
    char mean[FORMAT_LENGTH];
    format_decimal(line->predictions > 0 ? line->sum / (double)line->predictions : NAN, DECIMALS, mean);
    if (line->predictions > 0) /* a first line of one newline alone predicts nothing */
        printf("line\t%zu\t%zu\t%s\n", line->number, line->predictions, mean);
    *line = (Line){.number = line->number + 1};
}

static void list_window(const Vocabulary *vocabulary, size_t first, const int32_t *targets, const double *losses, int n,
                        Line *line)
{
    for (int i = 0; i < n; i++) {
        char glyph[SYMBOL_NAME_LENGTH], loss[FORMAT_LENGTH];
        vocabulary_glyph(vocabulary, targets[i], glyph);
        format_decimal(losses[i], DECIMALS, loss);
        printf("character\t%zu\t%s\t%s\n", first + (size_t)i + 1, glyph, loss);
        line->sum += losses[i];
        line->predictions++;
        if (vocabulary->symbols[targets[i]] == '\n')
            end_line(line);
    }
}

static bool list_each(const Checkpoint *checkpoint, Ids ids, Error *error)
{
    Head head;
    if (!head_open(&head, &checkpoint->parameters, error))
        return false;
    size_t T = (size_t)head.config.context, predictions = ids.count - 1;
    int32_t *windows = malloc(2 * T * sizeof *windows);
    double *losses = malloc(T * sizeof *losses);
    bool allocated = windows != NULL && losses != NULL;
    Line line = {.number = 1};
    if (allocated && checkpoint->vocabulary.symbols[ids_at(ids, 0)] == '\n')
        end_line(&line);
    for (size_t first = 0; allocated && first < predictions && !ferror(stdout); first += T) {
        int n = predictions - first < T ? (int)(predictions - first) : (int)T;
        batch_window(ids, first, n, windows, windows + T);
        head_losses(&head, windows, windows + T, n, losses);
        list_window(&checkpoint->vocabulary, first, windows + T, losses, n, &line);
    }
    if (line.predictions > 0)
        end_line(&line);
    free(windows);
    free(losses);
    head_close(&head);
    return allocated || error_set(error, "no memory for a window of %zu characters", T);
}

static const char *shown_name(const ScoreOptions *o)
{
    return strcmp(o->words[1], "-") == 0 ? "standard input" : o->words[1];
}

static void print_summary(const char *file, const Corpus *corpus, int context, double loss)
{
    char characters[FORMAT_LENGTH], predictions[FORMAT_LENGTH], text[FORMAT_LENGTH];
    format_count((int64_t)corpus->ids.count, characters);
    format_count((int64_t)corpus->ids.count - 1, predictions);
    printf("%s: %s characters, %s predictions, windows of %d\n", file, characters, predictions, context);
    format_decimal(loss, DECIMALS, text);
    printf("loss         %s nats/char\n", text);
    format_decimal(exp(loss), DECIMALS, text);
    printf("perplexity   %s\n", text);
    format_decimal(loss / log(2), DECIMALS, text);
    printf("bits         %s bits/char\n", text);
}

static bool score(const ScoreOptions *o, const Checkpoint *checkpoint, const Corpus *corpus, Error *error)
{
    double loss;
    if (corpus->ids.count < 2)
        return error_set(error, "%s: a text of one character has nothing to predict; it takes at least 2",
                         shown_name(o));
    if (!mean_loss(checkpoint, corpus->ids, (int)o->threads, &loss, error))
        return false;
    if (o->each) {
        if (!list_each(checkpoint, corpus->ids, error))
            return false;
        putchar('\n');
    }
    print_summary(shown_name(o), corpus, checkpoint->parameters.config.context, loss);
    return true;
}

int command_score(int argc, char **argv)
{
    ScoreOptions o = {.threads = parallel_default_threads()};
    int status = read_options(&o, argc, argv);
    if (status >= 0)
        return status;
    Checkpoint checkpoint;
    Corpus corpus;
    Error error;
    if (!checkpoint_open(&checkpoint, o.words[0], &error))
        return report_failure("score", &error);
    bool done = corpus_open_with(&corpus, o.words[1], &checkpoint.vocabulary, (Unknown)o.unknown, &error);
    if (done) {
        text_input_note("score", &corpus, (Unknown)o.unknown);
        done = score(&o, &checkpoint, &corpus, &error);
        corpus_close(&corpus);
    }
    checkpoint_close(&checkpoint);
    return done ? EXIT_DONE : report_failure("score", &error);
}
