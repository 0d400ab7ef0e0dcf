/* gemm.h -- products of matrices, whole and causal.
 *
 * In every product the left factor `a` may have any strides (a transpose is free); the right factor `b` and
 * the result `c` are row-major, and their rows are padded: what stands behind the last column, up to the next
 * multiple of ROW_ALIGNMENT, is read and overwritten, and never reaches a column that counts. The three do not
 * overlap. Each element of c sums its terms in the order of the contracted index, whatever the shapes of the
 * tiles, so that a row of c depends on nothing but its row of a and on b.
 *
 * With `pairs`, scratch of the caller's that is large enough (pair_scratch_count), both factors are first rounded to
 * half width (kernels/pair.h) and their products summed in reals, two by two; `a` must then be row-major, its rows
 * padded, or the transpose of such a matrix. With NULL nothing is rounded.
 *
 * The causal products take a block of rows of attention. `visible` is how many columns the block's first row
 * sees; row r sees visible(r) = min(columns, visible + r). With visible = columns every row sees all: no mask.
 * What lies beyond is skipped tile by tile and never computed. */
#ifndef SOLILOQUY_KERNELS_GEMM_H
#define SOLILOQUY_KERNELS_GEMM_H

#include "kernels/matrix.h"

/* c[M,N] = a[M,K] b[K,N] */
void multiply(Matrix a, Matrix b, Matrix c, real *pairs);

/* c[M,N] += a[M,K] b[K,N] */
void multiply_add(Matrix a, Matrix b, Matrix c, real *pairs);

/* c[r,j] = sum_k a[r,k] b[k,j] for j < visible(r); beyond, what a tile's edge computes, or nothing. */
void multiply_causal(Matrix a, Matrix b, Matrix c, int visible, real *pairs);

/* c[r,:] = sum_{j < visible(r)} a[r,j] b[j,:]. Requires a[r,j] = 0 from visible(r) to visible of the last row; with
 * pairs, to the end of that pair, where b must be finite. */
void multiply_causal_left(Matrix a, Matrix b, Matrix c, int visible, real *pairs);

/* c[j,:] = sum_{r : j < visible(r)} a[r,j] b[r,:] for fresh <= j < visible of the last row, and += for j < fresh: the
 * adjoint of the above. Same requirement. */
void multiply_causal_transposed(Matrix a, Matrix b, Matrix c, int visible, int fresh, real *pairs);

/* Numbers of scratch for a product of pairs with a [rows,depth] and b [depth,columns], or any smaller one. */
size_t pair_scratch_count(int rows, int depth, int columns);

/* The same five, three plain loops each: what the tiled ones are compared with. */
void reference_multiply(Matrix a, Matrix b, Matrix c);
void reference_multiply_add(Matrix a, Matrix b, Matrix c);
void reference_multiply_causal(Matrix a, Matrix b, Matrix c, int visible);
void reference_multiply_causal_left(Matrix a, Matrix b, Matrix c, int visible);
void reference_multiply_causal_transposed(Matrix a, Matrix b, Matrix c, int visible, int fresh);

#endif
