/* command_attend.c -- `soliloquy attend`: what the head attends to, in the terminal or as files. */
#include "cli/attend_options.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/text_input.h"
#include "report/attention_files.h"
#include "report/heat_map.h"
#include "storage/checkpoint.h"
#include "training/trainer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_WIDTH = 132 }; /* columns where nothing says how many: two for each of 64 characters, and the labels */

/* What is looked at. */
typedef struct Subject {
    Corpus corpus;
    Ids ids;          /* a view of the corpus */
    const char *name;
    uint64_t first;   /* of ids[0] in the text of that name */
    bool validation;  /* it is the validation text's start */
} Subject;

static void take(Subject *subject, size_t first, size_t end, int64_t length)
{
    size_t count = end - first;
    if (length > 0 && (size_t)length < count)
        count = (size_t)length;
    subject->first = first;
    subject->ids = ids_slice(subject->corpus.ids, first, count);
}

/* The validation text's start, or the training text's where nothing was held back. */
static bool open_validation(Subject *subject, const AttendOptions *o, const Checkpoint *checkpoint, Error *error)
{
    const char *path = o->data != NULL ? o->data : checkpoint->data;
    Error inner = {0};
    if (!corpus_open_with(&subject->corpus, path, &checkpoint->vocabulary, UNKNOWN_SKIP, &inner))
        return error_set(error, "%.800s; it is the text the model was trained on: name its place with --data, or look "
                                "at another text with --text or --file", inner.message);
    if (subject->corpus.hash != checkpoint->data_hash) {
        uint64_t found = subject->corpus.hash;
        corpus_close(&subject->corpus);
        return error_set(error, "%.700s is not the text the model was trained on (hash %016" PRIx64 ", the model's %016"
                                PRIx64 "); name that text with --data, or look at this one with --file", path, found,
                         checkpoint->data_hash);
    }
    size_t count = subject->corpus.ids.count, split = trainer_split(count, checkpoint->validation_fraction);
    subject->name = path;
    subject->validation = split < count;
    int context = checkpoint->parameters.config.context;
    int64_t unasked = context < ATTENTION_MAP_UNASKED ? context : ATTENTION_MAP_UNASKED;
    int64_t length = o->length > 0 ? o->length : unasked;
    take(subject, subject->validation ? split : 0, count, length);
    return true;
}

/* Returns an exit status; the corpus is open after EXIT_DONE. */
static int open_subject(Subject *subject, const AttendOptions *o, const Checkpoint *checkpoint, Error *error)
{
    if (o->text == NULL && o->file == NULL)
        return open_validation(subject, o, checkpoint, error) ? EXIT_DONE : EXIT_FAILED;
    TextInput input = {"--text", o->text, o->file, (Unknown)o->unknown};
    int status = text_input_open(&subject->corpus, input, &checkpoint->vocabulary, error);
    if (status != EXIT_DONE)
        return status;
    text_input_note("attend", &subject->corpus, (Unknown)o->unknown);
    subject->name = o->text != NULL ? "--text" : strcmp(o->file, "-") == 0 ? "standard input" : o->file;
    if (subject->corpus.ids.count > 0) {
        take(subject, 0, subject->corpus.ids.count, o->length);
        return EXIT_DONE;
    }
    corpus_close(&subject->corpus);
    error_set(error, "%s is empty; attention takes at least one character", subject->name);
    return EXIT_USAGE;
}

static int map_width(void)
{
    const char *columns = getenv("COLUMNS");
    return isatty(STDOUT_FILENO) || (columns != NULL && columns[0] != '\0') ? terminal_width(stdout) : PIPE_WIDTH;
}

static bool print_map(const AttentionMap *map, const Subject *subject, const Checkpoint *checkpoint, Error *error)
{
    const char **glyphs = attention_glyphs(map, subject->ids, &checkpoint->vocabulary);
    if (glyphs == NULL)
        return error_set(error, "no memory for the labels of %zu windows", map->windows);
    const HeatMap heat = {
        .weights = map->weights, .n = map->n, .glyphs = glyphs,
        .causal = checkpoint->parameters.config.mask == MASK_CAUSAL,
        .width = map_width(), .color = terminal_colors(stdout),
    };
    char title[256], from[FORMAT_LENGTH], to[FORMAT_LENGTH];
    format_count((int64_t)(subject->first + map->starts[0]), from);
    format_count((int64_t)(subject->first + map->starts[0]) + map->n - 1, to);
    snprintf(title, sizeof title, "%.150s%s, characters %s to %s", subject->name,
             subject->validation ? ", validation text" : "", from, to);
    heat_map_print(&heat, title, stdout);
    free(glyphs);
    return true;
}

static void note_windows(const AttendOptions *o, const AttentionMap *map, const Subject *subject)
{
    char all[FORMAT_LENGTH], shown[FORMAT_LENGTH];
    format_count((int64_t)map->available, all);
    format_count((int64_t)map->windows, shown);
    if (o->out == NULL && map->available > 1)
        report_note("attend", "the first of %s windows of %d characters; --out DIR writes the others", all, map->n);
    if (o->out != NULL && map->windows < map->available)
        report_note("attend", "the first %s of %s windows of %d characters; --windows 0 takes all", shown, all, map->n);
    else if (o->out != NULL && map->available > 1 && subject->ids.count % (size_t)map->n != 0)
        report_note("attend", "the last of %s windows begins earlier, at character %zu, to be full", all,
                    map->starts[map->windows - 1]);
}

static bool attend(const AttendOptions *o, const Subject *subject, const Checkpoint *checkpoint, Error *error)
{
    Head head;
    AttentionMap map = {0};
    if (!head_open(&head, &checkpoint->parameters, error))
        return false;
    bool done = attention_map_open(&map, &head, subject->ids, o->out == NULL ? 1 : (size_t)o->windows, error);
    head_close(&head);
    if (!done)
        return false;
    note_windows(o, &map, subject);
    if (o->terminal)
        done = print_map(&map, subject, checkpoint, error);
    if (done && o->out != NULL) {
        const AttentionOrigin origin = {
            .config = &checkpoint->parameters.config, .vocabulary = &checkpoint->vocabulary, .ids = subject->ids,
            .text = subject->name, .first = subject->first, .step = checkpoint->state.step, .data = checkpoint->data,
            .data_hash = checkpoint->data_hash,
        };
        done = attention_files_write(o->out, o->files, &map, &origin, error);
        if (done)
            printf("%s: attention of %zu window%s of %d characters; row = query (reads), column = key (is read)\n",
                   o->out, map.windows, map.windows == 1 ? "" : "s", map.n);
    }
    attention_map_close(&map);
    return done;
}

int command_attend(int argc, char **argv)
{
    AttendOptions o;
    Error error = {0};
    if (!attend_options_parse(&o, argc, argv, &error))
        return report_usage("attend", &error);
    if (o.help)
        return EXIT_DONE;
    Checkpoint checkpoint;
    if (!checkpoint_open(&checkpoint, o.model, &error))
        return report_failure("attend", &error);
    Subject subject = {0};
    int status = open_subject(&subject, &o, &checkpoint, &error);
    if (status == EXIT_DONE) {
        status = attend(&o, &subject, &checkpoint, &error) ? EXIT_DONE : EXIT_FAILED;
        corpus_close(&subject.corpus);
    }
    checkpoint_close(&checkpoint);
    if (status != EXIT_DONE)
        report_failure("attend", &error);
    return status;
}
