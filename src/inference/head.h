/* head.h -- a trained head, opened for reading: what it attends to, and what it expects next.
 *
 * Holds the projected tables of the whole vocabulary and one thread's pass (model/tables.h, model/pass.h), so that a
 * window costs a gather and its own rows. A window is ids[0..n), 1 <= n <= T, at positions 0 .. n-1. */
#ifndef SOLILOQUY_INFERENCE_HEAD_H
#define SOLILOQUY_INFERENCE_HEAD_H

#include "model/pass.h"

typedef struct Head {
    ModelConfig config;
    Tables tables;
    Pass pass;
    Arena memory; /* owned: everything above */
} Head;

/* Copies what it needs of the parameters. */
bool head_open(Head *head, const Parameters *parameters, Error *error);
void head_close(Head *head);

/* weights[n,n]: row = query (reads), column = key (is read). What a causal mask hides is exactly 0. */
void head_attention(Head *head, const int32_t *ids, int n, float *weights);

/* losses[i] = -ln p(targets[i] | the window up to i), in nats. */
void head_losses(Head *head, const int32_t *ids, const int32_t *targets, int n, double *losses);

/* The V logits that follow the window, in O(T H + H V); they stand until the next call. */
const real *head_next_logits(Head *head, const int32_t *ids, int n);

#endif
