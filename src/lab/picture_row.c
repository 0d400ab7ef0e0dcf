#include "lab/picture_row.h"

#include "base/file.h"
#include "base/version.h"
#include "storage/png.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, GAP = 8, TITLES = 512 };                    /* pixels, about; pixels; bytes */
enum { SHADES = 253, MASKED = SHADES, BETWEEN, NO_NUMBER, COLORS }; /* numbers of the palette */

static int cell_of(int n)
{
    return n < SIDE ? (SIDE + n / 2) / n : 1;
}

static size_t side_of(const PictureWindow *window)
{
    return (size_t)window->n * (size_t)cell_of(window->n);
}

/* Straight lines between three colours: each channel falls as the weight grows. */
static void fill_palette(unsigned char palette[COLORS][3])
{
    static const unsigned char anchors[3][3] = {{255, 255, 255}, {98, 150, 212}, {8, 20, 72}};
    static const unsigned char others[3][3] = {{222, 222, 222}, {150, 150, 150}, {215, 40, 40}};
    for (int i = 0; i < SHADES; i++) {
        double shade = 2.0 * i / (SHADES - 1);
        int piece = shade < 1 ? 0 : 1;
        for (int c = 0; c < 3; c++) {
            double from = anchors[piece][c], to = anchors[piece + 1][c];
            palette[i][c] = (unsigned char)lround(from + (to - from) * (shade - piece));
        }
    }
    memcpy(palette[SHADES], others, sizeof others);
}

static int color_of(float weight)
{
    if (isnan(weight))
        return NO_NUMBER;
    return (int)lroundf(sqrtf(fminf(fmaxf(weight, 0), 1)) * (SHADES - 1));
}

/* Draws a window whose left edge is `left` pixels from the picture's. */
static void draw(const PictureWindow *window, size_t left, const PngImage *image, unsigned char *pixels)
{
    size_t n = (size_t)window->n, cell = (size_t)cell_of(window->n);
    for (size_t query = 0; query < n; query++) {
        unsigned char *line = pixels + query * cell * image->width + left;
        for (size_t key = 0; key < n; key++) {
            bool masked = window->causal && key > query;
            memset(line + key * cell, masked ? MASKED : color_of(window->weights[query * n + key]), cell);
        }
        for (size_t copy = 1; copy < cell; copy++)
            memcpy(line + copy * image->width, line, n * cell);
    }
}

static bool write_png(const PngImage *image, const char *titles, const char *directory, const char *name, Error *error)
{
    const PngText notes[] = {{"Title", name}, {"Description", titles}, {"Software", "soliloquy " SOLILOQUY_VERSION}};
    if (!directory_create(directory, error))
        return false;
    char *path = path_join(directory, name);
    bool written = path != NULL ? png_write(path, image, notes, sizeof notes / sizeof notes[0], error)
                                : error_set(error, "no memory for the path of %s", name);
    free(path);
    return written;
}

bool picture_row_write(const PictureWindow *windows, int count, const char *directory, const char *name, Error *error)
{
    assert(count >= 1);
    char titles[TITLES] = "row = query (reads), column = key (is read); darker is more; from the left: ";
    unsigned char palette[COLORS][3];
    PngImage image = {.kind = PNG_PALETTE, .palette = palette[0], .palette_size = COLORS};
    for (int i = 0; i < count; i++) {
        size_t side = side_of(&windows[i]), used = strlen(titles);
        image.width += side + (i > 0 ? GAP : 0);
        image.height = side > image.height ? side : image.height;
        snprintf(titles + used, TITLES - used, "%s%s", i > 0 ? ", " : "", windows[i].title);
    }
    unsigned char *pixels = malloc(image.width * image.height);
    if (pixels == NULL)
        return error_set(error, "no memory for %s, a picture of %zu x %zu", name, image.width, image.height);
    fill_palette(palette);
    memset(pixels, BETWEEN, image.width * image.height);
    for (size_t i = 0, left = 0; i < (size_t)count; left += side_of(&windows[i++]) + GAP)
        draw(&windows[i], left, &image, pixels);
    image.pixels = pixels;
    bool written = write_png(&image, titles, directory, name, error);
    free(pixels);
    return written;
}
