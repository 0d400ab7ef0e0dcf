/* pack.h -- matrices of reals rounded into matrices of pairs (kernels/pair.h), half as wide or half as high. */
#ifndef SOLILOQUY_KERNELS_PACK_H
#define SOLILOQUY_KERNELS_PACK_H

#include "kernels/matrix.h"

/* to[r,k] = (from[r,2k], from[r,2k+1]); an odd last column is paired with 0. `to` has padded rows of its own. */
void pack_neighbours(Matrix from, Matrix to);

/* to[k,c] = (from[2k,c], from[2k+1,c]), padding included; an odd last row is paired with 0. */
void pack_rows(Matrix from, Matrix to);

#endif
