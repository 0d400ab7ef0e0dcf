/* A step by products of pairs: as near to the naive model as halves allow, for every combination of ablations and plan
 * of the tables; the same bits on any number of threads. */
#include "model/step.h"

#include "real_model.h"
#include "test.h"

enum { COMBINATIONS = 3 * 2 * 2 * 2 };

typedef struct Shape {
    int B, length, T, C, H, V;
} Shape;

static const Shape shapes[] = {
    {1, 1, 1, 1, 1, 1},   {2, 5, 5, 3, 7, 1},    {3, 1, 1, 4, 5, 6}, {3, 9, 9, 5, 6, 2}, {2, 33, 37, 9, 17, 2},
    {4, 6, 11, 17, 2, 5},                            /* windows shorter than the context */
    {2, 70, 70, 9, 17, 33}, {3, 65, 70, 33, 20, 65}, /* two row blocks */
    {2, 5, 6, 8, 11, 300},                           /* most characters do not occur */
    {1, 200, 200, 7, 10, 21},                        /* shards of rows of one sequence */
    {3, 100, 100, 5, 6, 180},                        /* more than 128 characters occur */
    {2, 9, 9, 150, 70, 12},                          /* widths that are deeper than there are rows */
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static ModelConfig config_of(Shape shape, int combination)
{
    return (ModelConfig){
        .context = shape.T, .channels = shape.C, .head_size = shape.H, .vocabulary_size = shape.V,
        .positions = (Positions)(combination / 8), .mask = (Mask)(combination / 4 % 2),
        .mixing = (Mixing)(combination / 2 % 2), .scale = (Scale)(combination % 2),
    };
}

static Step step_of(const ModelConfig *config, int batch_limit, int threads, TablesPlan plan)
{
    Step step;
    Error error;
    if (!step_open(&step, config, batch_limit, threads, plan, &error))
        abort();
    return step;
}

static TablesPlan plan_of_pairs(int number)
{
    TablesPlan plan = test_plan(number);
    plan.pairs = true;
    return plan;
}

/* Loss and gradient, which begins as NaN. */
static double gradient_by(TablesPlan plan, int threads, const Parameters *p, Batch batch, Parameters *gradient)
{
    Step step = step_of(&p->config, batch.count, threads, plan);
    *gradient = test_parameters_nan(&p->config);
    double loss = step_gradient(&step, p, batch, gradient);
    step_close(&step);
    return loss;
}

static bool same_gradient(const Parameters *a, const Parameters *b)
{
    for (int i = 0; i < TENSOR_COUNT; i++)
        if (a->tensors[i].trained && !matrix_same_bits(a->tensors[i].values, b->tensors[i].values))
            return false;
    return true;
}

/* One character costs nothing and moves nothing, rounded or not. */
static void check_single(const Parameters *gradient, double loss)
{
    CHECK(loss == 0, "one character costs %g", loss);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = gradient->tensors[i].values;
        for (int j = 0; gradient->tensors[i].trained && j < values.rows * values.columns; j++)
            CHECK(values.data[j] == 0, "one character moves %s", gradient->tensors[i].name);
    }
}

/* The largest difference of a tensor's gradient, relative to the norm of the whole gradient: the terms of one tensor
 * may all but cancel, as two characters' biases do, and then keep few of the digits that a half has. */
static double difference_of_whole(const Parameters *ours, NaiveModel *expected)
{
    double **places[TENSOR_COUNT], squares = 0, largest = 0;
    naive_places(expected, places);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = ours->tensors[i].values;
        double of_tensor = 0;
        for (int r = 0; ours->tensors[i].trained && r < values.rows; r++)
            for (int c = 0; c < values.columns; c++) {
                double e = (*places[i])[(size_t)r * (size_t)values.columns + (size_t)c];
                double d = (double)matrix_row(values, r)[c] - e;
                squares += e * e;
                of_tensor += d * d;
            }
        if (!(of_tensor <= largest))
            largest = of_tensor;
        if (isnan(largest))
            return NAN;
    }
    return squares > 0 ? sqrt(largest / squares) : sqrt(largest);
}

static void check_step(Shape shape, const Parameters *p, Batch batch, int number, double loss, NaiveModel *expected)
{
    const char *where = "", *named = test_plan_name(number);
    Parameters gradient;
    double ours = gradient_by(plan_of_pairs(number), 1, p, batch, &gradient);
    double of_whole = difference_of_whole(&gradient, expected);
    double of_tensor = parameters_difference(&gradient, expected, &where);
    CHECK(fabs(ours - loss) <= tolerance(2e-3, 1e-7) * (1 + loss), "B %d length %d V %d, %s: %.9g, not %.9g",
          shape.B, shape.length, shape.V, named, ours, loss);
    CHECK(of_whole <= tolerance(shape.V == 2 ? 8e-2 : 2e-2, 1e-6),
          "B %d length %d T %d C %d H %d V %d, %s: %.3g of the gradient's norm", shape.B, shape.length, shape.T,
          shape.C, shape.H, shape.V, named, of_whole);
    CHECK(of_tensor <= tolerance(0.5, 1e-5), "B %d length %d T %d C %d H %d V %d, %s, %s: %.3g", shape.B,
          shape.length, shape.T, shape.C, shape.H, shape.V, named, where, of_tensor);
    if (shape.V == 1)
        check_single(&gradient, ours);
    parameters_close(&gradient);
}

static void test_combination(int combination)
{
    char name[128];
    ModelConfig config = config_of(shapes[0], combination);
    snprintf(name, sizeof name, "step of pairs: near the naive model; positions %s, mask %s, mixing %s, scale %s",
             positions_names[config.positions], mask_names[config.mask], mixing_names[config.mixing],
             scale_names[config.scale]);
    test_case(name);
    for (int s = 0; s < SHAPES; s++) {
        config = config_of(shapes[s], combination);
        Parameters p = test_parameters(&config, 10 + (uint64_t)s);
        Batch batch = test_batch(shapes[s].B, shapes[s].length, shapes[s].V, 20 + (uint64_t)s);
        NaiveModel naive = naive_open(&p), gradient = naive_open(&p);
        double loss = naive_loss_and_gradient(&naive, batch.count, batch.length, batch.inputs, batch.targets, &gradient,
                                              NAIVE_CORRECT);
        for (int plan = 0; plan < TEST_PLANS; plan++)
            check_step(shapes[s], &p, batch, plan, loss, &gradient);
        naive_close(&naive);
        naive_close(&gradient);
        test_batch_close(batch);
        parameters_close(&p);
    }
}

/* The setting does something, in each plan, and never touches a plan without it. */
static void test_rounds(void)
{
    test_case("step of pairs: rounds, and only where the plan says so");
    ModelConfig config = config_of((Shape){2, 70, 70, 9, 17, 33}, 0);
    Parameters p = test_parameters(&config, 1), whole, rounded;
    Batch batch = test_batch(2, 70, 33, 2);
    for (int number = 0; number < TEST_PLANS; number++) {
        gradient_by(test_plan(number), 1, &p, batch, &whole);
        gradient_by(plan_of_pairs(number), 1, &p, batch, &rounded);
        CHECK(!same_gradient(&whole, &rounded), "%s: nothing was rounded", test_plan_name(number));
        parameters_close(&whole);
        parameters_close(&rounded);
    }
    CHECK(tables_plan(&config, 2, PRECISION_BF16).pairs && !tables_plan(&config, 2, PRECISION_FLOAT).pairs,
          "tables_plan");
    parameters_close(&p);
    test_batch_close(batch);
}

static void check_threads(Shape shape, int combination, int number)
{
    static const int threads[] = {1, 2, 3, 7};
    ModelConfig config = config_of(shape, combination);
    Parameters p = test_parameters(&config, 1), first, other;
    Batch batch = test_batch(shape.B, shape.length, shape.V, 3);
    double loss = gradient_by(plan_of_pairs(number), 1, &p, batch, &first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        double again = gradient_by(plan_of_pairs(number), threads[i], &p, batch, &other);
        CHECK(memcmp(&loss, &again, sizeof loss) == 0, "%d threads: loss %.17g, not %.17g", threads[i], again, loss);
        CHECK(same_gradient(&first, &other), "B %d length %d, %s: other gradient on %d threads", shape.B,
              shape.length, test_plan_name(number), threads[i]);
        parameters_close(&other);
    }
    parameters_close(&first);
    parameters_close(&p);
    test_batch_close(batch);
}

static void test_threads(void)
{
    static const struct {
        Shape shape;
        int combination;
    } steps[] = {
        {{3, 7, 7, 5, 3, 9}, 0},       {{2, 70, 73, 9, 17, 33}, 0},    {{37, 40, 41, 33, 18, 65}, 0},
        {{37, 40, 41, 33, 18, 65}, 2}, {{1, 450, 450, 12, 10, 40}, 0}, {{1, 450, 450, 12, 10, 40}, 4},
    };
    test_case("step of pairs: the same bits on 1, 2, 3 and 7 threads, and in two runs");
    for (int number = 0; number < TEST_PLANS; number++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            check_threads(steps[s].shape, steps[s].combination, number);
}

/* Scratch holds what the step before left: it must not matter. */
static void test_again(void)
{
    test_case("step of pairs: the same bits again after batches of other sizes and characters");
    ModelConfig config = config_of((Shape){8, 70, 70, 9, 17, 33}, 0);
    Parameters p = test_parameters(&config, 1);
    Parameters first = test_parameters_nan(&config), again = test_parameters_nan(&config);
    Batch batch = test_batch(8, 70, 33, 5), single = test_batch(1, 3, 33, 6), narrow = test_batch(5, 66, 2, 7);
    for (int number = 0; number < TEST_PLANS; number++) {
        Step step = step_of(&config, 8, 2, plan_of_pairs(number));
        double loss = step_gradient(&step, &p, batch, &first);
        step_gradient(&step, &p, single, &again);
        step_loss(&step, &p, narrow);
        step_gradient(&step, &p, narrow, &again);
        CHECK(step_gradient(&step, &p, batch, &again) == loss && same_gradient(&first, &again), "%s",
              test_plan_name(number));
        step_close(&step);
    }
    parameters_close(&p);
    parameters_close(&first);
    parameters_close(&again);
    test_batch_close(batch);
    test_batch_close(single);
    test_batch_close(narrow);
}

/* A validation loss must not depend on how the model was trained. */
static void test_loss(void)
{
    test_case("step_loss: rounds nothing, whatever the plan");
    for (int s = 0; s < SHAPES; s++)
        for (int number = 0; number < TEST_PLANS; number++) {
            ModelConfig config = config_of(shapes[s], 4 * (s % 2));
            Parameters p = test_parameters(&config, 1), gradient;
            Batch batch = test_batch(shapes[s].B, shapes[s].length, shapes[s].V, 2);
            Step whole = step_of(&config, batch.count, 2, test_plan(number));
            Step rounded = step_of(&config, batch.count, 2, plan_of_pairs(number));
            gradient = test_parameters_nan(&config);
            double expected = step_loss(&whole, &p, batch), before = step_loss(&rounded, &p, batch);
            step_gradient(&rounded, &p, batch, &gradient);
            double after = step_loss(&rounded, &p, batch);
            CHECK(before == expected, "B %d V %d, %s: %.9g, not %.9g", shapes[s].B, shapes[s].V,
                  test_plan_name(number), before, expected);
            CHECK(after == expected, "B %d V %d, %s: %.9g after a gradient, not %.9g", shapes[s].B, shapes[s].V,
                  test_plan_name(number), after, expected);
            step_close(&whole);
            step_close(&rounded);
            parameters_close(&p);
            parameters_close(&gradient);
            test_batch_close(batch);
        }
}

int main(void)
{
    for (int combination = 0; combination < COMBINATIONS; combination++)
        test_combination(combination);
    test_rounds();
    test_threads();
    test_again();
    test_loss();
    return test_finish();
}
