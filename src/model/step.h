/* step.h -- loss and gradient of a batch of windows: what a training step computes.
 *
 *   batch -> rows of the tables -> [ shard: gather, row blocks forward and back, scatter ] -> tables' -> gradient
 *
 * The same Parameters, batch and length give the same bits on any number of threads. */
#ifndef SOLILOQUY_MODEL_STEP_H
#define SOLILOQUY_MODEL_STEP_H

#include "model/pass.h"
#include "model/shards.h"

/* B windows of T characters, row after row; targets are one character later. Borrows. */
typedef struct Batch {
    int count;  /* B */
    int length; /* T, at most the model's context */
    const int32_t *inputs, *targets;
} Batch;

typedef struct Step {
    ModelConfig config;
    int batch_limit, threads;
    Tables tables;
    void *shard_memory;   /* of the gradients of all shards */
    size_t shard_bytes;
    Pass *passes;         /* one a thread */
    int32_t *tokens;      /* [U]: the distinct characters of a batch, ascending */
    int32_t *row_of_token; /* [V]: the row of a character in the tables */
    int32_t *row_of;      /* [B*T]: the row of each character of the batch */
    Arena memory;         /* owned: everything above */
    Batch batch;          /* the one of step_begin, and how it is divided */
    int shard_count;
    Shard shards[SHARD_LIMIT];
    TableGradients shard_gradients[SHARD_LIMIT]; /* in shard_memory */
    double losses[SHARD_LIMIT];
} Step;

/* The memory that step_open would take, in bytes; SIZE_MAX where it overflows. */
size_t step_bytes(const ModelConfig *config, int batch_limit, int threads, TablesPlan plan);

/* How many shards a full batch of such a step has, 1 to SHARD_LIMIT: more threads would find no work. */
int step_shard_count(const ModelConfig *config, int batch_limit, TablesPlan plan);

/* For batches of up to batch_limit windows on up to `threads` threads, by a plan such as tables_plan makes. */
bool step_open(Step *step, const ModelConfig *config, int batch_limit, int threads, TablesPlan plan, Error *error);
void step_close(Step *step);

/* The sum of the losses of all positions, in nats. */
double step_loss(Step *step, const Parameters *parameters, Batch batch);

/* The mean loss of all positions, in nats, and its gradient, which is overwritten. */
double step_gradient(Step *step, const Parameters *parameters, Batch batch, Parameters *gradient);

/* The same in two parts, for a parallel region that does more than this: one thread of its team, of at most
 * step->threads, calls step_begin; all call step_team, which is a barrier to both sides. It returns the sum of the
 * losses, and leaves the gradient of their mean where one is asked for (otherwise NULL). */
void step_begin(Step *step, Batch batch);
double step_team(Step *step, const Parameters *parameters, Parameters *gradient);

#endif
