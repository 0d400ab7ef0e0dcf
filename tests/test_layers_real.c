/* Linear, embedding, positions and cross-entropy: cases worked out by hand, the equations in double at ragged sizes,
 * and, in the double flavour, central differences. */
#include "layers/cross_entropy.h"
#include "layers/embedding.h"
#include "layers/linear.h"
#include "layers/positions.h"

#include "kernels/transpose.h"

#include "real_matrix.h"
#include "test.h"

static void check_exact(Matrix ours, const double *expected)
{
    for (int r = 0; r < ours.rows; r++)
        for (int c = 0; c < ours.columns; c++)
            CHECK((double)matrix_row(ours, r)[c] == expected[r * ours.columns + c], "[%d,%d] is %g, not %g", r, c,
                  (double)matrix_row(ours, r)[c], expected[r * ours.columns + c]);
}

static void check_near(Matrix ours, const double *expected, double allowed)
{
    double difference = matrix_difference(ours, expected);
    CHECK(difference <= allowed, "%d x %d: %.3g", ours.rows, ours.columns, difference);
}

/* One affine map, its gradients, and the loss sum(d_y y) whose gradients they are. */
typedef struct Linear {
    Matrix x, weight, weight_transposed, bias, y, d_y, d_x, d_weight, d_bias;
} Linear;

static Linear linear_open(int rows, int inputs, int outputs, Random *random)
{
    return (Linear){
        .x = test_matrix_random(rows, inputs, random), .weight = test_matrix_random(outputs, inputs, random),
        .weight_transposed = test_matrix(inputs, outputs), .bias = test_matrix_random(1, outputs, random),
        .y = test_matrix(rows, outputs), .d_y = test_matrix_random(rows, outputs, random),
        .d_x = test_matrix(rows, inputs), .d_weight = test_matrix_random(outputs, inputs, random),
        .d_bias = test_matrix_random(1, outputs, random),
    };
}

static void linear_close(Linear *l)
{
    const Matrix all[] = {l->x, l->weight, l->weight_transposed, l->bias, l->y, l->d_y, l->d_x, l->d_weight, l->d_bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

static double linear_loss(void *context)
{
    Linear *l = context;
    transpose_copy(l->weight, l->weight_transposed);
    linear_forward(l->x, l->weight_transposed, l->bias.data, l->y, NULL);
    double loss = 0;
    for (int r = 0; r < l->y.rows; r++)
        for (int o = 0; o < l->y.columns; o++)
            loss += (double)matrix_row(l->y, r)[o] * (double)matrix_row(l->d_y, r)[o];
    return loss;
}

static double at(Matrix m, int row, int column)
{
    return (double)matrix_row(m, row)[column];
}

/* The layer's results against its equations; gradients of the parameters add to what was there. */
static void check_linear_equations(Linear *l, Matrix weight_before, Matrix bias_before)
{
    enum { ROOM = 80 * 80 };
    double allowed = tolerance(2e-6, 1e-14);
    int R = l->x.rows, I = l->x.columns, O = l->y.columns;
    double y[ROOM], d_x[ROOM], d_weight[ROOM], d_bias[ROOM];
    for (int r = 0; r < R; r++)
        for (int o = 0; o < O; o++) {
            y[r * O + o] = at(l->bias, 0, o);
            for (int i = 0; i < I; i++)
                y[r * O + o] += at(l->x, r, i) * at(l->weight, o, i);
        }
    for (int r = 0; r < R; r++)
        for (int i = 0; i < I; i++) {
            d_x[r * I + i] = 0;
            for (int o = 0; o < O; o++)
                d_x[r * I + i] += at(l->d_y, r, o) * at(l->weight, o, i);
        }
    for (int o = 0; o < O; o++) {
        d_bias[o] = at(bias_before, 0, o);
        for (int i = 0; i < I; i++)
            d_weight[o * I + i] = at(weight_before, o, i);
        for (int r = 0; r < R; r++) {
            d_bias[o] += at(l->d_y, r, o);
            for (int i = 0; i < I; i++)
                d_weight[o * I + i] += at(l->d_y, r, o) * at(l->x, r, i);
        }
    }
    check_near(l->y, y, allowed);
    check_near(l->d_x, d_x, allowed);
    check_near(l->d_weight, d_weight, allowed);
    check_near(l->d_bias, d_bias, allowed);
}

static void test_linear_by_hand(void)
{
    test_case("linear: two rows by hand, forward and back");
    Matrix x = test_matrix_from(2, 3, (const double[]){1, 2, 3, -1, 0, 2}), y = test_matrix(2, 2);
    Matrix weight = test_matrix_from(2, 3, (const double[]){1, 0, -1, 2, 1, 0}), transposed = test_matrix(3, 2);
    Matrix bias = test_matrix_from(1, 2, (const double[]){10, 20}), d_x = test_matrix(2, 3);
    Matrix d_y = test_matrix_from(2, 2, (const double[]){1, 2, 3, 4});
    Matrix d_weight = test_matrix_from(2, 3, (const double[]){100, 0, 0, 0, 0, 0});
    Matrix d_bias = test_matrix_from(1, 2, (const double[]){1000, 0});
    transpose_copy(weight, transposed);
    linear_forward(x, transposed, bias.data, y, NULL);
    check_exact(y, (const double[]){8, 24, 7, 18});
    linear_forward(x, transposed, NULL, y, NULL);
    check_exact(y, (const double[]){-2, 4, -3, -2});
    linear_backward_input(d_y, weight, d_x, NULL);
    check_exact(d_x, (const double[]){5, 2, -1, 11, 4, -3});
    linear_backward_weight(x, d_y, d_weight, d_bias.data, NULL);
    check_exact(d_weight, (const double[]){98, 2, 9, -2, 4, 14});
    check_exact(d_bias, (const double[]){1004, 6});
    linear_backward_weight(x, d_y, d_weight, NULL, NULL);
    check_exact(d_weight, (const double[]){96, 4, 18, -4, 8, 28});
    const Matrix all[] = {x, y, weight, transposed, bias, d_y, d_x, d_weight, d_bias};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

static void test_linear(void)
{
    static const int sizes[][3] = {{1, 1, 1}, {5, 3, 7}, {9, 17, 33}, {64, 20, 65}, {33, 64, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char name[128];
        snprintf(name, sizeof name, "linear: equations%s at %d rows, %d to %d",
                 real_is_double() ? " and differences" : "", sizes[s][0], sizes[s][1], sizes[s][2]);
        test_case(name);
        Random random = random_seed(s);
        Linear l = linear_open(sizes[s][0], sizes[s][1], sizes[s][2], &random);
        Matrix weight_before = test_matrix_copy(l.d_weight), bias_before = test_matrix_copy(l.d_bias);
        linear_loss(&l);
        linear_backward_input(l.d_y, l.weight, l.d_x, NULL);
        linear_backward_weight(l.x, l.d_y, l.d_weight, l.d_bias.data, NULL);
        check_linear_equations(&l, weight_before, bias_before);
        if (real_is_double()) {
            for (int o = 0; o < l.weight.rows; o++) {
                l.d_bias.data[o] -= bias_before.data[o];
                for (int i = 0; i < l.weight.columns; i++)
                    matrix_row(l.d_weight, o)[i] -= matrix_row(weight_before, o)[i];
            }
            double of_x = gradient_difference(l.x, l.d_x, linear_loss, &l);
            double of_weight = gradient_difference(l.weight, l.d_weight, linear_loss, &l);
            double of_bias = gradient_difference(l.bias, l.d_bias, linear_loss, &l);
            CHECK(of_x <= 1e-6 && of_weight <= 1e-6 && of_bias <= 1e-6, "%g %g %g", of_x, of_weight, of_bias);
        }
        test_matrix_free(weight_before);
        test_matrix_free(bias_before);
        linear_close(&l);
    }
}

static void test_embedding(void)
{
    test_case("embedding: repeated characters by hand, with positions and without");
    const int32_t row_of[] = {2, 0, 2, 2};
    Matrix tokens = test_matrix_from(3, 2, (const double[]){1, 2, 3, 4, 5, 6});
    Matrix positions = test_matrix_from(5, 2, (const double[]){10, 20, 30, 40, 50, 60, 70, 80, 90, 99});
    Matrix y = test_matrix(4, 2), d_y = test_matrix_from(4, 2, (const double[]){1, 2, 3, 4, 5, 6, 7, 8});
    Matrix d_tokens = test_matrix_from(3, 2, (const double[]){100, 0, 0, 100, 0, 0});
    Matrix d_positions = test_matrix_from(5, 2, (const double[]){0, 0, 0, 0, 0, 0, 0, 100, 7, 8}), none = {0};
    embedding_forward(tokens, positions, row_of, y);
    check_exact(y, (const double[]){15, 26, 31, 42, 55, 66, 75, 86});
    embedding_forward(tokens, none, row_of, y);
    check_exact(y, (const double[]){5, 6, 1, 2, 5, 6, 5, 6});
    embedding_backward(d_y, row_of, d_tokens, d_positions);
    check_exact(d_tokens, (const double[]){103, 4, 0, 100, 13, 16});
    check_exact(d_positions, (const double[]){1, 2, 3, 4, 5, 6, 7, 108, 7, 8});
    embedding_backward(d_y, row_of, d_tokens, none);
    check_exact(d_tokens, (const double[]){106, 8, 0, 100, 26, 32});
    check_exact(d_positions, (const double[]){1, 2, 3, 4, 5, 6, 7, 108, 7, 8});
    const Matrix all[] = {tokens, positions, y, d_y, d_tokens, d_positions};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);

    test_case("embedding: every ragged width");
    for (int width = 1; width <= 40; width++) {
        Random random = random_seed((uint64_t)width);
        Matrix table = test_matrix_random(3, width, &random), places = test_matrix_random(4, width, &random);
        Matrix out = test_matrix(4, width);
        embedding_forward(table, places, row_of, out);
        for (int t = 0; t < 4; t++)
            for (int c = 0; c < width; c++)
                CHECK(matrix_row(out, t)[c] == matrix_row(table, row_of[t])[c] + matrix_row(places, t)[c],
                      "width %d, [%d,%d]", width, t, c);
        test_matrix_free(table);
        test_matrix_free(places);
        test_matrix_free(out);
    }
}

static void test_positions(void)
{
    /* Document 000, exercise 3, as printed. */
    static const double printed[] = {
        0, 1, 0, 1, 0.841471, 0.540302, 0.01, 0.99995, 0.909297, -0.416147, 0.019999, 0.9998,
        0.14112, -0.989992, 0.029996, 0.99955, -0.756802, -0.653644, 0.039989, 0.9992,
        -0.958924, 0.283662, 0.049979, 0.99875, -0.279415, 0.96017, 0.059964, 0.998201,
        0.656987, 0.753902, 0.069943, 0.997551,
    };
    test_case("positions: the table that document 000 prints, to its six decimals");
    Matrix table = test_matrix(8, 4);
    positions_sinusoidal(table);
    for (int p = 0; p < 8; p++)
        for (int c = 0; c < 4; c++)
            CHECK(fabs(at(table, p, c) - printed[p * 4 + c]) <= 5.1e-7, "[%d,%d] is %.9g", p, c, at(table, p, c));
    test_matrix_free(table);

    test_case("positions: every width, odd ones end with a sine");
    for (int C = 1; C <= 40; C++) {
        table = test_matrix(70, C);
        positions_sinusoidal(table);
        for (int p = 0; p < 70; p++)
            for (int c = 0; c < C; c++) {
                long double angle = p * powl(10000, -(long double)(c - c % 2) / C);
                long double expected = c % 2 ? cosl(angle) : sinl(angle);
                CHECK(fabsl((long double)matrix_row(table, p)[c] - expected) <= tolerance(6.1e-8, 2e-14),
                      "C %d, [%d,%d] is %.17g", C, p, c, at(table, p, c));
            }
        test_matrix_free(table);
    }
}

static void test_cross_entropy_by_hand(void)
{
    test_case("cross-entropy: softmax (1/4, 3/4) by hand");
    const double rows[] = {0, log(3), log(3), 0}, weight = 0.5;
    const int32_t targets[] = {0, 0};
    Matrix logits = test_matrix_from(2, 2, rows);
    double forward = cross_entropy_forward(logits, false, targets), expected = log(4) + log(4.0 / 3);
    CHECK(fabs(forward - expected) <= 4 * REAL_EPSILON, "%.17g, not %.17g", forward, expected);
    double backward = cross_entropy_backward(logits, false, targets, (real)weight);
    CHECK(fabs(backward - expected) <= 4 * REAL_EPSILON, "%.17g, not %.17g", backward, expected);
    const double gradient[] = {weight * -0.75, weight * 0.75, weight * -0.25, weight * 0.25};
    check_near(logits, gradient, 4 * REAL_EPSILON);
    test_matrix_free(logits);

    test_case("cross-entropy: the same by hand, the last logit 0 and not stored");
    const double less_last[] = {-log(3), log(3)}, stored_gradient[] = {weight * -0.75, weight * -0.25};
    logits = test_matrix_from(2, 1, less_last);
    forward = cross_entropy_forward(logits, true, targets);
    CHECK(fabs(forward - expected) <= 4 * REAL_EPSILON, "%.17g, not %.17g", forward, expected);
    backward = cross_entropy_backward(logits, true, targets, (real)weight);
    CHECK(fabs(backward - expected) <= 4 * REAL_EPSILON, "%.17g, not %.17g", backward, expected);
    check_near(logits, stored_gradient, 4 * REAL_EPSILON);
    test_matrix_free(logits);
}

typedef struct Loss {
    Matrix logits;
    const int32_t *targets;
    bool last_is_zero;
    double weight;
} Loss;

static double weighted_loss(void *context)
{
    const Loss *loss = context;
    return loss->weight * cross_entropy_forward(loss->logits, loss->last_is_zero, loss->targets);
}

/* V symbols, of which the last one's logit is 0 and not stored with last_is_zero. */
static void check_cross_entropy(int V, bool last_is_zero)
{
    const int32_t targets[] = {0, 4, 12, 3, 0, 7, V - 1};
    int stored = V - last_is_zero;
    Random random = random_seed((uint64_t)V);
    Matrix logits = test_matrix_random(7, stored, &random), gradient = test_matrix_copy(logits);
    Loss loss = {logits, targets, last_is_zero, 0.25};
    double total = cross_entropy_backward(gradient, last_is_zero, targets, (real)0.25), expected_total = 0;
    double expected[7 * 40];
    for (int r = 0; r < 7; r++) {
        double sum = last_is_zero ? 1 : 0;
        for (int v = 0; v < stored; v++)
            sum += exp(at(logits, r, v));
        expected_total += log(sum) - (targets[r] < stored ? at(logits, r, targets[r]) : 0);
        for (int v = 0; v < stored; v++)
            expected[r * stored + v] = 0.25 * (exp(at(logits, r, v)) / sum - (v == targets[r]));
    }
    CHECK(fabs(total - expected_total) <= tolerance(1e-5, 1e-13), "V %d: %.17g, not %.17g", V, total, expected_total);
    CHECK(fabs(4 * weighted_loss(&loss) - total) <= tolerance(1e-6, 1e-14), "V %d: two ways, two losses", V);
    check_near(gradient, expected, tolerance(1e-6, 1e-14));
    if (real_is_double()) {
        double difference = gradient_difference(logits, gradient, weighted_loss, &loss);
        CHECK(difference <= 1e-6, "V %d: %g", V, difference);
    }
    test_matrix_free(logits);
    test_matrix_free(gradient);
}

static void test_cross_entropy(void)
{
    for (int last_is_zero = 0; last_is_zero < 2; last_is_zero++) {
        char name[128];
        snprintf(name, sizeof name, "cross-entropy: the sum over rows, and its equations%s%s",
                 real_is_double() ? " and differences" : "", last_is_zero ? ", the last logit 0" : "");
        test_case(name);
        for (int V = 13; V <= 40; V += 3)
            check_cross_entropy(V, last_is_zero);
    }
}

int main(void)
{
    test_linear_by_hand();
    test_linear();
    test_embedding();
    test_positions();
    test_cross_entropy_by_hand();
    test_cross_entropy();
    return test_finish();
}
