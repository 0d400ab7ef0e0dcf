/* picture_row.h -- windows of attention side by side in one picture, as the sources' figures show them.
 *
 * Row i from the top is the query (it reads), column j from the left the key (it is read). Squares are about as large
 * as each other, whatever the number of cells. The shade of a weight w goes with sqrt(w), so that small ones can be
 * told apart: from white at 0 to dark blue at 1. What a causal mask hides is light grey, a weight that is no number
 * red. The titles, from the left, are in the file's Description. */
#ifndef SOLILOQUY_LAB_PICTURE_ROW_H
#define SOLILOQUY_LAB_PICTURE_ROW_H

#include "base/error.h"

#include <stdbool.h>

typedef struct PictureWindow {
    const char *title;
    const float *weights; /* borrowed: [n,n] */
    int n;                /* at least 1 */
    bool causal;
} PictureWindow;

/* Writes directory/name, a PNG; the directory is made where it is missing. Atomic. `count` is at least 1. */
bool picture_row_write(const PictureWindow *windows, int count, const char *directory, const char *name, Error *error);

#endif
