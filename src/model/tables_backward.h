/* tables_backward.h -- from the gradients that the shards of a step collected to those of the parameters. */
#ifndef SOLILOQUY_MODEL_TABLES_BACKWARD_H
#define SOLILOQUY_MODEL_TABLES_BACKWARD_H

#include "model/table_gradients.h"

/* Adds up shards[0..shard_count) in order and takes the sum through the projections: gradient = (all of it). The
 * output and the score table are overwritten by their gradients. tokens[] ascends. The threads return together. */
void tables_backward(Tables *tables, const TableGradients *shards, int shard_count, const int32_t *tokens,
                     Parameters *gradient, real *pairs);

#endif
