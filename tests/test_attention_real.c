/* Attention over a block of query rows: the hand calculation of document 000, the equations in double at ragged sizes
 * and places of the block, and, in the double flavour, central differences. */
#include "layers/attention.h"

#include "kernels/transpose.h"

#include "real_matrix.h"
#include "test.h"

enum { ROOM = 72 * 110 };

typedef struct Shape {
    int R, J, H, D; /* query rows, columns, head width, value width */
    int visible;
    bool uniform;
    double scale;
} Shape;

typedef struct Head {
    AttentionRule rule;
    AttentionInputs in;
    AttentionGradients out;
    Matrix weights, y, d_y, d_scores;
} Head;

static Head head_open(Shape s, Random *random)
{
    return (Head){
        .rule = {.visible = s.visible, .uniform = s.uniform, .scale = (real)s.scale},
        .in = {.query = test_matrix_random(s.R, s.H, random), .key = test_matrix_random(s.J, s.H, random),
               .key_transposed = test_matrix(s.H, s.J), .value = test_matrix_random(s.J, s.D, random),
               .value_transposed = test_matrix(s.D, s.J)},
        .out = {.d_query = test_matrix(s.R, s.H), .d_key = test_matrix_random(s.J, s.H, random),
                .d_value = test_matrix_random(s.J, s.D, random), .fresh = s.J},
        .weights = test_matrix(s.R, s.J), .y = test_matrix(s.R, s.D), .d_y = test_matrix_random(s.R, s.D, random),
        .d_scores = test_matrix(s.R, s.J),
    };
}

static void head_close(Head *h)
{
    const Matrix all[] = {h->in.query, h->in.key, h->in.key_transposed, h->in.value, h->in.value_transposed, h->weights,
                          h->y, h->d_y, h->d_scores, h->out.d_query, h->out.d_key, h->out.d_value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

/* The loss sum(d_y y). */
static double head_loss(void *context)
{
    Head *h = context;
    transpose_copy(h->in.key, h->in.key_transposed);
    transpose_copy(h->in.value, h->in.value_transposed);
    attention_forward(h->rule, h->in, h->weights, h->y);
    double loss = 0;
    for (int r = 0; r < h->y.rows; r++)
        for (int d = 0; d < h->y.columns; d++)
            loss += (double)matrix_row(h->y, r)[d] * (double)matrix_row(h->d_y, r)[d];
    return loss;
}

static double at(Matrix m, int row, int column)
{
    return (double)matrix_row(m, row)[column];
}

static double row_product(Matrix a, int r, Matrix b, int j)
{
    double sum = 0;
    for (int i = 0; i < a.columns; i++)
        sum += at(a, r, i) * at(b, j, i);
    return sum;
}

/* What attention.h says, in double; the gradients start from what d_key and d_value held. */
typedef struct Exact {
    double weights[ROOM], y[ROOM], d_query[ROOM], d_key[ROOM], d_value[ROOM];
} Exact;

static void exact_row(const Head *h, int r, int seen, Exact *e)
{
    int J = h->weights.columns, D = h->y.columns, H = h->in.key.columns;
    double *a = e->weights + r * J, sum = 0, mean = 0, d_a[ROOM];
    for (int j = 0; j < seen; j++)
        sum += a[j] = exp(h->rule.uniform ? 0 : (double)h->rule.scale * row_product(h->in.query, r, h->in.key, j));
    for (int j = 0; j < seen; j++) {
        a[j] /= sum;
        d_a[j] = row_product(h->d_y, r, h->in.value, j);
        mean += a[j] * d_a[j];
        for (int d = 0; d < D; d++) {
            e->y[r * D + d] += a[j] * at(h->in.value, j, d);
            e->d_value[j * D + d] += a[j] * at(h->d_y, r, d);
        }
    }
    for (int j = 0; j < seen && !h->rule.uniform; j++) {
        double d_score = (double)h->rule.scale * a[j] * (d_a[j] - mean);
        for (int i = 0; i < H; i++) {
            e->d_query[r * H + i] += d_score * at(h->in.key, j, i);
            e->d_key[j * H + i] += d_score * at(h->in.query, r, i);
        }
    }
}

static void exact_compute(const Head *h, Exact *e)
{
    int J = h->weights.columns, D = h->y.columns, H = h->in.key.columns;
    memset(e, 0, sizeof *e);
    for (int j = 0; j < J; j++) {
        for (int i = 0; i < H; i++)
            e->d_key[j * H + i] = at(h->out.d_key, j, i);
        for (int d = 0; d < D; d++)
            e->d_value[j * D + d] = at(h->out.d_value, j, d);
    }
    for (int r = 0; r < h->weights.rows; r++)
        exact_row(h, r, h->rule.visible + r < J ? h->rule.visible + r : J, e);
}

static void check_near(const char *name, Matrix ours, const double *expected)
{
    double difference = matrix_difference(ours, expected);
    CHECK(difference <= tolerance(5e-6, 1e-13), "%s: %.3g", name, difference);
}

/* Rows sum to 1, and columns that a row does not see have exactly no weight. */
static void check_rows(const Head *h)
{
    for (int r = 0; r < h->weights.rows; r++) {
        double sum = 0;
        for (int j = 0; j < h->weights.columns; j++) {
            sum += at(h->weights, r, j);
            CHECK(j < h->rule.visible + r ? at(h->weights, r, j) >= 0 : at(h->weights, r, j) == 0, "[%d,%d] is %g", r,
                  j, at(h->weights, r, j));
        }
        CHECK(fabs(sum - 1) <= tolerance(1e-6, 1e-14), "row %d sums to 1 + %g", r, sum - 1);
    }
}

static void check_differences(Head *h, const Head *before)
{
    for (int j = 0; j < h->in.key.rows; j++) {
        for (int i = 0; i < h->in.key.columns; i++)
            matrix_row(h->out.d_key, j)[i] -= matrix_row(before->out.d_key, j)[i];
        for (int d = 0; d < h->in.value.columns; d++)
            matrix_row(h->out.d_value, j)[d] -= matrix_row(before->out.d_value, j)[d];
    }
    double of_value = gradient_difference(h->in.value, h->out.d_value, head_loss, h);
    CHECK(of_value <= 1e-6, "d_value: %g", of_value);
    if (h->rule.uniform)
        return;
    double of_query = gradient_difference(h->in.query, h->out.d_query, head_loss, h);
    double of_key = gradient_difference(h->in.key, h->out.d_key, head_loss, h);
    CHECK(of_query <= 1e-6 && of_key <= 1e-6, "d_query: %g, d_key: %g", of_query, of_key);
}

static void test_shape(Shape s)
{
    char name[128];
    snprintf(name, sizeof name, "attention: %d rows x %d columns, visible %d, widths %d and %d%s, scale %.3g", s.R, s.J,
             s.visible, s.H, s.D, s.uniform ? ", uniform" : "", s.scale);
    test_case(name);
    Random random = random_seed(1);
    Head h = head_open(s, &random), before = h;
    before.out.d_key = test_matrix_copy(h.out.d_key);
    before.out.d_value = test_matrix_copy(h.out.d_value);
    Exact *e = malloc(sizeof *e);
    if (e == NULL)
        abort();
    exact_compute(&h, e);
    head_loss(&h);
    check_near("weights", h.weights, e->weights);
    check_near("y", h.y, e->y);
    check_rows(&h);
    attention_backward(h.rule, h.in, h.weights, h.d_y, h.d_scores, h.out);
    check_near("d_value", h.out.d_value, e->d_value);
    if (s.uniform) {
        CHECK(matrix_same_bits(h.out.d_key, before.out.d_key), "a uniform rule moved d_key");
        CHECK(isnan(at(h.out.d_query, 0, 0)), "a uniform rule wrote d_query");
    } else {
        check_near("d_query", h.out.d_query, e->d_query);
        check_near("d_key", h.out.d_key, e->d_key);
    }
    if (real_is_double() && s.J > 1)
        check_differences(&h, &before);
    free(e);
    test_matrix_free(before.out.d_key);
    test_matrix_free(before.out.d_value);
    head_close(&h);
}

/* Document 000, exercise 1: S = (1 0; 2 2) over sqrt(2), A and A V to four decimals. */
static void test_by_hand(void)
{
    test_case("attention: the hand calculation of document 000, exercise 1");
    Random random = random_seed(2);
    Head h = head_open((Shape){2, 2, 2, 2, 2, false, 1 / sqrt(2)}, &random);
    const double query[] = {1, 0, 0, 2}, key[] = {1, 1, 0, 1}, value[] = {10, 0, 0, 10};
    for (int i = 0; i < 4; i++) {
        matrix_row(h.in.query, i / 2)[i % 2] = (real)query[i];
        matrix_row(h.in.key, i / 2)[i % 2] = (real)key[i];
        matrix_row(h.in.value, i / 2)[i % 2] = (real)value[i];
    }
    const double weights[] = {0.6698, 0.3302, 0.5, 0.5}, output[] = {6.6976, 3.3024, 5, 5};
    head_loss(&h);
    for (int i = 0; i < 4; i++) {
        CHECK(fabs(at(h.weights, i / 2, i % 2) - weights[i]) <= 5e-5, "A[%d]: %.6f", i, at(h.weights, i / 2, i % 2));
        CHECK(fabs(at(h.y, i / 2, i % 2) - output[i]) <= 5e-5, "AV[%d]: %.6f", i, at(h.y, i / 2, i % 2));
    }

    test_case("attention: the same under the mask; the first query reads itself with weight exactly 1");
    h.rule.visible = 1;
    head_loss(&h);
    const double masked[] = {1, 0, 0.5, 0.5}, copied[] = {10, 0, 5, 5};
    for (int i = 0; i < 4; i++)
        CHECK(at(h.weights, i / 2, i % 2) == masked[i] && at(h.y, i / 2, i % 2) == copied[i], "[%d]: %.9g, %.9g", i,
              at(h.weights, i / 2, i % 2), at(h.y, i / 2, i % 2));

    test_case("attention: softmax's adjoint by hand");
    /* d_Y = (1 0; 1 0) gives d_A = (10 0; 10 0); row 1: A (d_A - 5) = (2.5 -2.5) over sqrt(2); row 0 sees one. */
    double step = 2.5 / sqrt(2);
    const double d_query[] = {0, 0, step, 0}, d_key[] = {0, 2 * step, 0, -2 * step}, d_value[] = {1.5, 0, 0.5, 0};
    for (int i = 0; i < 4; i++) {
        matrix_row(h.d_y, i / 2)[i % 2] = i % 2 == 0;
        matrix_row(h.out.d_key, i / 2)[i % 2] = 0;
        matrix_row(h.out.d_value, i / 2)[i % 2] = 0;
    }
    attention_backward(h.rule, h.in, h.weights, h.d_y, h.d_scores, h.out);
    check_near("d_query", h.out.d_query, d_query);
    check_near("d_key", h.out.d_key, d_key);
    check_near("d_value", h.out.d_value, d_value);
    head_close(&h);
}

int main(void)
{
    static const Shape shapes[] = {
        {1, 1, 1, 1, 1, false, 1}, {5, 5, 3, 2, 1, false, 0.6}, {2, 9, 20, 65, 8, false, 0.22},
        {9, 30, 7, 33, 22, false, 0.38},    /* the last rows of a sequence */
        {64, 100, 20, 13, 37, false, 0.22}, /* a whole block in its middle */
        {13, 40, 5, 6, 10, false, 0.45},    /* columns that not even the last row sees */
        {17, 17, 16, 65, 17, false, 0.25}, {11, 71, 9, 3, 71, false, 1}, /* no mask */
        {7, 7, 4, 5, 1, true, 0.5}, {33, 50, 3, 17, 18, true, 1}, {6, 29, 3, 8, 29, true, 1},
    };
    test_by_hand();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        test_shape(shapes[i]);
    return test_finish();
}
