#include "model/step.h"

#include "base/parallel.h"
#include "kernels/denormals.h"
#include "kernels/vector.h"
#include "model/tables_backward.h"

#include <assert.h>
#include <string.h>

enum {
    SHARD_BYTES = 32 << 20, /* all shards' gradients together, where at least SHARD_FEWEST fit */
    SHARD_FEWEST = 8,
};

/* Divides a batch and takes room for each shard's gradients. Returns how many bytes that is. */
static size_t shards_layout(Step *step, int count, int length, int limit, Arena memory)
{
    step->shard_count = shards_plan(count, length, step->config.mask, limit, step->shards);
    for (int s = 0; s < step->shard_count; s++) {
        Shard shard = step->shards[s];
        int columns = step->config.mask == MASK_CAUSAL ? shard.end_row : length;
        TableExtent extent = {shard.sequence_count, shard.first_row, shard.end_row, columns};
        table_gradients_layout(&step->shard_gradients[s], &memory, &step->tables, extent);
    }
    return memory.used;
}

/* The largest number of shards, a power of two and at least `fewest`, whose gradients fit into so many bytes. */
static int shards_that_fit(Step *step, int count, int length, size_t bytes, int fewest)
{
    int limit = SHARD_LIMIT;
    while (limit > fewest && shards_layout(step, count, length, limit, (Arena){0}) > bytes)
        limit /= 2;
    return limit;
}

static void step_layout(Step *step, TablesPlan plan)
{
    const ModelConfig *config = &step->config;
    int token_rows = tables_token_limit(config, step->batch_limit);
    Arena *memory = &step->memory;
    tables_layout(&step->tables, memory, config, plan, token_rows);
    int limit = shards_that_fit(step, step->batch_limit, config->context, SHARD_BYTES, SHARD_FEWEST);
    step->shard_bytes = shards_layout(step, step->batch_limit, config->context, limit, (Arena){0});
    step->shard_memory = arena_take(memory, step->shard_bytes, 1);
    step->passes = arena_take(memory, (size_t)step->threads, sizeof(Pass));
    Pass measured;
    for (int i = 0; i < step->threads; i++)
        pass_layout(step->passes != NULL ? &step->passes[i] : &measured, memory, &step->tables);
    step->tokens = arena_take(memory, (size_t)token_rows, sizeof(int32_t));
    step->row_of_token = arena_take(memory, (size_t)config->vocabulary_size, sizeof(int32_t));
    size_t characters = (size_t)step->batch_limit * (size_t)config->context;
    step->row_of = arena_take(memory, characters + ROW_ALIGNMENT, sizeof(int32_t)); /* padded: kernels/lookup.h */
}

size_t step_bytes(const ModelConfig *config, int batch_limit, int threads, TablesPlan plan)
{
    Step step = {.config = *config, .batch_limit = batch_limit, .threads = threads};
    step_layout(&step, plan);
    return step.memory.used;
}

int step_shard_count(const ModelConfig *config, int batch_limit, TablesPlan plan)
{
    Step step = {.config = *config, .batch_limit = batch_limit, .threads = 1};
    step_layout(&step, plan);
    return step.shard_count;
}

bool step_open(Step *step, const ModelConfig *config, int batch_limit, int threads, TablesPlan plan, Error *error)
{
    *step = (Step){.config = *config, .batch_limit = batch_limit, .threads = threads};
    if (!model_config_check(config, error))
        return false;
    step_layout(step, plan);
    if (!arena_open(&step->memory, "a step of this batch size, context and model", error))
        return false;
    step_layout(step, plan);
    return true;
}

void step_close(Step *step)
{
    arena_close(&step->memory);
    *step = (Step){0};
}

/* Lists the batch's distinct characters in tokens[] and numbers them. Returns how many. */
static int number_tokens(Step *step, Batch batch)
{
    int V = step->config.vocabulary_size, count = 0;
    size_t characters = (size_t)batch.count * (size_t)batch.length;
    memset(step->row_of_token, 0, (size_t)V * sizeof(int32_t));
    for (size_t i = 0; i < characters; i++)
        step->row_of_token[batch.inputs[i]] = 1;
    for (int id = 0; id < V; id++)
        if (step->row_of_token[id] != 0) {
            step->tokens[count] = id;
            step->row_of_token[id] = count++;
        }
    return count;
}

/* A smaller batch may be cut otherwise, and still needs no more memory: one shard of all is less than any cut. */
static void divide(Step *step, int count, int length)
{
    Arena memory = {.base = step->shard_memory, .capacity = step->shard_bytes};
    int limit = shards_that_fit(step, count, length, step->shard_bytes, 1);
    shards_layout(step, count, length, limit, memory);
}

void step_begin(Step *step, Batch batch)
{
    assert(batch.count <= step->batch_limit && batch.length <= step->config.context);
    if (batch.count != step->batch.count || batch.length != step->batch.length)
        divide(step, batch.count, batch.length);
    step->batch = batch;
    tables_number(&step->tables, number_tokens(step, batch));
}

/* The rows of the characters of sequence b. */
static void number_rows(Step *step, int b)
{
    size_t start = (size_t)b * (size_t)step->batch.length;
    for (int i = 0; i < step->batch.length; i++)
        step->row_of[start + (size_t)i] = step->row_of_token[step->batch.inputs[start + (size_t)i]];
}

static double shard_run(Step *step, int s, TableGradients *gradients)
{
    Pass *pass = &step->passes[parallel_thread()];
    Shard shard = step->shards[s];
    Batch batch = step->batch;
    real weight = (real)(1 / ((double)batch.count * batch.length));
    double loss = 0;
    pass->pairs = gradients != NULL ? pass->pair_scratch : NULL;
    if (gradients != NULL)
        table_gradients_begin(gradients, &step->tables);
    for (int b = shard.first_sequence; b < shard.first_sequence + shard.sequence_count; b++) {
        size_t start = (size_t)b * (size_t)batch.length;
        loss += pass_rows(pass, &step->tables, step->row_of + start, batch.targets + start, shard.first_row,
                          shard.end_row, batch.length, weight, gradients);
    }
    return loss;
}

double step_team(Step *step, const Parameters *parameters, Parameters *gradient)
{
    real *pairs = gradient != NULL ? step->passes[parallel_thread()].pair_scratch : NULL;
    tables_pack(&step->tables, parameters);
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int b = 0; b < step->batch.count; b++)
        number_rows(step, b);
    tables_project(&step->tables, parameters, step->tokens, pairs);
#pragma omp for schedule(dynamic, 1)
    for (int s = 0; s < step->shard_count; s++)
        step->losses[s] = shard_run(step, s, gradient != NULL ? &step->shard_gradients[s] : NULL);
    if (gradient != NULL)
        tables_backward(&step->tables, step->shard_gradients, step->shard_count, step->tokens, gradient, pairs);
    double loss = 0;
    for (int s = 0; s < step->shard_count; s++)
        loss += step->losses[s];
    return loss;
}

static double run(Step *step, const Parameters *parameters, Batch batch, Parameters *gradient)
{
    double loss = 0;
    step_begin(step, batch);
#pragma omp parallel num_threads(step->threads)
    {
        uint64_t state = denormals_flush();
        double sum = step_team(step, parameters, gradient);
        if (parallel_thread() == 0)
            loss = sum;
        denormals_restore(state);
    }
    return loss;
}

double step_loss(Step *step, const Parameters *parameters, Batch batch)
{
    return run(step, parameters, batch, NULL);
}

double step_gradient(Step *step, const Parameters *parameters, Batch batch, Parameters *gradient)
{
    return run(step, parameters, batch, gradient) / ((double)batch.count * batch.length);
}
