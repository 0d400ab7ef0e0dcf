/* attention_picture.h -- attention windows as one picture of pixels.
 *
 * Each window is a square: row i from the top is the query (it reads), column j from the left the key (it is read).
 * Windows stand one above the other with a grey gap between. The colour of a weight w depends on s = sqrt(w), so that
 * small weights can be told apart: white at w = 0, through blue at w = 1/4, to dark blue at w = 1; every channel falls
 * with w. Weights outside [0,1] take the nearest end. What a causal mask hides is light grey, which no weight has; a
 * weight that is no number is red. Pixels are numbers of a palette, a byte each. */
#ifndef SOLILOQUY_REPORT_ATTENTION_PICTURE_H
#define SOLILOQUY_REPORT_ATTENTION_PICTURE_H

#include "base/error.h"

#include <stddef.h>

enum { PICTURE_TARGET = 512, PICTURE_GAP = 8 }; /* pixels: side of a window, about; between two windows */
#define PICTURE_BYTES_LIMIT ((size_t)1 << 36)  /* a larger picture is refused before any memory is asked for */

enum { PICTURE_SHADES = 253, PICTURE_MASKED = PICTURE_SHADES, PICTURE_GAP_COLOR, PICTURE_NOT_A_NUMBER, PICTURE_COLORS };

typedef struct AttentionPicture {
    unsigned char *pixels;                      /* owned: [height, width]; below PICTURE_SHADES a weight's shade */
    unsigned char palette[PICTURE_COLORS * 3];  /* red, green, blue */
    int width, height;                          /* pixels */
} AttentionPicture;

/* Pixels along a cell of an n x n window: PICTURE_TARGET / n rounded, at least 1. */
int attention_picture_cell(int n);

/* weights[windows, n, n]; windows and n at least 1. Fails when the picture has more rows than an int can count or
 * memory is out. The caller closes the picture. */
bool attention_picture_draw(const float *weights, size_t windows, int n, bool causal, AttentionPicture *picture,
                            Error *error);

/* Accepts a zeroed picture. */
void attention_picture_close(AttentionPicture *picture);

#endif
