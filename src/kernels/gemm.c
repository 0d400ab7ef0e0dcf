/* Register tiles: TILE_ROWS rows of c by one or two vectors of columns stay in registers while the contracted
 * index runs. With 32 registers (64-byte vectors) 8 x 2 sums leave room for two vectors of b and the broadcasts;
 * with 16 registers 4 x 2. Rows that are left over go through tiles of 4, 2 and 1, a last vector that is at most
 * a quarter full through 16-byte vectors: no work is done on padding. */
#include "kernels/gemm.h"

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

/* rows x vectors; both are constants where it is inlined, so that `sum` lives in registers. */
KERNEL void tile_multiply(Tile t, const int rows, const int vectors)
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
                sum[r][v] += a * b[v];
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
KERNEL void strip_multiply(Tile t, const int rows, int columns)
{
    int left = columns;
    for (; left > VECTOR_LANES + NARROW_LANES; left -= 2 * VECTOR_LANES) {
        tile_multiply(t, rows, 2);
        t.b += 2 * VECTOR_LANES;
        t.c += 2 * VECTOR_LANES;
    }
    if (left > NARROW_LANES) {
        tile_multiply(t, rows, 1);
        t.b += VECTOR_LANES;
        t.c += VECTOR_LANES;
        left -= VECTOR_LANES;
    }
    if (left > 0)
        tile_multiply_narrow(t, rows);
}

static void strip(Tile t, int rows, int columns)
{
    switch (rows) {
    case 8: strip_multiply(t, TILE_ROWS, columns); break;
    case 4: strip_multiply(t, 4, columns); break;
    case 2: strip_multiply(t, 2, columns); break;
    default: strip_multiply(t, 1, columns); break;
    }
}

/* The tile height for the next strip when `left` rows are left. */
static int strip_rows(int left)
{
    int rows = TILE_ROWS;
    while (rows > left)
        rows /= 2;
    return rows;
}

static Tile tile_at(Matrix a, Matrix b, Matrix c, bool accumulate)
{
    assert(a.rows == c.rows && a.columns == b.rows && b.columns == c.columns);
    assert(b.column_stride == 1 && c.column_stride == 1);
    return (Tile){a.data, b.data, c.data, a.row_stride, a.column_stride, b.row_stride, c.row_stride, a.columns,
                  accumulate};
}

static void multiply_whole(Matrix a, Matrix b, Matrix c, bool accumulate)
{
    Tile t = tile_at(a, b, c, accumulate);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        t.a = a.data + i * a.row_stride;
        t.c = matrix_row(c, i);
        strip(t, rows, c.columns);
    }
}

void multiply(Matrix a, Matrix b, Matrix c)
{
    multiply_whole(a, b, c, false);
}

void multiply_add(Matrix a, Matrix b, Matrix c)
{
    multiply_whole(a, b, c, true);
}

void multiply_causal(Matrix a, Matrix b, Matrix c, int visible)
{
    Tile t = tile_at(a, b, c, false);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        t.a = a.data + i * a.row_stride;
        t.c = matrix_row(c, i);
        strip(t, rows, smaller(c.columns, visible + i + rows - 1));
    }
}

void multiply_causal_left(Matrix a, Matrix b, Matrix c, int visible)
{
    Tile t = tile_at(a, b, c, false);
    for (int i = 0, rows; i < c.rows; i += rows) {
        rows = strip_rows(c.rows - i);
        t.a = a.data + i * a.row_stride;
        t.c = matrix_row(c, i);
        t.depth = smaller(a.columns, visible + i + rows - 1);
        strip(t, rows, c.columns);
    }
}

void multiply_causal_transposed_add(Matrix a, Matrix b, Matrix c, int visible)
{
    Matrix left = matrix_transpose(a);
    Tile t = tile_at(left, b, c, true);
    int seen = smaller(c.rows, visible + b.rows - 1); /* columns that the block's last row sees */
    for (int j = 0, rows; j < seen; j += rows) {
        rows = strip_rows(seen - j);
        int first = j < visible ? 0 : j - visible + 1; /* the first row of the block that sees column j */
        t.a = left.data + j * left.row_stride + first * left.column_stride;
        t.b = matrix_row(b, first);
        t.c = matrix_row(c, j);
        t.depth = b.rows - first;
        strip(t, rows, c.columns);
    }
}
