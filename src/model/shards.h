/* shards.h -- how a step is divided: by the shape of the problem only, never by the number of threads.
 *
 * A shard is a run of whole sequences, or a range of rows of one long sequence. Each sums its own gradients, and
 * shards are added in order, so that a step has the same bits on any number of threads. */
#ifndef SOLILOQUY_MODEL_SHARDS_H
#define SOLILOQUY_MODEL_SHARDS_H

#include "model/config.h"

enum {
    SHARD_LIMIT = 16,   /* more shards feed more cores, and each costs a set of gradients to clear and to add */
    SHARD_TOKENS = 128, /* a smaller shard would cost more to clear and to add than it is worth on another core */
};

typedef struct Shard {
    int first_sequence, sequence_count;
    int first_row, end_row; /* query rows of each of its sequences */
} Shard;

/* Fills shards[] for `batch` sequences of `length` and returns how many, 1 to limit <= SHARD_LIMIT. Row ranges of a
 * causal sequence have equal areas of the triangle. */
int shards_plan(int batch, int length, Mask mask, int limit, Shard shards[SHARD_LIMIT]);

#endif
