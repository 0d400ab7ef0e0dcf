#include "cli/attend_options.h"

#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/options.h"
#include "cli/text_input.h"
#include "report/attention_files.h"

#include <string.h>

enum { ROWS = 8, DEFAULT_WINDOWS = 16, TERMINAL = 16, LONGEST_NAME = 8 };

static const char usage[] = "soliloquy attend MODEL [options]";
static const char description[] =
    "What the head attends to, exactly: row = query (the character that reads), column = key (the character that is "
    "read); a row sums to 1. Without a text it looks at the start of the validation text. Without --out the first "
    "window is printed; with it, attention.npy (float32 [N,T,T]) with attention.json (its characters), attention.csv "
    "and attention.png are written into DIR. A text longer than the context is cut into windows; the last one is moved "
    "back until it is full.";

static void make_rows(AttendOptions *o, const char **format, Option rows[ROWS])
{
    const Option made[ROWS] = {
        {.name = "text", .kind = OPTION_TEXT, .value.text = &o->text, .help = "the text to look at"},
        {.name = "file", .kind = OPTION_PATH, .value.text = &o->file,
         .help = "the same from a file; - is standard input"},
        {.name = "data", .kind = OPTION_PATH, .value.text = &o->data, .shown = "the path that the model remembers",
         .help = "where the text lies that the model was trained on, to look at its validation part"},
        {.name = "unknown", .kind = OPTION_CHOICE, .value.choice = &o->unknown, .choices = unknown_names,
         .help = "what to do with characters that the model has never seen"},
        {.name = "length", .kind = OPTION_INTEGER, .value.integer = &o->length, .whole = {1, INT32_MAX},
         .shown = "the context, at most 1,024; all of --text and --file",
         .help = "characters to look at, from the text's start"},
        {.name = "windows", .kind = OPTION_INTEGER, .value.integer = &o->windows, .whole = {0, INT32_MAX},
         .help = "windows to write; 0 writes all"},
        {.name = "out", .kind = OPTION_PATH, .value.text = &o->out, .placeholder = "DIR",
         .help = "write files into this directory"},
        {.name = "format", .kind = OPTION_TEXT, .value.text = format, .placeholder = "LIST",
         .shown = "npy,csv,png with --out, otherwise term",
         .help = "what to write: npy (with json), json, csv, png, and term, the first window in the terminal"},
    };
    memcpy(rows, made, sizeof made);
}

/* Sets the bits of a list such as "npy,term". */
static bool read_formats(const char *list, unsigned *formats, Error *error)
{
    static const char *const names[] = {"npy", "csv", "json", "png", "term"};
    static const unsigned bits[] = {ATTENTION_NPY, ATTENTION_CSV, ATTENTION_JSON, ATTENTION_PNG, TERMINAL};
    enum { NAMES = sizeof names / sizeof names[0] };
    *formats = 0;
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        char name[LONGEST_NAME + 1] = "", quoted[QUOTED_LENGTH];
        memcpy(name, word, length < LONGEST_NAME ? length : LONGEST_NAME);
        int i = 0;
        while (i < NAMES && strcmp(name, names[i]) != 0)
            i++;
        if (i == NAMES) {
            const char *nearest = nearest_name(name, names, NAMES);
            format_quoted(name, quoted);
            return error_set(error, "--format: %s is none of npy, csv, json, png, term%s%s%s", quoted,
                             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                             nearest != NULL ? "'?" : "; separate them by commas");
        }
        *formats |= bits[i];
        word += length;
        if (*word == '\0')
            return true;
    }
}

bool attend_options_parse(AttendOptions *o, int argc, char **argv, Error *error)
{
    Option rows[ROWS];
    OptionTable table = {rows, ROWS};
    const char *format = NULL;
    *o = (AttendOptions){.windows = DEFAULT_WINDOWS};
    Positionals positionals = {.words = &o->model, .limit = 1};
    make_rows(o, &format, rows);
    if (!options_parse(table, argc, argv, &positionals, error))
        return false;
    o->help = positionals.help;
    if (o->help) {
        options_print_help(stdout, usage, description, table);
        return true;
    }
    if (positionals.count == 0)
        return error_set(error, "name a MODEL: a .safetensors file or the directory of a run");
    if ((o->text != NULL) + (o->file != NULL) + (o->data != NULL) > 1)
        return error_set(error, "--text, --file and --data name three different texts; give one of them");
    unsigned formats = o->out != NULL ? ATTENTION_ALL_FILES : TERMINAL;
    if (format != NULL && !read_formats(format, &formats, error))
        return false;
    o->files = formats & ATTENTION_ALL_FILES;
    o->terminal = (formats & TERMINAL) != 0;
    if (o->out == NULL && o->files != 0)
        return error_set(error, "--format %s writes files; say where with --out DIR", format);
    if (o->out != NULL && o->files == 0)
        return error_set(error, "--out writes files, and --format term none; leave one of them out");
    if (o->out == NULL && options_given(table, "windows"))
        return error_set(error, "--windows counts the windows that are written; say where with --out DIR");
    return true;
}
