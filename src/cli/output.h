/* output.h -- how commands speak: results that are checked, and errors of one line.
 *
 * A reader that went away (`| head -1`) is no error: the command ends quietly, as done. A full disk is one. */
#ifndef SOLILOQUY_CLI_OUTPUT_H
#define SOLILOQUY_CLI_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

/* "soliloquy COMMAND: message" on standard error; returns the exit status. */
int report_failure(const char *command, const Error *error);
int report_usage(const char *command, const Error *error);

/* "soliloquy COMMAND: note: ..." on standard error. */
void report_note(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A word as a shell takes it, in quotes where it needs them. */
void output_shell_word(FILE *out, const char *word);

/* To be called once, before anything is written: a write to a reader that went away, or beyond the limit on a file's
 * size, fails instead of killing. */
void output_prepare(void);

/* Standard output is written and flushed. Returns the status, or EXIT_FAILED with a message when the results did not
 * get out although somebody waits for them. */
int output_finish(int status);

#endif
