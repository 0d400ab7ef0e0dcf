/* head_gradient.h -- how an output of document 002's head depends on its inputs, by the layers' backward halves.
 *
 *   d_x = d_q W_Q + d_k W_K + d_v W_V   of   L = sum_h out[row,h]
 */
#ifndef SOLILOQUY_LAB_HEAD_GRADIENT_H
#define SOLILOQUY_LAB_HEAD_GRADIENT_H

#include "lab/source_head.h"

typedef struct HeadGradient {
    Matrix d_x;                        /* [T,C] */
    Matrix d_output, d_scores, part;   /* [T,H], [T,T], [T,C]: on the way */
    Matrix d_query, d_key, d_value;    /* [T,H] */
    Matrix weight;                     /* [H,C]: one projection at a time */
    Arena memory;                      /* owned: everything above */
} HeadGradient;

/* For sequences as long as the head's context. */
bool head_gradient_open(HeadGradient *gradient, const SourceHead *head, Error *error);
void head_gradient_close(HeadGradient *gradient); /* accepts a zeroed one */

/* Of that row of the head's last sequence, which was as long as its context; into d_x. */
void head_gradient_of_row(HeadGradient *gradient, const SourceHead *head, int row);

#endif
