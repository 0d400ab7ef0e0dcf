#include "training/update.h"

#include "base/parallel.h"
#include "kernels/denormals.h"
#include "text/batch.h"

#include <math.h>

static void update_layout(Update *u, int context)
{
    size_t characters = (size_t)u->batch_size * (size_t)context;
    u->inputs = arena_take(&u->memory, characters, sizeof(int32_t));
    u->targets = arena_take(&u->memory, characters, sizeof(int32_t));
}

size_t update_bytes(const ModelConfig *config, int batch_size, int threads, Precision precision)
{
    double numbers = 3 * (double)parameters_shape(config).count;
    double characters = 2 * (double)batch_size * config->context;
    double step = (double)step_bytes(config, batch_size, threads, tables_plan(config, batch_size, precision));
    double bytes = numbers * sizeof(real) + characters * sizeof(int32_t) + step;
    return bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

bool update_open(Update *u, const ModelConfig *config, AdamSettings settings, int batch_size, int threads,
                 Precision precision, Error *error)
{
    *u = (Update){.batch_size = batch_size};
    update_layout(u, config->context);
    if (!parameters_open(&u->gradient, config, error) || !adam_open(&u->adam, config, settings, error) ||
        !step_open(&u->step, config, batch_size, threads, tables_plan(config, batch_size, precision), error) ||
        !arena_open(&u->memory, "a batch", error)) {
        update_close(u);
        return false;
    }
    update_layout(u, config->context);
    return true;
}

void update_close(Update *u)
{
    parameters_close(&u->gradient);
    adam_close(&u->adam);
    step_close(&u->step);
    arena_close(&u->memory);
    *u = (Update){0};
}

static bool is_finite(const StepReport *report)
{
    return isfinite(report->loss) && isfinite(report->gradient_norm);
}

static void draw(Update *u, Ids text, Random *batches)
{
    Batch batch = {u->batch_size, u->step.config.context, u->inputs, u->targets};
    batch_draw(batches, text, batch.count, batch.length, u->inputs, u->targets);
    step_begin(&u->step, batch);
}

/* What each thread of the team does. Every one has the loss and the norm, and so decides alike. */
static StepReport run_team(Update *u, Parameters *parameters, Ids text, Random *batches, double learning_rate)
{
    double characters = (double)u->batch_size * u->step.config.context;
    StepReport report = {.learning_rate = learning_rate};
#pragma omp single nowait
    draw(u, text, batches); /* while the others copy weights */
    report.loss = step_team(&u->step, parameters, &u->gradient) / characters;
    report.gradient_norm = adam_gradient_norm_team(&u->adam, &u->gradient);
    if (is_finite(&report))
        adam_update_team(&u->adam, parameters, &u->gradient, report.gradient_norm, learning_rate);
    return report;
}

bool update_run(Update *u, Parameters *parameters, Ids text, Random *batches, StepReport *report)
{
    double learning_rate = report->learning_rate;
#pragma omp parallel num_threads(u->step.threads)
    {
        uint64_t state = denormals_flush();
        StepReport of_thread = run_team(u, parameters, text, batches, learning_rate);
        if (parallel_thread() == 0)
            *report = of_thread;
        denormals_restore(state);
    }
    if (!is_finite(report))
        return false;
    u->adam.step++;
    return true;
}
