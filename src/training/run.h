/* run.h -- a training run from where it stands to where it ends: steps, evaluations, checkpoints, the log.
 *
 * Files in the run's directory:
 *   best.safetensors  whenever the validation loss improves
 *   last.safetensors  with Adam's moments: at the start, every checkpoint_every seconds, and at every end
 *   log.jsonl         training/run_log.h */
#ifndef SOLILOQUY_TRAINING_RUN_H
#define SOLILOQUY_TRAINING_RUN_H

#include "training/run_log.h"
#include "training/trainer.h"

#include <signal.h>

typedef enum RunEnd {
    RUN_COMPLETE,    /* all steps are done */
    RUN_PAUSED,      /* pause_at was reached */
    RUN_OUT_OF_TIME, /* max_seconds passed */
    RUN_INTERRUPTED, /* *stop was set */
    RUN_FAILED       /* the Error says why */
} RunEnd;

/* Where a run is, for whoever watches. */
typedef struct RunProgress {
    int64_t step, steps;
    double train_loss;        /* of the last step, or at an evaluation the mean since the last one; NaN before any */
    double validation_loss;   /* of the last evaluation; NaN before any */
    double tokens_per_second; /* of this stretch's steps, evaluations left out; NaN before any */
    double seconds_left;      /* at that speed; NaN before any */
} RunProgress;

typedef struct RunOptions {
    const char *directory;
    double checkpoint_every; /* seconds */
    double max_seconds;      /* of this stretch; infinity: no limit */
    int64_t pause_at;        /* stop after this step; INT64_MAX: never */
    volatile sig_atomic_t *stop; /* set from outside: finish the step, save, end */
    void (*on_step)(void *context, const RunProgress *progress);
    void (*on_evaluation)(void *context, const RunProgress *progress);
    void *context;
} RunOptions;

/* Runs. Whatever the end, files that were complete before stay complete. A new run is evaluated and saved
 * before its first step, so that there is always something to resume from. */
RunEnd run_train(Trainer *trainer, RunLog *log, const RunOptions *options, Error *error);

#endif
