#include "report/heat_map.h"

#include "base/point_locale.h"
#include "report/glyph.h"

#include <assert.h>
#include <math.h>

enum {
    SHADES = 5,
    SHADE_MASKED = SHADES,
    SHADE_NOT_A_NUMBER,
    SHADE_NONE, /* before the first cell of a row */
    LONGEST_LABEL = 8, /* columns */
    MOST_SOURCES = 5
};

static const float thresholds[SHADES] = {0.0f, 0.04f, 0.16f, 0.36f, 0.64f};

static const char *const shade_glyphs[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588", "\u00B7", "?"};

/* White to dark blue, whatever the terminal's own colours; each texture is drawn in the next darker tone. */
static const char *const shade_styles[] = {
    "\033[0;38;5;189;48;5;231m", "\033[0;38;5;147;48;5;189m", "\033[0;38;5;69;48;5;147m",
    "\033[0;38;5;18;48;5;69m",   "\033[0;38;5;18;48;5;18m",   "\033[0;2m",
    "\033[0;1;37;41m",
};

static int shade_at(const HeatMap *map, int query, int key)
{
    if (map->causal && key > query)
        return SHADE_MASKED;
    float weight = map->weights[(size_t)query * (size_t)map->n + (size_t)key];
    if (isnan(weight))
        return SHADE_NOT_A_NUMBER;
    int shade = 0;
    while (shade + 1 < SHADES && weight >= thresholds[shade + 1])
        shade++;
    return shade;
}

static void print_cell(int shade, int cell, FILE *out)
{
    bool filled = shade < SHADES;
    fputs(shade_glyphs[shade], out);
    if (cell == 2)
        fputs(filled ? shade_glyphs[shade] : " ", out);
}

static void print_square(const HeatMap *map, int label, int cell, FILE *out)
{
    fprintf(out, "row = query (reads), column = key (is read)\n");
    fprintf(out, "weight: ' '");
    for (int shade = 1; shade < SHADES; shade++)
        fprintf(out, " < 0.%02d <= %s", 4 * shade * shade, shade_glyphs[shade]);
    fprintf(out, "%s\n", map->causal ? "  \u00B7 masked (future)" : "");
    fprintf(out, "%*s", label + 1, "");
    for (int key = 0; key < map->n; key++)
        glyph_print(out, map->glyphs[key], cell);
    fputc('\n', out);
    for (int query = 0; query < map->n; query++) {
        glyph_print(out, map->glyphs[query], label);
        fputc(' ', out);
        int previous = SHADE_NONE;
        for (int key = 0; key < map->n; key++) {
            int shade = shade_at(map, query, key);
            if (map->color && shade != previous)
                fputs(shade_styles[shade], out);
            print_cell(shade, cell, out);
            previous = shade;
        }
        fputs(map->color ? "\033[0m\n" : "\n", out);
    }
}

/* A weight that is no number is the most striking; equal weights keep the order of position. */
static bool is_stronger(float a, float b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

/* The strongest sources of a row in falling order; returns how many there are, at most `limit`. */
static int strongest(const float *row, int count, int limit, int sources[MOST_SOURCES])
{
    int found = 0;
    for (int key = 0; key < count; key++) {
        int place = found;
        while (place > 0 && is_stronger(row[key], row[sources[place - 1]]))
            place--;
        if (place == limit)
            continue;
        if (found < limit)
            found++;
        for (int i = found - 1; i > place; i--)
            sources[i] = sources[i - 1];
        sources[place] = key;
    }
    return found;
}

static void print_character(const HeatMap *map, int position, int digits, int label, FILE *out)
{
    const char *glyph = map->glyphs[position];
    int columns = glyph_columns(glyph);
    if (columns > label)
        columns = label;
    fprintf(out, "%*d '", digits, position);
    glyph_print(out, glyph, columns);
    fprintf(out, "'%*s", label - columns, "");
}

static void print_weight(float weight, FILE *out)
{
    if (isfinite(weight))
        fprintf(out, "%4.2f", (double)weight);
    else
        fputs("   ?", out);
}

static void print_list(const HeatMap *map, int label, FILE *out)
{
    int digits = snprintf(NULL, 0, "%d", map->n - 1);
    int character = digits + 3 + label, entry = 2 + character + 5;
    int limit = (map->width - character - 7) / entry;
    limit = limit < 1 ? 1 : limit > MOST_SOURCES ? MOST_SOURCES : limit;
    fprintf(out, "row = query (reads), then its strongest keys (are read): position, character, weight%s\n",
            map->causal ? "; none is later than the query" : "");
    PointLocale locale = point_locale_enter();
    for (int query = 0; query < map->n; query++) {
        const float *row = map->weights + (size_t)query * (size_t)map->n;
        int sources[MOST_SOURCES];
        int count = strongest(row, map->causal ? query + 1 : map->n, limit, sources);
        print_character(map, query, digits, label, out);
        fputs("  reads", out);
        for (int i = 0; i < count; i++) {
            fputs("  ", out);
            print_character(map, sources[i], digits, label, out);
            fputc(' ', out);
            print_weight(row[sources[i]], out);
        }
        fputc('\n', out);
    }
    point_locale_leave(locale);
}

void heat_map_print(const HeatMap *map, const char *title, FILE *out)
{
    assert(map->n > 0);
    int label = 1;
    for (int i = 0; i < map->n; i++) {
        int columns = glyph_columns(map->glyphs[i]);
        label = columns > label ? columns : label;
    }
    label = label > LONGEST_LABEL ? LONGEST_LABEL : label;
    int room = map->width - label - 1;
    fprintf(out, "%s\n", title);
    if (map->n <= room / 2)
        print_square(map, label, 2, out);
    else if (map->n <= room)
        print_square(map, label, 1, out);
    else
        print_list(map, label, out);
}
