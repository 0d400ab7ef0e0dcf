#include "cli/lab_table.h"

#include <string.h>

enum { NAME_WIDTH = 12, SOURCE_WIDTH = 14, VERDICT_WIDTH = 7, GAP = 2, LEAST_WIDTH = 80, WHY_INDENT = 4, CELLS = 6 };

/* What is still to be printed of a text, and the columns it may have. */
typedef struct Cell {
    const char *text;
    int width;
} Cell;

static const char *const verdict_names[LAB_VERDICTS] = {"exact", "within", "holds", "FAILED", "skipped"};

/* Bytes of `text` that fit `width` columns: UTF-8 continuation bytes take none. */
static size_t bytes_within(const char *text, size_t length, int width)
{
    size_t i = 0;
    for (int columns = 0; i < length; i++) {
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (columns > width)
            break;
    }
    return i;
}

static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Takes the next line of a cell: as many words as fit, or the beginning of a word that is longer than a line. */
static size_t take_line(Cell *cell, const char **line)
{
    while (*cell->text == ' ')
        cell->text++;
    *line = cell->text;
    size_t all = strlen(cell->text), fits = bytes_within(cell->text, all, cell->width), length = fits;
    if (fits < all && cell->text[fits] != ' ') {
        while (length > 0 && cell->text[length - 1] != ' ')
            length--;
        if (length == 0)
            length = fits;
    }
    cell->text += length;
    while (length > 0 && (*line)[length - 1] == ' ')
        length--;
    return length;
}

/* Prints the cells side by side, indented, until nothing is left of any. The last one's first line may be coloured. */
static void print_cells(const LabTable *table, Cell *cells, int count, int indent, const char *color)
{
    bool left = true;
    while (left) {
        left = false;
        int missing = indent; /* spaces before the next text */
        for (int c = 0; c < count; c++) {
            const char *line;
            size_t length = take_line(&cells[c], &line);
            if (length > 0) {
                bool colored = table->color && color != NULL && c == count - 1;
                fprintf(table->out, "%*s%s%.*s%s", missing, "", colored ? color : "", (int)length, line,
                        colored ? "\033[0m" : "");
                missing = 0;
            }
            missing += cells[c].width - columns_of(line, length) + GAP;
            left = left || cells[c].text[strspn(cells[c].text, " ")] != '\0';
        }
        fputc('\n', table->out);
    }
}

static int whole_width(const LabTable *table)
{
    return table->width > LEAST_WIDTH ? table->width : LEAST_WIDTH;
}

static void print_row(const LabTable *table, const char *const texts[CELLS], const char *color)
{
    int rest = whole_width(table) - NAME_WIDTH - SOURCE_WIDTH - VERDICT_WIDTH - (CELLS - 1) * GAP;
    int figures = rest * 3 / 10, claim = rest - 2 * figures;
    Cell cells[CELLS] = {{texts[0], NAME_WIDTH}, {texts[1], SOURCE_WIDTH}, {texts[2], claim}, {texts[3], figures},
                         {texts[4], figures}, {texts[5], VERDICT_WIDTH}};
    int count = CELLS;
    if (texts[3][0] == '\0') {
        cells[3] = (Cell){texts[4], 2 * figures + GAP};
        cells[4] = cells[5];
        count--;
    }
    print_cells(table, cells, count, 0, color);
}

void lab_table_header(const LabTable *table)
{
    static const char *const titles[CELLS] = {"experiment", "source", "claim", "published", "ours", "verdict"};
    print_row(table, titles, NULL);
}

void lab_table_row(const LabTable *table, const LabRow *row)
{
    const char *texts[CELLS] = {row->experiment, row->source, row->claim, row->published, row->ours,
                                verdict_names[row->verdict]};
    const char *color = row->verdict == LAB_FAILED ? "\033[1;31m" : row->verdict == LAB_SKIPPED ? "\033[33m" : NULL;
    print_row(table, texts, color);
    if (row->why == NULL)
        return;
    fprintf(table->out, "%*s%s:\n", WHY_INDENT, "", verdict_names[row->verdict]);
    Cell why = {row->why, whole_width(table) - 2 * WHY_INDENT};
    print_cells(table, &why, 1, 2 * WHY_INDENT, NULL);
}

void lab_table_list(const LabTable *table)
{
    for (int i = 0; i < experiment_count; i++) {
        int rest = whole_width(table) - NAME_WIDTH - 2 * SOURCE_WIDTH - 2 * GAP;
        Cell cells[] = {{experiments[i].name, NAME_WIDTH}, {experiments[i].source, 2 * SOURCE_WIDTH},
                        {experiments[i].about, rest}};
        print_cells(table, cells, 3, 0, NULL);
    }
}
