/* score_table.h -- scores looked up instead of multiplied.
 *
 * Characters and positions have one row each in the tables: q_t = Q[a] + Q[p], a the row of the character at t and p
 * that of the position t; k_j likewise. With G = Q K^T, the products of all rows with all rows,
 *
 *   q_t . k_j = G[a, b] + G[p, b] + G[a, r] + G[p, r]        b, r: the rows of the character at j and of position j
 *
 * Source: the expansion of E[c] + P[t]; it is exact. Two additions and a lookup take the place of H products where
 * one G serves many sequences. Without positions only the first term is there. The caller owns every buffer. */
#ifndef SOLILOQUY_LAYERS_SCORE_TABLE_H
#define SOLILOQUY_LAYERS_SCORE_TABLE_H

#include "kernels/matrix.h"

#include <stdint.h>

/* Which rows a block of queries uses. */
typedef struct ScoreRows {
    const int32_t *row_of; /* the row of the character at each position of the sequence, padded as kernels/lookup.h
                              says; borrowed */
    int characters;        /* how many rows of the table belong to characters */
    int first;             /* position of the block's first query */
    int position_first;    /* the row of position 0, a multiple of ROW_ALIGNMENT; -1 without positions */
    int visible;           /* columns that the first query sees; row r sees min(columns, visible + r) */
} ScoreRows;

/* scores[r,j] over the columns that row r sees. */
void score_table_forward(Matrix table, ScoreRows rows, Matrix scores);

/* d_table[x,y] += the d_scores[r,j] that used G[x,y]. d_scores is 0 from visible(r) to the end of its vector. collected
 * is scratch, a row for each character and a column for each row of d_scores: 0 before and after. */
void score_table_backward(Matrix d_scores, ScoreRows rows, Matrix collected, Matrix d_table);

#endif
