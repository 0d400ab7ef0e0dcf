/* number.h -- numbers of the command line, read strictly and written with a point in any locale.
 *
 * The whole token must be the number: no space, no plus sign, no hexadecimal, no nan or inf, nothing after it.
 * What does not fit the type is refused, never rounded to its end. */
#ifndef SOLILOQUY_CLI_NUMBER_H
#define SOLILOQUY_CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_LENGTH = 32 };

/* -?digits */
bool number_read_integer(const char *text, int64_t *result);

/* digits */
bool number_read_unsigned(const char *text, uint64_t *result);

/* -?(digits[.digits] | .digits)[e[+-]digits], finite; a value too small for a double is 0. */
bool number_read_real(const char *text, double *result);

/* At most nine significant digits, without a padded exponent: 0.01, 1e-8, 5000. */
void number_write(double number, char text[NUMBER_LENGTH]);

#endif
