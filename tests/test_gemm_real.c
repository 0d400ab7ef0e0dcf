/* The tiled products, of reals and of pairs, against the plain loops at ragged sizes. Entries are small whole numbers
 * there, so that every factor is exact in a bfloat16 and every sum in float, and results must be equal. Whatever the
 * contract lets be garbage is NaN: padding, results to be overwritten, attention beyond what the block's last row sees
 * and the rows of the right factor that would meet it. */
#include "kernels/gemm.h"

#include "real_pair.h"
#include "test.h"

typedef enum Product { WHOLE, ADD, CAUSAL, CAUSAL_LEFT, CAUSAL_TRANSPOSED, CAUSAL_TRANSPOSED_ADD,
                       PRODUCT_COUNT } Product;
typedef enum Layout { ROWS, TRANSPOSED, STRIDED, LAYOUT_COUNT } Layout;

static const char *const product_names[] = {
    "multiply", "multiply_add", "multiply_causal", "multiply_causal_left", "multiply_causal_transposed",
    "multiply_causal_transposed onto a sum",
};

/* a[M,K] b c[.,N]; c is [M,N], and for the transposed product [K,N]. */
typedef struct Shape {
    int M, N, K, visible;
} Shape;

static void reference_run(Product product, Matrix a, Matrix b, Matrix c, int visible)
{
    switch (product) {
    case WHOLE: reference_multiply(a, b, c); break;
    case ADD: reference_multiply_add(a, b, c); break;
    case CAUSAL: reference_multiply_causal(a, b, c, visible); break;
    case CAUSAL_LEFT: reference_multiply_causal_left(a, b, c, visible); break;
    default: reference_multiply_causal_transposed(a, b, c, visible, product == CAUSAL_TRANSPOSED ? 0 : c.rows); break;
    }
}

/* Scratch for pairs is as long as it must be and no longer. */
static void product_run(Product product, bool of_pairs, Matrix a, Matrix b, Matrix c, int visible)
{
    real *pairs = of_pairs ? test_reals(pair_scratch_count(c.rows, b.rows, c.columns)) : NULL;
    switch (product) {
    case WHOLE: multiply(a, b, c, pairs); break;
    case ADD: multiply_add(a, b, c, pairs); break;
    case CAUSAL: multiply_causal(a, b, c, visible, pairs); break;
    case CAUSAL_LEFT: multiply_causal_left(a, b, c, visible, pairs); break;
    case CAUSAL_TRANSPOSED: multiply_causal_transposed(a, b, c, visible, 0, pairs); break;
    default: multiply_causal_transposed(a, b, c, visible, c.rows, pairs); break;
    }
    free(pairs);
}

static bool accumulates(Product product)
{
    return product == ADD || product == CAUSAL_TRANSPOSED_ADD;
}

static int visible_in(int columns, int visible, int row)
{
    return visible + row < columns ? visible + row : columns;
}

static Matrix factor(int rows, int columns, Layout layout)
{
    if (layout == TRANSPOSED)
        return matrix_transpose(test_matrix(columns, rows));
    if (layout == STRIDED)
        return (Matrix){test_reals((size_t)rows * (3 * (size_t)columns + 1)), rows, columns, 3 * columns + 1, 3};
    return test_matrix(rows, columns);
}

static void fill(Matrix m, bool whole_numbers, Random *random)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            m.data[r * m.row_stride + c * m.column_stride] =
                (real)(whole_numbers ? (double)random_below(random, 9) - 4 : random_normal(random));
}

/* The columns of a that are read: what the last row sees, and of pairs the whole of the last one. */
static int columns_read(Matrix a, int visible, bool of_pairs)
{
    int last = visible_in(a.columns, visible, a.rows - 1);
    return of_pairs && last < a.columns ? last + last % 2 : last;
}

/* Zero where a row does not see, as far as columns are read; NaN beyond. */
static void mask(Matrix a, int visible, bool of_pairs)
{
    int read = columns_read(a, visible, of_pairs);
    for (int r = 0; r < a.rows; r++)
        for (int j = visible_in(a.columns, visible, r); j < a.columns; j++)
            a.data[r * a.row_stride + j * a.column_stride] = j < read ? 0 : (real)NAN;
}

/* The rows of b that no row of a sees. */
static void mask_right(Matrix b, int read)
{
    for (int r = read; r < b.rows; r++)
        for (int j = 0; j < b.columns; j++)
            matrix_row(b, r)[j] = (real)NAN;
}

/* A result whose rows stand ROW_ALIGNMENT numbers further apart than their padding needs. */
static Matrix guarded(int rows, int columns)
{
    ptrdiff_t stride = padded(columns) + ROW_ALIGNMENT;
    return matrix_view(test_reals((size_t)rows * (size_t)stride - ROW_ALIGNMENT), rows, columns, stride);
}

static bool guards_intact(Matrix c)
{
    for (int r = 0; r + 1 < c.rows; r++)
        for (int j = padded(c.columns); j < c.row_stride; j++)
            if (matrix_row(c, r)[j] != 77)
                return false;
    return true;
}

static void guards_set(Matrix c)
{
    for (int r = 0; r + 1 < c.rows; r++)
        for (int j = padded(c.columns); j < c.row_stride; j++)
            matrix_row(c, r)[j] = 77;
}

static void check_product(Product product, bool of_pairs, Shape s, Layout layout, Random *random)
{
    bool transposed = product >= CAUSAL_TRANSPOSED;
    Matrix a = factor(s.M, s.K, layout), b = test_matrix(transposed ? s.M : s.K, s.N);
    Matrix c = guarded(transposed ? s.K : s.M, s.N), expected = test_matrix(c.rows, c.columns);
    fill(a, true, random);
    fill(b, true, random);
    if (product >= CAUSAL_LEFT)
        mask(a, s.visible, of_pairs);
    if (product == CAUSAL_LEFT)
        mask_right(b, columns_read(a, s.visible, of_pairs));
    if (accumulates(product))
        fill(c, true, random);
    guards_set(c);
    for (int r = 0; r < c.rows; r++)
        memcpy(matrix_row(expected, r), matrix_row(c, r), (size_t)c.columns * sizeof(real));
    product_run(product, of_pairs, a, b, c, s.visible);
    reference_run(product, a, b, expected, s.visible);
    int written = product == CAUSAL_TRANSPOSED ? visible_in(c.rows, s.visible, s.M - 1) : c.rows;
    for (int r = 0; r < written; r++)
        for (int j = 0; j < (product == CAUSAL ? visible_in(s.N, s.visible, r) : s.N); j++)
            CHECK(matrix_row(c, r)[j] == matrix_row(expected, r)[j],
                  "M %d N %d K %d visible %d layout %d: c[%d,%d] is %g, not %g", s.M, s.N, s.K, s.visible, (int)layout,
                  r, j, (double)matrix_row(c, r)[j], (double)matrix_row(expected, r)[j]);
    CHECK(guards_intact(c), "M %d N %d K %d visible %d: wrote beyond a padded row", s.M, s.N, s.K, s.visible);
    test_matrix_free(a);
    test_matrix_free(b);
    test_matrix_free(c);
    test_matrix_free(expected);
}

/* Every `visible` from 1 to what it counts in; for the whole products one run. Pairs need dense rows or columns. */
static void check_visible(Product product, bool of_pairs, Shape s, int step, Layout layout, Random *random)
{
    int limit = product <= ADD ? 1 : product == CAUSAL ? s.N : s.K;
    if (of_pairs && layout == STRIDED)
        return;
    for (s.visible = 1; s.visible < limit; s.visible += step)
        check_product(product, of_pairs, s, layout, random);
    s.visible = limit;
    check_product(product, of_pairs, s, layout, random);
}

static void test_ragged(Product product, bool of_pairs)
{
    static const Shape larger[] = {{64, 65, 64, 0}, {65, 64, 64, 0}, {64, 64, 65, 0}, {3, 130, 100, 0},
                                   {100, 3, 33, 0}};
    char name[128];
    Random random = random_seed(1);
    snprintf(name, sizeof name, "%s%s: equals the plain loops at every ragged size", product_names[product],
             of_pairs ? " of pairs" : "");
    test_case(name);
    for (int M = 1; M <= 21; M++)
        for (int N = 1; N <= 40; N++)
            check_visible(product, of_pairs, (Shape){M, N, 1 + (M * 7 + N * 3) % 23, 0}, 1 + N % 3,
                          (M + N) % (of_pairs ? STRIDED : LAYOUT_COUNT), &random);
    for (int K = 1; K <= 40; K++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            check_visible(product, of_pairs, (Shape){13, 1 + K * 5 % 19, K, 0}, 1, layout, &random);
            check_visible(product, of_pairs, (Shape){1 + K % 9, 37, K, 0}, 1, layout, &random);
            check_visible(product, of_pairs, (Shape){K, 18, 40 - K + 1, 0}, 1, layout, &random);
        }
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            check_visible(product, of_pairs, larger[i], 13, layout, &random);
}

/* Some columns as a matrix of its own: pairs are made of a's rows up to their padding, too. */
static Matrix columns_alone(Matrix m, int first, int count)
{
    Matrix alone = test_matrix(m.rows, count);
    for (int r = 0; r < m.rows; r++)
        memcpy(matrix_row(alone, r), matrix_row(m, r) + first, (size_t)count * sizeof(real));
    return alone;
}

/* A part of a product: rows first..first+count-1 of c and its first `columns` columns. Its visible elements must have
 * the bits of the whole product c. */
static void check_part(Product product, bool of_pairs, Matrix a, Matrix b, Matrix start, Matrix c, int visible,
                       Shape part, int first)
{
    bool transposed = product >= CAUSAL_TRANSPOSED;
    int count = part.M, columns = part.N, seen = transposed ? visible - first : visible + first;
    Matrix of_a = transposed ? columns_alone(a, first, count) : matrix_rows(a, first, count), of_b = b;
    if (product == CAUSAL_LEFT) { /* also without the columns that no row sees */
        int last = visible_in(a.columns, seen, count - 1);
        of_a = matrix_columns(of_a, 0, last);
        of_b = matrix_rows(b, 0, last);
    }
    Matrix mine = test_matrix(count, columns);
    for (int r = 0; accumulates(product) && r < count; r++)
        memcpy(matrix_row(mine, r), matrix_row(start, first + r), (size_t)columns * sizeof(real));
    product_run(product, of_pairs, of_a, matrix_columns(of_b, 0, columns), mine, seen);
    int written = product == CAUSAL_TRANSPOSED ? visible_in(c.rows, visible, a.rows - 1) : c.rows;
    for (int r = 0; r < count && first + r < written; r++) {
        int compared = product == CAUSAL ? visible_in(columns, seen, r) : columns;
        CHECK(memcmp(matrix_row(mine, r), matrix_row(c, first + r), (size_t)compared * sizeof(real)) == 0,
              "visible %d: row %d has other bits in a product of rows %d to %d and %d columns", visible, first + r,
              first, first + count - 1, columns);
    }
    if (transposed)
        test_matrix_free(of_a);
    test_matrix_free(mine);
}

static void test_same_bits(Product product, bool of_pairs)
{
    static const int visibles[] = {1, 6, 13, 45}, counts[] = {1, 2, 3, 5, 8, 13, 37};
    static const int columns[] = {45, 44, 33, 21, 17, 3};
    char name[128];
    Random random = random_seed(2);
    snprintf(name, sizeof name, "%s%s: a row has the same bits in a product of any rows and columns",
             product_names[product], of_pairs ? " of pairs" : "");
    test_case(name);
    bool transposed = product >= CAUSAL_TRANSPOSED;
    for (size_t v = 0; v < sizeof visibles / sizeof *visibles; v++) {
        Matrix a = transposed ? factor(30, 37, ROWS) : factor(37, 45, ROWS), b = test_matrix(transposed ? 30 : 45, 45);
        Matrix start = test_matrix(37, 45), c;
        int visible = visibles[v] < a.columns ? visibles[v] : a.columns;
        fill(a, false, &random);
        fill(b, false, &random);
        fill(start, false, &random);
        if (product >= CAUSAL_LEFT)
            mask(a, visible, of_pairs);
        c = test_matrix_copy(start);
        product_run(product, of_pairs, a, b, c, visible);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
                for (int first = 0; first + counts[i] <= 37 && (!transposed || first < visible); first++)
                    check_part(product, of_pairs, a, b, start, c, visible, (Shape){counts[i], columns[j], 0, 0},
                               first);
        test_matrix_free(a);
        test_matrix_free(b);
        test_matrix_free(start);
        test_matrix_free(c);
    }
}

/* Of pairs, against the products of the rounded factors: nothing else may round. */
static void test_rounding(bool of_pairs)
{
    test_case(of_pairs ? "multiply of pairs: factors are rounded once, sums stay within a few units of the last place"
                       : "multiply: numbers that round stay within a few units of the last place");
    Random random = random_seed(3);
    for (int K = 1; K <= 300; K += 23) {
        Matrix a = test_matrix_random(11, K, &random), b = test_matrix_random(K, 35, &random), c = test_matrix(11, 35);
        product_run(WHOLE, of_pairs, a, b, c, 0);
        for (int i = 0; i < 11; i++)
            for (int j = 0; j < 35; j++) {
                long double sum = 0, size = 0;
                for (int k = 0; k < K; k++) {
                    double x = (double)matrix_row(a, i)[k], y = (double)matrix_row(b, k)[j];
                    long double term = of_pairs ? (long double)half_rounded(x) * (long double)half_rounded(y)
                                                : (long double)x * (long double)y;
                    sum += term;
                    size += fabsl(term);
                }
                long double difference = fabsl((long double)matrix_row(c, i)[j] - sum);
                CHECK(difference <= size * REAL_EPSILON * (2 + sqrtl(K)), "K %d: off by %Lg", K, difference);
            }
        test_matrix_free(a);
        test_matrix_free(b);
        test_matrix_free(c);
    }
}

/* Scratch that suits one product suits any smaller one. */
static void test_scratch(void)
{
    test_case("pair_scratch_count: never falls as rows, depth or columns grow");
    for (int rows = 1; rows <= 70; rows += 3)
        for (int depth = 1; depth <= 70; depth++)
            for (int columns = 1; columns <= 70; columns += 3) {
                size_t count = pair_scratch_count(rows, depth, columns);
                CHECK(count <= pair_scratch_count(rows + 1, depth, columns) &&
                          count <= pair_scratch_count(rows, depth + 1, columns) &&
                          count <= pair_scratch_count(rows, depth, columns + 1),
                      "%d rows, depth %d, %d columns", rows, depth, columns);
            }
    CHECK(pair_scratch_count(1 << 16, 1 << 16, 1 << 16) == (size_t)1 << 32, "overflows in an int");
}

/* Rows of c below `fresh` as in a product onto a sum, the others as in one that overwrites; those that no row sees, as
 * they were. */
static void test_fresh(bool of_pairs)
{
    enum { M = 13, K = 29, N = 21 };
    test_case(of_pairs ? "multiply_causal_transposed of pairs: adds below `fresh`, overwrites from there on"
                       : "multiply_causal_transposed: adds below `fresh`, overwrites from there on");
    Random random = random_seed(4);
    for (int visible = 1; visible <= K; visible += 3)
        for (int fresh = 0; fresh <= K; fresh++) {
            Matrix a = factor(M, K, ROWS), b = test_matrix(M, N), start = test_matrix(K, N);
            fill(a, false, &random);
            fill(b, false, &random);
            fill(start, false, &random);
            mask(a, visible, of_pairs);
            Matrix mixed = test_matrix_copy(start), added = test_matrix_copy(start), written = test_matrix_copy(start);
            real *pairs = of_pairs ? test_reals(pair_scratch_count(K, M, N)) : NULL;
            multiply_causal_transposed(a, b, mixed, visible, fresh, pairs);
            product_run(CAUSAL_TRANSPOSED_ADD, of_pairs, a, b, added, visible);
            product_run(CAUSAL_TRANSPOSED, of_pairs, a, b, written, visible);
            for (int j = 0; j < K; j++)
                CHECK(memcmp(matrix_row(mixed, j), matrix_row(j < fresh ? added : written, j), N * sizeof(real)) == 0,
                      "visible %d, fresh %d: row %d", visible, fresh, j);
            const Matrix all[] = {a, b, start, mixed, added, written};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                test_matrix_free(all[i]);
            free(pairs);
        }
}

int main(void)
{
    for (int product = 0; product < PRODUCT_COUNT; product++)
        for (int of_pairs = 0; of_pairs < 2; of_pairs++) {
            test_ragged((Product)product, of_pairs);
            test_same_bits((Product)product, of_pairs);
        }
    test_fresh(false);
    test_fresh(true);
    test_rounding(false);
    test_rounding(true);
    test_scratch();
    return test_finish();
}
