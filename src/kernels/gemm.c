/* Register tiles: TILE_ROWS rows of c by one or two vectors of columns stay in registers while the contracted
 * index runs. With 32 registers (64-byte vectors) 8 x 2 sums leave room for two vectors of b and the broadcasts;
 * with 16 registers 4 x 2. Rows that are left over go through tiles of 4, 2 and 1, a last vector that is at most
 * a quarter full through 16-byte vectors: no work is done on padding. Products of pairs go through the same tiles, and
 * their contracted index counts pairs. */
#include "kernels/gemm.h"

#include "kernels/pack.h"
#include "kernels/pair.h"
#include "kernels/vector.h"

#include <assert.h>
#include <stdbool.h>

enum {
    TILE_ROWS = VECTOR_BYTES == 64 ? 8 : 4,
    NARROW_LANES = 16 / (int)sizeof(real),
};

typedef real Narrow __attribute__((vector_size(16)));
typedef real UnalignedNarrow __attribute__((vector_size(16), aligned(__alignof__(real)), may_alias));

/* A tile: where its factors start, and how deep the sum runs. */
typedef struct Tile {
    const real *a, *b;
    real *c;
    ptrdiff_t a_row, a_column, b_row, c_row; /* strides */
    int depth;
    bool accumulate;
} Tile;

/* The factors as the tiles read them, and how many numbers a step of the contracted index takes: 1, or 2 of pairs. */
typedef struct Factors {
    Matrix a, b;
    int step;
} Factors;

KERNEL Vector multiply_lanes(Vector sum, Vector a, Vector b, const int step)
{
    return step == 2 ? pair_multiply_add(sum, a, b) : sum + a * b;
}

/* rows x vectors; both are constants where it is inlined, so that `sum` lives in registers. */
KERNEL void tile_multiply(Tile t, const int rows, const int vectors, const int step)
{
    Vector sum[TILE_ROWS][2];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vectors; v++)
            sum[r][v] = t.accumulate ? vector_load(t.c + r * t.c_row + v * VECTOR_LANES) : vector_set(0);
    for (int k = 0; k < t.depth; k++) {
        Vector b[2];
        UNROLL for (int v = 0; v < vectors; v++)
            b[v] = vector_load(t.b + k * t.b_row + v * VECTOR_LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            Vector a = vector_set(t.a[r * t.a_row + k * t.a_column]);
            UNROLL for (int v = 0; v < vectors; v++)
                sum[r][v] = multiply_lanes(sum[r][v], a, b[v], step);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vectors; v++)
            vector_store(t.c + r * t.c_row + v * VECTOR_LANES, sum[r][v]);
}

KERNEL Narrow narrow_load(const real *address)
{
    return *(const UnalignedNarrow *)address;
}

KERNEL void tile_multiply_narrow(Tile t, const int rows)
{
    Narrow sum[TILE_ROWS];
    UNROLL for (int r = 0; r < rows; r++)
        sum[r] = t.accumulate ? narrow_load(t.c + r * t.c_row) : (Narrow){0};
    for (int k = 0; k < t.depth; k++) {
        Narrow b = narrow_load(t.b + k * t.b_row);
        UNROLL for (int r = 0; r < rows; r++)
            sum[r] += t.a[r * t.a_row + k * t.a_column] * b;
    }
    UNROLL for (int r = 0; r < rows; r++)
        *(UnalignedNarrow *)(t.c + r * t.c_row) = sum[r];
}

/* One row of tiles: `rows` rows by `columns` columns. */
KERNEL void strip_multiply(Tile t, const int rows, int columns, const int step)
{
    int left = columns;
    const int narrow = step == 1 ? NARROW_LANES : 0;
    for (; left > VECTOR_LANES + narrow; left -= 2 * VECTOR_LANES) {
        tile_multiply(t, rows, 2, step);
        t.b += 2 * VECTOR_LANES;
        t.c += 2 * VECTOR_LANES;
    }
    if (left > narrow) {
        tile_multiply(t, rows, 1, step);
        t.b += VECTOR_LANES;
        t.c += VECTOR_LANES;
        left -= VECTOR_LANES;
    }
    if (step == 1 && left > 0)
        tile_multiply_narrow(t, rows);
}

KERNEL void strip_of(Tile t, int rows, int columns, const int step)
{
    switch (rows) {
    case 8: strip_multiply(t, TILE_ROWS, columns, step); break;
    case 4: strip_multiply(t, 4, columns, step); break;
    case 2: strip_multiply(t, 2, columns, step); break;
    default: strip_multiply(t, 1, columns, step); break;
    }
}

static void strip_of_reals(Tile t, int rows, int columns)
{
    strip_of(t, rows, columns, 1);
}

static void strip_of_pairs(Tile t, int rows, int columns)
{
    strip_of(t, rows, columns, 2);
}

static void strip(Tile t, int rows, int columns, int step)
{
    if (step == 2)
        strip_of_pairs(t, rows, columns);
    else
        strip_of_reals(t, rows, columns);
}

/* The tile height for the next strip when `left` rows are left. */
static int strip_rows(int left)
{
    int rows = TILE_ROWS;
    while (rows > left)
        rows /= 2;
    return rows;
}

static int pairs_of(int count)
{
    return (count + 1) / 2;
}

size_t pair_scratch_count(int rows, int depth, int columns)
{
    size_t pairs = (size_t)padded(pairs_of(depth)), height = (size_t)padded(rows);
    return pairs * (height + (size_t)padded(columns));
}

/* The factors in pairs along the contracted index, in the scratch. */
static Factors pack_factors(Matrix a, Matrix b, real *scratch)
{
    int depth = pairs_of(a.columns);
    Matrix left, right;
    if (a.column_stride == 1) {
        left = matrix_view(scratch, a.rows, depth, padded(depth));
        right = matrix_view(scratch + a.rows * left.row_stride, depth, b.columns, padded(b.columns));
        pack_neighbours(a, left);
    } else {
        Matrix packed = matrix_view(scratch, depth, a.rows, padded(a.rows));
        left = matrix_transpose(packed);
        right = matrix_view(scratch + depth * packed.row_stride, depth, b.columns, padded(b.columns));
        pack_rows(matrix_transpose(a), packed);
    }
    pack_rows(b, right);
    return (Factors){left, right, 2};
}

KERNEL Factors factors_of(Matrix a, Matrix b, Matrix c, real *pairs)
{
    assert(a.rows == c.rows && a.columns == b.rows && b.columns == c.columns);
    assert(b.column_stride == 1 && c.column_stride == 1);
    assert(pairs == NULL || a.column_stride == 1 || a.row_stride == 1);
    return pairs != NULL ? pack_factors(a, b, pairs) : (Factors){a, b, 1};
}

/* The tile at row i of c, whose sums run over the contracted index from `first` to `end`. */
KERNEL Tile tile_at(Factors f, Matrix c, int i, int first, int end, bool accumulate)
{
    first /= f.step;
    return (Tile){
        .a = f.a.data + i * f.a.row_stride + first * f.a.column_stride,
        .b = matrix_row(f.b, first),
        .c = matrix_row(c, i),
        .a_row = f.a.row_stride,
        .a_column = f.a.column_stride,
        .b_row = f.b.row_stride,
        .c_row = c.row_stride,
        .depth = (end + f.step - 1) / f.step - first,
        .accumulate = accumulate,
    };
}

static void multiply_whole(Matrix a, Matrix b, Matrix c, bool accumulate, real *pairs)
{
    Factors f = factors_of(a, b, c, pairs);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        strip(tile_at(f, c, i, 0, a.columns, accumulate), rows, c.columns, f.step);
    }
}

void multiply(Matrix a, Matrix b, Matrix c, real *pairs)
{
    multiply_whole(a, b, c, false, pairs);
}

void multiply_add(Matrix a, Matrix b, Matrix c, real *pairs)
{
    multiply_whole(a, b, c, true, pairs);
}

void multiply_causal(Matrix a, Matrix b, Matrix c, int visible, real *pairs)
{
    Factors f = factors_of(a, b, c, pairs);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        strip(tile_at(f, c, i, 0, a.columns, false), rows, smaller(c.columns, visible + i + rows - 1), f.step);
    }
}

void multiply_causal_left(Matrix a, Matrix b, Matrix c, int visible, real *pairs)
{
    Factors f = factors_of(a, b, c, pairs);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        int seen = smaller(a.columns, visible + i + rows - 1);
        strip(tile_at(f, c, i, 0, seen, false), rows, c.columns, f.step);
    }
}

void multiply_causal_transposed(Matrix a, Matrix b, Matrix c, int visible, int fresh, real *pairs)
{
    Factors f = factors_of(matrix_transpose(a), b, c, pairs);
    int seen = smaller(c.rows, visible + b.rows - 1); /* columns that the block's last row sees */
    for (int j = 0, rows; j < seen; j += rows) {
        rows = strip_rows(j < fresh ? smaller(seen, fresh) - j : seen - j);
        int first = j < visible ? 0 : j - visible + 1; /* the first row of the block that sees column j */
        strip(tile_at(f, c, j, first, b.rows, j < fresh), rows, c.columns, f.step);
    }
}
