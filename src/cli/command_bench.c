#include "cli/commands.h"

#include "base/json.h"
#include "base/parallel.h"
#include "cli/benchmark.h"
#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/options.h"
#include "cli/output.h"
#include "kernels/peak.h"
#include "kernels/vector.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKLOADS = 16 };

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
    int threads;
} Row;

/* Runs in the child; OpenMP's threads are only ever made there. */
static void child_run(int out, const Workload *workload, int threads)
{
    Report report = {0};
    report.measured = benchmark_run(workload, threads, &report.measurement, &report.error);
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
        child_run(ends[1], row->workload, row->threads);
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

static void print_header(int threads, double peak)
{
    printf("%d thread%s, vectors of %d bytes, peak of multiply-adds %.0f GFLOP/s\n\n", threads, threads == 1 ? "" : "s",
           VECTOR_BYTES, peak / 1e9);
    printf("%-18s %10s %12s %9s %8s %10s %9s\n", "workload", "ms/step", "characters/s", "GFLOP/s", "of peak",
           "resident",
           "1 thread");
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
    printf(", \"threads\": %d}", row->threads);
}

static const Workload *find_workload(const char *name, Error *error)
{
    const char *names[MOST_WORKLOADS];
    char quoted[QUOTED_LENGTH];
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

static int run_all(const Workload *const *chosen, int count, int threads, bool json)
{
    double peak = measure_peak(threads);
    if (!json)
        print_header(threads, peak);
    for (int i = 0; i < count; i++) {
        Row row = {.workload = chosen[i], .threads = threads, .peak = peak};
        Error error = {0};
        if (!run_workload(&row, &error)) {
            return report_failure("bench", &error);
        }
        if (json)
            print_json(&row, i == 0);
        else
            print_row(&row);
    }
    if (json)
        printf("\n]\n");
    return EXIT_DONE;
}

int command_bench(int argc, char **argv)
{
    bool json = false;
    int64_t threads = parallel_default_threads();
    const char *words[MOST_WORKLOADS];
    const Workload *chosen[MOST_WORKLOADS];
    Option rows[] = {
        {.name = "json", .kind = OPTION_FLAG, .value.flag = &json, .help = "an array of objects, one a workload"},
        {.name = "threads", .kind = OPTION_INTEGER, .value.integer = &threads, .whole = {1, PARALLEL_MOST_THREADS},
         .help = "threads"},
    };
    OptionTable table = {rows, sizeof rows / sizeof rows[0]};
    Positionals rest = {.words = words, .limit = MOST_WORKLOADS};
    Error error = {0};
    bool understood = options_parse(table, argc, argv, &rest, &error);
    if (understood && rest.help) {
        options_print_help(stdout, "soliloquy bench [NAME...] [options]",
                           "Measures this machine's peak and trains the workloads lecture, default, wide, long and\n"
                           "large-vocabulary; times validation, sampling and loading. FLOPs are the causal minimum\n"
                           "of a step: 3 B T (2 H (T+1) + 2 H V) + 18 (V+T) C H.",
                           table);
        return EXIT_DONE;
    }
    for (int i = 0; understood && i < rest.count; i++)
        understood = (chosen[i] = find_workload(words[i], &error)) != NULL;
    if (!understood) {
        return report_usage("bench", &error);
    }
    for (int i = 0; rest.count == 0 && i < workload_count; i++)
        chosen[i] = &workloads[i];
    return run_all(chosen, rest.count > 0 ? rest.count : workload_count, (int)threads, json);
}
