#include "report/attention_picture.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Color {
    unsigned char red, green, blue;
} Color;

static const Color masked_color = {222, 222, 222};
static const Color gap_color = {150, 150, 150};
static const Color not_a_number_color = {215, 40, 40};

/* At s = 0, 1/2, 1, straight lines between. Falling in every channel, hence in luminance. */
static const Color anchors[] = {{255, 255, 255}, {98, 150, 212}, {8, 20, 72}};

int attention_picture_cell(int n)
{
    int cell = (int)(((long long)PICTURE_TARGET * 2 + n) / (2LL * n));
    return cell > 1 ? cell : 1;
}

static unsigned char between(unsigned char from, unsigned char to, float part)
{
    return (unsigned char)lroundf((float)from + ((float)to - (float)from) * part);
}

static Color shade_color(int number)
{
    float shade = (float)number / (PICTURE_SHADES - 1);
    int piece = shade < 0.5f ? 0 : 1;
    const Color *from = &anchors[piece], *to = &anchors[piece + 1];
    float part = 2.0f * shade - (float)piece;
    return (Color){between(from->red, to->red, part), between(from->green, to->green, part),
                   between(from->blue, to->blue, part)};
}

static void fill_palette(unsigned char palette[PICTURE_COLORS * 3])
{
    for (int i = 0; i < PICTURE_COLORS; i++) {
        Color color = i < PICTURE_SHADES        ? shade_color(i)
                      : i == PICTURE_MASKED     ? masked_color
                      : i == PICTURE_GAP_COLOR ? gap_color : not_a_number_color;
        palette[3 * i] = color.red;
        palette[3 * i + 1] = color.green;
        palette[3 * i + 2] = color.blue;
    }
}

static int weight_shade(float weight)
{
    if (isnan(weight))
        return PICTURE_NOT_A_NUMBER;
    float shade = weight <= 0.0f ? 0.0f : weight >= 1.0f ? 1.0f : sqrtf(weight);
    return (int)lroundf(shade * (PICTURE_SHADES - 1));
}

/* One window into pixels[n*cell, n*cell]: the first line of each row of cells is drawn, the others are copies. */
static void draw_window(const float *weights, int n, int cell, bool causal, unsigned char *pixels)
{
    size_t line_bytes = (size_t)n * (size_t)cell;
    for (int query = 0; query < n; query++) {
        unsigned char *line = pixels + (size_t)query * (size_t)cell * line_bytes;
        for (int key = 0; key < n; key++) {
            bool masked = causal && key > query;
            int color = masked ? PICTURE_MASKED : weight_shade(weights[(size_t)query * (size_t)n + (size_t)key]);
            memset(line + (size_t)key * (size_t)cell, color, (size_t)cell);
        }
        for (int copy = 1; copy < cell; copy++)
            memcpy(line + (size_t)copy * line_bytes, line, line_bytes);
    }
}

bool attention_picture_draw(const float *weights, size_t windows, int n, bool causal, AttentionPicture *picture,
                            Error *error)
{
    assert(windows > 0 && n > 0);
    *picture = (AttentionPicture){0};
    int cell = attention_picture_cell(n);
    size_t side = (size_t)n * (size_t)cell, height, bytes;
    if (side > INT_MAX || __builtin_mul_overflow(windows, side + PICTURE_GAP, &height) ||
        (height -= PICTURE_GAP) > INT_MAX || __builtin_mul_overflow(height, side, &bytes) ||
        bytes > PICTURE_BYTES_LIMIT)
        return error_set(error, "a picture of %zu windows of %d characters has too many pixels; choose fewer windows",
                         windows, n);
    unsigned char *pixels = malloc(bytes);
    if (pixels == NULL)
        return error_set(error, "a picture of %zu windows of %d characters needs %.1f MB of memory, which this machine "
                         "does not give; choose fewer windows", windows, n, (double)bytes / 1e6);
    size_t window_bytes = side * side, gap_bytes = side * PICTURE_GAP;
    for (size_t window = 0; window < windows; window++) {
        unsigned char *square = pixels + window * (window_bytes + gap_bytes);
        draw_window(weights + window * (size_t)n * (size_t)n, n, cell, causal, square);
        if (window + 1 < windows)
            memset(square + window_bytes, PICTURE_GAP_COLOR, gap_bytes);
    }
    *picture = (AttentionPicture){.pixels = pixels, .width = (int)side, .height = (int)height};
    fill_palette(picture->palette);
    return true;
}

void attention_picture_close(AttentionPicture *picture)
{
    free(picture->pixels);
    *picture = (AttentionPicture){0};
}
