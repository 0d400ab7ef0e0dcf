/* command_lab.c -- `soliloquy lab`: the sources' experiments, each printed figure beside ours. */
#include "cli/commands.h"
#include "cli/lab_options.h"
#include "cli/lab_table.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "lab/table_file.h"
#include "storage/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_WIDTH = 120, MOST_WIDTH = 160 }; /* columns where nothing says how many, and beyond which none is used */

static const char *const verdict_words[LAB_VERDICTS] = {"exact", "within", "holds", "failed", "skipped"};

/* Where the rows go. */
typedef struct Sink {
    LabTable table;
    TableFile *rows; /* NULL without --out */
} Sink;

static int table_width(void)
{
    const char *columns = getenv("COLUMNS");
    bool known = isatty(STDOUT_FILENO) || (columns != NULL && columns[0] != '\0');
    int width = known ? terminal_width(stdout) : PIPE_WIDTH;
    return width < MOST_WIDTH ? width : MOST_WIDTH;
}

static void write_row(TableFile *rows, const LabRow *row)
{
    const char *texts[] = {row->experiment, row->source, row->claim, row->published, row->ours,
                           verdict_words[row->verdict], row->why != NULL ? row->why : ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        table_file_text(rows, texts[i]);
    table_file_number(rows, row->figures);
    table_file_end_line(rows);
}

static void take_row(void *context, const LabRow *row)
{
    const Sink *sink = context;
    lab_table_row(&sink->table, row);
    if (sink->rows != NULL)
        write_row(sink->rows, row);
}

static bool open_rows(TableFile *rows, const char *directory, Error *error)
{
    static const char *const titles[] = {"experiment", "source", "claim", "published", "ours", "verdict", "why",
                                         "figures"};
    if (!table_file_open(rows, directory, "lab.csv", error))
        return false;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        table_file_text(rows, titles[i]);
    table_file_end_line(rows);
    return true;
}

/* A model that cannot be read is said once, not by every experiment. */
static bool check_model(const char *model, Error *error)
{
    Checkpoint checkpoint;
    if (model == NULL)
        return true;
    if (!checkpoint_open(&checkpoint, model, error))
        return false;
    checkpoint_close(&checkpoint);
    return true;
}

static void run_all(const LabOptions *o, Lab *lab, const LabTable *table)
{
    lab_table_header(table);
    for (int i = 0; i < o->count; i++) {
        Error error = {0};
        fputc('\n', table->out);
        lab_run(lab, o->chosen[i], &error); /* a failure is a row */
        fflush(table->out);
    }
    const int *counts = lab->counts;
    fprintf(table->out, "\nlab: %d exact, %d within, %d hold, %d failed, %d skipped\n", counts[LAB_EXACT],
            counts[LAB_WITHIN], counts[LAB_HOLDS], counts[LAB_FAILED], counts[LAB_SKIPPED]);
}

static int run(const LabOptions *o, const LabTable *table)
{
    Error error = {0};
    TableFile rows = {0};
    Sink sink = {*table, o->out != NULL ? &rows : NULL};
    Lab lab = {.data = o->data, .model = o->model, .out = o->out, .threads = o->threads, .sink = take_row,
               .context = &sink};
    if (!check_model(o->model, &error) || (o->out != NULL && !open_rows(&rows, o->out, &error)))
        return report_failure("lab", &error);
    run_all(o, &lab, table);
    if (o->out != NULL && !table_file_commit(&rows, &error))
        return report_failure("lab", &error);
    return lab.counts[LAB_FAILED] == 0 ? EXIT_DONE : EXIT_FAILED;
}

int command_lab(int argc, char **argv)
{
    LabOptions o;
    Error error = {0};
    if (!lab_options_parse(&o, argc, argv, &error))
        return report_usage("lab", &error);
    if (o.help)
        return EXIT_DONE;
    LabTable table = {.out = stdout, .width = table_width(), .color = terminal_colors(stdout)};
    if (!o.list)
        return run(&o, &table);
    lab_table_list(&table);
    return EXIT_DONE;
}
