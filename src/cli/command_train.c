#include "cli/commands.h"

#include "base/file.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/train_options.h"
#include "cli/train_report.h"
#include "training/run.h"
#include "training/run_directory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE_LENGTH = 300 };

/* Everything a run holds on to, closed together. */
typedef struct Train {
    TrainOptions options;
    Checkpoint checkpoint; /* of a resume */
    Corpus corpus;
    Baselines baselines;
    Trainer trainer;
    RunLog log;
    Progress progress;
    bool restored; /* checkpoint is open */
    int lock;      /* of the directory, training/run_directory.h */
} Train;

static void train_close(Train *train)
{
    progress_close(&train->progress);
    run_log_close(&train->log);
    trainer_close(&train->trainer);
    corpus_close(&train->corpus);
    if (train->restored)
        checkpoint_close(&train->checkpoint);
    run_unlock(train->lock);
}

static const char *default_text(void)
{
    static const char shakespeare[] = "data/tinyshakespeare.txt", sample[] = "data/sample.txt";
    return access(shakespeare, R_OK) == 0 || access(sample, R_OK) != 0 ? shakespeare : sample;
}

/* The checkpoint's model and settings take the place of the command line's. */
static bool open_checkpoint(Train *train, Error *error)
{
    TrainOptions *o = &train->options;
    char *path = path_join(o->directory, RUN_LAST);
    if (path == NULL)
        return error_set(error, "out of memory for a path");
    if (run_exists(o->directory) && !run_lock(o->directory, &train->lock, error)) {
        free(path);
        return false;
    }
    train->restored = checkpoint_open(&train->checkpoint, path, error);
    free(path);
    if (!train->restored)
        return false;
    int64_t steps = o->settings.schedule.steps;
    if (!settings_read(&o->settings, train->checkpoint.training.root, error))
        return false;
    if (o->steps_given)
        o->settings.schedule.steps = steps;
    o->config = train->checkpoint.parameters.config;
    o->bytes = train->checkpoint.vocabulary.bytes;
    if (train->checkpoint.state.step > o->settings.schedule.steps)
        return error_set(error, "%s is at step %lld already; give --steps of at least that", o->directory,
                         (long long)train->checkpoint.state.step);
    return true;
}

/* A resume goes on with the very same text. */
static bool check_text(const Train *train, const char *path, Error *error)
{
    char difference[512];
    if (train->corpus.hash == train->checkpoint.data_hash)
        return true;
    if (!vocabulary_compare(&train->checkpoint.vocabulary, &train->corpus.vocabulary, difference, sizeof difference))
        return error_set(error, "%s is not the text that %s was trained on: its symbols differ: %s; give that text "
                                "with --data", path, train->options.directory, difference);
    return error_set(error, "%s is not the text that %s was trained on: the symbols are the same, the content differs; "
                            "give that text with --data", path, train->options.directory);
}

static bool open_text(Train *train, Error *error)
{
    TrainOptions *o = &train->options;
    const char *path = o->data != NULL ? o->data : o->resume ? o->settings.data : default_text();
    Error inner = {0};
    if (!corpus_open(&train->corpus, path, o->bytes, &inner))
        return error_set(error, "%.800s%s", inner.message, o->resume && o->data == NULL
                         ? "; it is the text the run was trained on: name its place with --data" : "");
    if (o->resume && !check_text(train, path, error))
        return false;
    if (!o->resume) {
        o->settings.data = path;
        o->settings.data_hash = train->corpus.hash;
    }
    o->config.vocabulary_size = train->corpus.vocabulary.size;
    if (train->corpus.vocabulary.size > CHECKPOINT_VOCABULARY_LIMIT)
        return error_set(error, "%s has %d different characters, and a checkpoint holds %d at the most; use --bytes, "
                                "or a text with fewer", path, train->corpus.vocabulary.size,
                         CHECKPOINT_VOCABULARY_LIMIT);
    train_report_text(&train->progress, path, &train->corpus, &o->settings);
    train_report_plan(&train->progress, &o->config, &o->settings, o->threads);
    return true;
}

static bool open_trainer(Train *train, Error *error)
{
    const TrainOptions *o = &train->options;
    if (!trainer_open(&train->trainer, &o->config, &o->settings, &train->corpus, o->threads, error) ||
        (o->resume && !trainer_restore(&train->trainer, &train->checkpoint, error)))
        return false;
    Ids held = train->trainer.validation.count > 1 ? train->trainer.validation : train->trainer.training;
    if (!baselines_count(&train->baselines, train->trainer.training, held, o->config.vocabulary_size, error))
        return false;
    train_report_baselines(&train->progress, &train->baselines);
    return true;
}

/* The directory and its log, after everything that could be refused has been accepted. */
static bool open_directory(Train *train, Error *error)
{
    const TrainOptions *o = &train->options;
    if (!o->resume && (!directory_create(o->directory, error) || !run_lock(o->directory, &train->lock, error)))
        return false;
    if (o->overwrite && !run_remove(o->directory, error))
        return false;
    char *path = path_join(o->directory, RUN_LOG);
    if (path == NULL)
        return error_set(error, "out of memory for a path");
    bool opened = o->resume ? run_log_resume(&train->log, path, &train->trainer, &train->baselines, error)
                            : run_log_begin(&train->log, path, &train->trainer, &train->baselines, error);
    free(path);
    return opened;
}

static ProgressState progress_state(const RunProgress *p)
{
    return (ProgressState){p->step, p->steps, p->train_loss, p->validation_loss, p->tokens_per_second, p->seconds_left};
}

static void on_step(void *progress, const RunProgress *p)
{
    ProgressState state = progress_state(p);
    progress_step(progress, &state);
}

static void on_evaluation(void *progress, const RunProgress *p)
{
    ProgressState state = progress_state(p);
    progress_evaluation(progress, &state);
}

static RunEnd run(Train *train, Error *error)
{
    RunOptions options = {
        .directory = train->options.directory,
        .checkpoint_every = train->options.checkpoint_every,
        .max_seconds = train->options.max_seconds,
        .pause_at = train->options.pause_at,
        .stop = signals_stop(),
        .on_step = on_step,
        .on_evaluation = on_evaluation,
        .context = &train->progress,
    };
    signals_catch();
    return run_train(&train->trainer, &train->log, &options, error);
}

/* What is printed at each kind of end, and the exit status. */
static int finish(Train *train, RunEnd end, Error *error)
{
    const char *directory = train->options.directory;
    long long step = (long long)train->trainer.state.step;
    progress_pause(&train->progress);
    if (end != RUN_COMPLETE) {
        fprintf(stderr, "%s after step %lld; saved in %s. Go on with: ",
                end == RUN_INTERRUPTED ? "stopped" : end == RUN_PAUSED ? "paused" : "out of time", step, directory);
        train_report_command(stderr, "train --resume", directory);
        fputc('\n', stderr);
    }
    if (end == RUN_INTERRUPTED)
        return EXIT_INTERRUPTED;
    train_report_losses(stdout, &train->trainer, &train->baselines);
    if (!train_report_model(stdout, directory, &train->trainer, train->options.maps_text, SAMPLE_LENGTH, error))
        return EXIT_FAILED;
    train_report_files(stdout, directory, &train->trainer);
    return EXIT_DONE;
}

/* Refuses --maps-text with a character the vocabulary lacks before the training, not after it. */
static bool check_maps_text(const Train *train, Error *error)
{
    Corpus encoded;
    const char *text = train->options.maps_text;
    if (text == NULL)
        return true;
    if (!corpus_encode(&encoded, "--maps-text", text, strlen(text), &train->corpus.vocabulary, UNKNOWN_FORBID, error))
        return false;
    corpus_close(&encoded);
    return true;
}

/* Closes first, so that no live line stands where the message goes. */
static int fail(Train *train, int status, const Error *error)
{
    train_close(train);
    report_failure("train", error);
    return status;
}

int command_train(int argc, char **argv)
{
    Train train = {.lock = -1};
    Error error = {0};
    if (!train_options_parse(&train.options, argc, argv, &error))
        return fail(&train, EXIT_USAGE, &error);
    if (train.options.help)
        return EXIT_DONE;
    if (!train.options.resume && !train.options.overwrite && run_exists(train.options.directory)) {
        error_set(&error, "%s already holds a run; go on with it by --resume %s, replace it with --overwrite, or "
                          "choose another --out", train.options.directory, train.options.directory);
        return fail(&train, EXIT_USAGE, &error);
    }
    progress_open(&train.progress, stderr, train.options.quiet);
    if ((train.options.resume && !open_checkpoint(&train, &error)) || !open_text(&train, &error))
        return fail(&train, EXIT_FAILED, &error);
    if (!check_maps_text(&train, &error))
        return fail(&train, EXIT_USAGE, &error);
    if (!open_trainer(&train, &error) || !open_directory(&train, &error))
        return fail(&train, EXIT_FAILED, &error);
    RunEnd end = run(&train, &error);
    if (end == RUN_FAILED)
        return fail(&train, EXIT_FAILED, &error);
    int status = finish(&train, end, &error);
    if (status == EXIT_FAILED)
        return fail(&train, status, &error);
    train_close(&train);
    return status;
}
