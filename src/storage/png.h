/* png.h -- a PNG image of 8 bits a sample, written without a library.
 *
 * Source: PNG specification (W3C, ISO/IEC 15948); zlib and deflate, RFC 1950 and 1951. The pixels are stored, not
 * compressed: a file is about as large as its pixels, and every decoder reads it. The same input gives the same
 * bytes. Errors name the file. */
#ifndef SOLILOQUY_STORAGE_PNG_H
#define SOLILOQUY_STORAGE_PNG_H

#include "base/error.h"

#include <stddef.h>

/* The values are the format's colour types. */
typedef enum PngKind { PNG_GRAY = 0, PNG_RGB = 2, PNG_PALETTE = 3 } PngKind;

typedef struct PngImage {
    size_t width, height; /* 1 to 2^31 - 1 */
    PngKind kind;
    const unsigned char *pixels;  /* borrowed: [height, width], or [height, width, 3] for PNG_RGB; first row on top */
    const unsigned char *palette; /* borrowed: [palette_size, 3]; PNG_PALETTE alone */
    int palette_size;             /* 1 to 256; the pixels are below it (asserted) */
} PngImage;

/* A note in the file, such as {"Title", "attention"}. Keywords are 1 to 79 printable ASCII characters; the text is
 * UTF-8 of any length (stored as tEXt when it is ASCII, as iTXt otherwise). */
typedef struct PngText {
    const char *keyword, *text;
} PngText;

/* Writes the image through an AtomicFile. */
bool png_write(const char *path, const PngImage *image, const PngText *texts, int text_count, Error *error);

#endif
