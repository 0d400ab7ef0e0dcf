/* transpose.h -- a transposed copy, for products whose right factor is used by columns. */
#ifndef SOLILOQUY_KERNELS_TRANSPOSE_H
#define SOLILOQUY_KERNELS_TRANSPOSE_H

#include "kernels/matrix.h"

/* to[C,R] = from[R,C]^T. Both are row-major with padded rows and do not overlap. The padding of from's rows is
 * read and ignored; the padding of to's rows becomes 0. */
void transpose_copy(Matrix from, Matrix to);

#endif
