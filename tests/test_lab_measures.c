/* test_lab_measures.c -- what the lab measures with: moments, entropies, singular values, facts of rows, plots. */
#include "base/file.h"
#include "base/random.h"
#include "kernels/vector.h"
#include "lab/line_plot.h"
#include "lab/picture_row.h"
#include "lab/simplex_facts.h"
#include "lab/singular_values.h"
#include "lab/source_head.h"
#include "lab/triples.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static void test_moments(void)
{
    Moments m = {0};
    static const double values[] = {3, -1, 4, 1, -5};
    for (int i = 0; i < 5; i++)
        moments_add(&m, values[i]);
    CHECK(m.count == 5 && near(m.mean, 0.4) && near(m.smallest, -5) && near(m.largest, 4));
    CHECK(near(moments_variance(&m), 10.24) && near(moments_sample_variance(&m), 12.8));
    CHECK(near(moments_distance(&m, 1), 6) && near(moments_distance(&m, -3), 7));
    moments_add(&m, NAN);
    moments_add(&m, 100);
    CHECK(isnan(m.mean) && isnan(m.smallest) && isnan(m.largest) && isnan(moments_distance(&m, 0)));
    CHECK(isnan(moments_variance(&m)));
}

static void test_arrays(void)
{
    _Alignas(64) real buffer[2 * ROW_ALIGNMENT] = {0};
    Matrix m = matrix_view(buffer, 2, 3, ROW_ALIGNMENT);
    double back[6];
    array_load((const float[]){1, 2, 3, 4, 5, 6}, m);
    array_store(m, back);
    CHECK(near(matrix_row(m, 1)[0], 4) && near(back[5], 6) && near(back[2], 3));
    Moments all = array_moments(m), sums = row_sum_moments(m);
    CHECK(near(all.mean, 3.5) && all.count == 6 && near(sums.smallest, 6) && near(sums.largest, 15));
    CHECK(row_largest((const real[]){1, 7, 7, 2}, 4) == 1 && row_largest((const real[]){3}, 1) == 0);
    CHECK(near(row_entropy((const real[]){0.25, 0.25, 0.5, 0}, 4, 0), 1.5 * log(2)));
}

static void test_singular(void)
{
    double values[3];
    double diagonal[9] = {0, 0, -5, 2, 0, 0, 0, 3, 0};
    CHECK(singular_values(diagonal, 3, 3, values) && near(values[0], 5) && near(values[1], 3) && near(values[2], 2));
    CHECK(singular_rank(values, 3, 3) == 3);
    double twins[6] = {1, 2, 2, 1, 2, 2}; /* two equal columns of length 3 */
    CHECK(singular_values(twins, 2, 3, values) && near(values[0], sqrt(18)) && values[1] <= 1e-14);
    CHECK(singular_rank(values, 2, 3) == 1);
    double shear[4] = {1, 0, 1, 1}; /* golden ratio and its inverse */
    CHECK(singular_values(shear, 2, 2, values) && near(values[0], (1 + sqrt(5)) / 2) &&
          near(values[1], (sqrt(5) - 1) / 2));
    double zero[4] = {0};
    CHECK(singular_values(zero, 2, 2, values) && values[0] == 0 && singular_rank(values, 2, 2) == 0);
    double broken[4] = {1, NAN, 2, 3};
    CHECK(!singular_values(broken, 2, 2, values));
    double endless[4] = {INFINITY, 1, 2, 3};
    CHECK(!singular_values(endless, 2, 2, values));
}

/* Rotations of random columns keep the sum of squares and the product of what a triangle has on its diagonal. */
static void test_singular_large(void)
{
    enum { N = 40 };
    static double columns[N * N], values[N];
    double squares = 0, logarithm = 0, found_squares = 0, found_logarithm = 0;
    Random random = random_seed(5);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double x = i == j ? 1 + random_uniform(&random) : random_uniform(&random) - 0.5;
            columns[i * N + j] = x;
            squares += x * x;
            logarithm += i == j ? log(x) : 0;
        }
    CHECK(singular_values(columns, N, N, values));
    for (int i = 0; i < N; i++) {
        found_squares += values[i] * values[i];
        found_logarithm += log(values[i]);
        CHECK(i == 0 || values[i] <= values[i - 1]);
    }
    CHECK(near(found_squares, squares), "%.17g, not %.17g", found_squares, squares);
    CHECK(fabs(found_logarithm - logarithm) <= 1e-9, "%.17g, not %.17g", found_logarithm, logarithm);
}

typedef struct Verdicts {
    int holds, failed;
    char failed_source[LAB_TEXT]; /* of the last */
} Verdicts;

static void count(void *context, const LabRow *row)
{
    Verdicts *verdicts = context;
    verdicts->holds += row->verdict == LAB_HOLDS;
    if (row->verdict != LAB_FAILED)
        return;
    verdicts->failed++;
    snprintf(verdicts->failed_source, sizeof verdicts->failed_source, "%s", row->source);
}

static double deep(void *context, int column)
{
    (void)context;
    (void)column;
    return -90;
}

static double shallow(void *context, int column)
{
    (void)context;
    (void)column;
    return -60;
}

/* What is reported of one row of three weights of which it sees two; the output has one coordinate in [-1, 2]. */
static Verdicts judge(real a, real b, real behind, real output, double (*gap)(void *, int))
{
    SimplexFacts facts = {0};
    Verdicts verdicts = {0};
    Lab lab = {.sink = count, .context = &verdicts, .experiment = "simplex"};
    simplex_facts_add(&facts, &(SimplexRow){
        .weights = (const real[]){a, b, behind}, .visible = 2, .columns = 3, .output = &output,
        .low = (const real[]){-1}, .high = (const real[]){2}, .head_size = 1, .gap = gap,
    });
    simplex_facts_report(&lab, &facts, "", true);
    return verdicts;
}

static void test_simplex(void)
{
    static const struct {
        real a, b, behind, output;
        double (*gap)(void *, int);
        const char *fails; /* NULL: all hold */
    } rows[] = {
        {0.25f, 0.75f, 0, 1.5f, NULL, NULL},        {0.25f, 0.75f, 0, -1, NULL, NULL},
        {0.25f, 0.76f, 0, 1, NULL, "002 prop. 3.1"}, {0.25f, NAN, 0, 1, NULL, "002 cor. 3.3"},
        {0.25f, 0.75f, 1e-30f, 1, NULL, "002 prop. 5.1"}, {0.25f, 0.75f, NAN, 1, NULL, "002 prop. 5.1"},
        {0.25f, 0.75f, 0, 2.1f, NULL, "002 cor. 3.2"}, {0.25f, 0.75f, 0, -1.1f, NULL, "002 cor. 3.2"},
        {0.25f, 0.75f, 0, NAN, NULL, "002 cor. 3.2"}, {1, 0, 0, 1, NULL, "002 cor. 3.3"},
        {1, 0, 0, 1, shallow, "002 cor. 3.3"},       {1, 0, 0, 1, deep, NULL},
        {-0.25f, 1.25f, 0, 1, NULL, "002 cor. 3.3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Verdicts v = judge(rows[i].a, rows[i].b, rows[i].behind, rows[i].output, rows[i].gap);
        CHECK((v.failed == 0) == (rows[i].fails == NULL) && v.holds + v.failed == 4, "row %zu", i);
        CHECK(rows[i].fails == NULL || strcmp(rows[i].fails, v.failed_source) == 0, "row %zu: %s", i, v.failed_source);
    }
}

static void test_box(void)
{
    real low[2], high[2];
    simplex_box((const real[]){1, -2}, 2, true, low, high);
    simplex_box((const real[]){3, -5}, 2, false, low, high);
    CHECK(near(low[0], 1) && near(high[0], 3) && near(low[1], -5) && near(high[1], -2));
}

/* With one token a head's output is its value, and earlier rows do not change with later tokens. */
static void test_source_head(void)
{
    enum { C = 5, H = 3, T = 7 };
    SourceHead head;
    Error error = {0};
    float x[T * C];
    real first[H];
    TorchRandom random = torch_random_seed(3);
    CHECK(source_head_open(&head, C, H, T, true, &error), "%s", error.message);
    source_head_draw(&head, &random);
    torch_normal(&random, x, T * C);
    source_head_forward(&head, x, 1);
    memcpy(first, matrix_row(head.output, 0), sizeof first);
    CHECK(memcmp(first, matrix_row(head.inputs.value, 0), sizeof first) == 0);
    source_head_forward(&head, x, T);
    CHECK(memcmp(first, matrix_row(head.output, 0), sizeof first) == 0);
    Moments sums = row_sum_moments(head.weights);
    CHECK(moments_distance(&sums, 1) <= 1e-6);
    for (int r = 0; r < T; r++)
        for (int c = r + 1; c < T; c++)
            CHECK(matrix_row(head.weights, r)[c] == 0);
    source_head_close(&head);
    source_head_close(&head);
}

static void test_triples(void)
{
    static const unsigned char text[] = {0, 1, 2, 0, 1};
    const Ids ids = {.data = (void *)(uintptr_t)text, .count = 5, .width = 1};
    Triples triples;
    Error error = {0};
    CHECK(triples_open(&triples, ids, 3, &error), "%s", error.message);
    CHECK(near(triples_known(&triples, (const int32_t[]){2, 0, 1, 2, 0, 1}, 6), 1));
    CHECK(near(triples_known(&triples, (const int32_t[]){0, 1, 2, 1}, 4), 0.5), "012, and not 121");
    CHECK(near(triples_known(&triples, (const int32_t[]){2, 1, 0}, 3), 0));
    triples_close(&triples);
    triples_close(&triples);
    CHECK(!triples_open(&triples, ids, 1 << 24, &error), "2^72 bytes");
}

static void test_plot(void)
{
    const char *directory = getenv("TEST_DIRECTORY");
    const double x[] = {4, 16, 64}, y[] = {1, 0.5, 2};
    const PlotCurve curves[] = {{"a < b & \"c\"", "red", y, false}, {"flat", "gray", (const double[]){1, 1, 1}, true}};
    const LinePlot plot = {"t", "x", "y", x, 3, true, curves, 2};
    Error error = {0};
    char *path = path_join(directory, "plot/p.svg");
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK(line_plot_write(&plot, "/proc/none", "p.svg", &error) == false);
    char *folder = path_join(directory, "plot");
    CHECK(line_plot_write(&plot, folder, "p.svg", &error), "%s", error.message);
    CHECK(file_read(path, 100000, &bytes, &size, &error), "%s", error.message);
    const char *text = (const char *)bytes;
    CHECK(text != NULL && strstr(text, "<svg ") == text && strstr(text, "</svg>\n") == text + size - 7);
    CHECK(strstr(text, "a &lt; b &amp; &quot;c&quot;") != NULL && strstr(text, "nan") == NULL);
    CHECK(strstr(text, "cx=\"312.0\"") != NULL, "16 is half way between 4 and 64 by their logarithms");
    free(bytes);
    free(path);
    free(folder);
}

static void test_picture_row(void)
{
    static const float two[] = {1, 0, 0.5f, 0.5f}, three[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const PictureWindow windows[] = {{"a", two, 2, true}, {"b", three, 3, false}};
    static const unsigned char size[] = {0, 0, 4, 9, 0, 0, 2, 1}; /* 512 + 8 + 513 wide, 513 high */
    Error error = {0};
    char *folder = path_join(getenv("TEST_DIRECTORY"), "row"), *path = path_join(folder, "r.png");
    unsigned char *bytes = NULL;
    size_t count = 0;
    CHECK(!picture_row_write(windows, 2, "/proc/none", "r.png", &error));
    CHECK(picture_row_write(windows, 2, folder, "r.png", &error), "%s", error.message);
    CHECK(file_read(path, 1 << 20, &bytes, &count, &error), "%s", error.message);
    CHECK(count > 1033 * 513 && memcmp(bytes + 16, size, sizeof size) == 0, "%zu bytes", count);
    CHECK(bytes != NULL && memmem(bytes, count, "from the left: a, b", 19) != NULL);
    free(bytes);
    free(path);
    free(folder);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"moments, and a NaN in them", test_moments},
        {"arrays in and out of matrices", test_arrays},
        {"singular values of small matrices", test_singular},
        {"singular values keep squares and determinant", test_singular_large},
        {"facts of a row refuse what is wrong", test_simplex},
        {"the box of values", test_box},
        {"the untrained head", test_source_head},
        {"triples of a text", test_triples},
        {"a plot", test_plot},
        {"windows side by side", test_picture_row},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_case(cases[i].name);
        cases[i].run();
    }
    return test_finish();
}
