/* attention_table.h -- attention windows as comma-separated values (RFC 4180, lines end with a newline alone).
 *
 * A window is a table: the first line is `query\key` and the position and glyph of each key, every further line the
 * position and glyph of a query (it reads) and its weight on each key (is read). Positions count from 0 in each
 * window. Windows are separated by an empty line. Nine significant digits, which read back to the same float, with a
 * point in any locale; `nan` for what is no number. */
#ifndef SOLILOQUY_REPORT_ATTENTION_TABLE_H
#define SOLILOQUY_REPORT_ATTENTION_TABLE_H

#include <stddef.h>
#include <stdio.h>

/* weights[windows, n, n], glyphs[windows, n]. Nothing here fails; the caller asks ferror(out). */
void attention_table_write(const float *weights, size_t windows, int n, const char *const *glyphs, FILE *out);

#endif
