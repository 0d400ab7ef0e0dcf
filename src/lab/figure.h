/* figure.h -- a number written in the form of one that is printed in a source.
 *
 * The forms: 48, 9,216, 0.7071, -1.20, +3, 4.44e-16, and 1. (how arrays of whole numbers are printed). As many
 * decimals, the same exponent form, thousands separators and plus sign where the printed one has them; a point in any
 * locale. A printed 48 or 1. says that the number is whole: one that is not is written with digits behind the point. */
#ifndef SOLILOQUY_LAB_FIGURE_H
#define SOLILOQUY_LAB_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

enum { FIGURE_LENGTH = 64 };

/* `value` in the form of printed[0..length); NaN and infinities as "nan", "inf", "-inf". False when `printed` is no
 * figure: then the text is the number in six digits. */
bool figure_write(const char *printed, size_t length, double value, char text[FIGURE_LENGTH]);

/* As NumPy prints a rounded array: `decimals` places, then without the zeros at the end: 0.173, 1., -0. */
void figure_write_trimmed(double value, int decimals, char text[FIGURE_LENGTH]);

/* The next word of a text of words with single spaces: its length, 0 at the end; *text moves to its start. */
size_t figure_next(const char **text);

#endif
