/* equivariance_cases.h -- what happens when the inputs of an attention layer are reordered, on any head.
 *
 * Source: document 002, theorem 6.1, corollary 6.2 and its trap. Attn(P X) = P Attn(X) however X was built, with
 * positions in it, too. What positions break is the map from tokens to outputs: E[P c] + p is not P (E[c] + p). */
#ifndef SOLILOQUY_LAB_EQUIVARIANCE_CASES_H
#define SOLILOQUY_LAB_EQUIVARIANCE_CASES_H

#include "lab/lab.h"
#include "lab/source_head.h"

/* All [n,C], dense; n is the head's context. Where positions are NULL, their case is left out. */
typedef struct EquivarianceInputs {
    const float *x, *x_positions;          /* inputs of the layer, and positions to add to them */
    const float *tokens, *token_positions; /* embedded tokens, and theirs */
    const int64_t *order; /* [n]: row i of P X is row order[i] of X */
    double close;         /* a difference that is rounding, of outputs of about 1 or smaller */
} EquivarianceInputs;

/* max |Attn(b) - P Attn(a)|, and in *largest the largest |Attn(a)|; infinite where one is NaN. */
bool equivariance_apart(SourceHead *head, const float *a, const float *b, const int64_t *order, double *apart,
                        double *largest, Error *error);

/* The four cases (a) to (d) as rows; `prefix` comes before each claim. The head has no mask. */
bool equivariance_cases(Lab *lab, const char *prefix, SourceHead *head, const EquivarianceInputs *inputs, Error *error);

#endif
