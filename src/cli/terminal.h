/* terminal.h -- what the other end of a stream can show. */
#ifndef SOLILOQUY_CLI_TERMINAL_H
#define SOLILOQUY_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* A line can be rewritten in place: a terminal whose TERM is set and not "dumb". */
bool terminal_rewrites(FILE *stream);

/* Colours are wanted: as above, and NO_COLOR is unset or empty. */
bool terminal_colors(FILE *stream);

/* Columns: the terminal's own answer, else COLUMNS, else 80. */
int terminal_width(FILE *stream);

#endif
