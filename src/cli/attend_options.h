/* attend_options.h -- what the words after `attend` ask for. */
#ifndef SOLILOQUY_CLI_ATTEND_OPTIONS_H
#define SOLILOQUY_CLI_ATTEND_OPTIONS_H

#include "base/error.h"

#include <stdint.h>

typedef struct AttendOptions {
    const char *model;
    const char *text, *file, *data; /* NULL where not given; text and file never both */
    int64_t length;                 /* characters; 0: not given */
    int64_t windows;                /* 0: all */
    const char *out;                /* NULL: no files */
    unsigned files;                 /* of report/attention_files.h; 0 without `out` */
    bool terminal;                  /* print the first window */
    int unknown;                    /* text/corpus.h */
    bool help;                      /* it was printed; nothing else is set */
} AttendOptions;

bool attend_options_parse(AttendOptions *options, int argc, char **argv, Error *error);

#endif
