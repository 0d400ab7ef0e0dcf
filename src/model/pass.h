/* pass.h -- the head over blocks of rows of one sequence: forward, loss, and back, before the next block starts.
 *
 *   A = softmax(scale Q K^T) over what each row sees,   Z = A V,   logits = Z W^T + b   (Z itself with linear_first)
 *
 * The loss at a position depends on its attention row alone, so nothing of size T x T is ever stored: one thread
 * needs a sequence and one block of rows. Memory belongs to the arena that pass_layout took it from. */
#ifndef SOLILOQUY_MODEL_PASS_H
#define SOLILOQUY_MODEL_PASS_H

#include "model/sequence.h"

/* A block's intermediate results; as many rows as pass_block_rows says. */
typedef struct Pass {
    Sequence sequence;
    Matrix weights, d_scores; /* [R,T] */
    Matrix mixed, d_mixed;    /* [R,H]; no rows with linear_first */
    Matrix logits;            /* [R,V] */
} Pass;

/* R: tall enough to fill register tiles, low enough that a block's scores stay in the second-level cache. */
int pass_block_rows(int context);

void pass_layout(Pass *pass, Arena *arena, const Tables *tables);

/* A gathered sequence: `length` characters. Rows first..first+count-1, at most pass_block_rows of them, leave their
 * attention in pass->weights[count, seen] (seen = first + count when causal, otherwise length) and their logits in
 * pass->logits[count, V]. Returns `seen`. */
int pass_block_forward(Pass *pass, const Tables *tables, int first, int count, int length);

/* Gathers and runs rows first..end-1 of a sequence of `length` characters row_of[] and targets[]. Returns the sum
 * of their losses in nats. With gradients (otherwise NULL) adds those of `weight` * loss. */
double pass_rows(Pass *pass, const Tables *tables, const int32_t *row_of, const int32_t *targets, int first, int end,
                 int length, real weight, TableGradients *gradients);

#endif
