/* source_head.h -- the untrained head of document 002, on this program's layers.
 *
 *   q, k, v = x W^T (no bias);   A = softmax(mask(q k^T / sqrt(H)));   out = A v
 *   x [n,C]   W [H,C]   q, k, v, out [n,H]   A [n,n],   n <= T
 *
 * One sequence at a time. */
#ifndef SOLILOQUY_LAB_SOURCE_HEAD_H
#define SOLILOQUY_LAB_SOURCE_HEAD_H

#include "lab/torch_random.h"
#include "layers/attention.h"

typedef struct SourceHead {
    int channels, head_size, context; /* C, H, T */
    bool causal;
    Matrix x;                 /* [T,C] */
    Matrix key_weight, query_weight, value_weight; /* [C,H]: transposed, as products read them */
    AttentionInputs inputs;   /* of the last sequence; its matrices have T rows (or columns) */
    Matrix weights, output;   /* [T,T], [T,H] of the last sequence; above a causal diagonal exactly 0 */
    float *drawn;             /* [H,C]: scratch */
    Arena memory;             /* owned: everything above */
} SourceHead;

/* Weights are zero until they are drawn. */
bool source_head_open(SourceHead *head, int channels, int head_size, int context, bool causal, Error *error);
void source_head_close(SourceHead *head);

/* Draws as the source's constructor does: key, query, value. */
void source_head_draw(SourceHead *head, TorchRandom *random);

/* The attention of x[0..n), dense rows of C, into the first n rows (and columns) of everything above. */
void source_head_forward(SourceHead *head, const float *x, int n);

#endif
