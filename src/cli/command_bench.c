#include "cli/commands.h"

#include "base/json.h"
#include "cli/bench_options.h"
#include "cli/format.h"
#include "cli/output.h"
#include "kernels/peak.h"
#include "kernels/vector.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child process reports: one workload in a process of its own, so that its memory is its own. */
typedef struct Report {
    bool measured;
    Measurement measurement;
    Error error;
} Report;

typedef struct Row {
    const Workload *workload;
    Report report;
    double resident; /* bytes, at the most */
    double peak;     /* operations a second */
    Precision precision;
    int threads;
} Row;

/* Runs in the child; OpenMP's threads are only ever made there. */
static void child_run(int out, const Row *row)
{
    Report report = {0};
    report.measured = benchmark_run(row->workload, row->precision, row->threads, &report.measurement,
                                    &report.error);
    ssize_t written = write(out, &report, sizeof report);
    _exit(written == (ssize_t)sizeof report ? EXIT_DONE : EXIT_FAILED);
}

static bool run_workload(Row *row, Error *error)
{
    int ends[2], status;
    struct rusage usage;
    if (pipe(ends) != 0)
        return error_set(error, "cannot make a pipe for a benchmark");
    pid_t child = fork();
    if (child == 0)
        child_run(ends[1], row);
    close(ends[1]);
    bool read_all = child > 0 && read(ends[0], &row->report, sizeof row->report) == (ssize_t)sizeof row->report;
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !read_all)
        return error_set(error, "%s: the benchmark's process ended before it reported", row->workload->name);
    row->resident = 1024.0 * (double)usage.ru_maxrss;
    if (!row->report.measured)
        *error = row->report.error;
    return row->report.measured;
}

/* The machine's peak, in a child for the same reason. */
static double measure_peak(int threads)
{
    int ends[2], status;
    double peak = NAN;
    if (pipe(ends) != 0)
        return NAN;
    pid_t child = fork();
    if (child == 0) {
        peak = peak_flops(threads, 1.0);
        _exit(write(ends[1], &peak, sizeof peak) == (ssize_t)sizeof peak ? EXIT_DONE : EXIT_FAILED);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &peak, sizeof peak) != (ssize_t)sizeof peak)
        peak = NAN;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return peak;
}

static void print_header(const BenchOptions *options, double peak)
{
    const Workload *custom = &options->custom;
    const ModelConfig *config = &custom->config;
    printf("%d thread%s, vectors of %d bytes, products in %s, peak of multiply-adds in float %.0f GFLOP/s\n",
           options->threads, options->threads == 1 ? "" : "s", VECTOR_BYTES, precision_names[options->precision],
           peak / 1e9);
    if (options->chosen[0] == custom)
        printf("custom: T %d, C %d, H %d, V %d, B %d\n", config->context, config->channels, config->head_size,
               config->vocabulary_size, custom->batch);
    printf("\n%-18s %10s %12s %9s %8s %10s %9s\n", "workload", "ms/step", "characters/s", "GFLOP/s", "of peak",
           "resident", "1 thread");
    fflush(stdout);
}

static void print_row(const Row *row)
{
    const Measurement *m = &row->report.measurement;
    char rate[FORMAT_LENGTH], resident[FORMAT_LENGTH];
    format_rate(m->characters / m->seconds, rate);
    format_bytes((uint64_t)row->resident, resident);
    printf("%-18s %10.3f %12s ", row->workload->name, 1e3 * m->seconds, rate);
    if (m->flops > 0)
        printf("%9.1f %6.0f %% ", m->flops / m->seconds / 1e9, 100 * m->flops / m->seconds / row->peak);
    else
        printf("%9s %8s ", "", "");
    printf("%10s x %7.2f\n", resident, m->single_seconds / m->seconds);
    fflush(stdout);
}

static void print_json(const Row *row, bool first)
{
    const Measurement *m = &row->report.measurement;
    double flops = m->flops > 0 ? m->flops / m->seconds : NAN;
    printf("%s\n  {\"name\": \"%s\"", first ? "[" : ",", row->workload->name);
    json_write_member(stdout, "ms_per_step", 1e3 * m->seconds);
    json_write_member(stdout, "tokens_per_second", m->characters / m->seconds);
    json_write_member(stdout, "gflops", flops / 1e9);
    json_write_member(stdout, "peak_gflops", row->peak / 1e9);
    json_write_member(stdout, "share_of_peak", flops / row->peak);
    json_write_member(stdout, "resident_bytes", row->resident);
    json_write_member(stdout, "times_one_thread", m->single_seconds / m->seconds);
    printf(", \"threads\": %d, \"precision\": \"%s\"", row->threads, precision_names[row->precision]);
    if (row->workload->kind == BENCHMARK_TRAINING) {
        printf(", \"batch_size\": %d, \"config\": {", row->workload->batch);
        model_config_write(stdout, &row->workload->config, false);
        printf("}");
    }
    printf("}");
}

static int run_all(const BenchOptions *options)
{
    double peak = measure_peak(options->threads);
    if (!options->json)
        print_header(options, peak);
    for (int i = 0; i < options->count; i++) {
        Row row = {.workload = options->chosen[i], .precision = options->precision, .threads = options->threads,
                   .peak = peak};
        Error error = {0};
        if (!run_workload(&row, &error))
            return report_failure("bench", &error);
        if (options->json)
            print_json(&row, i == 0);
        else
            print_row(&row);
    }
    if (options->json)
        printf("\n]\n");
    return EXIT_DONE;
}

int command_bench(int argc, char **argv)
{
    BenchOptions options;
    Error error = {0};
    if (!bench_options_parse(&options, argc, argv, &error))
        return report_usage("bench", &error);
    return options.help ? EXIT_DONE : run_all(&options);
}
