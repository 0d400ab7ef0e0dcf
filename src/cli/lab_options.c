#include "cli/lab_options.h"

#include "base/parallel.h"
#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/options.h"

#include <assert.h>
#include <string.h>

static const char usage[] = "soliloquy lab [NAME...] [options]";
static const char description[] =
    "The experiments of the three sources, run by this program's own layers, with the published figure beside ours. "
    "Without a NAME all of them; `soliloquy lab list` names them. A figure is exact (every printed digit), within (a "
    "band that is argued in a line), or FAILED; a proposition holds or FAILED; what lacks its data is skipped and "
    "never counted as reproduced. With a trained model the propositions are asserted on it, too. Exit status 1 when "
    "anything failed.";

enum { ROWS = 4 };

static void make_rows(LabOptions *o, int64_t *threads, Option rows[ROWS])
{
    const Option made[ROWS] = {
        {.name = "data", .kind = OPTION_PATH, .value.text = &o->data, .placeholder = "DIR",
         .help = "folder that holds tinyshakespeare.txt and banking77/"},
        {.name = "model", .kind = OPTION_PATH, .value.text = &o->model, .placeholder = "MODEL",
         .help = "a .safetensors file or the directory of a run, to assert the propositions on"},
        {.name = "out", .kind = OPTION_PATH, .value.text = &o->out, .placeholder = "DIR",
         .help = "write the pictures, the tables and every row (lab.csv) there"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads; figures do not depend on them"},
    };
    memcpy(rows, made, sizeof made);
}

static const Experiment *find(const char *name, Error *error)
{
    const char *names[LAB_MOST_EXPERIMENTS + 1];
    char quoted[QUOTED_LENGTH];
    for (int i = 0; i < experiment_count; i++) {
        if (strcmp(experiments[i].name, name) == 0)
            return &experiments[i];
        names[i] = experiments[i].name;
    }
    names[experiment_count] = "list";
    const char *near = nearest_name(name, names, experiment_count + 1);
    format_quoted(name, quoted);
    if (near != NULL)
        error_set(error, "no experiment %s; did you mean %s?", quoted, near);
    else
        error_set(error, "no experiment %s; `soliloquy lab list` names them", quoted);
    return NULL;
}

static bool choose(LabOptions *o, const Positionals *names, Error *error)
{
    bool taken[LAB_MOST_EXPERIMENTS] = {false};
    for (int i = 0; i < names->count; i++) {
        const Experiment *named = find(names->words[i], error);
        if (named == NULL)
            return false;
        if (!taken[named - experiments])
            o->chosen[o->count++] = named;
        taken[named - experiments] = true;
    }
    for (int i = 0; names->count == 0 && i < experiment_count; i++)
        o->chosen[o->count++] = &experiments[i];
    return true;
}

bool lab_options_parse(LabOptions *o, int argc, char **argv, Error *error)
{
    Option rows[ROWS];
    OptionTable table = {rows, ROWS};
    const char *words[LAB_MOST_EXPERIMENTS];
    Positionals names = {.words = words, .limit = LAB_MOST_EXPERIMENTS};
    int64_t threads = parallel_default_threads();
    assert(experiment_count <= LAB_MOST_EXPERIMENTS);
    *o = (LabOptions){.data = "data"};
    make_rows(o, &threads, rows);
    if (!options_parse(table, argc, argv, &names, error))
        return false;
    o->threads = (int)threads;
    o->help = names.help;
    if (o->help) {
        options_print_help(stdout, usage, description, table);
        return true;
    }
    o->list = names.count > 0 && strcmp(names.words[0], "list") == 0;
    if (o->list && names.count > 1)
        return error_set(error, "`lab list` takes no names; leave out either");
    return o->list || choose(o, &names, error);
}
