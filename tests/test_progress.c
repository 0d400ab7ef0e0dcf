/* Progress on a file, a pipe and a pseudo-terminal, and the words it is made of. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/format.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const ProgressState middle = {1250, 5000, 2.4096, 2.4412, 1.62e6, 12.2};

static const char live_line[] =
    "\rstep 1,250/5,000  train 2.41  validation 2.44  1.62 M tokens/s  12 s left\033[K";
static const char whole_line[] =
    "step 1,250/5,000  train 2.4096  validation 2.4412  1.62 M tokens/s  12 s left\n";

/* A note, two steps at once, an evaluation, a step, a note, a step, the end. */
static void play(FILE *stream, bool quiet)
{
    Progress progress;
    progress_open(&progress, stream, quiet);
    progress_note(&progress, "training on %d characters", 100);
    progress_step(&progress, &middle);
    progress_step(&progress, &middle);
    progress_evaluation(&progress, &middle);
    ProgressState last = middle;
    last.step = last.steps;
    progress_step(&progress, &last);
    progress_note(&progress, "done");
    progress_step(&progress, &last);
    progress_close(&progress);
    progress_step(&progress, &last);
    progress_note(&progress, "after the end");
}

static void test_plain(void)
{
    char text[1024];
    static const char note[] = "training on 100 characters\n";
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%sdone\n", note, whole_line);

    test_case("progress to a file is whole lines only");
    FILE *file = tmpfile();
    CHECK(file != NULL);
    if (file == NULL)
        return;
    play(file, false);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    CHECK(strcmp(text, expected) == 0, "%s", text);
    fclose(file);

    test_case("progress to a pipe is whole lines only");
    int ends[2];
    CHECK(pipe(ends) == 0);
    FILE *pipe_end = fdopen(ends[1], "w");
    play(pipe_end, false);
    fclose(pipe_end);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    close(ends[0]);
    CHECK(strcmp(text, expected) == 0, "%s", text);

    test_case("quiet progress is silent");
    FILE *silent = tmpfile();
    CHECK(silent != NULL);
    if (silent == NULL)
        return;
    play(silent, true);
    CHECK(ftell(silent) == 0);
    fclose(silent);

    test_case("progress leaves out what is not known");
    FILE *sparse = tmpfile();
    CHECK(sparse != NULL);
    if (sparse == NULL)
        return;
    Progress progress;
    progress_open(&progress, sparse, false);
    progress_evaluation(&progress, &(ProgressState){0, 10, NAN, NAN, NAN, -1});
    progress_evaluation(&progress, &(ProgressState){1, 10, INFINITY, NAN, INFINITY, NAN});
    progress_close(&progress);
    rewind(sparse);
    text[fread(text, 1, sizeof text - 1, sparse)] = '\0';
    CHECK(strcmp(text, "step 0/10\nstep 1/10  train inf\n") == 0, "%s", text);
    fclose(sparse);
}

/* A pseudo-terminal: what is written to `stream` is read from `leader`, unaltered. */
static FILE *open_terminal(int *leader, unsigned short columns)
{
    *leader = posix_openpt(O_RDWR | O_NOCTTY);
    if (*leader < 0)
        return NULL;
    const char *name = grantpt(*leader) == 0 && unlockpt(*leader) == 0 ? ptsname(*leader) : NULL;
    int follower = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
    struct termios mode;
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    if (follower < 0 || tcgetattr(follower, &mode) != 0) {
        close(*leader);
        return NULL;
    }
    mode.c_oflag &= ~(tcflag_t)OPOST;
    tcsetattr(follower, TCSANOW, &mode);
    ioctl(follower, TIOCSWINSZ, &size);
    fcntl(*leader, F_SETFL, O_NONBLOCK);
    return fdopen(follower, "w");
}

static void read_terminal(int leader, FILE *stream, char *text, size_t size)
{
    fflush(stream);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(leader, text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
}

static void set_columns(FILE *stream, unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    ioctl(fileno(stream), TIOCSWINSZ, &size);
}

static void test_live_line(int leader, FILE *stream)
{
    char text[2048], expected[2048];
    test_case("progress on a terminal rewrites one line");
    static const char last_line[] =
        "\rstep 5,000/5,000  train 2.41  validation 2.44  1.62 M tokens/s  12 s left\033[K";
    snprintf(expected, sizeof expected, "training on 100 characters\n%s\r\033[K%s%s\r\033[Kdone\n%s\r\033[K", live_line,
             whole_line, last_line, last_line);
    play(stream, false);
    read_terminal(leader, stream, text, sizeof text);
    CHECK(strcmp(text, expected) == 0, "%s", text);

    test_case("quiet progress is silent on a terminal");
    play(stream, true);
    read_terminal(leader, stream, text, sizeof text);
    CHECK(text[0] == '\0', "%s", text);

    test_case("the live line is cut to the terminal");
    set_columns(stream, 20);
    Progress progress;
    progress_open(&progress, stream, false);
    progress_step(&progress, &middle);
    read_terminal(leader, stream, text, sizeof text);
    CHECK(strcmp(text, "\rstep 1,250/5,000  t\033[K") == 0, "%s", text);
    progress_pause(&progress);
    progress_close(&progress);
    read_terminal(leader, stream, text, sizeof text);
    CHECK(strcmp(text, "\r\033[K") == 0, "%s", text);
}

static void test_environment(int leader, FILE *stream)
{
    test_case("COLUMNS is asked where the terminal does not know");
    setenv("COLUMNS", "33", 1);
    set_columns(stream, 20);
    CHECK(terminal_width(stream) == 20, "%d", terminal_width(stream));
    set_columns(stream, 0);
    CHECK(terminal_width(stream) == 33, "%d", terminal_width(stream));
    setenv("COLUMNS", "33x", 1);
    CHECK(terminal_width(stream) == 80, "%d", terminal_width(stream));
    unsetenv("COLUMNS");
    CHECK(terminal_width(stream) == 80, "%d", terminal_width(stream));

    test_case("NO_COLOR and a dumb terminal are respected");
    unsetenv("NO_COLOR");
    CHECK(terminal_colors(stream) && terminal_rewrites(stream));
    setenv("NO_COLOR", "1", 1);
    CHECK(!terminal_colors(stream) && terminal_rewrites(stream));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    CHECK(!terminal_colors(stream) && !terminal_rewrites(stream));
    char text[1024], expected[1024];
    snprintf(expected, sizeof expected, "training on 100 characters\n%sdone\n", whole_line);
    play(stream, false);
    read_terminal(leader, stream, text, sizeof text);
    CHECK(strcmp(text, expected) == 0, "%s", text);
}

static void test_terminal(void)
{
    int leader;
    setenv("TERM", "xterm", 1);
    FILE *stream = open_terminal(&leader, 100);
    if (stream == NULL) {
        test_skip("progress on a terminal", "no pseudo-terminal here");
        return;
    }
    test_live_line(leader, stream);
    test_environment(leader, stream);
    fclose(stream);
    close(leader);
}

static void check_word(const char *text, const char *expected)
{
    CHECK(strcmp(text, expected) == 0, "'%s' instead of '%s'", text, expected);
}

static void test_format(void)
{
    static const struct { int64_t number; const char *text; } counts[] = {
        {0, "0"}, {999, "999"}, {1000, "1,000"}, {1115394, "1,115,394"}, {-1000, "-1,000"}, {-999, "-999"},
        {INT64_MAX, "9,223,372,036,854,775,807"}, {INT64_MIN, "-9,223,372,036,854,775,808"},
    };
    static const struct { double rate; const char *text; } rates[] = {
        {0, "0.00"}, {8.424, "8.42"}, {842, "842"}, {9.999, "10.0"}, {999.4, "999"}, {999.6, "1.00 k"},
        {1.62e6, "1.62 M"}, {526e3, "526 k"}, {999.7e3, "1.00 M"}, {2.5e9, "2.50 G"}, {2.5e15, "2500 T"},
        {NAN, "?"}, {INFINITY, "?"}, {-1, "?"}, {1e300, "1e+288 T"},
    };
    static const struct { double seconds; const char *text; } durations[] = {
        {0, "0.0 s"}, {0.44, "0.4 s"}, {9.96, "10 s"}, {12.2, "12 s"}, {59.6, "1 min 0 s"}, {200, "3 min 20 s"},
        {3599.6, "1 h 0 min"}, {7500, "2 h 5 min"}, {273600, "3 d 4 h"}, {NAN, "?"}, {INFINITY, "?"}, {-1, "?"},
    };
    static const struct { uint64_t bytes; const char *text; } sizes[] = {
        {0, "0 bytes"}, {1, "1 byte"}, {999, "999 bytes"}, {1200, "1.2 kB"}, {1234567, "1.2 MB"}, {999960, "1.0 MB"},
        {64000000, "64.0 MB"}, {UINT64_MAX, "18.4 EB"},
    };
    static const char *const words[][2] = {
        {"word", "'word'"}, {"", "''"}, {"a\tb", "'a\\x09b'"}, {"\xC3\xA9", "'\xC3\xA9'"}, {"\xC3", "'\\xC3'"},
        {"\xC2\x9B", "'\\xC2\\x9B'"},
        {"0123456789012345678901234567890123456789012345678901234567890123456789",
         "'0123456789012345678901234567890123456789012345678901234...'"},
    };
    char text[FORMAT_LENGTH], quoted[QUOTED_LENGTH];
    test_case("counts with thousands separators");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        format_count(counts[i].number, text);
        check_word(text, counts[i].text);
    }
    test_case("rates in three digits");
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        format_rate(rates[i].rate, text);
        check_word(text, rates[i].text);
    }
    test_case("durations");
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        format_duration(durations[i].seconds, text);
        check_word(text, durations[i].text);
    }
    test_case("sizes in bytes");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        format_bytes(sizes[i].bytes, text);
        check_word(text, sizes[i].text);
    }
    test_case("quoted words stay on one line");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        format_quoted(words[i][0], quoted);
        check_word(quoted, words[i][1]);
    }
}

int main(void)
{
    test_plain();
    test_terminal();
    test_format();
    return test_finish();
}
