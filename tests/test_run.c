/* A run's log and its ends. Whole runs from the command line are in test_train.sh. */
#include "small_trainer.h"

#include "base/file.h"
#include "training/run.h"
#include "training/run_directory.h"

#include <math.h>

enum { MOST_LINES = 16 };

typedef struct Log {
    JsonDocument lines[MOST_LINES];
    int count;
} Log;

static void log_read(Log *log, const char *path)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error error = {0};
    *log = (Log){0};
    CHECK(file_read(path, 1 << 20, &bytes, &size, &error), "%s", error.message);
    CHECK(size > 0 && bytes[size - 1] == '\n', "the last line is torn");
    char *line = (char *)bytes;
    for (char *end; line != NULL && (end = strchr(line, '\n')) != NULL && log->count < MOST_LINES; line = end + 1)
        CHECK(json_parse(&log->lines[log->count++], line, (size_t)(end - line), &error), "%s", error.message);
    free(bytes);
}

static void log_close(Log *log)
{
    for (int i = 0; i < log->count; i++)
        json_close(&log->lines[i]);
}

static double log_number(const Log *log, int line, const char *name)
{
    double number = NAN;
    json_double(json_member(log->lines[line].root, name), &number);
    return number;
}

static void append(const char *path, const char *text)
{
    FILE *stream = fopen(path, "a");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0, "cannot append to %s", path);
}

static void test_log_lines(const Trainer *t, const Baselines *baselines, const char *path)
{
    Error error = {0};
    RunLog log = {0};
    Log read;
    test_case("log: the first line says what is trained on what");
    CHECK(run_log_begin(&log, path, t, baselines, &error) && log.last_step == -1, "%s", error.message);
    log_read(&read, path);
    const JsonValue *first = read.lines[0].root, *config = json_member(first, "config");
    int64_t context = 0, vocabulary = 0;
    CHECK(read.count == 1, "%d lines", read.count);
    CHECK(json_integer(json_member(config, "context"), &context) && context == 6, "context %lld", (long long)context);
    CHECK(json_integer(json_member(config, "vocabulary_size"), &vocabulary) && vocabulary == 5, "vocabulary_size");
    CHECK(json_member(json_member(first, "training"), "learning_rate") != NULL, "no training");
    CHECK(log_number(&read, 0, "training_characters") == 150 && log_number(&read, 0, "validation_characters") == 50, "sizes");
    CHECK(log_number(&read, 0, "unigram_loss") == baselines->unigram, "unigram_loss");
    log_close(&read);

    test_case("log: each line is there when it is written, with null for what is not known");
    RunLogLine line = {.step = 0, .train_loss = NAN, .validation_loss = 1.5, .learning_rate = NAN, .gradient_norm = INFINITY,
                       .tokens = 0, .seconds = 0.25, .tokens_per_second = NAN};
    CHECK(run_log_write(&log, line, &error), "%s", error.message);
    log_read(&read, path);
    CHECK(read.count == 2, "%d lines", read.count);
    const JsonValue *unknown = json_member(read.lines[1].root, "train_loss");
    CHECK(unknown != NULL && unknown->kind == JSON_NULL, "train_loss");
    CHECK(log_number(&read, 1, "step") == 0 && log_number(&read, 1, "validation_loss") == 1.5, "numbers");
    static const char *const fields[] = {"step", "train_loss", "validation_loss", "learning_rate", "gradient_norm",
                                         "tokens", "seconds", "tokens_per_second"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        CHECK(json_member(read.lines[1].root, fields[i]) != NULL, "no %s", fields[i]);
    log_close(&read);
    for (int step = 10; step <= 30; step += 10) {
        line = (RunLogLine){.step = step, .train_loss = 0.1, .seconds = step / 10.0};
        CHECK(run_log_write(&log, line, &error), "%s", error.message);
    }
    run_log_close(&log);
}

static void test_log_resume(Trainer *t, const Baselines *baselines, const char *path)
{
    Error error = {0};
    RunLog log = {0};
    Log read;
    test_case("log: a resume drops later steps, torn and foreign lines, and goes on without a repeat");
    append(path, "not JSON\n{\"step\": 20}\n{\"step\": 40, \"train_lo");
    t->state.step = 20;
    CHECK(run_log_resume(&log, path, t, baselines, &error), "%s", error.message);
    CHECK(log.last_step == 20 && log.seconds_before == 2, "step %lld, %g s", (long long)log.last_step, log.seconds_before);
    RunLogLine line = {.step = 30, .train_loss = 7, .seconds = 0.5};
    CHECK(run_log_write(&log, line, &error), "%s", error.message);
    run_log_close(&log);
    log_read(&read, path);
    CHECK(read.count == 5, "%d lines", read.count);
    for (int i = 1; i < read.count; i++)
        CHECK(log_number(&read, i, "step") == 10 * (i - 1), "line %d is step %g", i, log_number(&read, i, "step"));
    CHECK(json_member(read.lines[0].root, "config") != NULL, "the first line is gone");
    CHECK(log_number(&read, 4, "train_loss") == 7 && log_number(&read, 4, "seconds") == 2.5, "seconds %g",
          log_number(&read, 4, "seconds"));
    log_close(&read);

    test_case("log: a resume without a log begins one");
    unlink(path);
    CHECK(run_log_resume(&log, path, t, baselines, &error) && log.last_step == -1, "%s", error.message);
    run_log_close(&log);
    log_read(&read, path);
    CHECK(read.count == 1 && json_member(read.lines[0].root, "config") != NULL, "%d lines", read.count);
    log_close(&read);
}

static void test_log_failures(const Trainer *t, const Baselines *baselines)
{
    Error error = {0};
    RunLog log = {0};
    char path[PATH_SIZE];
    test_case("log: one that cannot be written is an error with its path");
    CHECK(!run_log_begin(&log, scratch("missing/log.jsonl", path), t, baselines, &error), "accepted");
    CHECK(strstr(error.message, path) != NULL, "%s", error.message);
    run_log_close(&log);
    rlim_t old = limit_files(1100);
    bool written = run_log_begin(&log, scratch("full.jsonl", path), t, baselines, &error);
    for (int i = 0; written && i < 100; i++)
        written = run_log_write(&log, (RunLogLine){.step = i}, &error);
    limit_files(old);
    CHECK(!written && strstr(error.message, path) != NULL, "a full disk went unnoticed: %s", error.message);
    run_log_close(&log);
}

static void test_log(void)
{
    Corpus corpus;
    Trainer t;
    Baselines baselines;
    Error error = {0};
    char path[PATH_SIZE];
    scratch("log.jsonl", path);
    corpus_make(&corpus, 200);
    CHECK(trainer_make(&t, &corpus, quick, &error), "%s", error.message);
    CHECK(baselines_count(&baselines, t.training, t.validation, corpus.vocabulary.size, &error), "%s", error.message);
    test_log_lines(&t, &baselines, path);
    test_log_resume(&t, &baselines, path);
    test_log_failures(&t, &baselines);
    trainer_close(&t);
    corpus_close(&corpus);
}

typedef struct Watch {
    int steps, evaluations;
    double loss_sum; /* of the steps since the last evaluation, and how many */
    int loss_count;
    int64_t stop_at;
    volatile sig_atomic_t stop;
    RunProgress last;
} Watch;

static void on_step(void *context, const RunProgress *progress)
{
    Watch *watch = context;
    watch->steps++;
    watch->loss_sum += progress->train_loss;
    watch->loss_count++;
    watch->last = *progress;
    if (progress->step == watch->stop_at)
        watch->stop = 1;
}

static void on_evaluation(void *context, const RunProgress *progress)
{
    Watch *watch = context;
    watch->evaluations++;
    double mean = watch->loss_sum / watch->loss_count;
    CHECK(watch->loss_count == 0 ? isnan(progress->train_loss) : fabs(progress->train_loss - mean) <= 1e-12,
          "train loss %.17g at step %lld, the mean since the last evaluation is %.17g", progress->train_loss,
          (long long)progress->step, mean);
    watch->loss_sum = watch->loss_count = 0;
    watch->last = *progress;
}

/* A fresh run in a directory of its own, with the files that it should leave checked. */
static RunEnd run_once(const char *name, RunOptions options, TrainingSettings settings, Watch *watch, int64_t *step)
{
    Corpus corpus;
    Trainer t;
    RunLog log = {0};
    Error error = {0};
    Checkpoint checkpoint;
    char directory[PATH_SIZE], *path;
    options.directory = scratch(name, directory);
    options.stop = &watch->stop;
    options.on_step = on_step;
    options.on_evaluation = on_evaluation;
    options.context = watch;
    corpus_make(&corpus, 200);
    CHECK(directory_create(directory, &error) && !run_exists(directory), "%s", error.message);
    CHECK(trainer_make(&t, &corpus, settings, &error), "%s", error.message);
    path = path_join(directory, "log.jsonl");
    CHECK(run_log_begin(&log, path, &t, &(Baselines){0}, &error), "%s", error.message);
    free(path);
    RunEnd end = run_train(&t, &log, &options, &error);
    *step = t.state.step;
    CHECK(run_exists(directory), "no files in %s", directory);
    path = path_join(directory, "last.safetensors");
    CHECK(checkpoint_open(&checkpoint, path, &error), "%s", error.message);
    CHECK(checkpoint.has_moments && (end == RUN_FAILED || checkpoint.state.step == t.state.step), "last.safetensors");
    checkpoint_close(&checkpoint);
    free(path);
    CHECK(run_remove(directory, &error) && !run_exists(directory), "%s", error.message);
    run_log_close(&log);
    trainer_close(&t);
    corpus_close(&corpus);
    return end;
}

static void test_run(void)
{
    const RunOptions free_run = {.checkpoint_every = 1000, .max_seconds = INFINITY, .pause_at = INT64_MAX};
    RunOptions options = free_run;
    TrainingSettings settings = quick;
    int64_t step;
    settings.schedule.steps = 25;

    test_case("run: evaluates before the first step, every eval_every steps and at the end");
    Watch watch = {0};
    CHECK(run_once("complete", options, settings, &watch, &step) == RUN_COMPLETE && step == 25, "step %lld", (long long)step);
    CHECK(watch.steps == 25 && watch.evaluations == 4, "%d steps, %d evaluations", watch.steps, watch.evaluations);
    CHECK(watch.last.step == 25 && watch.last.steps == 25 && watch.last.tokens_per_second > 0, "progress");

    test_case("run: pauses at a step, and at 0 before any");
    options.pause_at = 13;
    watch = (Watch){0};
    CHECK(run_once("paused", options, settings, &watch, &step) == RUN_PAUSED && step == 13, "step %lld", (long long)step);
    options.pause_at = 0;
    watch = (Watch){0};
    CHECK(run_once("at once", options, settings, &watch, &step) == RUN_PAUSED && step == 0, "step %lld", (long long)step);

    test_case("run: a stop ends it after the step at hand");
    options = free_run;
    watch = (Watch){.stop_at = 6};
    CHECK(run_once("stopped", options, settings, &watch, &step) == RUN_INTERRUPTED && step == 6, "step %lld", (long long)step);

    test_case("run: out of time it saves and ends");
    options.max_seconds = 1e-9;
    watch = (Watch){0};
    CHECK(run_once("late", options, settings, &watch, &step) == RUN_OUT_OF_TIME && step == 0, "step %lld", (long long)step);

    test_case("run: no steps at all write the initial model");
    settings.schedule.steps = 0;
    options = free_run;
    watch = (Watch){0};
    CHECK(run_once("initial", options, settings, &watch, &step) == RUN_COMPLETE && step == 0, "step %lld", (long long)step);
    CHECK(watch.evaluations == 1 && isnan(watch.last.train_loss) && isnan(watch.last.tokens_per_second), "progress");

    test_case("run: a failed one keeps the checkpoint it began with");
    settings = quick;
    settings.schedule.rate = 1e30;
    CHECK(run_once("diverged", options, settings, &watch, &step) == RUN_FAILED && step < 3, "step %lld", (long long)step);
}

int main(void)
{
    test_log();
    test_run();
    return test_finish();
}
