#include "cli/bench_options.h"

#include "base/parallel.h"
#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/options.h"
#include "training/trainer.h"

#include <assert.h>
#include <string.h>

static const char usage[] = "soliloquy bench [NAME...] [options]";
static const char description[] =
    "Measures this machine's peak and trains the workloads lecture, default, wide, long and\n"
    "large-vocabulary; times validation, sampling and loading. Or trains one workload of the sizes given.\n"
    "FLOPs are the causal minimum of a step: 3 B T (2 H (T+1) + 2 H V) + 18 (V+T) C H.";

/* The values of the rows, in the types that rows have. */
typedef struct Values {
    bool json;
    int precision;
    int64_t threads, context, channels, head_size, batch_size, vocabulary_size;
} Values;

enum { ROWS = 8, FIRST_SIZE = 3 };

static void make_rows(Values *v, Option rows[ROWS])
{
    const WholeRange sizes = {1, MODEL_SIZE_LIMIT};
    const Option made[ROWS] = {
        {.name = "json", .kind = OPTION_FLAG, .value.flag = &v->json, .help = "an array of objects, one a workload"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = &v->threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads; OMP_NUM_THREADS is the default"},
        {.name = "precision", .kind = OPTION_CHOICE, .value.choice = &v->precision, .choices = precision_names,
         .help = "of the products of a training step"},
        {.name = "context", .kind = OPTION_INTEGER, .value.integer = &v->context, .whole = sizes,
         .group = "A workload of one's own", .help = "T: characters a window"},
        {.name = "channels", .kind = OPTION_INTEGER, .value.integer = &v->channels, .whole = sizes,
         .help = "C: width of the embeddings"},
        {.name = "head-size", .kind = OPTION_INTEGER, .value.integer = &v->head_size, .whole = sizes,
         .help = "H: width of queries, keys and values"},
        {.name = "batch-size", .kind = OPTION_INTEGER, .value.integer = &v->batch_size, .whole = sizes,
         .help = "B: windows a step"},
        {.name = "vocabulary-size", .kind = OPTION_INTEGER, .value.integer = &v->vocabulary_size, .whole = sizes,
         .help = "V: different characters"},
    };
    memcpy(rows, made, sizeof made);
}

static const Workload *find_workload(const char *name, Error *error)
{
    const char *names[BENCH_MOST_WORKLOADS];
    char quoted[QUOTED_LENGTH];
    assert(workload_count <= BENCH_MOST_WORKLOADS);
    for (int i = 0; i < workload_count; i++) {
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
        names[i] = workloads[i].name;
    }
    const char *near = nearest_name(name, names, workload_count);
    format_quoted(name, quoted);
    error_set(error, "no workload %s; %s%s", quoted, near != NULL ? "did you mean " : "`bench --help` lists them",
              near != NULL ? near : "");
    return NULL;
}

static bool choose_named(BenchOptions *o, const Positionals *names, Error *error)
{
    o->count = names->count > 0 ? names->count : workload_count;
    for (int i = 0; i < o->count; i++) {
        o->chosen[i] = names->count > 0 ? find_workload(names->words[i], error) : &workloads[i];
        if (o->chosen[i] == NULL)
            return false;
    }
    return true;
}

static bool choose_custom(BenchOptions *o, const Values *v, Error *error)
{
    o->custom = (Workload){
        .name = "custom", .kind = BENCHMARK_TRAINING, .batch = (int)v->batch_size,
        .config = {.context = (int)v->context, .channels = (int)v->channels, .head_size = (int)v->head_size,
                   .vocabulary_size = (int)v->vocabulary_size},
    };
    o->chosen[0] = &o->custom;
    o->count = 1;
    return trainer_check_memory(&o->custom.config, o->custom.batch, o->threads, o->precision, error);
}

/* The first size that was given, or NULL. */
static const Option *size_given(const Option rows[ROWS])
{
    for (int i = FIRST_SIZE; i < ROWS; i++)
        if (rows[i].given)
            return &rows[i];
    return NULL;
}

bool bench_options_parse(BenchOptions *o, int argc, char **argv, Error *error)
{
    Option rows[ROWS];
    OptionTable table = {rows, ROWS};
    const char *words[BENCH_MOST_WORKLOADS];
    Positionals names = {.words = words, .limit = BENCH_MOST_WORKLOADS};
    const Workload *standard = find_workload("default", error);
    const ModelConfig *config = &standard->config;
    Values v = {.threads = parallel_default_threads(), .context = config->context, .channels = config->channels,
                .head_size = config->head_size, .batch_size = standard->batch,
                .vocabulary_size = config->vocabulary_size};
    *o = (BenchOptions){0};
    make_rows(&v, rows);
    if (!options_parse(table, argc, argv, &names, error))
        return false;
    o->threads = (int)v.threads;
    o->precision = (Precision)v.precision;
    o->json = v.json;
    o->help = names.help;
    if (o->help) {
        options_print_help(stdout, usage, description, table);
        return true;
    }
    const Option *size = size_given(rows);
    if (size == NULL)
        return choose_named(o, &names, error);
    if (names.count > 0) {
        char quoted[QUOTED_LENGTH];
        format_quoted(names.words[0], quoted);
        return error_set(error, "--%s makes a workload of its own and %s has its sizes; leave one of them out",
                         size->name, quoted);
    }
    return choose_custom(o, &v, error);
}
