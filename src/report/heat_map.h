/* heat_map.h -- an attention matrix as shades in a terminal, readable without colour.
 *
 * Row i is the query (it reads), column j the key (it is read). The shade is the square root of the weight in five
 * steps, with borders at (k/5)^2:
 *   ' ' below 0.04   U+2591 from 0.04   U+2592 from 0.16   U+2593 from 0.36   U+2588 from 0.64
 * A causal matrix shows its upper triangle, which is masked and not merely small, as U+00B7. A weight that is no
 * number is '?'. A cell is two columns where the width allows it, else one.
 *
 * Where not even that fits, a list takes the place of the square: each query with its strongest sources, five or as
 * many as fit a line, at least one. Equal weights stand in the order of position; '?' first. */
#ifndef SOLILOQUY_REPORT_HEAT_MAP_H
#define SOLILOQUY_REPORT_HEAT_MAP_H

#include <stdbool.h>
#include <stdio.h>

typedef struct HeatMap {
    const float *weights;      /* borrowed: [n,n] row-major */
    int n;                     /* at least 1 */
    const char *const *glyphs; /* borrowed: n labels, see glyph.h */
    bool causal;
    int width;                 /* columns of the terminal */
    bool color;                /* adds backgrounds of the 256-colour palette */
} HeatMap;

/* `title` is the first line. Nothing here fails; the caller asks ferror(out). */
void heat_map_print(const HeatMap *map, const char *title, FILE *out);

#endif
