#include "cli/output.h"

#include "cli/commands.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int report_failure(const char *command, const Error *error)
{
    fprintf(stderr, "soliloquy %s: %s\n", command, error->message);
    return EXIT_FAILED;
}

int report_usage(const char *command, const Error *error)
{
    report_failure(command, error);
    return EXIT_USAGE;
}

void report_note(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "soliloquy %s: note: ", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void output_shell_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

void output_prepare(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Nobody can read the other end any more. */
static bool reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return errno == EPIPE || (poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0);
}

int output_finish(int status)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0 && !ferror(stdout);
    if (flushed || reader_is_gone())
        return status;
    fprintf(stderr, "soliloquy: cannot write the results to standard output: %s\n",
            errno != 0 ? strerror(errno) : "an earlier write failed; is the disk full, or the output closed?");
    return EXIT_FAILED;
}
