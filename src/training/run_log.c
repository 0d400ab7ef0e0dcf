#include "training/run_log.h"

#include "base/file.h"
#include "base/version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool log_error(const RunLog *log, Error *error)
{
    return error_set(error, "cannot write %s: %s", log->path, strerror(errno));
}

static void write_first_line(FILE *out, const Trainer *t, const Baselines *baselines)
{
    fprintf(out, "{\"version\": \"%s\", \"config\": {", SOLILOQUY_VERSION);
    model_config_write(out, &t->parameters.config, t->vocabulary->bytes);
    fputs("}, \"training\": ", out);
    settings_write(out, &t->settings);
    fprintf(out, ", \"parameters\": %zu, \"training_characters\": %zu, \"validation_characters\": %zu",
            parameters_trained_count(&t->parameters), t->training.count, t->validation.count);
    json_write_member(out, "uniform_loss", baselines->uniform);
    json_write_member(out, "unigram_loss", baselines->unigram);
    json_write_member(out, "bigram_loss", baselines->bigram);
    fprintf(out, ", \"threads\": %d}\n", t->threads);
}

static bool log_open(RunLog *log, const char *path, const char *mode, Error *error)
{
    *log = (RunLog){.path = strdup(path), .last_step = -1};
    if (log->path == NULL)
        return error_set(error, "cannot write %s: out of memory", path);
    log->stream = fopen(path, mode);
    if (log->stream != NULL)
        return true;
    log_error(log, error);
    run_log_close(log);
    return false;
}

bool run_log_begin(RunLog *log, const char *path, const Trainer *trainer, const Baselines *baselines, Error *error)
{
    if (!log_open(log, path, "w", error))
        return false;
    write_first_line(log->stream, trainer, baselines);
    return fflush(log->stream) == 0 || log_error(log, error);
}

/* The last line that stays when a run goes on. */
typedef struct LastLine {
    int64_t step;
    double seconds;
} LastLine;

/* Whether a line stays when the run goes on from `step`. A torn line does not. */
static bool line_stays(const char *line, size_t length, int64_t step, LastLine *last)
{
    JsonDocument document;
    Error ignored;
    LastLine read;
    if (!json_parse(&document, line, length, &ignored))
        return false;
    bool is_first = json_member(document.root, "config") != NULL;
    bool is_earlier = json_integer(json_member(document.root, "step"), &read.step) && read.step <= step &&
                      json_double(json_member(document.root, "seconds"), &read.seconds);
    bool stays = is_first || is_earlier;
    if (is_earlier)
        *last = read;
    json_close(&document);
    return stays;
}

/* Rewrites the log, atomically, with the lines that stay. */
static bool keep_lines(const char *path, int64_t step, LastLine *last, Error *error)
{
    enum { LOG_LIMIT = 1 << 30 }; /* bytes */
    unsigned char *bytes;
    size_t size;
    AtomicFile file;
    if (!file_read(path, LOG_LIMIT, &bytes, &size, error))
        return false;
    if (!atomic_file_open(&file, path, error)) {
        free(bytes);
        return false;
    }
    const char *line = (const char *)bytes, *end = line + size, *newline;
    while (line < end && (newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
        if (line_stays(line, (size_t)(newline - line), step, last))
            fwrite(line, 1, (size_t)(newline - line) + 1, file.stream);
        line = newline + 1;
    }
    free(bytes);
    return atomic_file_commit(&file, error);
}

bool run_log_resume(RunLog *log, const char *path, const Trainer *trainer, const Baselines *baselines, Error *error)
{
    FILE *old = fopen(path, "r");
    if (old == NULL)
        return run_log_begin(log, path, trainer, baselines, error);
    fclose(old);
    LastLine last = {.step = -1};
    if (!keep_lines(path, trainer->state.step, &last, error) || !log_open(log, path, "a", error))
        return false;
    log->seconds_before = last.seconds;
    log->last_step = last.step;
    return true;
}

bool run_log_write(RunLog *log, RunLogLine line, Error *error)
{
    log->last_step = line.step;
    fprintf(log->stream, "{\"step\": %" PRId64, line.step);
    json_write_member(log->stream, "train_loss", line.train_loss);
    json_write_member(log->stream, "validation_loss", line.validation_loss);
    json_write_member(log->stream, "learning_rate", line.learning_rate);
    json_write_member(log->stream, "gradient_norm", line.gradient_norm);
    json_write_member(log->stream, "tokens", line.tokens);
    json_write_member(log->stream, "seconds", log->seconds_before + line.seconds);
    json_write_member(log->stream, "tokens_per_second", line.tokens_per_second);
    fprintf(log->stream, "}\n");
    return (fflush(log->stream) == 0 && !ferror(log->stream)) || log_error(log, error);
}

void run_log_close(RunLog *log)
{
    if (log->stream != NULL)
        fclose(log->stream);
    free(log->path);
    *log = (RunLog){0};
}
