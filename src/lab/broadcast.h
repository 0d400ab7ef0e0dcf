/* broadcast.h -- how PyTorch lines up arrays of different shapes, and why it refuses some.
 *
 * Shapes line up on the right. Two sizes fit when they are equal or one of them is 1, which is then repeated; a missing
 * dimension counts as 1. Document 003 shows a mask that this refuses, and two that it lets pass wrongly. */
#ifndef SOLILOQUY_LAB_BROADCAST_H
#define SOLILOQUY_LAB_BROADCAST_H

#include "base/error.h"

#include <stddef.h>

enum { BROADCAST_RANK = 4 };

typedef struct Shape {
    int rank;
    int sizes[BROADCAST_RANK];
} Shape;

/* The shape of both together. Refuses two that do not fit, in PyTorch's words, the last dimension first. */
bool broadcast(Shape a, Shape b, Shape *both, Error *error);

/* How far apart in a dense array of shape `from` two elements are that follow each other in that dimension of `to`,
 * with which it was broadcast: 0 where it is repeated. */
ptrdiff_t broadcast_stride(Shape from, Shape to, int dimension);

#endif
