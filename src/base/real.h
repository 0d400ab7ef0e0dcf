/* real.h -- the number the model computes with.
 *
 * The program is compiled with real = float. The same sources are compiled a second time with
 * REAL_IS_DOUBLE for the gradient check and the tests of tight tolerance: there is no second
 * implementation of a layer. Sums over many terms (losses, norms) are double in both. */
#ifndef SOLILOQUY_BASE_REAL_H
#define SOLILOQUY_BASE_REAL_H

#include <float.h>

#ifdef REAL_IS_DOUBLE
typedef double real;
#define REAL_EPSILON DBL_EPSILON
#else
typedef float real;
#define REAL_EPSILON FLT_EPSILON
#endif

#endif
