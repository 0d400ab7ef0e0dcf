/* The classifier of document 003's assignment: its logits against the source's padded and masked form, its gradients
 * against central differences, queries read backwards, and a step of Adam. */
#include "lab/order_model.h"

#include "real_matrix.h"
#include "test.h"

enum { V = 11, C = 5, I = 7, T = 6, B = 4 };

static const int32_t queries[B][T] = {{3}, {1, 2, 3, 4, 5, 6}, {9, 10, 9}, {7, 7, 1, 8}};
static const int lengths[B] = {1, 6, 3, 4};
static const int32_t labels[B] = {2, 6, 0, 2};
static const char *const names[] = {"bag", "attention", "causal"};

enum { TENSORS = 9 };
static const char *const tensor_names[TENSORS] = {"embedding", "query", "key", "value", "query bias", "key bias",
                                                  "value bias", "head", "head bias"};

static Matrix tensor(const OrderTensors *t, int i)
{
    const Matrix all[TENSORS] = {t->embedding, t->query, t->key, t->value, t->query_bias, t->key_bias, t->value_bias,
                                 t->head, t->head_bias};
    return all[i];
}

static void fill(OrderModel *model, bool backwards)
{
    order_batch_begin(model);
    for (int q = 0; q < B; q++)
        order_batch_add(model, queries[q], lengths[q], labels[q], backwards);
}

/* Standard normal values, but for <pad>'s row, which is 0. */
static OrderModel open_model(OrderMixing mixing)
{
    const OrderSizes sizes = {V, C, I, T, B};
    Random random = random_seed(3);
    OrderModel model;
    Error error;
    CHECK(order_model_open(&model, sizes, mixing, &error), "%s", error.message);
    for (int i = 0; i < TENSORS; i++) {
        const Matrix m = tensor(&model.values, i);
        for (int r = i == 0 ? 1 : 0; r < m.rows; r++)
            for (int c = 0; c < m.columns; c++)
                matrix_row(m, r)[c] = (real)random_normal(&random);
    }
    fill(&model, false);
    return model;
}

/* --- the source's form ------------------------------------------------------------------------------ */

/* y = x W^T + b of one row, in double. */
static void map(Matrix weight, Matrix bias, const double *x, double *y)
{
    for (int o = 0; o < weight.rows; o++) {
        y[o] = (double)bias.data[o];
        for (int i = 0; i < weight.columns; i++)
            y[o] += (double)matrix_row(weight, o)[i] * x[i];
    }
}

/* A query padded to T: scores of all pairs, minus infinity where the key is padding or later, the mean of the real. */
static void expect_logits(const OrderModel *model, int query, double *logits)
{
    const OrderTensors *t = &model->values;
    double x[T][C], q[T][C], k[T][C], v[T][C], mean[C] = {0};
    for (int i = 0; i < T; i++) {
        for (int c = 0; c < C; c++)
            x[i][c] = (double)matrix_row(t->embedding, queries[query][i])[c];
        if (model->mixing != ORDER_BAG) {
            map(t->query, t->query_bias, x[i], q[i]);
            map(t->key, t->key_bias, x[i], k[i]);
            map(t->value, t->value_bias, x[i], v[i]);
        }
    }
    for (int i = 0; i < lengths[query]; i++) {
        double weights[T], sum = 0;
        for (int j = 0; j < T; j++) {
            const bool hidden = j >= lengths[query] || (model->mixing == ORDER_CAUSAL && j > i);
            double score = 0;
            for (int c = 0; model->mixing != ORDER_BAG && c < C; c++)
                score += q[i][c] * k[j][c] / sqrt(C);
            weights[j] = hidden ? 0 : exp(score);
            sum += weights[j];
        }
        for (int c = 0; c < C; c++) {
            double mixed = model->mixing == ORDER_BAG ? x[i][c] : 0;
            for (int j = 0; model->mixing != ORDER_BAG && j < T; j++)
                mixed += weights[j] / sum * v[j][c];
            mean[c] += mixed / lengths[query];
        }
    }
    map(t->head, t->head_bias, mean, logits);
}

static void test_logits(OrderMixing mixing)
{
    double expected[B * I];
    OrderModel model = open_model(mixing);
    for (int q = 0; q < B; q++)
        expect_logits(&model, q, expected + q * I);
    const double difference = matrix_difference(order_forward(&model), expected);
    CHECK(difference <= tolerance(2e-6, 1e-14), "%g", difference);

    double loss = 0;
    for (int q = 0; q < B; q++) {
        double sum = 0;
        for (int i = 0; i < I; i++)
            sum += exp(expected[q * I + i]);
        loss += (log(sum) - expected[q * I + labels[q]]) / B;
    }
    CHECK(fabs(order_backward(&model) - loss) <= tolerance(1e-5, 1e-13), "loss %.9g, not %.9g", order_backward(&model),
          loss);
    order_model_close(&model);
}

/* A batch leaves nothing behind for a smaller one after it, and a query's logits are those it has alone. */
static void test_alone(OrderMixing mixing)
{
    OrderModel model = open_model(mixing);
    Matrix together = test_matrix_copy(order_forward(&model));
    for (int q = 0; q < B; q++) {
        order_batch_begin(&model);
        order_batch_add(&model, queries[q], lengths[q], labels[q], false);
        CHECK(matrix_same_bits(order_forward(&model), matrix_rows(together, q, 1)), "query %d", q);
    }
    test_matrix_free(together);
    order_model_close(&model);
}

/* --- gradients -------------------------------------------------------------------------------------- */

static double loss_of(void *context)
{
    return order_backward(context);
}

static void test_gradients(OrderMixing mixing)
{
    OrderModel model = open_model(mixing);
    for (int i = 0; i < TENSORS; i++) {
        order_backward(&model); /* anew: the differences leave the gradients of a place nearby */
        Matrix analytic = test_matrix_copy(tensor(&model.gradients, i));
        double norm = 0;
        for (int r = 0; r < analytic.rows; r++)
            for (int c = 0; c < analytic.columns; c++)
                norm += fabs((double)matrix_row(analytic, r)[c]);
        /* What a query adds to all its scores alike, the softmax does not see: the key's bias has no gradient. */
        if (i == 5)
            CHECK(norm <= tolerance(1e-5, 1e-14), "key bias: %g", norm);
        else if (analytic.rows > 0 && real_is_double()) {
            const double difference = gradient_difference(tensor(&model.values, i), analytic, loss_of, &model);
            CHECK(difference <= 1e-8, "%s: %g", tensor_names[i], difference);
        }
        test_matrix_free(analytic);
    }
    order_backward(&model);
    for (int c = 0; c < C; c++)
        CHECK(matrix_row(model.gradients.embedding, 0)[c] == 0, "<pad> has a gradient");
    order_model_close(&model);
}

/* --- order, and a step ------------------------------------------------------------------------------ */

static void test_backwards(OrderMixing mixing)
{
    double forwards[B * I];
    OrderModel model = open_model(mixing);
    const Matrix logits = order_forward(&model);
    for (int q = 0; q < B; q++)
        for (int i = 0; i < I; i++)
            forwards[q * I + i] = (double)matrix_row(logits, q)[i];
    fill(&model, true);
    const double difference = matrix_difference(order_forward(&model), forwards);
    if (mixing == ORDER_CAUSAL)
        CHECK(difference >= 1e-2, "%g", difference);
    else
        CHECK(difference <= tolerance(2e-6, 1e-14), "%g", difference);
    order_model_close(&model);
}

/* Two steps of one number by Adam's equations. */
static double two_steps(double w, const double gradients[2], double rate)
{
    double m = 0, v = 0;
    for (int t = 1; t <= 2; t++) {
        const double g = gradients[t - 1];
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        w -= rate * (m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
    }
    return w;
}

static void test_update(void)
{
    test_case("order model: two steps of Adam by its equations, in every tensor");
    OrderModel model = open_model(ORDER_CAUSAL);
    double before[TENSORS], gradients[TENSORS][2];
    for (int i = 0; i < TENSORS; i++)
        before[i] = (double)matrix_row(tensor(&model.values, i), i == 0 ? 3 : 0)[1];
    for (int step = 0; step < 2; step++) {
        order_backward(&model);
        for (int i = 0; i < TENSORS; i++)
            gradients[i][step] = (double)matrix_row(tensor(&model.gradients, i), i == 0 ? 3 : 0)[1];
        order_update(&model, 0.01);
    }
    for (int i = 0; i < TENSORS; i++) {
        const double ours = (double)matrix_row(tensor(&model.values, i), i == 0 ? 3 : 0)[1];
        const double expected = two_steps(before[i], gradients[i], 0.01);
        CHECK(fabs(ours - expected) <= tolerance(1e-6, 1e-14), "%s: %.17g, not %.17g", tensor_names[i], ours, expected);
    }
    for (int c = 0; c < C; c++)
        CHECK(matrix_row(model.values.embedding, 0)[c] == 0, "<pad> has moved");
    order_model_close(&model);
}

int main(void)
{
    static const struct {
        const char *what;
        void (*run)(OrderMixing mixing);
    } cases[] = {
        {"logits and loss of the padded, masked form", test_logits},
        {"a query's logits do not depend on its batch", test_alone},
        {"central differences of every tensor", test_gradients},
        {"queries read backwards", test_backwards},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mixing = ORDER_BAG; mixing <= ORDER_CAUSAL; mixing++) {
            char name[128];
            snprintf(name, sizeof name, "order model, %s%s: %s", names[mixing], real_is_double() ? ", double" : "",
                     cases[i].what);
            test_case(name);
            cases[i].run((OrderMixing)mixing);
        }
    test_update();
    return test_finish();
}
