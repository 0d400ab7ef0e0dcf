#include "cli/options.h"

#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

static Option *find(OptionTable table, const char *name, size_t length)
{
    for (int i = 0; i < table.count; i++) {
        if (strlen(table.rows[i].name) == length && memcmp(table.rows[i].name, name, length) == 0)
            return &table.rows[i];
    }
    return NULL;
}

/* `name` is the word without its dashes, up to a '='. */
static bool refuse_unknown(OptionTable table, const char *word, const char *name, size_t length, Error *error)
{
    char cut[LONGEST_NAME + 1], quoted[QUOTED_LENGTH];
    size_t dashes = (size_t)(name - word);
    snprintf(cut, sizeof cut, "%.*s", (int)(length < LONGEST_NAME ? length : LONGEST_NAME), name);
    const char *nearest = NULL;
    const char **names = malloc(((size_t)table.count + 1) * sizeof *names);
    if (names != NULL && length <= LONGEST_NAME) {
        for (int i = 0; i < table.count; i++)
            names[i] = table.rows[i].name;
        names[table.count] = "help";
        nearest = nearest_name(cut, names, table.count + 1);
    }
    free(names);
    format_quoted(cut, quoted);
    quoted[strlen(quoted) - 1] = '\0'; /* the name without its quotes */
    if (nearest != NULL)
        return error_set(error, "unknown option %.*s%s; did you mean --%s?", (int)dashes, "--", quoted + 1, nearest);
    return error_set(error, "unknown option %.*s%s; --help lists the options", (int)dashes, "--", quoted + 1);
}

static bool refuse_value(const Option *option, Error *error)
{
    char quoted[QUOTED_LENGTH], accepts[OPTION_RANGE_LENGTH];
    format_quoted(option->argument, quoted);
    option_accepts(option, accepts);
    const char *nearest = NULL;
    if (option->kind == OPTION_CHOICE) {
        int count = 0;
        while (option->choices[count] != NULL)
            count++;
        nearest = nearest_name(option->argument, option->choices, count);
    }
    return error_set(error, "--%s: %s is not %s%s%s%s", option->name, quoted, accepts,
                     nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest,
                     nearest == NULL ? "" : "?");
}

static bool store_integer(const Option *option)
{
    int64_t value;
    if (!number_read_integer(option->argument, &value) || value < option->whole.minimum ||
        value > option->whole.maximum)
        return false;
    *option->value.integer = value;
    return true;
}

static bool store_real(const Option *option)
{
    const RealRange *range = &option->range;
    double value;
    if (!number_read_real(option->argument, &value) || value < range->minimum || value > range->maximum ||
        (range->above_minimum && value <= range->minimum) || (range->below_maximum && value >= range->maximum))
        return false;
    *option->value.real = value;
    return true;
}

static bool store_choice(const Option *option)
{
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], option->argument) == 0) {
            *option->value.choice = i;
            return true;
        }
    }
    return false;
}

static bool store(const Option *option)
{
    switch (option->kind) {
    case OPTION_FLAG: *option->value.flag = true; return true;
    case OPTION_INTEGER: return store_integer(option);
    case OPTION_REAL: return store_real(option);
    case OPTION_TEXT:
    case OPTION_PATH:
        if (option->kind == OPTION_PATH && option->argument[0] == '\0')
            return false;
        *option->value.text = option->argument;
        return true;
    case OPTION_CHOICE: return store_choice(option);
    case OPTION_SEED: return number_read_unsigned(option->argument, option->value.seed);
    }
    return false;
}

/* Notes the option's value; `attached` is what follows '=', or NULL, and `next` the word after, or NULL.
 * *taken tells whether `next` was the value. */
static bool note(Option *option, const char *attached, const char *next, bool *taken, Error *error)
{
    *taken = false;
    if (option->kind == OPTION_FLAG && attached != NULL)
        return error_set(error, "--%s takes no value; write --%s alone", option->name, option->name);
    const char *argument = attached;
    if (option->kind != OPTION_FLAG && attached == NULL) {
        if (next == NULL || strncmp(next, "--", 2) == 0) {
            char accepts[OPTION_RANGE_LENGTH];
            option_accepts(option, accepts);
            return error_set(error, "--%s needs a value: %s%s%s%s", option->name, accepts,
                             next == NULL ? "" : " (one that begins with dashes is written --",
                             next == NULL ? "" : option->name, next == NULL ? "" : "=VALUE)");
        }
        argument = next;
        *taken = true;
    }
    if (option->given && option->kind != OPTION_FLAG) {
        char first[QUOTED_LENGTH], second[QUOTED_LENGTH];
        format_quoted(option->argument, first);
        format_quoted(argument, second);
        return error_set(error, "--%s is given twice, %s and %s; give it once", option->name, first, second);
    }
    if (option->given)
        return error_set(error, "--%s is given twice; give it once", option->name);
    option->given = true;
    option->argument = argument;
    return true;
}

static bool add_positional(Positionals *positionals, const char *word, Error *error)
{
    if (positionals->count == positionals->limit) {
        char quoted[QUOTED_LENGTH];
        format_quoted(word, quoted);
        return error_set(error, "unexpected argument %s; --help shows what the command takes", quoted);
    }
    positionals->words[positionals->count++] = word;
    return true;
}

/* Sorts the words into options and positionals; stops at --help. */
static bool read_words(OptionTable table, int argc, char *const *argv, Positionals *positionals, Error *error)
{
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (!add_positional(positionals, word, error))
                return false;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            positionals->help = true;
            return true;
        }
        bool two_dashes = word[1] == '-', taken;
        const char *name = word + (two_dashes ? 2 : 1);
        size_t length = strcspn(name, "=");
        const char *attached = name[length] == '=' ? name + length + 1 : NULL;
        if (two_dashes && attached != NULL && length == 4 && memcmp(name, "help", 4) == 0)
            return error_set(error, "--help takes no value; write --help alone");
        Option *option = two_dashes ? find(table, name, length) : NULL;
        if (option == NULL)
            return refuse_unknown(table, word, name, length, error);
        if (!note(option, attached, i + 1 < argc ? argv[i + 1] : NULL, &taken, error))
            return false;
        i += taken;
    }
    return true;
}

bool options_parse(OptionTable table, int argc, char *const *argv, Positionals *positionals, Error *error)
{
    positionals->count = 0;
    positionals->help = false;
    for (int i = 0; i < table.count; i++) {
        table.rows[i].given = false;
        table.rows[i].argument = NULL;
    }
    if (!read_words(table, argc, argv, positionals, error))
        return false;
    for (int i = 0; i < table.count && !positionals->help; i++) {
        if (table.rows[i].given && !store(&table.rows[i]))
            return refuse_value(&table.rows[i], error);
    }
    return true;
}

bool options_given(OptionTable table, const char *name)
{
    const Option *option = find(table, name, strlen(name));
    assert(option != NULL);
    return option != NULL && option->given;
}
