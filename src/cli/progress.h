/* progress.h -- how far the work is, on standard error.
 *
 * On a terminal one live line is rewritten in place, at most ten times a second, cut to the terminal's width; it is
 * erased before any other line. Elsewhere (a pipe, a file, TERM=dumb) only whole lines are written. No colours. When
 * quiet, nothing is written at all. Failed writes are ignored: progress is not a result. */
#ifndef SOLILOQUY_CLI_PROGRESS_H
#define SOLILOQUY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Progress {
    FILE *stream; /* borrowed */
    bool quiet;
    bool live;          /* the stream is a terminal that rewrites its line */
    bool line_shown;    /* a live line stands there and has no newline yet */
    double last_update; /* seconds on the monotonic clock; of the live line */
} Progress;

/* What is not known is left out of the line: NaN for a loss, NaN or a negative number for speed and time left. */
typedef struct ProgressState {
    int64_t step, steps;
    double train_loss, validation_loss; /* nats a character */
    double tokens_per_second;
    double seconds_left;
} ProgressState;

void progress_open(Progress *progress, FILE *stream, bool quiet);

/* A whole line; the newline is added. */
void progress_note(Progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The live line, with two decimals of the losses. The last step is always shown. */
void progress_step(Progress *progress, const ProgressState *state);

/* A whole line for an evaluation, with four decimals of the losses. */
void progress_evaluation(Progress *progress, const ProgressState *state);

/* Erases the live line; to be called before anybody else writes on the terminal. More may follow. */
void progress_pause(Progress *progress);

/* Erases the live line; accepts a zeroed Progress, which every function here treats as quiet. */
void progress_close(Progress *progress);

#endif
