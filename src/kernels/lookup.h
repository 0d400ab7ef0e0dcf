/* lookup.h -- rows and numbers looked up by index, and the adjoints: what is collected by index.
 *
 * An index along columns is the same for all rows of a block: that of the characters of one sequence. Where a function
 * reads it, it reads to the end of the last vector, padded(count) entries; those beyond count do not matter. */
#ifndef SOLILOQUY_KERNELS_LOOKUP_H
#define SOLILOQUY_KERNELS_LOOKUP_H

#include "kernels/matrix.h"

#include <stdint.h>

/* out[j] = row[index[j]] over j < count; row has `symbols` numbers, a multiple of ROW_ALIGNMENT. */
void look_up(real *out, const real *row, int symbols, const int32_t *index, int count);

/* With row = a + b:   out[j] = row[index[j]] + row[symbols + j] over j < count. Both rows are padded. */
void look_up_sum(real *out, const real *a, const real *b, int symbols, const int32_t *index, int count);

/* out[t,:] = table[index[t],:] + second[t,:], padding included; without the second where it has no rows. */
void gather_rows(Matrix table, const int32_t *index, Matrix second, Matrix out);

/* table[index[t],:] += rows[t,:] in order of t, and second[t,:] += rows[t,:] where it has rows; padding included. */
void scatter_rows(Matrix rows, const int32_t *index, Matrix table, Matrix second);

/* sums[index[j], r] += values[r,j] over all r and j < visible(r) (kernels/gemm.h), in order of j. values is 0 from
 * visible(r) to the end of its vector; its rows are few, those of sums are padded. */
void collect_columns(Matrix values, const int32_t *index, int visible, Matrix sums);

/* first[row_of[r], u] += sums[u,r],   second[r,u] += sums[u,r] where second has rows; sums becomes 0. */
void spread_columns(Matrix sums, const int32_t *row_of, Matrix first, Matrix second);

#endif
