/* table_gradients.h -- what a pass over some text collects: the gradients of the tables' rows that the text meets.
 *
 * Each shard of a step has one. Its memory belongs to the arena that table_gradients_layout took it from. */
#ifndef SOLILOQUY_MODEL_TABLE_GRADIENTS_H
#define SOLILOQUY_MODEL_TABLE_GRADIENTS_H

#include "model/tables.h"

/* Which text one TableGradients is for: of so many sequences the queries first..end-1, and keys and values of columns
 * 0..columns-1. */
typedef struct TableExtent {
    int sequences, first, end, columns;
} TableExtent;

/* Gradients by row, and those of the lm_head where the text meets it. It has rows only for what the text can meet: its
 * positions, and as many characters as fit in it, each with a place from when it is first met. The score table alone is
 * whole. */
typedef struct TableGradients {
    HeadTables tokens;    /* by place */
    HeadTables positions; /* query: of positions first, first + 1, ...; key and value: of positions 0, 1, ... */
    Matrix scores;        /* d_G [R,R] by the tables' rows; no rows without score_table */
    Matrix lm_weight;     /* [V,H]; no rows with linear_first */
    real *lm_bias;        /* [V]; NULL with linear_first */
    real *memory;         /* borrows: all of the above, beginning alike in every extent: lm_weight, lm_bias, scores */
    size_t bytes;
    int32_t *place_of;    /* [U]: of a row of the tables; -1 while it is not met */
    int token_rows;       /* places in use */
    int first;
} TableGradients;

typedef enum TablePart { PART_QUERY, PART_KEY, PART_VALUE } TablePart;

/* Takes room for the gradients of a text of that extent. */
void table_gradients_layout(TableGradients *gradients, Arena *arena, const Tables *tables, TableExtent extent);

/* All zero, no character met. */
void table_gradients_begin(TableGradients *gradients, const Tables *tables);

/* The places of characters row_of[0..count), rows of the tables. */
void table_gradients_meet(TableGradients *gradients, const int32_t *row_of, int count, int32_t *places);

/* sum[r,:] += the gradient of row first + r of the tables in one part; 0 where the text did not meet it. Where the sum
 * begins, what stood there is overwritten. */
void table_gradients_add(const TableGradients *gradients, const Tables *tables, TablePart part, int first, bool begins,
                         Matrix sum);

#endif
