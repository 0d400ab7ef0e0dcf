#include "training/run.h"

#include "base/clock.h"
#include "base/file.h"
#include "training/run_directory.h"

#include <math.h>
#include <stdlib.h>

/* One stretch of a run: from where it stood to where it stops. */
typedef struct Stretch {
    Trainer *trainer;
    RunLog *log;
    const RunOptions *options;
    double began, saved;    /* clock_seconds */
    double stepping;        /* seconds spent in steps */
    int64_t first_step;
    StepReport report;      /* of the last step */
} Stretch;

static bool save(const Stretch *s, const char *name, bool with_moments, Error *error)
{
    char *path = path_join(s->options->directory, name);
    if (path == NULL)
        return error_set(error, "cannot write %s/%s: out of memory", s->options->directory, name);
    bool saved = trainer_save(s->trainer, path, with_moments, error);
    free(path);
    return saved;
}

static RunProgress progress_of(const Stretch *s)
{
    const Trainer *t = s->trainer;
    double done = (double)(t->state.step - s->first_step);
    double tokens = (double)t->settings.batch_size * t->parameters.config.context;
    int64_t steps = t->settings.schedule.steps;
    return (RunProgress){
        .step = t->state.step,
        .steps = steps,
        .train_loss = done > 0 ? s->report.loss : NAN,
        .validation_loss = t->state.validation_loss,
        .tokens_per_second = s->stepping > 0 ? done * tokens / s->stepping : NAN,
        .seconds_left = done > 0 ? (clock_seconds() - s->began) / done * (double)(steps - t->state.step) : NAN,
    };
}

/* Validation, the best checkpoint, a line in the log. */
static bool evaluate(Stretch *s, Error *error)
{
    Trainer *t = s->trainer;
    bool best;
    if (!trainer_validate(t, &best, error))
        return false;
    RunProgress progress = progress_of(s);
    if (t->state.train_loss_count > 0)
        progress.train_loss = t->state.train_loss_sum / (double)t->state.train_loss_count;
    RunLogLine line = {
        .step = t->state.step,
        .train_loss = progress.train_loss,
        .validation_loss = t->state.validation_loss,
        .learning_rate = t->state.step > 0 ? schedule_rate(&t->settings.schedule, t->state.step - 1) : NAN,
        .gradient_norm = t->state.step > s->first_step ? s->report.gradient_norm : NAN,
        .tokens = (double)t->state.step * t->settings.batch_size * t->parameters.config.context,
        .seconds = clock_seconds() - s->began,
        .tokens_per_second = progress.tokens_per_second,
    };
    t->state.train_loss_sum = 0;
    t->state.train_loss_count = 0;
    if (!run_log_write(s->log, line, error) || (best && !save(s, RUN_BEST, false, error)))
        return false;
    if (s->options->on_evaluation != NULL)
        s->options->on_evaluation(s->options->context, &progress);
    return true;
}

static bool step_once(Stretch *s, Error *error)
{
    Trainer *t = s->trainer;
    double before = clock_seconds();
    if (!trainer_step(t, &s->report, error))
        return false;
    s->stepping += clock_seconds() - before;
    if (s->options->on_step != NULL) {
        RunProgress progress = progress_of(s);
        s->options->on_step(s->options->context, &progress);
    }
    if ((t->state.step % t->settings.eval_every == 0 || t->state.step == t->settings.schedule.steps) &&
        !evaluate(s, error))
        return false;
    if (clock_seconds() - s->saved >= s->options->checkpoint_every) {
        s->saved = clock_seconds();
        return save(s, RUN_LAST, true, error);
    }
    return true;
}

static RunEnd run_steps(Stretch *s, Error *error)
{
    const RunState *state = &s->trainer->state;
    while (state->step < s->trainer->settings.schedule.steps) {
        if (*s->options->stop)
            return RUN_INTERRUPTED;
        if (state->step >= s->options->pause_at)
            return RUN_PAUSED;
        if (clock_seconds() - s->began >= s->options->max_seconds)
            return RUN_OUT_OF_TIME;
        if (!step_once(s, error))
            return RUN_FAILED;
    }
    return RUN_COMPLETE;
}

RunEnd run_train(Trainer *trainer, RunLog *log, const RunOptions *options, Error *error)
{
    Stretch stretch = {.trainer = trainer, .log = log, .options = options, .first_step = trainer->state.step};
    stretch.began = stretch.saved = clock_seconds();
    bool is_new = log->last_step < 0 && trainer->state.step == 0;
    if (is_new && (!evaluate(&stretch, error) || !save(&stretch, RUN_LAST, true, error)))
        return RUN_FAILED;
    RunEnd end = run_steps(&stretch, error);
    if (end != RUN_FAILED && !save(&stretch, RUN_LAST, true, error))
        return RUN_FAILED;
    return end;
}
