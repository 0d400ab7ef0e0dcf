#include "cli/train_options.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* The values of the rows, in the types that rows have. */
typedef struct Values {
    const char *data, *out, *resume, *maps_text;
    bool bytes, quiet, overwrite;
    int preset, positions, mask, mixing, scale, schedule, precision;
    int64_t context, channels, head_size, batch_size, steps, warmup, eval_every, pause_at, threads;
    double learning_rate, min_learning_rate, beta1, beta2, epsilon, weight_decay, clip;
    double validation_fraction, checkpoint_every, max_time;
    uint64_t seed;
} Values;

enum { PRESET_DEFAULT, PRESET_LECTURE };
static const char *const preset_names[] = {"default", "lecture", NULL};

static Values preset_values(int preset)
{
    Values v = {
        .preset = preset,
        .context = 64, .channels = 128, .head_size = 64, .batch_size = 64,
        .steps = 7500, .warmup = 100, .learning_rate = 5e-3, .schedule = SCHEDULE_COSINE,
        .beta1 = .9, .beta2 = .99, .epsilon = 1e-8, .weight_decay = .05,
        .validation_fraction = .1, .eval_every = 500, .checkpoint_every = 60, .max_time = INFINITY,
        .pause_at = INT64_MAX, .threads = parallel_default_threads(), .seed = 1337,
    };
    if (preset == PRESET_LECTURE) {
        v.context = 8;
        v.channels = v.head_size = v.batch_size = 32;
        v.steps = 5000;
        v.learning_rate = 1e-3;
        v.schedule = SCHEDULE_CONSTANT;
        v.warmup = 0;
        v.beta2 = .999;
        v.weight_decay = 0;
    }
    return v;
}

enum { ROWS = 36 };
static const WholeRange sizes = {1, MODEL_SIZE_LIMIT}, counts = {1, INT32_MAX};
static const RealRange open_unit = {.minimum = 0, .maximum = 1, .below_maximum = true};
static const RealRange positive = {.minimum = 0, .maximum = INFINITY, .above_minimum = true};
static const RealRange not_lost_in_a_float = {.minimum = 1e-30, .maximum = INFINITY};
static const RealRange from_zero = {.minimum = 0, .maximum = INFINITY};

/* Fills rows[] and returns how many. */
static int make_rows(Values *v, Option rows[ROWS])
{
    const Option list[] = {
        {.name = "data", .kind = OPTION_PATH, .value.text = &v->data, .group = "Text",
         .shown = "data/tinyshakespeare.txt, or else data/sample.txt", .help = "the text to learn"},
        {.name = "bytes", .kind = OPTION_FLAG, .value.flag = &v->bytes,
         .help = "symbols are bytes, not UTF-8 characters"},
        {.name = "validation-fraction", .kind = OPTION_REAL, .value.real = &v->validation_fraction, .range = open_unit,
         .help = "share of the text, at its end, to validate on; 0: none"},
        {.name = "out", .kind = OPTION_PATH, .value.text = &v->out, .placeholder = "DIR", .group = "Run",
         .shown = "run",
         .help = "directory of the run's files"},
        {.name = "resume", .kind = OPTION_PATH, .value.text = &v->resume, .placeholder = "DIR",
         .help = "go on with the run in DIR, from its last checkpoint"},
        {.name = "overwrite", .kind = OPTION_FLAG, .value.flag = &v->overwrite, .help = "replace the run in --out"},
        {.name = "preset", .kind = OPTION_CHOICE, .value.choice = &v->preset, .choices = preset_names,
         .help = "lecture: the course's sizes, 5,000 steps at a constant 1e-3"},
        {.name = "steps", .kind = OPTION_INTEGER, .value.integer = &v->steps, .whole = {0, INT32_MAX},
         .help = "updates; 0 writes the initial model"},
        {.name = "pause-at", .kind = OPTION_INTEGER, .value.integer = &v->pause_at, .whole = {0, INT64_MAX},
         .shown = "", .help = "save and stop after this step; --resume goes on"},
        {.name = "max-time", .kind = OPTION_REAL, .value.real = &v->max_time, .range = positive,
         .placeholder = "SECONDS",
         .shown = "no limit", .help = "save and stop after this time; --resume goes on"},
        {.name = "eval-every", .kind = OPTION_INTEGER, .value.integer = &v->eval_every, .whole = counts,
         .help = "steps between evaluations"},
        {.name = "checkpoint-every", .kind = OPTION_REAL, .value.real = &v->checkpoint_every, .range = positive,
         .placeholder = "SECONDS", .help = "between saves of last.safetensors"},
        {.name = "maps-text", .kind = OPTION_TEXT, .value.text = &v->maps_text,
         .shown = "the start of the validation text", .help = "text whose attention maps are written at the end"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = &v->threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads; OMP_NUM_THREADS is the default"},
        {.name = "seed", .kind = OPTION_SEED, .value.seed = &v->seed, .help = "of the initial weights and the batches"},
        {.name = "quiet", .kind = OPTION_FLAG, .value.flag = &v->quiet, .help = "no progress, results only"},
        {.name = "context", .kind = OPTION_INTEGER, .value.integer = &v->context, .whole = sizes, .group = "Model",
         .help = "T: characters a window"},
        {.name = "channels", .kind = OPTION_INTEGER, .value.integer = &v->channels, .whole = sizes,
         .help = "C: width of the embeddings"},
        {.name = "head-size", .kind = OPTION_INTEGER, .value.integer = &v->head_size, .whole = sizes,
         .help = "H: width of queries, keys and values"},
        {.name = "positions", .kind = OPTION_CHOICE, .value.choice = &v->positions, .choices = positions_names,
         .help = "what tells the head where a character stands"},
        {.name = "mask", .kind = OPTION_CHOICE, .value.choice = &v->mask, .choices = mask_names,
         .help = "none: every position reads the future too"},
        {.name = "mixing", .kind = OPTION_CHOICE, .value.choice = &v->mixing, .choices = mixing_names,
         .help = "uniform: the running mean, W_Q = W_K = 0"},
        {.name = "scale", .kind = OPTION_CHOICE, .value.choice = &v->scale, .choices = scale_names,
         .help = "of the scores: 1/sqrt(H), or 1"},
        {.name = "batch-size", .kind = OPTION_INTEGER, .value.integer = &v->batch_size, .whole = sizes,
         .group = "Optimizer", .help = "B: windows a step"},
        {.name = "learning-rate", .kind = OPTION_REAL, .value.real = &v->learning_rate, .range = positive,
         .help = "the largest rate of the schedule"},
        {.name = "min-learning-rate", .kind = OPTION_REAL, .value.real = &v->min_learning_rate, .range = from_zero,
         .help = "where the cosine ends"},
        {.name = "schedule", .kind = OPTION_CHOICE, .value.choice = &v->schedule, .choices = schedule_names,
         .help = "after the warm-up"},
        {.name = "warmup", .kind = OPTION_INTEGER, .value.integer = &v->warmup, .whole = {0, INT32_MAX},
         .help = "steps of linear warm-up"},
        {.name = "beta1", .kind = OPTION_REAL, .value.real = &v->beta1, .range = open_unit, .help = "of Adam's mean"},
        {.name = "beta2", .kind = OPTION_REAL, .value.real = &v->beta2, .range = open_unit,
         .help = "of Adam's mean of squares"},
        {.name = "epsilon", .kind = OPTION_REAL, .value.real = &v->epsilon, .range = not_lost_in_a_float,
         .help = "added to Adam's root"},
        {.name = "weight-decay", .kind = OPTION_REAL, .value.real = &v->weight_decay, .range = open_unit,
         .help = "decoupled; 0: off"},
        {.name = "precision", .kind = OPTION_CHOICE, .value.choice = &v->precision, .choices = precision_names,
         .help = "of a step's products; bf16: faster, where the processor multiplies it"},
        {.name = "clip", .kind = OPTION_REAL, .value.real = &v->clip, .range = from_zero,
         .help = "largest norm of the gradient; 0: off"},
    };
    enum { COUNT = sizeof list / sizeof list[0] };
    _Static_assert(sizeof list <= ROWS * sizeof *rows, "room for every row");
    memcpy(rows, list, sizeof list);
    return COUNT;
}

/* The options that a resumed run may be given; all others belong to the run. */
static const char *const resume_options[] = {"data", "resume", "steps", "pause-at", "max-time", "checkpoint-every",
                                             "maps-text", "threads", "quiet"};

static bool refuse_with_resume(OptionTable table, Error *error)
{
    for (int i = 0; i < table.count; i++) {
        bool allowed = false;
        for (size_t k = 0; k < sizeof resume_options / sizeof resume_options[0]; k++)
            allowed = allowed || strcmp(table.rows[i].name, resume_options[k]) == 0;
        if (table.rows[i].given && !allowed)
            return error_set(error,
                             "--%s cannot be given with --resume, which goes on with the run in its directory as it "
                                    "was begun; leave it out, or start another run with --out", table.rows[i].name);
    }
    return true;
}

/* Parses twice where a preset is named: once to learn its name, once over its values. */
static bool parse_values(Values *v, Option rows[ROWS], OptionTable *table, int argc, char **argv, Positionals *rest,
                         Error *error)
{
    *v = preset_values(PRESET_DEFAULT);
    *table = (OptionTable){rows, make_rows(v, rows)};
    if (!options_parse(*table, argc, argv, rest, error))
        return false;
    if (v->preset == PRESET_DEFAULT || rest->help)
        return true;
    *v = preset_values(v->preset);
    make_rows(v, rows);
    rest->count = 0;
    return options_parse(*table, argc, argv, rest, error);
}

static void store(TrainOptions *o, const Values *v)
{
    *o = (TrainOptions){
        .data = v->data,
        .directory = v->resume != NULL ? v->resume : v->out != NULL ? v->out : "run",
        .resume = v->resume != NULL, .overwrite = v->overwrite, .quiet = v->quiet, .bytes = v->bytes,
        .config = {.context = (int)v->context, .channels = (int)v->channels, .head_size = (int)v->head_size,
                   .positions = (Positions)v->positions, .mask = (Mask)v->mask, .mixing = (Mixing)v->mixing,
                   .scale = (Scale)v->scale},
        .settings = {.batch_size = (int)v->batch_size,
                     .schedule = {(ScheduleKind)v->schedule, v->learning_rate, v->min_learning_rate, v->warmup,
                                  v->steps},
                     .adam = {v->beta1, v->beta2, v->epsilon, v->weight_decay, v->clip},
                     .precision = (Precision)v->precision, .seed = v->seed,
                     .validation_fraction = v->validation_fraction, .eval_every = v->eval_every},
        .checkpoint_every = v->checkpoint_every, .max_seconds = v->max_time, .pause_at = v->pause_at,
        .threads = (int)v->threads, .maps_text = v->maps_text,
    };
}

bool train_options_parse(TrainOptions *options, int argc, char **argv, Error *error)
{
    Values values;
    Option rows[ROWS];
    OptionTable table;
    Positionals rest = {0};
    if (!parse_values(&values, rows, &table, argc, argv, &rest, error))
        return false;
    store(options, &values);
    options->steps_given = options_given(table, "steps");
    options->help = rest.help;
    if (rest.help) {
        options_print_help(stdout, "soliloquy train [--data FILE] [--out DIR] [options]",
                           "Trains a model on a text and writes DIR: best.safetensors (the lowest validation loss),\n"
                           "last.safetensors (to resume from), log.jsonl, and attention/ (the maps of the best model).",
                           table);
        return true;
    }
    if (options->resume && !refuse_with_resume(table, error))
        return false;
    if (values.maps_text != NULL && values.maps_text[0] == '\0')
        return error_set(error, "--maps-text is empty; give it at least one character");
    if (values.min_learning_rate > values.learning_rate)
        return error_set(error, "--min-learning-rate is above --learning-rate; choose a smaller one");
    return true;
}
