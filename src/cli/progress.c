#include "cli/progress.h"

#include "base/clock.h"
#include "cli/format.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_LENGTH = 512 };

static const double update_interval = 0.1; /* seconds */

void progress_open(Progress *progress, FILE *stream, bool quiet)
{
    *progress = (Progress){.stream = stream, .quiet = quiet, .last_update = -INFINITY};
    progress->live = !quiet && terminal_rewrites(stream);
}

static bool is_silent(const Progress *progress)
{
    return progress->quiet || progress->stream == NULL;
}

void progress_pause(Progress *progress)
{
    if (progress->line_shown) {
        fputs("\r\033[K", progress->stream);
        fflush(progress->stream);
    }
    progress->line_shown = false;
}

/* "step 1,250/5,000  train 2.41  validation 2.44  1.62 M tokens/s  12 s left" */
static void describe(const ProgressState *state, int decimals, char line[LINE_LENGTH])
{
    char step[FORMAT_LENGTH], steps[FORMAT_LENGTH], piece[FORMAT_LENGTH];
    format_count(state->step, step);
    format_count(state->steps, steps);
    int used = snprintf(line, LINE_LENGTH, "step %s/%s", step, steps);
    if (!isnan(state->train_loss)) {
        format_decimal(state->train_loss, decimals, piece);
        used += snprintf(line + used, LINE_LENGTH - (size_t)used, "  train %s", piece);
    }
    if (!isnan(state->validation_loss)) {
        format_decimal(state->validation_loss, decimals, piece);
        used += snprintf(line + used, LINE_LENGTH - (size_t)used, "  validation %s", piece);
    }
    if (state->tokens_per_second >= 0 && isfinite(state->tokens_per_second)) {
        format_rate(state->tokens_per_second, piece);
        used += snprintf(line + used, LINE_LENGTH - (size_t)used, "  %s tokens/s", piece);
    }
    if (state->seconds_left >= 0 && isfinite(state->seconds_left)) {
        format_duration(state->seconds_left, piece);
        snprintf(line + used, LINE_LENGTH - (size_t)used, "  %s left", piece);
    }
}

void progress_note(Progress *progress, const char *format, ...)
{
    if (is_silent(progress))
        return;
    progress_pause(progress);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(progress->stream, format, arguments);
    va_end(arguments);
    fputc('\n', progress->stream);
    fflush(progress->stream);
}

void progress_step(Progress *progress, const ProgressState *state)
{
    if (is_silent(progress) || !progress->live)
        return;
    double now = clock_seconds();
    if (now - progress->last_update < update_interval && state->step < state->steps)
        return;
    progress->last_update = now;
    char line[LINE_LENGTH];
    describe(state, 2, line);
    /* One column stays free: in the last one, terminals wait with the line break and would erase its letter. The
     * line is ASCII, so bytes are columns. */
    int width = terminal_width(progress->stream) - 1;
    if (strlen(line) > (size_t)width)
        line[width] = '\0';
    fprintf(progress->stream, "\r%s\033[K", line);
    fflush(progress->stream);
    progress->line_shown = true;
}

void progress_evaluation(Progress *progress, const ProgressState *state)
{
    char line[LINE_LENGTH];
    describe(state, 4, line);
    progress_note(progress, "%s", line);
}

void progress_close(Progress *progress)
{
    progress_pause(progress);
    *progress = (Progress){0};
}
