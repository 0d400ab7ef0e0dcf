/* error.h -- how a failure travels: a function returns false and leaves one line in the caller's Error.
 *
 * The line says what is wrong, where (file, offset, line, option), and what to do about it. It has no
 * trailing newline and no program name; only cli/ prints it. */
#ifndef SOLILOQUY_BASE_ERROR_H
#define SOLILOQUY_BASE_ERROR_H

#include <stdbool.h>

typedef struct Error {
    char message[1024]; /* empty until something fails; longer messages are cut, never overrun */
} Error;

/* Formats the message and returns false, so that a failing function can end with `return error_set(...)`. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
