/* Loss and gradient of a step against the naive model, for every combination of ablations at ragged sizes and with
 * every plan of the tables; and the same bits on any number of threads. */
#include "model/step.h"

#include "real_model.h"
#include "test.h"

enum { COMBINATIONS = 3 * 2 * 2 * 2 };

typedef struct Shape {
    int B, length, T, C, H, V;
} Shape;

static const Shape shapes[] = {
    {1, 1, 1, 1, 1, 1},     {2, 5, 5, 3, 7, 1},      {3, 1, 1, 4, 5, 6},
    {3, 7, 7, 5, 3, 9},     {4, 6, 11, 17, 2, 5},    /* windows shorter than the context */
    {2, 70, 70, 9, 17, 33}, {3, 65, 70, 33, 20, 65}, /* two row blocks */
    {2, 5, 6, 8, 11, 300},                           /* most characters do not occur */
    {20, 66, 66, 6, 5, 13},                          /* shards of two sequences */
    {1, 400, 400, 7, 10, 21},                        /* shards of rows of one sequence */
    {2, 280, 286, 5, 4, 3},                          /* and of two */
    {3, 9, 9, 5, 6, 2},     {2, 33, 37, 9, 17, 2},   /* with linear_first a value of one column */
    {2, 31, 31, 7, 6, 17},                           /* and one of whole vectors */
    {3, 100, 100, 5, 6, 180},                        /* more than 128 characters occur */
};

static ModelConfig config_of(Shape shape, int combination)
{
    return (ModelConfig){
        .context = shape.T, .channels = shape.C, .head_size = shape.H, .vocabulary_size = shape.V,
        .positions = (Positions)(combination / 8), .mask = (Mask)(combination / 4 % 2),
        .mixing = (Mixing)(combination / 2 % 2), .scale = (Scale)(combination % 2),
    };
}

/* Constants have no gradient: what stood there still stands. */
static void check_constants(const Parameters *gradient)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix values = gradient->tensors[i].values;
        for (int j = 0; !gradient->tensors[i].trained && j < values.rows * values.columns; j++)
            CHECK(isnan(values.data[j]), "the constant %s got a gradient", gradient->tensors[i].name);
    }
}

static void check_step(Shape shape, const Parameters *p, Batch batch, int plan, double loss, NaiveModel *expected)
{
    const char *where = "", *named = test_plan_name(plan);
    Step step = test_step(&p->config, batch.count + 1, 1, plan);
    Parameters gradient = test_parameters_nan(&p->config);
    double ours = step_gradient(&step, p, batch, &gradient), positions = (double)batch.count * batch.length;
    double sum = step_loss(&step, p, batch), difference = parameters_difference(&gradient, expected, &where);
    CHECK(fabs(ours - loss) <= tolerance(1e-6, 1e-13) * (1 + loss), "B %d length %d V %d, %s: %.9g, not %.9g",
          shape.B, shape.length, shape.V, named, ours, loss);
    CHECK(fabs(sum / positions - ours) <= tolerance(1e-6, 1e-13) * (1 + loss), "step_loss %.9g, step_gradient %.9g",
          sum / positions, ours);
    CHECK(difference <= tolerance(5e-6, 1e-12), "B %d length %d T %d C %d H %d V %d, %s, %s: %.3g", shape.B,
          shape.length, shape.T, shape.C, shape.H, shape.V, named, where, difference);
    check_constants(&gradient);
    if (shape.V == 1) {
        CHECK(ours == 0, "one character costs %g", ours);
        for (int i = 0; i < TENSOR_COUNT; i++)
            for (int j = 0; gradient.tensors[i].trained && j < gradient.tensors[i].values.columns; j++)
                CHECK(gradient.tensors[i].values.data[j] == 0, "one character moves %s", gradient.tensors[i].name);
    }
    parameters_close(&gradient);
    step_close(&step);
}

static void test_combination(int combination)
{
    char name[128];
    ModelConfig config = config_of(shapes[0], combination);
    snprintf(name, sizeof name, "step: equals the naive model; positions %s, mask %s, mixing %s, scale %s",
             positions_names[config.positions], mask_names[config.mask], mixing_names[config.mixing],
             scale_names[config.scale]);
    test_case(name);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        config = config_of(shapes[s], combination);
        Parameters p = test_parameters(&config, 10 + s);
        Batch batch = test_batch(shapes[s].B, shapes[s].length, shapes[s].V, 20 + s);
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

/* The comparison itself must refuse what it is there to refuse. */
static void test_refusals(void)
{
    static const char *const names[NAIVE_FAULT_COUNT] = {
        "correct", "flipped sign", "missing scale", "dropped key", "diagonal softmax", "1/sqrt(C)", "zero", "nan",
    };
    for (int fault = NAIVE_CORRECT + 1; fault < NAIVE_FAULT_COUNT; fault++) {
        char name[128];
        snprintf(name, sizeof name, "step: a gradient with this fault is refused: %s", names[fault]);
        test_case(name);
        const char *where = "";
        ModelConfig config = config_of((Shape){2, 70, 70, 9, 17, 33}, 0);
        Parameters p = test_parameters(&config, 1), gradient = test_parameters_nan(&config);
        Batch batch = test_batch(2, 70, 33, 2);
        NaiveModel naive = naive_open(&p), wrong = naive_open(&p);
        Step step = test_step(&config, 2, 1, 0);
        naive_loss_and_gradient(&naive, 2, 70, batch.inputs, batch.targets, &wrong, (NaiveFault)fault);
        step_gradient(&step, &p, batch, &gradient);
        double difference = parameters_difference(&gradient, &wrong, &where);
        CHECK(!(difference <= 1e-2), "%s: only %.3g", where, difference);
        naive_close(&naive);
        naive_close(&wrong);
        step_close(&step);
        parameters_close(&p);
        parameters_close(&gradient);
        test_batch_close(batch);
    }
}

/* Loss and gradient on so many threads; the gradient begins as NaN, so that equal bits also mean all was written. */
static double gradient_on(int threads, const Parameters *p, Batch batch, int plan, Parameters *gradient)
{
    Step step = test_step(&p->config, batch.count, threads, plan);
    *gradient = test_parameters_nan(&p->config);
    double loss = step_gradient(&step, p, batch, gradient);
    step_close(&step);
    return loss;
}

static void check_near(Tensor a, Tensor b, int count, int length)
{
    double largest = 0, difference = 0;
    for (int i = 0; i < a.values.rows * a.values.columns; i++) {
        double off = fabs((double)a.values.data[i] - (double)b.values.data[i]), size = fabs((double)b.values.data[i]);
        if (!(off <= difference) && !isnan(difference))
            difference = off; /* a NaN, once there, stays */
        largest = size > largest ? size : largest;
    }
    CHECK(difference <= tolerance(1e-5, 1e-12) * (largest + 1e-3), "%d x %d, %s: %.3g of %.3g", count, length, a.name,
          difference, largest);
}

static bool same_gradient(const Parameters *a, const Parameters *b)
{
    for (int i = 0; i < TENSOR_COUNT; i++)
        if (a->tensors[i].trained && !matrix_same_bits(a->tensors[i].values, b->tensors[i].values))
            return false;
    return true;
}

static void check_threads(Shape shape, int combination, int plan)
{
    static const int threads[] = {1, 2, 3, 7};
    ModelConfig config = config_of(shape, combination);
    Parameters p = test_parameters(&config, 1), first, other;
    Batch batch = test_batch(shape.B, shape.length, shape.V, 3);
    double loss = gradient_on(1, &p, batch, plan, &first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        double again = gradient_on(threads[i], &p, batch, plan, &other);
        CHECK(memcmp(&loss, &again, sizeof loss) == 0, "%d threads: loss %.17g, not %.17g", threads[i], again, loss);
        CHECK(same_gradient(&first, &other), "B %d length %d, %s: other gradient on %d threads", shape.B,
              shape.length, test_plan_name(plan), threads[i]);
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
        {{3, 7, 7, 5, 3, 9}, 0},       {{2, 70, 73, 9, 17, 33}, 0},     {{37, 40, 41, 33, 18, 65}, 0},
        {{37, 40, 41, 33, 18, 65}, 2}, {{1, 450, 450, 12, 10, 40}, 0}, {{1, 450, 450, 12, 10, 40}, 4},
    };
    test_case("step: the same bits on 1, 2, 3 and 7 threads, and in two runs");
    for (int plan = 0; plan < TEST_PLANS; plan++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            check_threads(steps[s].shape, steps[s].combination, plan);

    test_case("step: one Step gives the same bits again after batches of other sizes and characters");
    ModelConfig config = config_of((Shape){8, 70, 70, 9, 17, 33}, 0);
    Parameters p = test_parameters(&config, 1);
    Parameters first = test_parameters_nan(&config), again = test_parameters_nan(&config);
    Batch batch = test_batch(8, 70, 33, 5), single = test_batch(1, 3, 33, 6), narrow = test_batch(5, 66, 2, 7);
    for (int plan = 0; plan < TEST_PLANS; plan++) {
        Step step = test_step(&config, 8, 2, plan);
        double loss = step_gradient(&step, &p, batch, &first);
        step_gradient(&step, &p, single, &again);
        step_loss(&step, &p, narrow);
        step_gradient(&step, &p, narrow, &again);
        CHECK(step_gradient(&step, &p, batch, &again) == loss && same_gradient(&first, &again), "%s",
              test_plan_name(plan));
        step_close(&step);
    }
    parameters_close(&p);
    parameters_close(&first);
    parameters_close(&again);
    test_batch_close(batch);
    test_batch_close(single);
    test_batch_close(narrow);
}

/* Any batch within the limits must fit into the memory that was taken for the largest. */
static void test_smaller_batches(void)
{
    test_case("step: batches of every smaller size give the gradient of a Step of their own");
    static const Shape limits[] = {{5, 300, 300, 3, 4, 9}, {19, 40, 40, 3, 4, 50}, {1, 2100, 2100, 2, 3, 6}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        Shape limit = limits[i];
        ModelConfig config = config_of(limit, 0);
        Parameters p = test_parameters(&config, 1), gradient = test_parameters_nan(&config), own;
        Step step = test_step(&config, limit.B, 2, 0);
        for (int count = 1; count <= limit.B; count += 1 + count / 3)
            for (int length = 1; length <= limit.T; length += 1 + length / 2) {
                Batch batch = test_batch(count, length, limit.V, 4);
                double loss = step_gradient(&step, &p, batch, &gradient), again = gradient_on(1, &p, batch, 0, &own);
                CHECK(fabs(loss - again) <= tolerance(1e-6, 1e-13) * (1 + again), "%d x %d: loss %.9g, not %.9g",
                      count, length, loss, again);
                for (int t = 0; t < TENSOR_COUNT; t++)
                    check_near(gradient.tensors[t], own.tensors[t], count, length);
                parameters_close(&own);
                test_batch_close(batch);
            }
        step_close(&step);
        parameters_close(&p);
        parameters_close(&gradient);
    }
}

static size_t bytes_of(int context, int vocabulary_size, int batch)
{
    ModelConfig config = {.context = context, .channels = 64, .head_size = 64, .vocabulary_size = vocabulary_size};
    return step_bytes(&config, batch, 2, tables_plan(&config, batch, PRECISION_FLOAT));
}

static void test_memory(void)
{
    enum { MEGABYTE = 1 << 20 };
    test_case("step: memory is linear in the context, and a large vocabulary is not taken by every shard");
    size_t width = sizeof(real) / sizeof(float);
    CHECK(bytes_of(8192, 65, 1) <= 84 * width * MEGABYTE, "T 8192: %zu", bytes_of(8192, 65, 1));
    for (int context = 8192; context < 1 << 20; context *= 2)
        CHECK((double)bytes_of(2 * context, 65, 1) <= 2.1 * (double)bytes_of(context, 65, 1), "T %d: %zu", 2 * context,
              bytes_of(2 * context, 65, 1));
    CHECK(bytes_of(64, 5000, 64) <= 45 * width * MEGABYTE, "V 5000: %zu", bytes_of(64, 5000, 64));
}

int main(void)
{
    test_smaller_batches();
    test_memory();
    for (int combination = 0; combination < COMBINATIONS; combination++)
        test_combination(combination);
    test_refusals();
    test_threads();
    return test_finish();
}
