#include "cli/terminal.h"

#include "cli/number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_rewrites(FILE *stream)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_colors(FILE *stream)
{
    const char *refusal = getenv("NO_COLOR");
    return terminal_rewrites(stream) && (refusal == NULL || refusal[0] == '\0');
}

int terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int64_t width;
    if (columns != NULL && number_read_integer(columns, &width) && width > 0 && width <= INT_MAX)
        return (int)width;
    return 80;
}
