/* command_sample.c -- `soliloquy sample`: text from a model, as it is drawn. */
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text_input.h"
#include "inference/sampler.h"
#include "storage/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct SampleOptions {
    const char *model, *prompt, *prompt_file;
    int64_t length, count;
    ChoiceRule rule;
    uint64_t seed;
    int unknown;
} SampleOptions;

enum { ROWS = 9 };

static const char usage[] = "soliloquy sample MODEL [options]";
static const char description[] =
    "Writes text from a model: first the prompt, then each character as it is drawn. The model reads the last T "
    "characters, its context; an empty prompt stands for a newline (or the vocabulary's first symbol), which is not "
    "printed. A newline ends a text that has none at its end; several texts are separated by lines of three dashes.";

static void make_rows(SampleOptions *o, Option rows[ROWS])
{
    const Option made[ROWS] = {
        {.name = "prompt", .kind = OPTION_TEXT, .value.text = &o->prompt, .help = "what the text begins with"},
        {.name = "prompt-file", .kind = OPTION_PATH, .value.text = &o->prompt_file,
         .help = "the same from a file; - is standard input"},
        {.name = "unknown", .kind = OPTION_CHOICE, .value.choice = &o->unknown, .choices = unknown_names,
         .help = "what to do with characters of the prompt that the model has never seen"},
        {.name = "length", .kind = OPTION_INTEGER, .value.integer = &o->length, .whole = {1, INT32_MAX},
         .help = "characters to draw"},
        {.name = "count", .kind = OPTION_INTEGER, .value.integer = &o->count, .whole = {1, INT32_MAX},
         .help = "texts to draw"},
        {.name = "temperature", .kind = OPTION_REAL, .value.real = &o->rule.temperature,
         .range = {.minimum = 0, .maximum = INFINITY},
         .help = "divides the logits: below 1 safer, above 1 wilder, 0 always the most likely character"},
        {.name = "top-k", .kind = OPTION_INTEGER, .value.integer = &o->rule.top_k, .whole = {0, INT32_MAX},
         .help = "draw among the K most likely characters alone; 0 draws among all"},
        {.name = "top-p", .kind = OPTION_REAL, .value.real = &o->rule.top_p,
         .range = {.minimum = 0, .maximum = 1, .above_minimum = true},
         .help = "draw among the fewest characters that together have this probability; 1 draws among all"},
        {.name = "seed", .kind = OPTION_SEED, .value.seed = &o->seed, .help = "the same seed draws the same text"},
    };
    memcpy(rows, made, sizeof made);
}

/* Returns an exit status, or -1 to go on. */
static int read_options(SampleOptions *o, int argc, char **argv)
{
    Option rows[ROWS];
    Error error;
    Positionals positionals = {.words = &o->model, .limit = 1};
    OptionTable table = {rows, ROWS};
    make_rows(o, rows);
    if (!options_parse(table, argc, argv, &positionals, &error))
        return report_usage("sample", &error);
    if (positionals.help) {
        options_print_help(stdout, usage, description, table);
        return EXIT_DONE;
    }
    if (positionals.count == 0)
        error_set(&error, "name a MODEL: a .safetensors file or the directory of a run");
    else if (o->prompt != NULL && o->prompt_file != NULL)
        error_set(&error, "--prompt and --prompt-file are both given; give one");
    else
        return -1;
    return report_usage("sample", &error);
}

/* One symbol on standard output. False when nobody reads any more. */
static bool put_symbol(const Vocabulary *vocabulary, int id, bool at_once)
{
    char text[4];
    size_t length = (size_t)vocabulary_text(vocabulary, id, text);
    if (fwrite(text, 1, length, stdout) != length)
        return false;
    return !(at_once || text[0] == '\n') || fflush(stdout) == 0;
}

/* Prompt and `length` symbols more. */
static bool write_text(Sampler *sampler, const Vocabulary *vocabulary, Ids prompt, int64_t length, Random random)
{
    bool terminal = isatty(STDOUT_FILENO);
    int32_t id = -1;
    sampler_begin(sampler, prompt);
    for (size_t i = 0; i < prompt.count; i++)
        if (!put_symbol(vocabulary, id = ids_at(prompt, i), false))
            return false;
    for (int64_t i = 0; i < length; i++)
        if (!put_symbol(vocabulary, id = sampler_next(sampler, &random), terminal))
            return false;
    return vocabulary->symbols[id] == '\n' || (putchar('\n') != EOF && fflush(stdout) == 0);
}

static void note_window(int64_t length, size_t prompt, int context)
{
    char reads[FORMAT_LENGTH];
    int64_t begins = prompt > 0 ? (int64_t)prompt : 1; /* an empty prompt stands for one symbol */
    format_count(context, reads);
    if (prompt > (size_t)context)
        report_note("sample", "the prompt is longer than the context: the window slides, and the model reads the last "
                              "%s characters, at positions from 0", reads);
    else if (begins + length - 1 > context)
        report_note("sample", "past %s characters the window slides: the model reads the last %s, at positions from 0",
                    reads, reads);
}

static int sample(const SampleOptions *o, const Checkpoint *checkpoint, Ids prompt)
{
    Head head = {0};
    Sampler sampler = {0};
    Error error;
    bool opened = head_open(&head, &checkpoint->parameters, &error) &&
                  sampler_open(&sampler, &head, &checkpoint->vocabulary, o->rule, &error);
    if (opened) {
        Random root = random_seed(o->seed);
        note_window(o->length, prompt.count, head.config.context);
        for (int64_t i = 0; i < o->count; i++) {
            if (i > 0 && fputs("---\n", stdout) == EOF)
                break;
            if (!write_text(&sampler, &checkpoint->vocabulary, prompt, o->length, random_split(&root)))
                break; /* main tells why */
        }
    }
    sampler_close(&sampler);
    head_close(&head);
    return opened ? EXIT_DONE : report_failure("sample", &error);
}

int command_sample(int argc, char **argv)
{
    SampleOptions o = {.length = 300, .count = 1, .rule = {.temperature = 1, .top_p = 1}, .seed = 1337};
    int status = read_options(&o, argc, argv);
    if (status >= 0)
        return status;
    Checkpoint checkpoint;
    Error error;
    if (!checkpoint_open(&checkpoint, o.model, &error))
        return report_failure("sample", &error);
    Corpus prompt;
    TextInput input = {"--prompt", o.prompt, o.prompt_file, (Unknown)o.unknown};
    status = text_input_open(&prompt, input, &checkpoint.vocabulary, &error);
    if (status == EXIT_DONE) {
        text_input_note("sample", &prompt, (Unknown)o.unknown);
        status = sample(&o, &checkpoint, prompt.ids);
        corpus_close(&prompt);
    } else {
        report_failure("sample", &error);
    }
    checkpoint_close(&checkpoint);
    return status;
}
