#include "kernels/lookup.h"

#include "kernels/square.h"
#include "kernels/vector.h"

/* Rows of up to PICK_LIMIT numbers are looked up in registers, a pair of vectors at a time: for 64 numbers and 16 lanes
 * this takes four operations for 16 numbers. Wider rows, and narrower vectors, are read number by number. */
enum { PAIR = 2 * VECTOR_LANES, PICK_PAIRS = 4 };
#if VECTOR_BYTES == 64 && !defined __clang__
enum { PICK_LIMIT = PICK_PAIRS * PAIR };
#else
enum { PICK_LIMIT = 0 };
#endif

/* What a pair of rows holds at `column`: a + b, or a alone. */
KERNEL Vector sum_at(const real *a, const real *b, int column)
{
    return b == NULL ? vector_load(a + column) : vector_load(a + column) + vector_load(b + column);
}

/* `pairs` is a constant where this is inlined, so that the table stays in registers. The second half of the last pair
 * is not read where there is none. */
KERNEL void pick(real *out, const real *a, const real *b, int symbols, const int32_t *index, int count,
                 const int pairs)
{
    Vector table[2 * PICK_PAIRS];
    UNROLL for (int i = 0; i < 2 * pairs; i++)
        table[i] = i * VECTOR_LANES < symbols ? sum_at(a, b, i * VECTOR_LANES) : vector_set(0);
    for (int j = 0; j < count; j += VECTOR_LANES) {
        VectorInteger at = vector_load_index(index + j);
        Vector picked = vector_pick(table[0], table[1], at);
        UNROLL for (int p = 1; p < pairs; p++)
            picked = vector_select(at >= p * PAIR, vector_pick(table[2 * p], table[2 * p + 1], at), picked);
        vector_store(out + j, b == NULL ? picked : picked + sum_at(a, b, symbols + j));
    }
}

static void pick_any(real *out, const real *a, const real *b, int symbols, const int32_t *index, int count)
{
    switch ((symbols + PAIR - 1) / PAIR) {
    case 1: pick(out, a, b, symbols, index, count, 1); break;
    case 2: pick(out, a, b, symbols, index, count, 2); break;
    case 3: pick(out, a, b, symbols, index, count, 3); break;
    default: pick(out, a, b, symbols, index, count, PICK_PAIRS); break;
    }
}

void look_up(real *restrict out, const real *restrict row, int symbols, const int32_t *restrict index, int count)
{
    if (symbols <= PICK_LIMIT)
        pick_any(out, row, NULL, symbols, index, count);
    else
        for (int j = 0; j < count; j++)
            out[j] = row[index[j]];
}

void look_up_sum(real *restrict out, const real *restrict a, const real *restrict b, int symbols,
                 const int32_t *restrict index, int count)
{
    if (symbols <= PICK_LIMIT)
        pick_any(out, a, b, symbols, index, count);
    else
        for (int j = 0; j < count; j++)
            out[j] = (a[index[j]] + b[index[j]]) + (a[symbols + j] + b[symbols + j]);
}

KERNEL void add_to(real *address, Vector x)
{
    vector_store(address, vector_load(address) + x);
}

void gather_rows(Matrix table, const int32_t *index, Matrix second, Matrix out)
{
    for (int t = 0; t < out.rows; t++) {
        const real *from = matrix_row(table, index[t]), *also = second.rows > 0 ? matrix_row(second, t) : NULL;
        real *to = matrix_row(out, t);
        for (int c = 0; c < out.columns; c += VECTOR_LANES)
            vector_store(to + c, sum_at(from, also, c));
    }
}

void scatter_rows(Matrix rows, const int32_t *index, Matrix table, Matrix second)
{
    for (int t = 0; t < rows.rows; t++) {
        const real *from = matrix_row(rows, t);
        real *to = matrix_row(table, index[t]), *also = second.rows > 0 ? matrix_row(second, t) : NULL;
        for (int c = 0; c < rows.columns; c += VECTOR_LANES) {
            Vector x = vector_load(from + c);
            add_to(to + c, x);
            if (also != NULL)
                add_to(also + c, x);
        }
    }
}

void collect_columns(Matrix values, const int32_t *index, int visible, Matrix sums)
{
    int seen = smaller(values.columns, visible + values.rows - 1);
    for (int j = 0; j < seen; j += VECTOR_LANES) {
        int first = j < visible ? 0 : j - visible + 1; /* the first row that sees column j */
        for (int r = first / VECTOR_LANES * VECTOR_LANES; r < values.rows; r += VECTOR_LANES) {
            Vector square[VECTOR_LANES];
            square_load(values, r, j, square);
            square_transpose(square);
            UNROLL for (int i = 0; i < VECTOR_LANES; i++)
                if (j + i < seen)
                    add_to(matrix_row(sums, index[j + i]) + r, square[i]);
        }
    }
}

void spread_columns(Matrix sums, const int32_t *row_of, Matrix first, Matrix second)
{
    for (int r = 0; r < sums.columns; r += VECTOR_LANES)
        for (int u = 0; u < sums.rows; u += VECTOR_LANES) {
            Vector square[VECTOR_LANES];
            square_load(sums, u, r, square);
            for (int i = 0; i < VECTOR_LANES && u + i < sums.rows; i++)
                vector_store(matrix_row(sums, u + i) + r, vector_set(0));
            square_transpose(square);
            UNROLL for (int i = 0; i < VECTOR_LANES; i++)
                if (r + i < sums.columns)
                    add_to(matrix_row(first, row_of[r + i]) + u, square[i]);
            UNROLL for (int i = 0; i < VECTOR_LANES; i++)
                if (r + i < second.rows)
                    add_to(matrix_row(second, r + i) + u, square[i]);
        }
}
