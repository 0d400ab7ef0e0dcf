/* sequence.h -- one sequence's queries, keys and values, gathered from the tables, and their gradients.
 *
 *   q_t = Q[row_of[t]] + Q[row of position t], and k_t, v_t likewise; with a score table only v_t
 *
 * One thread's memory: it belongs to the arena that sequence_layout took it from. */
#ifndef SOLILOQUY_MODEL_SEQUENCE_H
#define SOLILOQUY_MODEL_SEQUENCE_H

#include "layers/attention.h"
#include "model/tables.h"

typedef struct Sequence {
    Matrix query, key, d_query, d_key; /* [T,H]; no rows with a score table */
    Matrix value, d_value;             /* [T,D] */
    Matrix key_transposed;             /* [H,T] */
    Matrix value_transposed;           /* [D,T] */
} Sequence;

void sequence_layout(Sequence *sequence, Arena *arena, const Tables *tables);

/* Gathers the queries of rows first..end-1, and keys and values of columns 0..columns-1, of the characters
 * row_of[0..columns) (rows of the tables); `backward` also prepares what attention_backward needs. */
void sequence_gather(Sequence *sequence, const Tables *tables, const int32_t *row_of, int first, int end, int columns,
                     bool backward);

/* Adds the gradients of the same rows and columns to the tables'. */
void sequence_scatter(const Sequence *sequence, const Tables *tables, const int32_t *row_of, int first, int end,
                      int columns, HeadTables gradients);

/* The views that attention takes for rows first..first+count-1 over `columns` columns. */
AttentionInputs sequence_inputs(const Sequence *sequence, int first, int count, int columns);
AttentionGradients sequence_gradients(const Sequence *sequence, int first, int count, int columns, int fresh);

#endif
