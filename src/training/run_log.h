/* run_log.h -- log.jsonl: one JSON object a line, each flushed as it is written.
 *
 * The first line is what is trained ("config", "training", ...); then one line an evaluation with step, train_loss
 * (the mean since the line before), validation_loss (null without a split), learning_rate, gradient_norm, tokens,
 * seconds, tokens_per_second; what no step has given yet is null. Losses in nats a character, seconds since the run
 * began. A resume drops the lines beyond the checkpoint's step and goes on: no step twice. */
#ifndef SOLILOQUY_TRAINING_RUN_LOG_H
#define SOLILOQUY_TRAINING_RUN_LOG_H

#include "base/error.h"
#include "text/counts.h"
#include "training/trainer.h"

typedef struct RunLog {
    FILE *stream;           /* owned */
    char *path;             /* owned */
    double seconds_before;  /* of the run before this stretch; 0 for a new one */
    int64_t last_step;      /* of the last line; -1 where there is none yet */
} RunLog;

typedef struct RunLogLine {
    int64_t step;
    double train_loss, validation_loss, learning_rate, gradient_norm; /* NaN is written as null */
    double tokens, seconds, tokens_per_second;                        /* seconds of this stretch */
} RunLogLine;

/* Begins a log with its first line, replacing an old one. */
bool run_log_begin(RunLog *log, const char *path, const Trainer *trainer, const Baselines *baselines, Error *error);

/* Goes on with the log of a run that stands at trainer->state.step; begins one where there is none. */
bool run_log_resume(RunLog *log, const char *path, const Trainer *trainer, const Baselines *baselines, Error *error);

bool run_log_write(RunLog *log, RunLogLine line, Error *error);

/* Accepts a zeroed RunLog. */
void run_log_close(RunLog *log);

#endif
