/* mistakes.h -- the classic mistakes of a way back that is written by hand: the loss falls all the same.
 *
 * Each leaves the way forward, and so the loss, as it is. model/plain_step.h makes those of the gradient,
 * optimizer/adam_mistake.h the last. */
#ifndef SOLILOQUY_MODEL_MISTAKES_H
#define SOLILOQUY_MODEL_MISTAKES_H

typedef enum Mistake {
    MISTAKE_NONE,
    MISTAKE_NO_SCALE,         /* d_S without the 1/sqrt(H) of the scores */
    MISTAKE_DIAGONAL_SOFTMAX, /* d_S = scale A (1 - A) d_A: the diagonal of the softmax's Jacobian alone */
    MISTAKE_LATER_QUERIES,    /* d_K and d_V of position j from query j alone, not from the others that read it */
    MISTAKE_SUM,              /* the gradient of the summed loss, where the mean is reported */
    MISTAKE_CHANNELS,         /* d_S with 1/sqrt(C) for 1/sqrt(H) */
    MISTAKE_ADAM_STEP,        /* Adam's t advances with each tensor, not with each step */
    MISTAKE_COUNT
} Mistake;

/* By Mistake: as on the command line, NULL at the end; and what is wrong, in one line. */
extern const char *const mistake_names[];
extern const char *const mistake_meanings[];

#endif
