/* Matrices rounded into matrices of pairs, at ragged shapes. What surrounds the numbers that count is NaN, and what
 * surrounds the result must keep its bits. */
#include "kernels/pack.h"

#include "real_pair.h"
#include "test.h"

enum { LARGEST = 40 };

/* rows x columns in the middle of NaN: a block of a larger matrix. */
static Matrix block_open(Matrix *all, int rows, int columns, Random *random)
{
    *all = test_matrix(rows + 1, columns + 2 * ROW_ALIGNMENT + 3);
    Matrix block = matrix_columns(matrix_rows(*all, 1, rows), ROW_ALIGNMENT, columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            matrix_row(block, r)[c] = (real)random_normal(random);
    return block;
}

/* A matrix as test_matrix makes it, and the first number behind each of its padded rows. */
static Matrix guarded(int rows, int columns)
{
    ptrdiff_t stride = padded(columns) + ROW_ALIGNMENT;
    Matrix m = matrix_view(test_reals((size_t)rows * (size_t)stride - ROW_ALIGNMENT), rows, columns, stride);
    for (int r = 0; r + 1 < rows; r++)
        for (int c = padded(columns); c < stride; c++)
            matrix_row(m, r)[c] = 77;
    return m;
}

static bool guards_intact(Matrix m)
{
    for (int r = 0; r + 1 < m.rows; r++)
        for (int c = padded(m.columns); c < m.row_stride; c++)
            if (matrix_row(m, r)[c] != 77)
                return false;
    return true;
}

/* from[r,c], or the 0 that an odd last row or column is paired with. */
static real number_at(Matrix from, int r, int c)
{
    return r < from.rows && c < from.columns ? matrix_row(from, r)[c] : 0;
}

static void check_neighbours(Matrix from)
{
    Matrix to = guarded(from.rows, (from.columns + 1) / 2);
    pack_neighbours(from, to);
    for (int r = 0; r < to.rows; r++)
        for (int i = 0; i < 2 * to.columns; i++) {
            Half half = half_at(matrix_row(to, r), i);
            CHECK(half_is_rounded(half, number_at(from, r, i)), "%d x %d: half %d of row %d is %g, not %g", from.rows,
                  from.columns, i, r, (double)half_value(half), (double)number_at(from, r, i));
        }
    CHECK(guards_intact(to), "%d x %d: wrote beyond a padded row", from.rows, from.columns);
    test_matrix_free(to);
}

static void check_rows(Matrix from)
{
    Matrix to = guarded((from.rows + 1) / 2, from.columns);
    pack_rows(from, to);
    for (int r = 0; r < 2 * to.rows; r++)
        for (int c = 0; c < to.columns; c++) {
            Half half = half_at(matrix_row(to, r / 2), 2 * c + r % 2);
            CHECK(half_is_rounded(half, number_at(from, r, c)), "%d x %d: half %d of pair [%d,%d] is %g, not %g",
                  from.rows, from.columns, r % 2, r / 2, c, (double)half_value(half), (double)number_at(from, r, c));
        }
    CHECK(guards_intact(to), "%d x %d: wrote beyond a padded row", from.rows, from.columns);
    test_matrix_free(to);
}

static void test_shapes(const char *name, void (*check)(Matrix from))
{
    test_case(name);
    Random random = random_seed(1);
    for (int rows = 1; rows <= 9; rows++)
        for (int columns = 1; columns <= LARGEST; columns++) {
            Matrix all, block = block_open(&all, rows, columns, &random);
            Matrix alone = test_matrix_random(rows, columns, &random);
            check(block);
            check(alone);
            test_matrix_free(all);
            test_matrix_free(alone);
        }
    for (int columns = 100; columns <= 132; columns += 11) {
        Matrix alone = test_matrix_random(67, columns, &random);
        check(alone);
        test_matrix_free(alone);
    }
}

/* A NaN that counts is kept; none that does not is made. */
static void test_nan(void)
{
    test_case("pack: a NaN among the numbers stays where it is");
    Random random = random_seed(2);
    for (int place = 0; place < 3 * LARGEST; place += 7) {
        Matrix from = test_matrix_random(3, LARGEST - 1, &random);
        if (place % LARGEST < from.columns)
            matrix_row(from, place / LARGEST)[place % LARGEST] = (real)NAN;
        check_neighbours(from);
        check_rows(from);
        test_matrix_free(from);
    }
}

int main(void)
{
    test_shapes("pack_neighbours: pairs of columns at every ragged shape, the padding kept out", check_neighbours);
    test_shapes("pack_rows: pairs of rows at every ragged shape, an odd last one with 0", check_rows);
    test_nan();
    return test_finish();
}
