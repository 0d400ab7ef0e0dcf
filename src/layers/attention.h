/* attention.h -- one head over a block of query rows.
 *
 *   S = scale Q K^T,   A = softmax(S) over the columns each row sees,   Y = A V
 *   Q [R,H]   K [J,H]   V [J,D]   S, A [R,J]   Y [R,D]
 *
 * Source: document 002, section 4.1; document 000, eq. (2.1). The causal mask is no matrix: row r of the block
 * sees the first min(J, visible + r) columns (kernels/gemm.h), the rest is neither computed nor stored, except
 * that A holds exact zeros there. The caller owns every buffer; nothing here allocates, prints or fails. */
#ifndef SOLILOQUY_LAYERS_ATTENTION_H
#define SOLILOQUY_LAYERS_ATTENTION_H

#include "kernels/matrix.h"

#include <stdbool.h>

typedef struct AttentionRule {
    int visible;  /* columns that the block's first row sees: its position + 1, or J where nothing is masked */
    bool uniform; /* W_Q = W_K = 0: every score is 0, each row the plain mean of what it sees */
    real scale;   /* 1/sqrt(H), or 1; positive */
    real *pairs;  /* scratch for products of pairs (kernels/gemm.h), or NULL; borrowed */
} AttentionRule;

/* A sequence's projections, each in the orientations that the products read along rows. */
typedef struct AttentionInputs {
    Matrix query;            /* [R,H] */
    Matrix key;              /* [J,H] */
    Matrix key_transposed;   /* [H,J] */
    Matrix value;            /* [J,D] */
    Matrix value_transposed; /* [D,J] */
} AttentionInputs;

typedef struct AttentionGradients {
    Matrix d_query; /* [R,H], overwritten */
    Matrix d_key;   /* [J,H], accumulated below row `fresh`: every later query adds to it; overwritten from there on */
    Matrix d_value; /* [J,D], likewise */
    int fresh;      /* the first column that no block before this one saw */
} AttentionGradients;

/* Uses query, key_transposed and value. weights [R,J] and output [R,D] are overwritten. */
void attention_forward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix output);

/* d_V += A^T d_Y;   d_A = d_Y V^T;   d_S = scale A (d_A - rowsum(A d_A));   d_Q = d_S K;   d_K += d_S^T Q.
 * Uses query, key and value_transposed. d_scores [R,J] is scratch. A uniform rule leaves d_Q and d_K alone. Columns
 * that no row of the block sees stay as they are. */
void attention_backward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix d_output, Matrix d_scores,
                        AttentionGradients gradients);

/* The two halves on either side of the scores, for scores that come from elsewhere (layers/score_table.h).
 * Forward: the scores S become the weights A in place; Y = A V. */
void attention_mix_forward(AttentionRule rule, Matrix scores, Matrix value, Matrix output);

/* d_V += A^T d_Y, and d_S as above; d_Q and d_K are left alone, by a uniform rule d_S, too. */
void attention_mix_backward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix d_output,
                            Matrix d_scores, AttentionGradients gradients);

#endif
