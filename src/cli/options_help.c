#include "cli/number.h"
#include "cli/options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    HELP_WIDTH = 100, /* columns */
    HELP_COLUMN = 32  /* the explanation begins here at the latest */
};

static void whole_range(const WholeRange *range, bool brief, char *text, size_t size)
{
    assert(range->minimum < range->maximum);
    if (brief && (range->maximum == INT32_MAX || range->maximum == INT64_MAX))
        snprintf(text, size, "at least %lld", (long long)range->minimum);
    else
        snprintf(text, size, "from %lld to %lld", (long long)range->minimum, (long long)range->maximum);
}

/* Empty where neither side is limited. */
static void real_range(const RealRange *range, char *text, size_t size)
{
    assert(range->minimum < range->maximum);
    char minimum[NUMBER_LENGTH], maximum[NUMBER_LENGTH];
    number_write(range->minimum, minimum);
    number_write(range->maximum, maximum);
    bool from = isfinite(range->minimum), to = isfinite(range->maximum);
    if (from && to && !range->above_minimum && !range->below_maximum)
        snprintf(text, size, "from %s to %s", minimum, maximum);
    else
        snprintf(text, size, "%s%s%s%s%s", !from ? "" : range->above_minimum ? "above " : "at least ",
                 from ? minimum : "", from && to ? " and " : "",
                 !to ? "" : range->below_maximum ? "below " : "at most ", to ? maximum : "");
}

static void choice_list(const Option *option, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; option->choices[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", option->choices[i]);
}

void option_accepts(const Option *option, char text[OPTION_RANGE_LENGTH])
{
    char range[OPTION_RANGE_LENGTH - 32];
    switch (option->kind) {
    case OPTION_FLAG: snprintf(text, OPTION_RANGE_LENGTH, "nothing"); return;
    case OPTION_INTEGER:
        whole_range(&option->whole, false, range, sizeof range);
        snprintf(text, OPTION_RANGE_LENGTH, "a whole number %s", range);
        return;
    case OPTION_REAL:
        real_range(&option->range, range, sizeof range);
        snprintf(text, OPTION_RANGE_LENGTH, "a %snumber%s%s", range[0] == '\0' ? "finite " : "",
                 range[0] == '\0' ? "" : " ", range);
        return;
    case OPTION_TEXT: snprintf(text, OPTION_RANGE_LENGTH, "a text"); return;
    case OPTION_PATH: snprintf(text, OPTION_RANGE_LENGTH, "a file or directory name"); return;
    case OPTION_CHOICE:
        choice_list(option, range, sizeof range);
        snprintf(text, OPTION_RANGE_LENGTH, "one of %s", range);
        return;
    case OPTION_SEED:
        snprintf(text, OPTION_RANGE_LENGTH, "a whole number from 0 to %llu", (unsigned long long)UINT64_MAX);
        return;
    }
}

static void default_text(const Option *option, char *text, size_t size)
{
    char number[NUMBER_LENGTH];
    text[0] = '\0';
    if (option->shown != NULL) {
        snprintf(text, size, "%s", option->shown);
        return;
    }
    switch (option->kind) {
    case OPTION_FLAG: return;
    case OPTION_INTEGER: snprintf(text, size, "%lld", (long long)*option->value.integer); return;
    case OPTION_REAL:
        number_write(*option->value.real, number);
        snprintf(text, size, "%s", isnan(*option->value.real) ? "" : number);
        return;
    case OPTION_TEXT:
    case OPTION_PATH: snprintf(text, size, "%s", *option->value.text == NULL ? "" : *option->value.text); return;
    case OPTION_CHOICE: snprintf(text, size, "%s", option->choices[*option->value.choice]); return;
    case OPTION_SEED: snprintf(text, size, "%llu", (unsigned long long)*option->value.seed); return;
    }
}

/* "help [range; default x]" */
static void explanation(const Option *option, char *text, size_t size)
{
    char range[OPTION_RANGE_LENGTH] = "", standard[OPTION_RANGE_LENGTH];
    if (option->kind == OPTION_INTEGER)
        whole_range(&option->whole, true, range, sizeof range);
    else if (option->kind == OPTION_REAL)
        real_range(&option->range, range, sizeof range);
    else if (option->kind == OPTION_CHOICE)
        choice_list(option, range, sizeof range);
    default_text(option, standard, sizeof standard);
    bool both = range[0] != '\0' && standard[0] != '\0', any = range[0] != '\0' || standard[0] != '\0';
    snprintf(text, size, "%s%s%s%s%s%s%s", option->help, any ? " [" : "", range, both ? "; " : "",
             standard[0] != '\0' ? "default " : "", standard, any ? "]" : "");
}

static void heading(const Option *option, char *text, size_t size)
{
    static const char *const placeholders[] = {
        [OPTION_FLAG] = "",     [OPTION_INTEGER] = "N", [OPTION_REAL] = "X",      [OPTION_TEXT] = "TEXT",
        [OPTION_PATH] = "FILE", [OPTION_CHOICE] = "NAME", [OPTION_SEED] = "N",
    };
    const char *placeholder = option->placeholder != NULL ? option->placeholder : placeholders[option->kind];
    snprintf(text, size, "  --%s%s%s", option->name, *placeholder != '\0' ? " " : "", placeholder);
}

/* Columns of text[0..length): UTF-8 continuation bytes take none. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Prints the words of `text` from `column` on and goes on at `indent` where a line is full. A newline is kept. */
static void print_wrapped(FILE *stream, const char *text, int column, int indent)
{
    bool line_start = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        int columns = columns_of(text, length);
        if (length > 0 && !line_start && column + 1 + columns > HELP_WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
            line_start = true;
        }
        if (length > 0) {
            fprintf(stream, "%s%.*s", line_start ? "" : " ", (int)length, text);
            column += columns + !line_start;
            line_start = false;
        }
        text += length;
        if (*text == '\n') {
            fprintf(stream, "\n%*s", text[1] == '\n' ? 0 : indent, "");
            column = indent;
            line_start = true;
        }
        text += *text != '\0';
    }
    fputc('\n', stream);
}

static void print_row(FILE *stream, const char *left, const char *right, int column)
{
    int used = columns_of(left, strlen(left));
    fputs(left, stream);
    if (used + 2 > column)
        fprintf(stream, "\n%*s", column, "");
    else
        fprintf(stream, "%*s", column - used, "");
    print_wrapped(stream, right, column, column);
}

void options_print_help(FILE *stream, const char *usage, const char *description, OptionTable table)
{
    char left[128], right[2 * OPTION_RANGE_LENGTH + 256];
    int column = columns_of("  --help", 8) + 2;
    for (int i = 0; i < table.count; i++) {
        heading(&table.rows[i], left, sizeof left);
        int used = columns_of(left, strlen(left)) + 2;
        if (used > column && used <= HELP_COLUMN)
            column = used;
    }
    fputs("usage: ", stream);
    print_wrapped(stream, usage, 7, 7);
    fputc('\n', stream);
    print_wrapped(stream, description, 0, 0);
    for (int i = 0; i < table.count; i++) {
        if (table.rows[i].group != NULL)
            fprintf(stream, "\n%s:\n", table.rows[i].group);
        else if (i == 0)
            fputs("\noptions:\n", stream);
        heading(&table.rows[i], left, sizeof left);
        explanation(&table.rows[i], right, sizeof right);
        print_row(stream, left, right, column);
    }
    fputc('\n', stream);
    print_row(stream, "  --help", "print this and exit", column);
}
