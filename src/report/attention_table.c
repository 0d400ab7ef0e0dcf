#include "report/attention_table.h"

#include "base/point_locale.h"

#include <math.h>
#include <string.h>

/* "12 t", quoted where the glyph holds a comma, a quote or a line break; quotes are doubled. */
static void write_label(int position, const char *glyph, FILE *out)
{
    if (glyph[strcspn(glyph, ",\"\r\n")] == '\0') {
        fprintf(out, "%d %s", position, glyph);
        return;
    }
    fprintf(out, "\"%d ", position);
    for (; *glyph != '\0'; glyph++) {
        if (*glyph == '"')
            fputc('"', out);
        fputc(*glyph, out);
    }
    fputc('"', out);
}

static void write_window(const float *weights, int n, const char *const *glyphs, FILE *out)
{
    fputs("query\\key", out);
    for (int key = 0; key < n; key++) {
        fputc(',', out);
        write_label(key, glyphs[key], out);
    }
    fputc('\n', out);
    for (int query = 0; query < n; query++) {
        write_label(query, glyphs[query], out);
        for (int key = 0; key < n; key++) {
            float weight = weights[(size_t)query * (size_t)n + (size_t)key];
            if (isnan(weight))
                fputs(",nan", out); /* printf would show the sign of a NaN */
            else
                fprintf(out, ",%.9g", (double)weight);
        }
        fputc('\n', out);
    }
}

void attention_table_write(const float *weights, size_t windows, int n, const char *const *glyphs, FILE *out)
{
    PointLocale locale = point_locale_enter();
    for (size_t window = 0; window < windows; window++) {
        if (window > 0)
            fputc('\n', out);
        write_window(weights + window * (size_t)n * (size_t)n, n, glyphs + window * (size_t)n, out);
    }
    point_locale_leave(locale);
}
