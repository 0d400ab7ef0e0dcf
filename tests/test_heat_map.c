/* Shaded maps: exact output on small matrices, labels of every width, and the list for wide ones. */
#include "report/glyph.h"
#include "report/heat_map.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const float weights[9] = {
    1.0f, 0.9f, 0.9f,
    0.36f, 0.64f, 0.9f,
    0.0f, 0.04f, 0.16f,
};
static const char *const letters[] = {"a", "\u2423", "\u21B5"};

static char *print(const HeatMap *map, char *text, size_t size)
{
    FILE *stream = tmpfile();
    if (stream == NULL)
        return strcpy(text, "no temporary file");
    heat_map_print(map, "title", stream);
    rewind(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static void check_map(const char *name, HeatMap map, const char *expected)
{
    char text[8192];
    test_case(name);
    CHECK(strcmp(print(&map, text, sizeof text), expected) == 0, "\n%s", text);
}

#define AXES "title\nrow = query (reads), column = key (is read)\n"
#define LEGEND "weight: ' ' < 0.04 <= ░ < 0.16 <= ▒ < 0.36 <= ▓ < 0.64 <= █"
#define MASKED "  · masked (future)\n"

static void test_squares(void)
{
    check_map("causal map, cells of two columns",
              (HeatMap){.weights = weights, .n = 3, .glyphs = letters, .causal = true, .width = 8},
              AXES LEGEND MASKED
              "  a ␣ ↵ \n"
              "a ██· · \n"
              "␣ ▓▓██· \n"
              "↵   ░░▒▒\n");
    check_map("causal map, cells of one column",
              (HeatMap){.weights = weights, .n = 3, .glyphs = letters, .causal = true, .width = 7},
              AXES LEGEND MASKED
              "  a␣↵\n"
              "a █··\n"
              "␣ ▓█·\n"
              "↵  ░▒\n");
    check_map("map without a mask",
              (HeatMap){.weights = weights, .n = 3, .glyphs = letters, .width = 5},
              AXES LEGEND "\n"
              "  a␣↵\n"
              "a ███\n"
              "␣ ▓██\n"
              "↵  ░▒\n");
    check_map("map in colour has the same glyphs",
              (HeatMap){.weights = weights, .n = 3, .glyphs = letters, .causal = true, .width = 5, .color = true},
              AXES LEGEND MASKED
              "  a␣↵\n"
              "a \033[0;38;5;18;48;5;18m█\033[0;2m··\033[0m\n"
              "␣ \033[0;38;5;18;48;5;69m▓\033[0;38;5;18;48;5;18m█\033[0;2m·\033[0m\n"
              "↵ \033[0;38;5;189;48;5;231m \033[0;38;5;147;48;5;189m░\033[0;38;5;69;48;5;147m▒\033[0m\n");
}

static void test_border_weights(void)
{
    const float borders[4] = {nextafterf(0.04f, 0), nextafterf(0.16f, 0), nextafterf(0.36f, 0), nextafterf(0.64f, 0)};
    check_map("shades change exactly at their thresholds",
              (HeatMap){.weights = borders, .n = 2, .glyphs = letters, .width = 4},
              AXES LEGEND "\n"
              "  a␣\n"
              "a  ░\n"
              "␣ ▒▓\n");
    const float odd[4] = {NAN, -NAN, -1.0f, INFINITY};
    check_map("what is no number is a question mark",
              (HeatMap){.weights = odd, .n = 2, .glyphs = letters, .width = 80},
              AXES LEGEND "\n"
              "  a ␣ \n"
              "a ? ? \n"
              "␣   ██\n");
}

static void test_labels(void)
{
    static const char *const names[] = {"U+200B", "\u25CC\u0301", "\u4E2D", "\n"};
    const float ones[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    check_map("long, combining, wide and raw labels keep the grid",
              (HeatMap){.weights = ones, .n = 4, .glyphs = names, .causal = true, .width = 80},
              AXES LEGEND MASKED
              "       … \u25CC\u0301 中? \n"
              "U+200B ██· · · \n"
              "\u25CC\u0301        ██· · \n"
              "中         ██· \n"
              "?            ██\n");
    check_map("a wide label is cut in a cell of one column",
              (HeatMap){.weights = ones, .n = 4, .glyphs = names, .causal = true, .width = 11},
              AXES LEGEND MASKED
              "       …\u25CC\u0301…?\n"
              "U+200B █···\n"
              "\u25CC\u0301       █··\n"
              "中       █·\n"
              "?         █\n");

    test_case("columns of a glyph");
    CHECK(glyph_columns("a") == 1 && glyph_columns("") == 0 && glyph_columns("\u4E2D") == 2);
    CHECK(glyph_columns("\u25CC\u0301") == 1 && glyph_columns("U+0301") == 6 && glyph_columns("\u2423") == 1);
    CHECK(glyph_columns("\xC3") == 1 && glyph_columns("\033[2J") == 4 && glyph_columns("\U0001F600") == 2);
}

static void test_list(void)
{
    check_map("a map wider than the terminal becomes a list",
              (HeatMap){.weights = weights, .n = 3, .glyphs = letters, .causal = true, .width = 4},
              "title\nrow = query (reads), then its strongest keys (are read): position, character, weight; none is "
              "later than the query\n"
              "0 'a'  reads  0 'a' 1.00\n"
              "1 '␣'  reads  1 '␣' 0.64\n"
              "2 '↵'  reads  2 '↵' 0.16\n");
}

static void test_order(void)
{
    enum { N = 12 };
    float square[N * N];
    const char *glyphs[N];
    for (int i = 0; i < N * N; i++)
        square[i] = 0.0f;
    for (int i = 0; i < N; i++)
        glyphs[i] = i == 3 ? "U+200B" : "x";
    float *last = square + (N - 1) * N;
    last[3] = 0.41f, last[11] = 0.22f, last[7] = 0.22f, last[8] = NAN, last[5] = 0.1f, last[6] = 0.0149f;
    char text[8192];
    test_case("the list takes the strongest, equal ones in order");
    HeatMap map = {.weights = square, .n = N, .glyphs = glyphs, .causal = true, .width = 18};
    print(&map, text, sizeof text);
    const char *line = strstr(text, "11 'x'       reads");
    CHECK(line != NULL && strcmp(line, "11 'x'       reads   8 'x'         ?\n") == 0, "%s", text);
    map.causal = false;
    print(&map, text, sizeof text);
    CHECK(strstr(text, "none is later") == NULL, "%s", text);
}

static void test_long_list(void)
{
    test_case("the list holds five sources where they fit");
    enum { LARGE = 100 };
    float *large = calloc(LARGE * LARGE, sizeof *large);
    const char *many[LARGE];
    for (int i = 0; i < LARGE; i++)
        many[i] = i == 3 ? "o" : i == 11 ? "\u2423" : "t";
    float *row = large + 12 * LARGE;
    row[3] = 0.41f, row[11] = 0.22f, row[7] = 0.22f, row[5] = 0.1f, row[6] = 0.0149f;
    row[50] = 0.9f; /* masked */
    HeatMap wide = {.weights = large, .n = LARGE, .glyphs = many, .causal = true, .width = 80};
    char long_text[32768];
    print(&wide, long_text, sizeof long_text);
    const char *line = strstr(long_text, "\n12 't'");
    static const char expected[] =
        "\n12 't'  reads   3 'o' 0.41   7 't' 0.22  11 '␣' 0.22   5 't' 0.10   6 't' 0.01\n";
    CHECK(line != NULL && strncmp(line, expected, strlen(expected)) == 0, "%.200s", line == NULL ? long_text : line);
    free(large);
}

int main(void)
{
    test_squares();
    test_border_weights();
    test_labels();
    test_list();
    test_order();
    test_long_list();
    return test_finish();
}
