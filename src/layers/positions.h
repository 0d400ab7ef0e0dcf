/* positions.h -- sinusoidal positions, a constant table without parameters.
 *
 *   PE(p, 2i) = sin(p / 10000^(2i/C)),   PE(p, 2i+1) = cos(p / 10000^(2i/C))
 *
 * Source: document 000, exercise 3, eq. (4.1). With an odd C the last column is a sine. */
#ifndef SOLILOQUY_LAYERS_POSITIONS_H
#define SOLILOQUY_LAYERS_POSITIONS_H

#include "kernels/matrix.h"

/* Fills table[T,C]; computed in double, rounded once. */
void positions_sinusoidal(Matrix table);

#endif
