/* sequence.h -- one sequence's queries, keys and values, gathered from the tables, and their gradients.
 *
 *   q_t = Q[row_of[t]] + Q[row of position t], and k_t, v_t likewise; with a score table only v_t
 *
 * One thread's memory: it belongs to the arena that sequence_layout took it from. */
#ifndef SOLILOQUY_MODEL_SEQUENCE_H
#define SOLILOQUY_MODEL_SEQUENCE_H

#include "layers/attention.h"
#include "model/table_gradients.h"

typedef struct Sequence {
    Matrix query, d_query; /* [R,H], of one block of rows */
    Matrix key, d_key;     /* [T,H]; like queries without rows where scores are looked up, or all equal */
    Matrix value, d_value; /* [T,D] */
    Matrix key_transposed;             /* [H,T] */
    Matrix value_transposed;           /* [D,T] */
} Sequence;

/* For blocks of up to block_rows queries. */
void sequence_layout(Sequence *sequence, Arena *arena, const Tables *tables, int block_rows);

/* Gathers keys and values of columns 0..columns-1, of the characters row_of[0..columns) (rows of the tables);
 * `backward` also prepares what attention_backward needs. */
void sequence_gather(Sequence *sequence, const Tables *tables, const int32_t *row_of, int columns, bool backward);

/* Gathers the queries of a block: rows first..first+count-1. */
void sequence_gather_queries(Sequence *sequence, const Tables *tables, const int32_t *row_of, int first, int count);

/* Adds the gradients of the same columns, and of the same queries, to those of the tables, where the characters have
 * places[0..columns). */
void sequence_scatter(const Sequence *sequence, const int32_t *places, int columns, TableGradients *gradients);
void sequence_scatter_queries(const Sequence *sequence, const int32_t *places, int first, int count,
                              TableGradients *gradients);

/* The views that attention takes for a block of `count` rows over `columns` columns, those from `fresh` on for the
 * first time. */
AttentionInputs sequence_inputs(const Sequence *sequence, int count, int columns);
AttentionGradients sequence_gradients(const Sequence *sequence, int count, int columns, int fresh);

#endif
