/* glyph.h -- labels of characters in cells of a terminal.
 *
 * A glyph is a NUL-ended UTF-8 string such as vocabulary_glyph makes. Independent of the locale. */
#ifndef SOLILOQUY_REPORT_GLYPH_H
#define SOLILOQUY_REPORT_GLYPH_H

#include <stdio.h>

/* Columns a terminal gives it: 2 for a wide (East Asian, emoji) code point, 0 for a mark, else 1. Control
 * characters and malformed bytes count 1, which is what glyph_print makes of them. */
int glyph_columns(const char *glyph);

/* Prints the glyph in exactly `columns` columns, padded at the right. One that does not fit becomes U+2026, so that
 * a beginning is never taken for the whole. Control characters and malformed bytes are printed as '?'. */
void glyph_print(FILE *out, const char *glyph, int columns);

#endif
