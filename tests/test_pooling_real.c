/* Mean pooling: two sequences by hand, the equation in double at ragged sizes, and, in the double flavour, central
 * differences. */
#include "layers/pooling.h"

#include "real_matrix.h"
#include "test.h"

enum { ROOM = 7 * 48 };

typedef struct Pooled {
    Matrix x, y, d_y, d_x;
    bool blocked[ROOM];
    const bool *mask; /* blocked, or NULL */
} Pooled;

static double pooled_loss(void *context)
{
    Pooled *p = context;
    pooling_forward(p->x, p->mask, p->y);
    double loss = 0;
    for (int b = 0; b < p->y.rows; b++)
        for (int c = 0; c < p->y.columns; c++)
            loss += (double)matrix_row(p->y, b)[c] * (double)matrix_row(p->d_y, b)[c];
    return loss;
}

static void test_by_hand(void)
{
    test_case("pooling: two sequences by hand, forward and back");
    Matrix x = test_matrix_from(6, 2, (const double[]){1, 2, 3, 6, 100, 100, 7, 8, 100, 100, 100, 100});
    Matrix y = test_matrix(2, 2), d_y = test_matrix_from(2, 2, (const double[]){4, 6, 5, 7}), d_x = test_matrix(6, 2);
    const bool blocked[] = {false, false, true, false, true, true};
    pooling_forward(x, blocked, y);
    CHECK(matrix_difference(y, (const double[]){2, 4, 7, 8}) == 0, "y");
    pooling_backward(d_y, blocked, d_x);
    CHECK(matrix_difference(d_x, (const double[]){2, 3, 2, 3, 0, 0, 5, 7, 0, 0, 0, 0}) == 0, "d_x");

    test_case("pooling: without a mask every token counts");
    pooling_forward(matrix_rows(x, 0, 2), NULL, matrix_rows(y, 0, 1));
    CHECK(y.data[0] == 2 && y.data[1] == 4, "%g %g", (double)y.data[0], (double)y.data[1]);

    test_case("pooling: what padding holds does not matter, not even NaN");
    matrix_row(x, 2)[0] = (real)NAN;
    pooling_forward(x, blocked, y);
    CHECK(matrix_difference(y, (const double[]){2, 4, 7, 8}) == 0, "y");
    const Matrix all[] = {x, y, d_y, d_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

/* Sequences of T tokens; about half are padding, never the last of a sequence. */
static void test_shape(int B, int T, int C, bool masked)
{
    char name[96];
    snprintf(name, sizeof name, "pooling: %d x %d tokens, width %d%s", B, T, C, masked ? ", padded" : "");
    test_case(name);
    Random random = random_seed(8);
    Pooled p = {.x = test_matrix_random(B * T, C, &random), .y = test_matrix(B, C),
                .d_y = test_matrix_random(B, C, &random), .d_x = test_matrix(B * T, C)};
    for (int t = 0; t < B * T; t++)
        p.blocked[t] = masked && t % T != T - 1 && random_normal(&random) > 0;
    p.mask = masked ? p.blocked : NULL;
    double y[ROOM], d_x[ROOM * 40];
    memset(y, 0, sizeof y);
    for (int b = 0; b < B; b++) {
        int count = 0;
        for (int t = b * T; t < (b + 1) * T; t++)
            count += !p.blocked[t];
        for (int t = b * T; t < (b + 1) * T; t++)
            for (int c = 0; c < C; c++) {
                y[b * C + c] += p.blocked[t] ? 0 : (double)matrix_row(p.x, t)[c] / count;
                d_x[t * C + c] = p.blocked[t] ? 0 : (double)matrix_row(p.d_y, b)[c] / count;
            }
    }
    pooled_loss(&p);
    pooling_backward(p.d_y, p.mask, p.d_x);
    double of_y = matrix_difference(p.y, y), of_d_x = matrix_difference(p.d_x, d_x);
    CHECK(of_y <= tolerance(2e-6, 1e-14) && of_d_x <= tolerance(1e-6, 1e-15), "y: %.3g, d_x: %.3g", of_y, of_d_x);
    if (real_is_double()) {
        double difference = gradient_difference(p.x, p.d_x, pooled_loss, &p);
        CHECK(difference <= 1e-6, "d_x: %g", difference);
    }
    const Matrix all[] = {p.x, p.y, p.d_y, p.d_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_matrix_free(all[i]);
}

int main(void)
{
    test_by_hand();
    test_shape(1, 1, 1, false);
    test_shape(3, 5, 7, true);
    test_shape(7, 48, 33, true);
    test_shape(2, 31, 16, true);
    test_shape(5, 9, 17, false);
    return test_finish();
}
