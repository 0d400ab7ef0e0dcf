/* options.h -- the options of a command, as a table of rows.
 *
 * `--name value` and `--name=value`; a flag takes no value; `--` ends options; `--help` and `-h`; everything else is
 * a positional argument, `-` too. A separate value may not begin with `--` (it is a forgotten value more often than a
 * text), but `--name=--text` may. Refused with one line: an unknown option (naming the nearest known one), a missing
 * value, a value for a flag, an option given twice, a value that is not what its row accepts, too many positionals. */
#ifndef SOLILOQUY_CLI_OPTIONS_H
#define SOLILOQUY_CLI_OPTIONS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

typedef enum OptionKind {
    OPTION_FLAG,    /* false until given */
    OPTION_INTEGER, /* a whole number in `whole` */
    OPTION_REAL,    /* a finite number in `range` */
    OPTION_TEXT,    /* any text, also an empty one */
    OPTION_PATH,    /* a text that is not empty */
    OPTION_CHOICE,  /* the index of one of `choices` */
    OPTION_SEED     /* 0 to 2^64-1 */
} OptionKind;

/* Both ends belong to the range. */
typedef struct WholeRange {
    int64_t minimum, maximum;
} WholeRange;

/* -INFINITY and INFINITY for an open side; the flags exclude an end. */
typedef struct RealRange {
    double minimum, maximum;
    bool above_minimum, below_maximum;
} RealRange;

typedef struct Option {
    const char *name; /* without dashes */
    OptionKind kind;
    union {
        bool *flag;
        int64_t *integer;
        double *real;
        const char **text; /* of OPTION_PATH too; what is stored there borrows from argv */
        int *choice;
        uint64_t *seed;
    } value; /* where it goes; what stands there before parsing is the default */
    WholeRange whole;
    RealRange range;
    const char *const *choices; /* ends with NULL */
    const char *group;          /* heading that begins above this row; NULL: same as the row above */
    const char *placeholder;    /* of the value in the help; NULL: N, X, TEXT, FILE or NAME by kind */
    const char *shown;          /* default in the help; NULL: the value itself (nothing for NULL and NaN); "": none */
    const char *help;           /* one line */
    bool given;                 /* set by options_parse */
    const char *argument;       /* set by options_parse: the value as it was written, borrowed from argv; or NULL */
} Option;

typedef struct OptionTable {
    Option *rows;
    int count;
} OptionTable;

typedef struct Positionals {
    const char **words; /* borrowed: the caller's room for `limit` of them; what is stored borrows from argv */
    int limit;
    int count; /* set by options_parse */
    bool help; /* set by options_parse: --help was given, and nothing was stored */
} Positionals;

/* Parses argv[0..argc), which begins after the command's name. Values are stored only after every word was
 * understood, so that defaults still stand when help is printed. */
bool options_parse(OptionTable table, int argc, char *const *argv, Positionals *positionals, Error *error);

/* Whether the option of that name was given; it must be in the table. */
bool options_given(OptionTable table, const char *name);

/* Usage line, description, then every row with its range or choices and its default, within 100 columns. */
void options_print_help(FILE *stream, const char *usage, const char *description, OptionTable table);

enum { OPTION_RANGE_LENGTH = 512 };

/* What a row accepts, as messages say it: "a whole number from 0 to 10", "one of cosine, constant". */
void option_accepts(const Option *option, char text[OPTION_RANGE_LENGTH]);

#endif
