/* Softmax, its adjoint and the loss along rows of every ragged length, against libm in long double. */
#include "kernels/rows.h"

#include "real_matrix.h"
#include "test.h"

enum { COUNTS = 70, ROOM = 160 };

static const double epsilon = REAL_EPSILON;
static const double smallest = sizeof(real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN; /* normal number */

/* Blocks of one row: what a row gives may not depend on its neighbours (test_blocks). */
static void softmax_row(real *row, int count, int end, real scale)
{
    softmax_rows(matrix_view(row, 1, end, padded(end)), count, scale);
}

static void softmax_row_backward(real *weights, real *d_row, int count, int end, real scale)
{
    Matrix d_rows = matrix_view(d_row, 1, end, padded(end));
    softmax_rows_backward(matrix_view(weights, 1, end, padded(end)), d_rows, count, scale);
}

/* Of `count` logits, of which the last one is not stored where it is implied. */
static double cross_entropy_row(real *row, int count, bool implied, int32_t target)
{
    int stored = count - implied;
    return cross_entropy_rows(matrix_view(row, 1, stored, padded(stored)), implied, &target);
}

static double cross_entropy_row_backward(real *row, int count, bool implied, int32_t target, real weight)
{
    int stored = count - implied;
    return cross_entropy_rows_backward(matrix_view(row, 1, stored, padded(stored)), implied, &target, weight);
}

/* A row in memory of its own, NaN throughout, as long as its padding and no longer. */
static real *row_of(int end)
{
    return test_reals((size_t)padded(end));
}

/* expected[j] = exp(scale (row[j] - largest)) / sum; returns ln of the sum of exp(scale row[j]). */
static long double exact_softmax(const real *row, int count, real scale, long double expected[ROOM])
{
    long double largest = row[0], sum = 0;
    for (int j = 1; j < count; j++)
        largest = fmaxl(largest, (long double)row[j]);
    for (int j = 0; j < count; j++)
        sum += expected[j] = expl((long double)scale * ((long double)row[j] - largest));
    for (int j = 0; j < count; j++)
        expected[j] /= sum;
    return (long double)scale * largest + logl(sum);
}

/* How far a weight may be off: the exponent's own rounding counts as much as the exponent is large. */
static long double weight_tolerance(const real *row, int j, int count, real scale, long double weight)
{
    long double largest = row[0];
    for (int k = 1; k < count; k++)
        largest = fmaxl(largest, (long double)row[k]);
    long double exponent = (long double)scale * (largest - (long double)row[j]);
    return weight * epsilon * (8 + 2 * exponent) + 2 * smallest;
}

typedef struct Kind {
    const char *name;
    double spread, shift;
} Kind;

static const Kind kinds[] = {
    {"around zero", 1, 0}, {"tiny", 1e-6, 0}, {"wide", 30, 0},
    {"all below -1000", 3, -1100}, {"all above 1000", 3, 1100},
};

static void fill(real *row, int count, Kind kind, Random *random)
{
    for (int j = 0; j < count; j++)
        row[j] = (real)(kind.shift + kind.spread * random_normal(random));
}

static void check_softmax(const real *input, int count, int end, real scale)
{
    long double expected[ROOM], sum = 0;
    real *row = row_of(end);
    memcpy(row, input, (size_t)count * sizeof *row);
    exact_softmax(input, count, scale, expected);
    softmax_row(row, count, end, scale);
    for (int j = 0; j < count; j++) {
        long double difference = fabsl((long double)row[j] - expected[j]);
        CHECK(difference <= weight_tolerance(input, j, count, scale, expected[j]), "count %d, [%d]: %g, not %Lg", count,
              j, (double)row[j], expected[j]);
        sum += (long double)row[j];
    }
    CHECK(fabsl(sum - 1) <= 8 * epsilon, "count %d: the row sums to 1 + %Lg", count, sum - 1);
    for (int j = count; j < end; j++)
        CHECK(row[j] == 0, "count %d, end %d: [%d] is %g", count, end, j, (double)row[j]);
    for (int j = (end + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES; j < padded(end); j++)
        CHECK(isnan(row[j]), "count %d, end %d: wrote [%d]", count, end, j);
    free(row);
}

static void test_softmax(void)
{
    Random random = random_seed(1);
    real input[ROOM];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char name[128];
        snprintf(name, sizeof name, "softmax_row: against long double, %s", kinds[k].name);
        test_case(name);
        for (int count = 1; count <= COUNTS; count++)
            for (int s = 0; s < 3; s++) {
                const double scales[] = {1, 0.25, 1 / sqrt(20)};
                fill(input, count, kinds[k], &random);
                check_softmax(input, count, count, (real)scales[s]);
                check_softmax(input, count, padded(count), (real)scales[s]);
                check_softmax(input, count, count + count * 7 % 29, (real)scales[s]);
            }
    }
}

static void test_softmax_extremes(void)
{
    real row[ROOM];
    test_case("softmax_row: 1e30 takes all, -1e30 gets exactly nothing, equals share");
    for (int count = 3; count <= COUNTS; count++) {
        for (int j = 0; j < count; j++)
            row[j] = j == count / 2 ? (real)1e30 : j % 2 ? (real)-1e30 : j;
        softmax_row(row, count, padded(count), 1);
        for (int j = 0; j < padded(count); j++)
            CHECK(row[j] == (j == count / 2), "count %d, [%d]: %g", count, j, (double)row[j]);
        for (int j = 0; j < count; j++)
            row[j] = (real)(count % 2 ? 1e30 : -1e30);
        softmax_row(row, count, count, (real)0.3);
        for (int j = 0; j < count; j++)
            CHECK(fabs(row[j] * count - 1.0) <= 4 * epsilon, "count %d, [%d]: %g", count, j, (double)row[j]);
        for (int j = 0; j < count; j++)
            row[j] = j == 1 ? 0 : (real)-INFINITY;
        softmax_row(row, count, count, 1);
        for (int j = 0; j < count; j++)
            CHECK(row[j] == (j == 1), "count %d, [%d]: %g beside -infinity", count, j, (double)row[j]);
    }

    test_case("softmax_row: a NaN or +infinity anywhere makes the whole row NaN");
    for (int count = 1; count <= 40; count++)
        for (int at = 0; at < 2 * count; at++) {
            for (int j = 0; j < count; j++)
                row[j] = (real)(j % 5);
            row[at / 2] = at % 2 ? (real)NAN : (real)INFINITY;
            softmax_row(row, count, count, 1);
            for (int j = 0; j < count; j++)
                CHECK(isnan(row[j]), "count %d, bad at %d: [%d] is %g", count, at / 2, j, (double)row[j]);
        }
}

static void test_softmax_backward(void)
{
    test_case("softmax_row_backward: scale a (d - sum of a d), on non-symmetric rows");
    Random random = random_seed(2);
    for (int count = 1; count <= COUNTS; count++)
        for (int s = 0; s < 2; s++) {
            int end = count + count * 5 % 23;
            real scale = s ? (real)0.3 : 1, *weights = row_of(end), *d_row = row_of(end), given[ROOM];
            fill(weights, count, kinds[0], &random);
            fill(given, count, (Kind){"", 2, 0.5}, &random);
            memcpy(d_row, given, (size_t)count * sizeof *d_row);
            softmax_row(weights, count, end, scale);
            softmax_row_backward(weights, d_row, count, end, scale);
            long double mean = 0;
            for (int j = 0; j < count; j++)
                mean += (long double)weights[j] * (long double)given[j];
            for (int j = 0; j < count; j++) {
                long double expected = (long double)scale * (long double)weights[j] * ((long double)given[j] - mean);
                long double difference = fabsl((long double)d_row[j] - expected);
                CHECK(difference <= 20 * epsilon * (long double)weights[j], "count %d, [%d]: %g, not %Lg", count, j,
                      (double)d_row[j], expected);
            }
            for (int j = count; j < end; j++)
                CHECK(d_row[j] == 0, "count %d, end %d: [%d] is %g", count, end, j, (double)d_row[j]);
            free(weights);
            free(d_row);
        }

    test_case("softmax_row_backward: a NaN anywhere makes the whole row NaN");
    for (int count = 1; count <= 40; count++)
        for (int at = 0; at < count; at++) {
            real weights[ROOM] = {0}, d_row[ROOM] = {0};
            softmax_row(weights, count, padded(count), 1);
            d_row[at] = (real)NAN;
            softmax_row_backward(weights, d_row, count, count, 1);
            for (int j = 0; j < count; j++)
                CHECK(isnan(d_row[j]), "count %d, NaN at %d: [%d] is %g", count, at, j, (double)d_row[j]);
        }
}

/* input[count - 1] is 0 where it is implied. */
static void check_cross_entropy(const real *input, int count, bool implied, int target, real weight)
{
    long double probability[ROOM], exact = exact_softmax(input, count, 1, probability) - (long double)input[target];
    int stored = count - implied;
    real *row = row_of(stored);
    memcpy(row, input, (size_t)stored * sizeof *row);
    double loss = cross_entropy_row(row, count, implied, target);
    double again = cross_entropy_row_backward(row, count, implied, target, weight);
    double allowed = epsilon * (16 + 2 * fabs((double)exact));
    CHECK(fabs(loss - (double)exact) <= allowed, "count %d: %.17g, not %.17Lg", count, loss, exact);
    CHECK(fabs(again - (double)exact) <= allowed, "count %d: backward %.17g, not %.17Lg", count, again, exact);
    for (int v = 0; v < stored; v++) {
        long double expected = (long double)weight * (probability[v] - (v == target));
        long double difference = fabsl((long double)row[v] - expected);
        long double near = weight_tolerance(input, v, count, 1, probability[v]);
        near += v == target ? 2 * epsilon : 0; /* the subtraction's own rounding */
        CHECK(difference <= (long double)weight * near + 2 * smallest, "count %d, target %d, [%d]: %g, not %Lg", count,
              target, v, (double)row[v], expected);
    }
    for (int v = stored; v < padded(stored); v++)
        CHECK(row[v] == 0, "count %d: [%d] of the padding is %g", count, v, (double)row[v]);
    free(row);
}

static void test_cross_entropy(bool implied)
{
    Random random = random_seed(3);
    real input[ROOM];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char name[128];
        snprintf(name, sizeof name, "cross_entropy_row: loss and gradient against long double, %s%s", kinds[k].name,
                 implied ? ", the last one implied" : "");
        test_case(name);
        for (int count = 1 + implied; count <= COUNTS; count++)
            for (int i = 0; i < 3; i++) {
                fill(input, count, kinds[k], &random);
                input[count - 1] = implied ? 0 : input[count - 1];
                check_cross_entropy(input, count, implied, i * (count - 1) / 2, i == 1 ? 1 : (real)(1.0 / 480));
            }
    }

    test_case(implied ? "cross_entropy_row: NaN or +infinity makes the loss and all gradients NaN, the last one implied"
                      : "cross_entropy_row: NaN or +infinity makes the loss and all gradients NaN");
    for (int count = 1 + implied; count <= 40; count++)
        for (int at = 0; at < 2 * (count - implied); at++)
            for (int target = 0; target < count; target += count > 1 ? count - 1 : 1) {
                for (int v = 0; v < count; v++)
                    input[v] = v != at / 2 ? (real)v : at % 2 ? (real)NAN : (real)INFINITY;
                CHECK(isnan(cross_entropy_row(input, count, implied, target)), "count %d, bad at %d", count, at / 2);
                CHECK(isnan(cross_entropy_row_backward(input, count, implied, target, 1)), "count %d, bad at %d", count,
                      at / 2);
                for (int v = 0; v < count - implied; v++)
                    CHECK(isnan(input[v]), "count %d, bad at %d: [%d] is %g", count, at / 2, v, (double)input[v]);
            }
}

static void test_cross_entropy_extremes(void)
{
    real input[ROOM];
    test_case("cross_entropy_row: a vocabulary of one costs exactly 0 and moves nothing");
    for (int i = 0; i < 4; i++) {
        const double logits[] = {0, 3.7, -1e30, 1e30};
        input[0] = (real)logits[i];
        CHECK(cross_entropy_row(input, 1, false, 0) == 0.0, "logit %g", logits[i]);
        CHECK(cross_entropy_row_backward(input, 1, false, 0, (real)0.7) == 0.0, "logit %g", logits[i]);
        CHECK(input[0] == 0, "logit %g: gradient %g", logits[i], (double)input[0]);
    }

    test_case("cross_entropy_row: a target far below the largest loses just that, and its gradient is -1");
    for (int implied = 0; implied < 2; implied++)
        for (int count = 2; count <= 40; count++) {
            double apart = implied ? 1e30 : 2e30;
            for (int v = 0; v < count; v++)
                input[v] = v == 0 ? (real)1e30 : (real)-1e30;
            double loss = cross_entropy_row(input, count, implied, count - 1);
            CHECK(fabs(loss / apart - 1) <= 4 * epsilon, "count %d: %g, not %g", count, loss, apart);
            cross_entropy_row_backward(input, count, implied, count - 1, 1);
            for (int v = 0; v < count - implied; v++)
                CHECK(input[v] == (v == 0) - (v == count - 1), "count %d: [%d] is %g", count, v, (double)input[v]);
        }

    test_case("cross_entropy_row: beside -1e30 and -infinity the implied symbol is certain");
    for (int kind = 0; kind < 2; kind++)
        for (int count = 2; count <= 40; count++)
            for (int target = 0; target < count; target += count - 1) {
                double far = kind ? -INFINITY : -1e30, loss = target == count - 1 ? 0 : -(double)(real)far;
                for (int v = 0; v < count - 1; v++)
                    input[v] = (real)far;
                CHECK(cross_entropy_row(input, count, true, target) == loss, "count %d, target %d", count, target);
                CHECK(cross_entropy_row_backward(input, count, true, target, 1) == loss, "count %d", count);
                for (int v = 0; v < count - 1; v++)
                    CHECK(input[v] == -(v == target), "count %d: [%d] is %g", count, v, (double)input[v]);
            }
}

static void test_sums(void)
{
    test_case("row_add, row_add_both, row_total: every column that counts, nothing beyond the padding");
    for (int columns = 1; columns <= COUNTS; columns++) {
        real *a = row_of(columns), *b = row_of(columns), *c = row_of(columns), *sum = row_of(columns);
        for (int j = 0; j < columns; j++) {
            a[j] = (real)j;
            b[j] = (real)(100 - 3 * j);
            c[j] = (real)(7 * j);
        }
        real total = row_total(a, columns);
        CHECK(total == columns * (columns - 1) / 2, "columns %d: %g", columns, (double)total);
        row_add(a, b, columns);
        for (int j = 0; j < columns; j++)
            CHECK(a[j] == 100 - 2 * j, "columns %d, [%d]: %g", columns, j, (double)a[j]);
        row_add_both(a, c, b, columns);
        for (int j = 0; j < columns; j++)
            CHECK(a[j] == 200 - 5 * j && c[j] == 100 + 4 * j && b[j] == 100 - 3 * j, "columns %d, both, [%d]: %g, %g",
                  columns, j, (double)a[j], (double)c[j]);
        for (int j = 0; j < columns; j++)
            sum[j] = 1;
        for (int j = 0; j < columns; j++) {
            sum[j] = (real)NAN;
            CHECK(isnan(row_total(sum, columns)), "columns %d: the NaN at %d is lost", columns, j);
            sum[j] = 1;
        }
        free(a);
        free(b);
        free(c);
        free(sum);
    }
}

/* Blocks are staged by several rows at once: each row must come out as if it stood alone, to the bit. */
static void test_blocks(void)
{
    test_case("blocks of rows: the same bits as each row alone, softmax and loss, causal and whole");
    enum { ROWS = 37, COLUMNS = 45 };
    Random random = random_seed(5);
    for (int visible = 1; visible <= COLUMNS; visible += 4) {
        static real block[ROWS * 64], d_block[ROWS * 64], alone[64], d_alone[64];
        static real before[ROWS * 64], d_before[ROWS * 64];
        int32_t targets[ROWS];
        for (int i = 0; i < ROWS * 64; i++) {
            before[i] = block[i] = (real)random_normal(&random);
            d_before[i] = d_block[i] = (real)random_normal(&random);
        }
        softmax_rows(matrix_view(block, ROWS, COLUMNS, 64), visible, (real)0.7);
        softmax_rows_backward(matrix_view(block, ROWS, COLUMNS, 64), matrix_view(d_block, ROWS, COLUMNS, 64), visible,
                              (real)0.7);
        for (int r = 0; r < ROWS; r++) {
            int count = visible + r < COLUMNS ? visible + r : COLUMNS;
            memcpy(alone, before + r * 64, sizeof alone);
            memcpy(d_alone, d_before + r * 64, sizeof d_alone);
            softmax_row(alone, count, COLUMNS, (real)0.7);
            softmax_row_backward(alone, d_alone, count, COLUMNS, (real)0.7);
            CHECK(memcmp(alone, block + r * 64, COLUMNS * sizeof(real)) == 0, "weights of row %d, visible %d", r,
                  visible);
            CHECK(memcmp(d_alone, d_block + r * 64, COLUMNS * sizeof(real)) == 0, "gradient of row %d", r);
        }
        for (int implied = 0; implied < 2; implied++) {
            memcpy(block, before, sizeof block);
            for (int r = 0; r < ROWS; r++)
                targets[r] = (int32_t)random_below(&random, COLUMNS + (uint64_t)implied);
            Matrix logits = matrix_view(block, ROWS, COLUMNS, 64);
            double sum = 0, loss = cross_entropy_rows_backward(logits, implied, targets, (real)0.3);
            for (int r = 0; r < ROWS; r++) {
                memcpy(alone, before + r * 64, sizeof alone);
                sum += cross_entropy_row_backward(alone, COLUMNS + implied, implied, targets[r], (real)0.3);
                CHECK(memcmp(alone, block + r * 64, COLUMNS * sizeof(real)) == 0, "d_logits of row %d", r);
            }
            CHECK(fabs(loss / sum - 1) <= 1e-6, "loss %.9g, rows %.9g", loss, sum);
        }
    }
}

/* A row of NaN leaves the others as they are without it. */
static void test_bad_neighbours(void)
{
    test_case("blocks of rows: a row of NaN touches no other, softmax and loss");
    enum { ROWS = 19, COLUMNS = 21, WIDTH = ROWS * 32 };
    real before[WIDTH], clean[WIDTH], dirty[WIDTH];
    int32_t targets[ROWS];
    Random random = random_seed(6);
    fill(before, WIDTH, kinds[0], &random);
    for (int r = 0; r < ROWS; r++)
        targets[r] = (int32_t)random_below(&random, COLUMNS + 1);
    for (int bad = 0; bad < ROWS; bad++)
        for (int kind = 0; kind < 2; kind++) {
            memcpy(clean, before, sizeof clean);
            memcpy(dirty, before, sizeof dirty);
            for (int j = 0; j < COLUMNS; j++)
                dirty[bad * 32 + j] = (real)NAN;
            for (int i = 0; i < 2; i++) {
                Matrix rows = matrix_view(i ? dirty : clean, ROWS, COLUMNS, 32);
                if (kind)
                    softmax_rows(rows, 4, (real)0.7);
                else
                    cross_entropy_rows_backward(rows, true, targets, 1);
            }
            for (int r = 0; r < ROWS; r++)
                CHECK((memcmp(clean + r * 32, dirty + r * 32, COLUMNS * sizeof(real)) == 0) == (r != bad),
                      "row %d beside the bad row %d", r, bad);
        }
}

int main(void)
{
    test_blocks();
    test_bad_neighbours();
    test_softmax();
    test_softmax_extremes();
    test_softmax_backward();
    test_cross_entropy(false);
    test_cross_entropy(true);
    test_cross_entropy_extremes();
    test_sums();
    return test_finish();
}
