/* A training step in one parallel region: the same bits as its parts one after the other, on any number of threads,
 * and nothing changed by numbers that are not finite. */
#include "training/update.h"

#include "real_model.h"
#include "test.h"
#include "text/batch.h"

enum { STEPS = 4, TEXT = 3000 };

static const AdamSettings settings = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .weight_decay = 0.1, .clip = 0.5};

/* Whole sequences with few and with many characters, rows of one long sequence, and windows with constants. */
static const struct {
    ModelConfig config;
    int batch;
} cases[] = {
    {{.context = 8, .channels = 32, .head_size = 32, .vocabulary_size = 65}, 32},
    {{.context = 33, .channels = 20, .head_size = 9, .vocabulary_size = 700}, 21},
    {{.context = 600, .channels = 12, .head_size = 10, .vocabulary_size = 40}, 1},
    {{.context = 40, .channels = 17, .head_size = 6, .vocabulary_size = 30, .positions = POSITIONS_SINUSOIDAL,
      .mixing = MIXING_UNIFORM}, 11},
};
enum { CASES = sizeof cases / sizeof *cases };

static Ids test_text(int vocabulary_size)
{
    Ids text;
    Error error;
    Random random = random_seed(9);
    if (!ids_allocate(&text, TEXT, vocabulary_size, &error))
        abort();
    for (size_t i = 0; i < TEXT; i++)
        ids_put(text, i, (int32_t)random_below(&random, (uint64_t)vocabulary_size));
    return text;
}

static Update test_update(int number, int threads)
{
    Update update;
    Error error;
    if (!update_open(&update, &cases[number].config, settings, cases[number].batch, threads, PRECISION_FLOAT, &error))
        abort();
    return update;
}

static bool same_numbers(const Parameters *a, const Parameters *b)
{
    return memcmp(a->tensors[0].values.data, b->tensors[0].values.data, a->count * sizeof(real)) == 0;
}

/* Drawing, gradient, norm and update by the functions that each open a region of their own. */
static void run_parts(Update *u, Parameters *p, Ids text, Random *batches, StepReport *report)
{
    Batch batch = {u->batch_size, u->step.config.context, u->inputs, u->targets};
    batch_draw(batches, text, batch.count, batch.length, u->inputs, u->targets);
    report->loss = step_gradient(&u->step, p, batch, &u->gradient);
    report->gradient_norm = adam_gradient_norm(&u->gradient);
    adam_update(&u->adam, p, &u->gradient, report->gradient_norm, report->learning_rate, 1);
}

static void check_same(int number, int threads)
{
    Ids text = test_text(cases[number].config.vocabulary_size);
    Update parts = test_update(number, 1), whole = test_update(number, threads);
    Parameters expected = test_parameters(&cases[number].config, 1), p = test_parameters(&cases[number].config, 1);
    Random of_parts = random_seed(3), batches = random_seed(3);
    for (int step = 0; step < STEPS; step++) {
        StepReport wanted = {.learning_rate = 1e-2}, report = {.learning_rate = 1e-2};
        run_parts(&parts, &expected, text, &of_parts, &wanted);
        CHECK(update_run(&whole, &p, text, &batches, &report), "case %d: refused", number);
        CHECK(memcmp(&wanted, &report, sizeof report) == 0, "case %d, %d threads, step %d: loss %.17g, norm %.17g, "
              "not %.17g, %.17g", number, threads, step, report.loss, report.gradient_norm, wanted.loss,
              wanted.gradient_norm);
        CHECK(same_numbers(&p, &expected), "case %d, %d threads: other weights after step %d", number, threads, step);
    }
    CHECK(memcmp(&batches, &of_parts, sizeof batches) == 0, "the stream of batches stands elsewhere");
    CHECK(whole.adam.step == STEPS, "Adam is at step %lld", (long long)whole.adam.step);
    CHECK(same_numbers(&whole.adam.m, &parts.adam.m) && same_numbers(&whole.adam.v, &parts.adam.v), "moments");
    parameters_close(&p);
    parameters_close(&expected);
    update_close(&whole);
    update_close(&parts);
    ids_free(&text);
}

static void check_refused(int threads, real bad, int tensor)
{
    Ids text = test_text(65);
    Update update = test_update(0, threads);
    Parameters p = test_parameters(&cases[0].config, 1), before = test_parameters(&cases[0].config, 1);
    Random batches = random_seed(3);
    StepReport report = {.learning_rate = 1e-2};
    p.tensors[tensor].values.data[0] = before.tensors[tensor].values.data[0] = bad;
    CHECK(!update_run(&update, &p, text, &batches, &report), "accepted");
    CHECK(!isfinite(report.loss) || !isfinite(report.gradient_norm), "a loss of %g", report.loss);
    CHECK(same_numbers(&p, &before), "the weights changed");
    CHECK(update.adam.step == 0 && adam_gradient_norm(&update.adam.m) == 0, "Adam went on");
    parameters_close(&p);
    parameters_close(&before);
    update_close(&update);
    ids_free(&text);
}

int main(void)
{
    static const int threads[] = {1, 2, 3, 7};
    test_case("update: the same bits as its parts one after the other, on 1, 2, 3 and 7 threads");
    for (int number = 0; number < CASES; number++)
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            check_same(number, threads[i]);

    test_case("update: a loss or gradient that is not finite changes nothing");
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        check_refused(threads[i], (real)NAN, 4);
        check_refused(threads[i], (real)INFINITY, 6);
    }
    return test_finish();
}
