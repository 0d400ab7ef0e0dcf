/* Padding masks: weights worked out by hand, the masked head's equations in double at ragged sizes, and, in the double
 * flavour, central differences through mask and softmax. */
#include "layers/attention.h"
#include "layers/padding.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"
#include "kernels/transpose.h"

#include "real_matrix.h"
#include "test.h"

enum { ROOM = 40 * 60 };

/* Y = softmax(scale padding(Q K^T)) V over a block of rows, and the loss sum(d_Y Y). */
typedef struct Padded {
    AttentionRule rule;
    AttentionInputs in;
    AttentionGradients out;
    Matrix weights, y, d_y, d_scores;
    bool blocked[ROOM];
    PaddingMask mask;
    real fill;
} Padded;

typedef struct Shape {
    int R, J, H, visible; /* query rows, keys, width of everything, keys that row 0 sees */
    bool own_rows;        /* each row has its own mask */
    double fill;
} Shape;

static double at(Matrix m, int row, int column)
{
    return (double)matrix_row(m, row)[column];
}

static bool blocked_at(const Padded *p, int row, int key)
{
    return p->mask.blocked[row * p->mask.row_stride + key];
}

/* About every third key is blocked, but never one of the first two of a row. */
static Padded padded_open(Shape s, Random *random)
{
    Padded p = {
        .rule = {s.visible, false, (real)0.6, NULL},
        .in = {.query = test_matrix_random(s.R, s.H, random), .key = test_matrix_random(s.J, s.H, random),
               .key_transposed = test_matrix(s.H, s.J), .value = test_matrix_random(s.J, s.H, random),
               .value_transposed = test_matrix(s.H, s.J)},
        .out = {.d_query = test_matrix(s.R, s.H), .d_key = test_matrix(s.J, s.H), .d_value = test_matrix(s.J, s.H),
                .fresh = s.J},
        .weights = test_matrix(s.R, s.J), .y = test_matrix(s.R, s.H), .d_y = test_matrix_random(s.R, s.H, random),
        .d_scores = test_matrix(s.R, s.J), .fill = (real)s.fill,
    };
    for (int i = 0; i < s.R * s.J; i++)
        p.blocked[i] = i % s.J >= 2 && random_normal(random) > 0.4;
    for (int j = 0; j < s.J * s.H; j++) {
        matrix_row(p.out.d_key, j / s.H)[j % s.H] = 0;
        matrix_row(p.out.d_value, j / s.H)[j % s.H] = 0;
    }
    return p;
}

static void padded_close(Padded *p)
{
    const Matrix all[] = {p->in.query, p->in.key, p->in.key_transposed, p->in.value, p->in.value_transposed, p->weights,
                          p->y, p->d_y, p->d_scores, p->out.d_query, p->out.d_key, p->out.d_value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

static double padded_loss(void *context)
{
    Padded *p = context;
    transpose_copy(p->in.key, p->in.key_transposed);
    transpose_copy(p->in.value, p->in.value_transposed);
    multiply(p->in.query, p->in.key_transposed, p->weights, NULL);
    padding_forward(p->mask, p->fill, p->weights);
    attention_mix_forward(p->rule, p->weights, p->in.value, p->y);
    double loss = 0;
    for (int r = 0; r < p->y.rows; r++)
        for (int d = 0; d < p->y.columns; d++)
            loss += at(p->y, r, d) * at(p->d_y, r, d);
    return loss;
}

static void padded_backward(Padded *p)
{
    attention_mix_backward(p->rule, p->in, p->weights, p->d_y, p->d_scores, p->out);
    padding_backward(p->mask, p->d_scores);
    multiply_causal_left(p->d_scores, p->in.key, p->out.d_query, p->rule.visible, NULL);
    multiply_causal_transposed(p->d_scores, p->in.query, p->out.d_key, p->rule.visible, p->out.fresh, NULL);
}

/* The equation of padding.h followed by the softmax, in double. */
static void exact_weights(const Padded *p, double *weights)
{
    int J = p->weights.columns;
    for (int r = 0; r < p->weights.rows; r++) {
        double sum = 0;
        for (int j = 0; j < J; j++) {
            double score = 0;
            for (int i = 0; i < p->in.key.columns; i++)
                score += at(p->in.query, r, i) * at(p->in.key, j, i);
            score = blocked_at(p, r, j) ? (double)p->fill : score;
            sum += weights[r * J + j] = j < p->rule.visible + r ? exp((double)p->rule.scale * score) : 0;
        }
        for (int j = 0; j < J; j++)
            weights[r * J + j] /= sum;
    }
}

static void check_blocked(const Padded *p)
{
    for (int r = 0; r < p->weights.rows; r++) {
        double sum = 0;
        for (int j = 0; j < p->weights.columns; j++) {
            sum += at(p->weights, r, j);
            CHECK(!blocked_at(p, r, j) || p->fill == 0 || at(p->weights, r, j) == 0, "blocked [%d,%d] weighs %g", r, j,
                  at(p->weights, r, j));
        }
        CHECK(fabs(sum - 1) <= tolerance(1e-6, 1e-14), "row %d sums to 1 + %g", r, sum - 1);
    }
}

static void test_shape(Shape s)
{
    char name[128];
    snprintf(name, sizeof name, "padding: %d rows x %d keys, width %d, visible %d, %s, filled with %g", s.R, s.J, s.H,
             s.visible, s.own_rows ? "a mask a row" : "one mask", s.fill);
    test_case(name);
    Random random = random_seed(5);
    Padded p = padded_open(s, &random);
    p.mask = (PaddingMask){p.blocked, s.own_rows ? s.J : 0};
    double expected[ROOM];
    exact_weights(&p, expected);
    padded_loss(&p);
    double difference = matrix_difference(p.weights, expected);
    CHECK(difference <= tolerance(5e-6, 1e-13), "weights: %.3g", difference);
    check_blocked(&p);
    padded_backward(&p);
    for (int r = 0; r < s.R; r++)
        for (int j = 0; j < s.J && j < s.visible + r; j++)
            CHECK(!blocked_at(&p, r, j) || at(p.d_scores, r, j) == 0, "d_scores[%d,%d] is %g", r, j,
                  at(p.d_scores, r, j));
    if (real_is_double()) {
        double of_query = gradient_difference(p.in.query, p.out.d_query, padded_loss, &p);
        double of_key = gradient_difference(p.in.key, p.out.d_key, padded_loss, &p);
        double of_value = gradient_difference(p.in.value, p.out.d_value, padded_loss, &p);
        CHECK(of_query <= 1e-6 && of_key <= 1e-6 && of_value <= 1e-6, "%g, %g, %g", of_query, of_key, of_value);
    }
    padded_close(&p);
}

/* Scores ln 1, ln 2, ln 3, ln 4: without key 2 the weights are 1/7, 2/7, 0, 4/7; filled with 0 they are 1, 2, 1, 4
 * eighths. */
static void test_by_hand(void)
{
    test_case("padding: four scores by hand, with minus infinity and with 0");
    const double logarithms[] = {0, log(2), log(3), log(4)};
    Matrix scores = test_matrix_from(1, 4, logarithms), value = test_matrix_from(4, 1, (const double[]){7, 14, 70, 7});
    Matrix y = test_matrix(1, 1);
    const bool blocked[] = {false, false, true, false};
    const double fills[] = {-INFINITY, 0}, weights[][4] = {{1.0 / 7, 2.0 / 7, 0, 4.0 / 7}, {0.125, 0.25, 0.125, 0.5}};
    const double outputs[] = {9, 16.625};
    for (int f = 0; f < 2; f++) {
        for (int j = 0; j < 4; j++)
            scores.data[j] = (real)logarithms[j];
        padding_forward((PaddingMask){blocked, 0}, (real)fills[f], scores);
        attention_mix_forward((AttentionRule){4, false, 1, NULL}, scores, value, y);
        CHECK(matrix_difference(scores, weights[f]) <= tolerance(1e-6, 1e-14), "filled with %g", fills[f]);
        CHECK(fabs(at(y, 0, 0) - outputs[f]) <= tolerance(1e-5, 1e-13), "filled with %g: %g", fills[f], at(y, 0, 0));
    }
    CHECK(scores.data[2] > 0, "a fill of 0 leaves weight");
    padding_forward((PaddingMask){blocked, 0}, -(real)INFINITY, scores);
    softmax_rows(scores, 4, 1);
    CHECK(scores.data[2] == 0, "a weight of %g", (double)scores.data[2]);

    test_case("padding: the gradient stops at blocked keys, and nowhere else");
    for (int j = 0; j < 4; j++)
        scores.data[j] = (real)(j + 1);
    padding_backward((PaddingMask){blocked, 0}, scores);
    CHECK(matrix_difference(scores, (const double[]){1, 2, 0, 4}) == 0, "d_scores");

    test_case("padding: a row with every key blocked is NaN, and its neighbour is not");
    Matrix both = test_matrix_from(2, 2, (const double[]){1, 2, 3, 4});
    const bool all[] = {true, true, false, true};
    padding_forward((PaddingMask){all, 2}, -(real)INFINITY, both);
    softmax_rows(both, 2, 1);
    CHECK(isnan(at(both, 0, 0)) && isnan(at(both, 0, 1)), "%g", at(both, 0, 0));
    CHECK(at(both, 1, 0) == 1 && at(both, 1, 1) == 0, "%g", at(both, 1, 0));

    test_case("padding: the mask of ids");
    const int32_t ids[] = {62, 11, 4, 9, 3, 0, 0};
    bool found[7];
    CHECK(padding_of(ids, 7, 0, found) == 5 && !found[0] && !found[4] && found[5] && found[6], "which are pads");
    CHECK(padding_of(ids, 0, 0, found) == 0, "no ids");
    const Matrix open[] = {scores, value, y, both};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        test_matrix_free(open[i]);
}

int main(void)
{
    static const Shape shapes[] = {
        {1, 3, 1, 3, false, -INFINITY}, {5, 5, 3, 2, false, -INFINITY},   {7, 19, 5, 19, false, -INFINITY},
        {13, 40, 9, 20, true, -INFINITY}, {33, 48, 16, 48, true, -INFINITY}, {33, 48, 7, 2, false, -INFINITY},
        {6, 17, 4, 17, false, 0}, {9, 31, 8, 23, true, 0},
    };
    test_by_hand();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        test_shape(shapes[i]);
    return test_finish();
}
