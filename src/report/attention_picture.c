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

static Color weight_color(float weight)
{
    if (isnan(weight))
        return not_a_number_color;
    float shade = weight <= 0.0f ? 0.0f : weight >= 1.0f ? 1.0f : sqrtf(weight);
    int piece = shade < 0.5f ? 0 : 1;
    const Color *from = &anchors[piece], *to = &anchors[piece + 1];
    float part = 2.0f * shade - (float)piece;
    return (Color){between(from->red, to->red, part), between(from->green, to->green, part),
                   between(from->blue, to->blue, part)};
}

static void fill(unsigned char *rgb, size_t pixels, Color color)
{
    for (size_t i = 0; i < pixels; i++) {
        rgb[3 * i] = color.red;
        rgb[3 * i + 1] = color.green;
        rgb[3 * i + 2] = color.blue;
    }
}

/* One window into rgb[n*cell, n*cell, 3]: the first line of each row of cells is drawn, the others are copies. */
static void draw_window(const float *weights, int n, int cell, bool causal, unsigned char *rgb)
{
    size_t line_bytes = 3 * (size_t)n * (size_t)cell;
    for (int query = 0; query < n; query++) {
        unsigned char *line = rgb + (size_t)query * (size_t)cell * line_bytes;
        for (int key = 0; key < n; key++) {
            bool masked = causal && key > query;
            Color color = masked ? masked_color : weight_color(weights[(size_t)query * (size_t)n + (size_t)key]);
            fill(line + 3 * (size_t)key * (size_t)cell, (size_t)cell, color);
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
        (height -= PICTURE_GAP) > INT_MAX || __builtin_mul_overflow(height, 3 * side, &bytes))
        return error_set(error, "a picture of %zu windows of %d characters has too many pixels; choose fewer windows",
                         windows, n);
    unsigned char *rgb = bytes > PTRDIFF_MAX ? NULL : malloc(bytes);
    if (rgb == NULL)
        return error_set(error, "a picture of %zu windows of %d characters needs %.1f MB of memory, which this machine "
                         "does not give; choose fewer windows", windows, n, (double)bytes / 1e6);
    size_t window_bytes = 3 * side * side, gap_pixels = side * PICTURE_GAP;
    for (size_t window = 0; window < windows; window++) {
        unsigned char *square = rgb + window * (window_bytes + 3 * gap_pixels);
        draw_window(weights + window * (size_t)n * (size_t)n, n, cell, causal, square);
        if (window + 1 < windows)
            fill(square + window_bytes, gap_pixels, gap_color);
    }
    *picture = (AttentionPicture){.rgb = rgb, .width = (int)side, .height = (int)height};
    return true;
}

void attention_picture_close(AttentionPicture *picture)
{
    free(picture->rgb);
    *picture = (AttentionPicture){0};
}
