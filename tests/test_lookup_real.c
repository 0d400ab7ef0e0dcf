/* Numbers looked up and collected by index, on ragged sizes, against plain loops to the bit. Memory is exactly as long
 * as the header promises, and what may not matter is hostile: indices beyond the count, padding. */
#include "kernels/lookup.h"

#include "real_matrix.h"
#include "test.h"

enum { COUNTS = 70 };

/* Row lengths on both sides of every number of vectors that registers hold, up to rows read number by number. */
static const int symbols_of[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
enum { WIDTHS = sizeof symbols_of / sizeof *symbols_of };

/* `count` random indices below `symbols`, every second repeated, and behind them, to the padding's end, no index. */
static int32_t *index_open(int count, int symbols, Random *random)
{
    static const int32_t hostile[] = {INT32_MAX, INT32_MIN, -1, 1 << 20, -(1 << 20)};
    int32_t *index = malloc((size_t)padded(count) * sizeof *index);
    if (index == NULL)
        abort();
    for (int j = 0; j < padded(count); j++)
        index[j] = j < count ? (int32_t)random_below(random, (uint64_t)symbols) : hostile[j % 5];
    for (int j = 3; j < count; j += 2)
        index[j] = index[j - 2 - j % 2];
    index[0] = symbols - 1;
    index[count / 2] = count / 2 > 0 ? 0 : index[0];
    return index;
}

static void fill(real *row, int count, Random *random)
{
    for (int j = 0; j < count; j++)
        row[j] = (real)random_normal(random);
}

static void check_look_up(int symbols, int count, Random *random)
{
    real *row = test_reals((size_t)symbols), *out = test_reals((size_t)padded(count));
    int32_t *index = index_open(count, symbols, random);
    fill(row, symbols, random);
    row[symbols - 1] = (real)NAN;
    row[0] = (real)-0.0;
    row[symbols / 2] = (real)-INFINITY;
    look_up(out, row, symbols, index, count);
    for (int j = 0; j < count; j++)
        CHECK(memcmp(out + j, row + index[j], sizeof *out) == 0, "%d symbols, count %d, [%d]: %g, not %g", symbols,
              count, j, (double)out[j], (double)row[index[j]]);
    free(row);
    free(out);
    free(index);
}

static void check_look_up_sum(int symbols, int count, Random *random)
{
    size_t length = (size_t)(symbols + padded(count));
    real *a = test_reals(length), *b = test_reals(length), *out = test_reals((size_t)padded(count));
    int32_t *index = index_open(count, symbols, random);
    fill(a, symbols + count, random);
    fill(b, symbols + count, random);
    look_up_sum(out, a, b, symbols, index, count);
    for (int j = 0; j < count; j++) {
        real of_symbol = a[index[j]] + b[index[j]], of_place = a[symbols + j] + b[symbols + j];
        real expected = of_symbol + of_place;
        CHECK(memcmp(out + j, &expected, sizeof *out) == 0, "%d symbols, count %d, [%d]: %.9g, not %.9g", symbols,
              count, j, (double)out[j], (double)expected);
    }
    free(a);
    free(b);
    free(out);
    free(index);
}

static void test_look_up(void)
{
    Random random = random_seed(1);
    test_case("look_up: the very number at each index, every length and width");
    for (int w = 0; w < WIDTHS; w++)
        for (int count = 1; count <= COUNTS; count++)
            check_look_up(symbols_of[w] * ROW_ALIGNMENT, count, &random);

    test_case("look_up_sum: the sum of four, every length and width");
    for (int w = 0; w < WIDTHS; w++)
        for (int count = 1; count <= COUNTS; count++)
            check_look_up_sum(symbols_of[w] * ROW_ALIGNMENT, count, &random);

    test_case("look_up: each symbol alone is found at every place");
    for (int w = 0; w < WIDTHS; w++) {
        int symbols = symbols_of[w] * ROW_ALIGNMENT, count = ROW_ALIGNMENT + 3;
        real *row = test_reals((size_t)symbols), *out = test_reals((size_t)padded(count));
        for (int i = 0; i < symbols; i++)
            row[i] = (real)i;
        for (int symbol = 0; symbol < symbols; symbol++) {
            int32_t index[2 * ROW_ALIGNMENT];
            for (int j = 0; j < 2 * ROW_ALIGNMENT; j++)
                index[j] = symbol;
            look_up(out, row, symbols, index, count);
            for (int j = 0; j < count; j++)
                CHECK(out[j] == symbol, "%d symbols, [%d]: %g, not %d", symbols, j, (double)out[j], symbol);
        }
        free(row);
        free(out);
    }
}

typedef struct Shape {
    int symbols, rows, columns, visible;
} Shape;

static const Shape shapes[] = {
    {1, 1, 1, 1},    {3, 7, 9, 9},     {5, 16, 16, 1},   {9, 17, 33, 17},  {33, 40, 70, 31}, {20, 64, 64, 1},
    {65, 5, 128, 128}, {150, 31, 90, 60}, {2, 33, 70, 65},  {70, 1, 45, 45},  {16, 48, 50, 3},  {7, 20, 16, 12},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int seen_by(Shape s, int r)
{
    return smaller(s.columns, s.visible + r);
}

/* Random where a row sees, 0 behind that to the end of the last vector, and NaN where nothing may look. */
static Matrix values_open(Shape s, Random *random)
{
    Matrix values = test_matrix(s.rows, s.columns);
    int end = (s.columns + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
    for (int r = 0; r < s.rows; r++)
        for (int j = 0; j < end; j++)
            matrix_row(values, r)[j] = j < seen_by(s, r) ? (real)random_normal(random) : 0;
    return values;
}

static void check_collect(Shape s, Random *random)
{
    Matrix values = values_open(s, random), sums = test_matrix_random(s.symbols, s.rows, random);
    Matrix expected = test_matrix_copy(sums), alone = test_matrix(s.symbols, 1);
    int32_t *index = index_open(s.columns, s.symbols, random);
    for (int r = 0; r < s.rows; r++) {
        for (int u = 0; u < s.symbols; u++)
            matrix_row(alone, u)[0] = matrix_row(sums, u)[r];
        for (int j = 0; j < seen_by(s, r); j++)
            matrix_row(expected, index[j])[r] += matrix_row(values, r)[j];
        collect_columns(matrix_rows(values, r, 1), index, seen_by(s, r), alone);
        for (int u = 0; u < s.symbols; u++)
            CHECK(memcmp(matrix_row(alone, u), matrix_row(expected, u) + r, sizeof(real)) == 0,
                  "row %d of %d alone, symbol %d: %.9g, not %.9g", r, s.rows, u, (double)matrix_row(alone, u)[0],
                  (double)matrix_row(expected, u)[r]);
    }
    collect_columns(values, index, s.visible, sums);
    CHECK(matrix_same_bits(sums, expected), "%d symbols, %d x %d, visible %d: other bits", s.symbols, s.rows, s.columns,
          s.visible);
    test_matrix_free(values);
    test_matrix_free(sums);
    test_matrix_free(expected);
    test_matrix_free(alone);
    free(index);
}

static void check_spread(Shape s, bool both, Random *random)
{
    enum { TABLE = 11 };
    Matrix sums = test_matrix_random(s.symbols, s.rows, random), first = test_matrix_random(TABLE, s.symbols, random);
    Matrix second = test_matrix_random(both ? s.rows : 0, s.symbols, random);
    Matrix first_expected = test_matrix_copy(first), second_expected = test_matrix_copy(second);
    int32_t *row_of = index_open(s.rows, TABLE, random);
    for (int r = 0; r < s.rows; r++)
        for (int u = 0; u < s.symbols; u++) {
            matrix_row(first_expected, row_of[r])[u] += matrix_row(sums, u)[r];
            if (both)
                matrix_row(second_expected, r)[u] += matrix_row(sums, u)[r];
        }
    spread_columns(sums, row_of, first, second);
    CHECK(matrix_same_bits(first, first_expected), "%d symbols, %d rows: first has other bits", s.symbols, s.rows);
    CHECK(matrix_same_bits(second, second_expected), "%d symbols, %d rows: second has other bits", s.symbols, s.rows);
    for (int u = 0; u < s.symbols; u++)
        for (int r = 0; r < s.rows; r++)
            CHECK(matrix_row(sums, u)[r] == 0, "%d symbols, %d rows: [%d,%d] stays %g", s.symbols, s.rows, u, r,
                  (double)matrix_row(sums, u)[r]);
    const Matrix all[] = {sums, first, second, first_expected, second_expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
    free(row_of);
}

int main(void)
{
    test_look_up();
    Random random = random_seed(2);
    test_case("collect_columns: each row's numbers by index in order, as if the row stood alone");
    for (int i = 0; i < SHAPES; i++)
        check_collect(shapes[i], &random);
    for (int both = 0; both < 2; both++) {
        test_case(both ? "spread_columns: to a row by index and to a row of its own, and the sums become 0"
                       : "spread_columns: to a row by index, and the sums become 0");
        for (int i = 0; i < SHAPES; i++)
            check_spread(shapes[i], both, &random);
    }
    return test_finish();
}
