/* The reference itself: against figures worked out by hand, against central differences of its own loss, and its
 * deliberate faults against that same check, which must refuse every one. */
#include "naive_model.h"
#include "test.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

enum { TENSOR_COUNT = 7, MOST_IDS = 64 };

typedef struct Tensor {
    const char *name;
    double *data;
    size_t count;
} Tensor;

static void tensors_of(const NaiveModel *m, Tensor list[TENSOR_COUNT])
{
    size_t V = (size_t)m->V, T = (size_t)m->T, C = (size_t)m->C, H = (size_t)m->H;
    const Tensor all[TENSOR_COUNT] = {
        {"token", m->token, V * C}, {"position", m->position, T * C}, {"query", m->query, H * C},
        {"key", m->key, H * C}, {"value", m->value, H * C}, {"lm_weight", m->lm_weight, V * H},
        {"lm_bias", m->lm_bias, V},
    };
    memcpy(list, all, sizeof all);
}

/* The same sizes and options, with arrays of its own, all zero. */
static NaiveModel model_open(NaiveModel like)
{
    Tensor list[TENSOR_COUNT];
    tensors_of(&like, list);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        list[i].data = calloc(list[i].count, sizeof(double));
        if (list[i].data == NULL)
            abort();
    }
    like.token = list[0].data;
    like.position = list[1].data;
    like.query = list[2].data;
    like.key = list[3].data;
    like.value = list[4].data;
    like.lm_weight = list[5].data;
    like.lm_bias = list[6].data;
    return like;
}

static void model_close(NaiveModel *model)
{
    Tensor list[TENSOR_COUNT];
    tensors_of(model, list);
    for (int i = 0; i < TENSOR_COUNT; i++)
        free(list[i].data);
}

static NaiveModel model_open_random(NaiveModel like, Random *random)
{
    NaiveModel model = model_open(like);
    Tensor list[TENSOR_COUNT];
    tensors_of(&model, list);
    for (int i = 0; i < TENSOR_COUNT; i++)
        for (size_t j = 0; j < list[i].count; j++)
            list[i].data[j] = 0.7 * random_normal(random);
    return model;
}

static void draw_ids(int *ids, int count, int V, Random *random)
{
    for (int i = 0; i < count; i++)
        ids[i] = (int)random_below(random, (uint64_t)V);
}

/* Source 000, exercise 1. E = I and no positions give x = I for the text 0 1, so that W_Q = Q^T yields q = Q, and
 * likewise k and v; W_lm = I and b = 0 show A V as the logits. A third channel, zero in E, keeps C apart from H. */
static NaiveModel hand_model(void)
{
    static double token[] = {1, 0, 0, 0, 1, 0}, identity[] = {1, 0, 0, 1}, bias[] = {0, 0};
    static double query[] = {1, 0, 9, 0, 2, 9}, key[] = {1, 0, 9, 1, 1, 9}, value[] = {10, 0, 9, 0, 10, 9};
    return (NaiveModel){
        .V = 2, .T = 2, .C = 3, .H = 2, .positions = NAIVE_POSITIONS_NONE, .mask = NAIVE_MASK_NONE,
        .token = token, .query = query, .key = key, .value = value, .lm_weight = identity, .lm_bias = bias,
    };
}

static double largest_difference(const double *a, const double *b, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        double difference = fabs(a[i] - b[i]);
        if (!(difference <= largest))
            largest = difference;
        if (isnan(largest))
            break;
    }
    return largest;
}

static void check_close(const double *ours, const double *expected, int count, double tolerance)
{
    double difference = largest_difference(ours, expected, count);
    CHECK(difference <= tolerance, "%.3g", difference);
}

static void test_hand_attention(void)
{
    const int text[] = {0, 1};
    double attention[4], logits[4];
    NaiveModel model = hand_model();

    test_case("naive attention: source 000 exercise 1, as printed");
    const double printed_attention[] = {0.6698, 0.3302, 0.5, 0.5}, printed_output[] = {6.6976, 3.3024, 5, 5};
    naive_forward(&model, text, 2, attention, logits);
    check_close(attention, printed_attention, 4, 5e-5);
    check_close(logits, printed_output, 4, 5e-5);

    test_case("naive attention: the same from the sigmoid, to the last bits");
    double first = 1.0 / (1.0 + exp(-1.0 / sqrt(2.0)));
    const double exact[] = {first, 1.0 - first, 0.5, 0.5};
    check_close(attention, exact, 4, 1e-15);

    test_case("naive attention: without the scale, S = 1 and 0");
    model.scale = NAIVE_SCALE_NONE;
    naive_forward(&model, text, 2, attention, logits);
    double raw = 1.0 / (1.0 + exp(-1.0));
    const double unscaled[] = {raw, 1.0 - raw, 0.5, 0.5};
    check_close(attention, unscaled, 4, 1e-15);

    test_case("naive attention: under the mask query 0 reads itself alone");
    model.mask = NAIVE_MASK_CAUSAL;
    naive_forward(&model, text, 2, attention, logits);
    const double alone[] = {1, 0, 0.5, 0.5}, output[] = {10, 0, 5, 5};
    CHECK(attention[0] == 1.0 && attention[1] == 0.0, "%g %g", attention[0], attention[1]);
    check_close(attention, alone, 4, 1e-15);
    check_close(logits, output, 4, 1e-14);

    test_case("naive attention: uniform mixing is the running mean, or the window's");
    model.mixing = NAIVE_MIXING_UNIFORM;
    naive_forward(&model, text, 2, attention, logits);
    const double running[] = {10, 0, 5, 5}, whole[] = {5, 5, 5, 5};
    check_close(logits, running, 4, 0.0);
    model.mask = NAIVE_MASK_NONE;
    naive_forward(&model, text, 2, attention, logits);
    check_close(logits, whole, 4, 0.0);
}

static void test_hand_loss(void)
{
    test_case("naive loss: two logits, by hand");
    const int text[] = {0, 1}, targets[] = {1, 0};
    NaiveModel model = hand_model();
    model.mask = NAIVE_MASK_CAUSAL;
    model.mixing = NAIVE_MIXING_UNIFORM;
    /* Logits (10, 0) with target 1 lose ln(1 + e^10); (5, 5) lose ln 2. */
    double expected = (log1p(exp(10.0)) + log(2.0)) / 2;
    double loss = naive_loss_and_gradient(&model, 1, 2, text, targets, NULL, NAIVE_CORRECT);
    CHECK(fabs(loss - expected) <= 1e-15 * expected, "%.17g, expected %.17g", loss, expected);

    test_case("naive loss: a vocabulary of one costs nothing and moves nothing");
    const int zeros[] = {0, 0, 0};
    Random random = random_seed(3);
    model = model_open_random((NaiveModel){.V = 1, .T = 3, .C = 2, .H = 3}, &random);
    NaiveModel gradient = model_open(model);
    loss = naive_loss_and_gradient(&model, 1, 3, zeros, zeros, &gradient, NAIVE_CORRECT);
    CHECK(loss == 0.0, "%g", loss);
    for (int i = 0; i < 3 * 2; i++)
        CHECK(gradient.query[i] == 0.0 && gradient.value[i] == 0.0, "entry %d", i);
    model_close(&gradient);
    model_close(&model);
}

static void test_sinusoids(void)
{
    test_case("naive positions: sinusoids of an odd width, by hand");
    /* E = 0, W_V = W_lm = I and the running mean: row 0 is PE(0), row 1 is (PE(0) + PE(1)) / 2. */
    double token[9] = {0}, identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, bias[3] = {0};
    const int text[] = {2, 1};
    NaiveModel model = {
        .V = 3, .T = 2, .C = 3, .H = 3, .positions = NAIVE_POSITIONS_SINUSOIDAL, .mixing = NAIVE_MIXING_UNIFORM,
        .token = token, .value = identity, .lm_weight = identity, .lm_bias = bias,
    };
    double attention[4], logits[6];
    naive_forward(&model, text, 2, attention, logits);
    const double expected[] = {0, 1, 0, sin(1.0) / 2, (1 + cos(1.0)) / 2, sin(pow(10000.0, -2.0 / 3)) / 2};
    check_close(logits, expected, 6, 1e-15);
}

static void test_causality(void)
{
    test_case("naive attention: a later character leaves earlier rows bit-identical");
    enum { V = 6, T = 9 };
    Random random = random_seed(5);
    NaiveModel model = model_open_random((NaiveModel){.V = V, .T = T, .C = 5, .H = 4}, &random);
    int text[T];
    double attention[T * T], before[T * V], after[T * V];
    draw_ids(text, T, V, &random);
    naive_forward(&model, text, T, attention, before);
    for (int i = 0; i < T; i++) {
        double sum = 0.0;
        for (int j = 0; j < T; j++) {
            CHECK(j <= i ? attention[i * T + j] > 0.0 : attention[i * T + j] == 0.0, "row %d, column %d", i, j);
            sum += attention[i * T + j];
        }
        CHECK(fabs(sum - 1.0) <= 1e-15, "row %d sums to %.17g", i, sum);
    }
    text[4] = (text[4] + 1) % V;
    naive_forward(&model, text, T, attention, after);
    CHECK(memcmp(before, after, 4 * V * sizeof *before) == 0, "a row before the change moved");
    CHECK(largest_difference(before + 4 * V, after + 4 * V, V) > 1e-3, "the change itself had no effect");
    model_close(&model);
}

typedef struct GradientCheck {
    double error;         /* the largest of any entry, relative to its tensor's norm, or NaN */
    double smallest_norm; /* of the tensors that the loss depends on */
    int tensors;          /* how many those are; every other array must get exact zeros, else the error is infinite */
} GradientCheck;

/* The gradient with that fault against central differences of the loss, at a random point and batch. */
static GradientCheck check_gradient(NaiveModel like, int B, int n, NaiveFault fault)
{
    const double step = 1e-5;
    Random random = random_seed(7);
    NaiveModel model = model_open_random(like, &random), gradient = model_open_random(like, &random);
    int inputs[MOST_IDS], targets[MOST_IDS];
    draw_ids(inputs, B * n, model.V, &random);
    draw_ids(targets, B * n, model.V, &random);
    naive_loss_and_gradient(&model, B, n, inputs, targets, &gradient, fault);

    Tensor weights[TENSOR_COUNT], analytic[TENSOR_COUNT];
    tensors_of(&model, weights);
    tensors_of(&gradient, analytic);
    GradientCheck check = {.smallest_norm = INFINITY};
    for (int i = 0; i < TENSOR_COUNT && !isnan(check.error); i++) {
        double squares = 0.0, error = 0.0;
        for (size_t j = 0; j < weights[i].count && !isnan(error); j++) {
            double kept = weights[i].data[j];
            weights[i].data[j] = kept + step;
            double above = naive_loss_and_gradient(&model, B, n, inputs, targets, NULL, NAIVE_CORRECT);
            weights[i].data[j] = kept - step;
            double below = naive_loss_and_gradient(&model, B, n, inputs, targets, NULL, NAIVE_CORRECT);
            weights[i].data[j] = kept;
            double numeric = (above - below) / (2 * step), difference = fabs(analytic[i].data[j] - numeric);
            squares += numeric * numeric;
            error = difference <= error ? error : difference;
        }
        if (squares > 0.0) {
            error /= sqrt(squares);
            check.smallest_norm = fmin(check.smallest_norm, sqrt(squares));
            check.tensors++;
        } else if (error > 0.0) {
            error = INFINITY;
        }
        check.error = error <= check.error ? check.error : error;
    }
    model_close(&gradient);
    model_close(&model);
    return check;
}

/* Ragged sizes: C != H both ways, windows shorter than the context, a batch of one. */
static const struct {
    NaiveModel model;
    int B, n;
} gradient_sizes[] = {
    {{.V = 5, .T = 7, .C = 3, .H = 2}, 2, 7},
    {{.V = 7, .T = 5, .C = 4, .H = 9}, 3, 3},
    {{.V = 2, .T = 4, .C = 5, .H = 3}, 1, 4},
};

static void test_gradient(void)
{
    static const char *positions_names[] = {"learned", "sinusoidal", "none"};
    for (int options = 0; options < 3 * 2 * 2 * 2; options++) {
        int positions = options / 8, mask = options / 4 % 2, mixing = options / 2 % 2, scale = options % 2;
        char name[128];
        snprintf(name, sizeof name, "naive gradient: positions %s, mask %s, mixing %s, scale %s",
                 positions_names[positions], mask ? "none" : "causal", mixing ? "uniform" : "attention",
                 scale ? "none" : "sqrt");
        test_case(name);
        for (size_t i = 0; i < sizeof gradient_sizes / sizeof *gradient_sizes; i++) {
            NaiveModel model = gradient_sizes[i].model;
            model.positions = (NaivePositions)positions;
            model.mask = (NaiveMask)mask;
            model.mixing = (NaiveMixing)mixing;
            model.scale = (NaiveScale)scale;
            GradientCheck check = check_gradient(model, gradient_sizes[i].B, gradient_sizes[i].n, NAIVE_CORRECT);
            CHECK(check.error <= 1e-7, "size %zu: %.3g", i, check.error);
            CHECK(check.smallest_norm >= 1e-3, "size %zu: a norm of %.3g proves little", i, check.smallest_norm);
            int trained = TENSOR_COUNT - (positions != NAIVE_POSITIONS_LEARNED) - (mixing ? 2 : 0);
            CHECK(check.tensors == trained, "size %zu: %d tensors matter, not %d", i, check.tensors, trained);
        }
    }
}

static void test_faults(void)
{
    static const char *names[NAIVE_FAULT_COUNT] = {
        "correct", "flipped sign", "missing scale", "dropped key", "diagonal softmax", "1/sqrt(C)", "zero", "nan",
    };
    for (int fault = NAIVE_CORRECT + 1; fault < NAIVE_FAULT_COUNT; fault++) {
        char name[128];
        snprintf(name, sizeof name, "naive fault refused: %s", names[fault]);
        test_case(name);
        for (int mask = NAIVE_MASK_CAUSAL; mask <= NAIVE_MASK_NONE; mask++) {
            NaiveModel model = gradient_sizes[0].model;
            model.mask = (NaiveMask)mask;
            GradientCheck checked = check_gradient(model, 2, 7, (NaiveFault)fault);
            CHECK(!(checked.error <= 1e-2), "an error of only %.3g", checked.error);
            CHECK(isnan(checked.error) == (fault == NAIVE_NAN), "%g", checked.error);
        }
    }
}

static void test_adam(void)
{
    NaiveAdam adam = {.learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    const double gradient[] = {3.0, -0.001, 0.0, 250.0};
    double m[4] = {0}, v[4] = {0}, weights[] = {1.0, 1.0, 1.0, 1.0};

    test_case("naive Adam: the first step moves each weight by the learning rate, whatever its gradient");
    adam.step = 1;
    naive_adam_step(adam, 4, gradient, m, v, weights);
    const double first[] = {0.99, 1.01, 1.0, 0.99};
    check_close(weights, first, 4, 1e-2 * 1e-8 / 0.001 * 1.01);
    CHECK(weights[2] == 1.0, "%.17g", weights[2]);

    test_case("naive Adam: a constant gradient moves by the learning rate at every step");
    for (adam.step = 2; adam.step <= 20; adam.step++)
        naive_adam_step(adam, 4, gradient, m, v, weights);
    const double twentieth[] = {0.8, 1.2, 1.0, 0.8};
    check_close(weights, twentieth, 4, 20 * 1e-2 * 1e-8 / 0.001 * 1.01);

    test_case("naive Adam: a gradient of 1, then of 0, by hand");
    double one = 1.0, none = 0.0, moment = 0.0, square = 0.0, weight = 0.0;
    adam.epsilon = 0.5;
    adam.step = 1;
    naive_adam_step(adam, 1, &one, &moment, &square, &weight);
    CHECK(fabs(weight + 1e-2 / 1.5) <= 1e-16, "%.17g", weight);
    adam.step = 2;
    naive_adam_step(adam, 1, &none, &moment, &square, &weight);
    /* m = 0.09 over 1 - 0.81;  v = 0.000999 over 1 - 0.998001 */
    double second = -1e-2 / 1.5 - 1e-2 * (0.09 / 0.19) / (sqrt(0.000999 / 0.001999) + 0.5);
    CHECK(fabs(weight - second) <= 1e-15, "%.17g, expected %.17g", weight, second);
}

int main(void)
{
    test_hand_attention();
    test_hand_loss();
    test_sinusoids();
    test_causality();
    test_gradient();
    test_faults();
    test_adam();
    return test_finish();
}
