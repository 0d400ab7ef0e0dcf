/* pass.h -- the head over blocks of rows of one sequence: forward, loss, and back, before the next block starts.
 *
 *   A = softmax(scale S) over what each row sees,   Z = A V,   logits = Z W^T + b   (Z itself with linear_first)
 *   S = Q K^T, or looked up in the score table
 *
 * The loss at a position depends on its attention row alone, so nothing of size T x T is ever stored: one thread
 * needs a sequence and one block of rows. Memory belongs to the arena that pass_layout took it from. */
#ifndef SOLILOQUY_MODEL_PASS_H
#define SOLILOQUY_MODEL_PASS_H

#include "model/sequence.h"

enum { PASS_BLOCK_ROWS = 64 }; /* R: tall enough for the products, low enough that a long context's scores are few */

/* A block's intermediate results. */
typedef struct Pass {
    Sequence sequence;
    Matrix weights, d_scores; /* [R,T] */
    Matrix mixed, d_mixed;    /* [R,H]; no rows with linear_first */
    Matrix logits;            /* [R,V]; with linear_first [R,V-1], less the last symbol's */
    Matrix collected;         /* [U,R]: scratch of the score table's gradients; 0 between blocks */
    real *pair_scratch;       /* for products of pairs; NULL with a plan without them */
    real *pairs;              /* the same while gradients are wanted, otherwise NULL */
    int32_t *places;          /* [T]: of the gathered sequence's characters in the gradients */
    const int32_t *row_of;    /* of the gathered sequence; borrowed */
} Pass;

void pass_layout(Pass *pass, Arena *arena, const Tables *tables);

/* Gathers what a sequence's rows that see up to `columns` columns need: row_of[0..columns) are its characters' rows in
 * the tables. `backward` also prepares for the way back. */
void pass_gather(Pass *pass, const Tables *tables, const int32_t *row_of, int columns, bool backward);

/* Of the gathered sequence of `length` characters, rows first..first+count-1, at most PASS_BLOCK_ROWS of them, leave
 * their attention in pass->weights[count, seen] (seen = first + count when causal, otherwise length) and their logits
 * in pass->logits. Returns `seen`. */
int pass_block_forward(Pass *pass, const Tables *tables, int first, int count, int length);

/* Gathers and runs rows first..end-1 of a sequence of `length` characters row_of[] and targets[]. Returns the sum
 * of their losses in nats. With gradients (otherwise NULL) adds those of `weight` * loss. */
double pass_rows(Pass *pass, const Tables *tables, const int32_t *row_of, const int32_t *targets, int first, int end,
                 int length, real weight, TableGradients *gradients);

#endif
