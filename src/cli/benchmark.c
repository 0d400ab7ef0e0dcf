#include "cli/benchmark.h"

#include "base/clock.h"
#include "inference/sampler.h"
#include "model/evaluation.h"
#include "text/corpus.h"
#include "training/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRIES = 5, TEXT_LENGTH = 1 << 20 };
static const double try_seconds = 0.2; /* of one try, about */
static const double patience_seconds = 4;

#define SHAPE(t, c, h, v) {.context = t, .channels = c, .head_size = h, .vocabulary_size = v}

const Workload workloads[] = {
    {"lecture", BENCHMARK_TRAINING, SHAPE(8, 32, 32, 65), 32, 0},
    {"default", BENCHMARK_TRAINING, SHAPE(64, 64, 64, 65), 64, 0},
    {"wide", BENCHMARK_TRAINING, SHAPE(256, 128, 64, 65), 64, 0},
    {"long", BENCHMARK_TRAINING, SHAPE(8192, 64, 64, 65), 1, 0},
    {"large-vocabulary", BENCHMARK_TRAINING, SHAPE(64, 64, 64, 5000), 64, 0},
    {"validation", BENCHMARK_VALIDATION, SHAPE(64, 64, 64, 65), 64, 111540},
    {"sampling", BENCHMARK_SAMPLING, SHAPE(64, 64, 64, 65), 1, 20000},
    {"loading", BENCHMARK_LOADING, SHAPE(64, 64, 64, 65), 1, 100e6},
};
const int workload_count = sizeof workloads / sizeof workloads[0];

static double flops_of(const Workload *w)
{
    double B = w->batch, T = w->config.context, C = w->config.channels, H = w->config.head_size;
    double V = w->config.vocabulary_size;
    return 3 * B * T * (2 * H * (T + 1) + 2 * H * V) + 18 * (V + T) * C * H;
}

bool benchmark_text(Ids *text, size_t count, int vocabulary_size, Error *error)
{
    if (!ids_allocate(text, count, vocabulary_size, error))
        return false;
    const double V = vocabulary_size;
    Random random = random_seed(1);
    for (size_t i = 0; i < count; i++) {
        double rank;
        do
            rank = -.22 * V * log(1 - random_uniform(&random));
        while (rank >= V * random_uniform(&random)); /* keeps it with probability 1 - rank / V */
        ids_put(*text, i, (int32_t)rank);
    }
    return true;
}

/* Everything that a training, a validation or a sampling needs; opened once for each number of threads. */
typedef struct Bench {
    const Workload *workload;
    Ids text;
    Parameters parameters;
    Update update;
    Random batches;
} Bench;

static void bench_close(Bench *b)
{
    ids_free(&b->text);
    parameters_close(&b->parameters);
    update_close(&b->update);
}

static bool bench_open(Bench *b, const Workload *w, Precision precision, int threads, Error *error)
{
    const ModelConfig *config = &w->config;
    AdamSettings adam = {.beta1 = .9, .beta2 = .99, .epsilon = 1e-8};
    int shards = step_shard_count(config, w->batch, tables_plan(config, w->batch, precision));
    *b = (Bench){.workload = w, .batches = random_seed(2)};
    size_t length = TEXT_LENGTH + (size_t)config->context;
    if (!benchmark_text(&b->text, length, config->vocabulary_size, error) ||
        !parameters_open(&b->parameters, config, error) ||
        !update_open(&b->update, config, adam, w->batch, threads < shards ? threads : shards, precision, error))
        return false;
    parameters_initialise(&b->parameters, random_seed(3));
    return true;
}

static void train_steps(Bench *b, int count)
{
    StepReport report = {.learning_rate = 1e-3};
    for (int i = 0; i < count; i++)
        update_run(&b->update, &b->parameters, b->text, &b->batches, &report);
}

/* Of a step: the best of several tries, after two steps to warm up; of steps that take seconds, as many as there is
 * patience for. */
static double train_seconds(Bench *b)
{
    enum { WARM_UP = 2 };
    double best = 0, start = clock_seconds();
    int count = 1;
    for (int i = 0; i < WARM_UP + TRIES && (i == 0 || clock_seconds() - start < patience_seconds); i++) {
        double begin = clock_seconds();
        train_steps(b, count);
        double seconds = (clock_seconds() - begin) / count;
        best = i <= WARM_UP || seconds < best ? seconds : best;
        if (i + 1 == WARM_UP)
            count = 1 + (int)(try_seconds / seconds);
    }
    return best;
}

static bool validation_seconds(Bench *b, double *best, Error *error)
{
    Ids text = ids_slice(b->text, 0, (size_t)b->workload->characters);
    for (int i = 0; i < TRIES; i++) {
        double loss, begin = clock_seconds();
        if (!evaluation_loss(&b->update.step, &b->parameters, text, &loss, error))
            return false;
        double seconds = clock_seconds() - begin;
        *best = i == 0 || seconds < *best ? seconds : *best;
    }
    return true;
}

static bool sampling_seconds(Bench *b, double *best, Error *error)
{
    uint32_t symbols[128];
    Vocabulary vocabulary;
    Head head;
    Sampler sampler;
    for (int i = 0; i < b->workload->config.vocabulary_size; i++)
        symbols[i] = (uint32_t)i;
    if (!vocabulary_open(&vocabulary, symbols, b->workload->config.vocabulary_size, true, error))
        return false;
    bool opened = head_open(&head, &b->parameters, error);
    bool sampling = opened && sampler_open(&sampler, &head, &vocabulary, (ChoiceRule){1, 0, 1}, error);
    if (sampling) {
        Random random = random_seed(4);
        double begin = clock_seconds();
        sampler_begin(&sampler, (Ids){.width = 1});
        for (int i = 0; i < (int)b->workload->characters; i++)
            sampler_next(&sampler, &random);
        *best = clock_seconds() - begin;
        sampler_close(&sampler);
    }
    if (opened)
        head_close(&head);
    vocabulary_close(&vocabulary);
    return sampling;
}

/* Writes a text of that size, line by line of letters, to a file without a name, and loads it by its descriptor. */
static bool loading_seconds(double characters, double *best, Error *error)
{
    FILE *file = tmpfile();
    char path[64];
    if (file == NULL)
        return error_set(error, "cannot make a temporary file for the loading benchmark");
    for (long i = 0; i < (long)(characters / 64); i++)
        fprintf(file, "%020ld the quick brown fox jumps over a lazy dogs\n", i);
    bool written = fflush(file) == 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    for (int i = 0; written && i < 2; i++) {
        Corpus corpus;
        double begin = clock_seconds();
        if (!corpus_open(&corpus, path, false, error))
            break;
        double seconds = clock_seconds() - begin;
        *best = i == 0 || seconds < *best ? seconds : *best;
        corpus_close(&corpus);
    }
    fclose(file);
    if (!written)
        return error_set(error, "no room for the %.0f bytes of the loading benchmark in the temporary directory",
                         characters);
    return error->message[0] == '\0';
}

static bool measure(const Workload *w, Precision precision, int threads, double *seconds, Error *error)
{
    if (w->kind == BENCHMARK_LOADING)
        return loading_seconds(w->characters, seconds, error);
    Bench bench;
    bool measured = bench_open(&bench, w, precision, threads, error);
    if (measured && w->kind == BENCHMARK_TRAINING)
        *seconds = train_seconds(&bench);
    else if (measured && w->kind == BENCHMARK_VALIDATION)
        measured = validation_seconds(&bench, seconds, error);
    else if (measured)
        measured = sampling_seconds(&bench, seconds, error);
    bench_close(&bench);
    return measured;
}

bool benchmark_run(const Workload *w, Precision precision, int threads, Measurement *m, Error *error)
{
    bool training = w->kind == BENCHMARK_TRAINING, parallel = training || w->kind == BENCHMARK_VALIDATION;
    *m = (Measurement){.characters = training ? (double)w->batch * w->config.context : w->characters,
                       .flops = training ? flops_of(w) : 0};
    if (!measure(w, precision, parallel ? threads : 1, &m->seconds, error))
        return false;
    m->single_seconds = m->seconds;
    return !parallel || threads == 1 || measure(w, precision, 1, &m->single_seconds, error);
}
