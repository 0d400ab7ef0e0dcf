/* Adam against the plain update, and the schedule at every step of every length. */
#include "optimizer/adam.h"
#include "optimizer/schedule.h"

#include "real_model.h"
#include "test.h"

/* More than one thread's piece of the largest tensors, and ragged. */
static const ModelConfig config = {.context = 71, .channels = 70, .head_size = 33, .vocabulary_size = 130};
static const AdamSettings usual = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};

static void gradient_fill(Parameters *gradient, uint64_t seed, double size)
{
    Random random = random_seed(seed);
    for (size_t i = 0; i < gradient->count; i++)
        gradient->tensors[0].values.data[i] = (real)(size * random_normal(&random));
}

static Adam test_adam(const ModelConfig *of, AdamSettings settings)
{
    Adam adam;
    Error error;
    if (!adam_open(&adam, of, settings, &error))
        abort();
    return adam;
}

/* All tensors as one row. */
static void check_near(const char *name, const Parameters *ours, const double *expected, double allowed)
{
    double difference = matrix_difference(matrix_view(ours->tensors[0].values.data, 1, (int)ours->count, 0), expected);
    CHECK(difference <= allowed, "%s: %.3g", name, difference);
}

static void test_against_plain(void)
{
    test_case("adam: 20 steps equal the plain update");
    Parameters p = test_parameters(&config, 1), gradient = test_parameters(&config, 2);
    Adam adam = test_adam(&config, usual);
    double *numbers = calloc(4 * p.count, sizeof *numbers), *weights = numbers, *m = numbers + p.count;
    double *v = m + p.count, *g = v + p.count;
    if (numbers == NULL)
        abort();
    for (size_t i = 0; i < p.count; i++)
        weights[i] = (double)p.tensors[0].values.data[i];
    for (int step = 1; step <= 20; step++) {
        double rate = step % 3 ? 1e-2 : 3e-3;
        gradient_fill(&gradient, (uint64_t)step, step % 5 ? 1e-3 : 10);
        for (size_t i = 0; i < p.count; i++)
            g[i] = (double)gradient.tensors[0].values.data[i];
        naive_adam_step((NaiveAdam){rate, usual.beta1, usual.beta2, usual.epsilon, step}, p.count, g, m, v, weights);
        adam_update(&adam, &p, &gradient, adam_gradient_norm(&gradient), rate, 2);
        check_near("weights", &p, weights, tolerance(1e-6, 1e-14));
        CHECK(adam.step == step, "the step is %lld after %d updates", (long long)adam.step, step);
    }
    check_near("m", &adam.m, m, tolerance(1e-6, 1e-14));
    check_near("v", &adam.v, v, tolerance(1e-6, 1e-14));
    free(numbers);
    adam_close(&adam);
    parameters_close(&p);
    parameters_close(&gradient);
}

static void test_first_step(void)
{
    test_case("adam: the first step moves every weight by the learning rate against its gradient's sign");
    for (int size = -4; size <= 4; size++) {
        Parameters p = test_parameters(&config, 1), gradient = test_parameters(&config, 2), before;
        Adam adam = test_adam(&config, usual);
        before = test_parameters(&config, 1);
        gradient_fill(&gradient, 3, pow(10, size));
        adam_update(&adam, &p, &gradient, adam_gradient_norm(&gradient), 0.125, 1);
        for (size_t i = 0; i < p.count; i++) {
            double g = (double)gradient.tensors[0].values.data[i];
            double moved = (double)before.tensors[0].values.data[i] - (double)p.tensors[0].values.data[i];
            double expected = copysign(0.125, g) / (1 + 1e-8 / fabs(g));
            CHECK(fabs(moved - expected) <= tolerance(5e-7, 1e-14), "gradient %g moved a weight by %g", g, -moved);
        }
        adam_close(&adam);
        parameters_close(&p);
        parameters_close(&gradient);
        parameters_close(&before);
    }
}

/* One update of every weight from 2 with gradient 3 and these settings; returns the first new weight. */
static double one_update(AdamSettings settings, int steps, double rate)
{
    Parameters p = test_parameters(&config, 1), gradient = test_parameters(&config, 1);
    Adam adam = test_adam(&config, settings);
    for (size_t i = 0; i < p.count; i++) {
        p.tensors[0].values.data[i] = 2;
        gradient.tensors[0].values.data[i] = 3;
    }
    for (int step = 0; step < steps; step++)
        adam_update(&adam, &p, &gradient, adam_gradient_norm(&gradient), rate, 3);
    double weight = (double)p.tensors[0].values.data[0];
    for (size_t i = 0; i < p.count; i++)
        CHECK((double)p.tensors[0].values.data[i] == weight, "number %zu went another way", i);
    adam_close(&adam);
    parameters_close(&p);
    parameters_close(&gradient);
    return weight;
}

static void test_decay_and_clip(void)
{
    AdamSettings settings = usual;
    test_case("adam: decay is decoupled: rate * decay * w beside Adam's own move");
    settings.weight_decay = 0.5;
    double decayed = one_update(settings, 1, 0.125), expected = 2 - 0.125 * 0.5 * 2 - 0.125;
    CHECK(fabs(decayed - expected) <= tolerance(5e-7, 1e-9), "%.9g, not %.9g", decayed, expected);

    test_case("adam: the clip scales the whole gradient to its norm, and leaves a smaller one alone");
    settings = usual;
    settings.epsilon = 1; /* so that the size of a gradient shows */
    Parameters p = test_parameters(&config, 1);
    double norm = 3 * sqrt((double)p.count);
    parameters_close(&p);
    settings.clip = norm / 4;
    double clipped = one_update(settings, 1, 0.125), small = 0.75;
    CHECK(fabs(clipped - (2 - 0.125 * small / (small + 1))) <= tolerance(5e-7, 1e-12), "%.9g", clipped);
    settings.clip = norm * 1.001;
    double loose = one_update(settings, 1, 0.125), whole = 3;
    CHECK(fabs(loose - (2 - 0.125 * whole / (whole + 1))) <= tolerance(5e-7, 1e-12), "%.9g", loose);
    settings.clip = 0;
    CHECK(one_update(settings, 1, 0.125) == loose, "a clip of 0 is no limit");

    test_case("adam: epsilon stands outside the root; a gradient of zero moves nothing");
    Parameters zero = test_parameters(&config, 1), before = test_parameters(&config, 1);
    Parameters none = test_parameters(&config, 2);
    Adam adam = test_adam(&config, usual);
    memset(none.tensors[0].values.data, 0, none.count * sizeof(real));
    adam_update(&adam, &zero, &none, 0, 0.125, 2);
    CHECK(memcmp(zero.tensors[0].values.data, before.tensors[0].values.data, zero.count * sizeof(real)) == 0, "moved");
    adam_close(&adam);
    parameters_close(&zero);
    parameters_close(&before);
    parameters_close(&none);
}

static void test_threads(void)
{
    static const int threads[] = {1, 2, 3, 7};
    test_case("adam: the same bits on 1, 2, 3 and 7 threads; the gradient stays as it was");
    AdamSettings settings = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .weight_decay = 0.1, .clip = 5};
    Parameters first = {0}, gradient = test_parameters(&config, 2), kept = test_parameters(&config, 2);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        Parameters p = test_parameters(&config, 1);
        Adam adam = test_adam(&config, settings);
        for (int step = 0; step < 5; step++) {
            gradient_fill(&gradient, (uint64_t)step, 1);
            gradient_fill(&kept, (uint64_t)step, 1);
            adam_update(&adam, &p, &gradient, adam_gradient_norm(&gradient), 1e-2, threads[i]);
        }
        CHECK(memcmp(gradient.tensors[0].values.data, kept.tensors[0].values.data, kept.count * sizeof(real)) == 0,
              "moved");
        adam_close(&adam);
        if (i == 0)
            first = p;
        CHECK(memcmp(first.tensors[0].values.data, p.tensors[0].values.data, p.count * sizeof(real)) == 0, "%d threads",
              threads[i]);
        if (i > 0)
            parameters_close(&p);
    }
    parameters_close(&first);
    parameters_close(&gradient);
    parameters_close(&kept);
}

static void test_constants(void)
{
    test_case("adam: constants stay, whatever stands in their gradient, and count in no norm");
    ModelConfig ablated = config;
    ablated.positions = POSITIONS_SINUSOIDAL;
    ablated.mixing = MIXING_UNIFORM;
    Parameters p = test_parameters(&ablated, 1), before = test_parameters(&ablated, 1);
    Parameters gradient = test_parameters_nan(&ablated);
    AdamSettings settings = usual;
    settings.weight_decay = 0.5;
    Adam adam = test_adam(&ablated, settings);
    for (int i = 0; i < TENSOR_COUNT; i++)
        for (int j = 0; gradient.tensors[i].trained && j < p.tensors[i].values.rows * p.tensors[i].values.columns; j++)
            gradient.tensors[i].values.data[j] = 1;
    double norm = adam_gradient_norm(&gradient), expected = sqrt((double)parameters_trained_count(&p));
    CHECK(fabs(norm - expected) <= 1e-12 * expected, "%.17g, not %.17g", norm, expected);
    adam_update(&adam, &p, &gradient, norm, 1e-2, 2);
    for (int i = 0; i < TENSOR_COUNT; i++)
        CHECK(matrix_same_bits(p.tensors[i].values, before.tensors[i].values) != p.tensors[i].trained, "%s",
              p.tensors[i].name);
    CHECK(parameters_find_nonfinite(&p) == NULL, "NaN reached a weight");
    adam_close(&adam);
    adam_close(&adam);
    parameters_close(&p);
    parameters_close(&before);
    parameters_close(&gradient);
}

static void test_norm(void)
{
    test_case("adam_gradient_norm: against long double; NaN or infinite when any one number is");
    Parameters gradient = test_parameters(&config, 1);
    long double squares = 0;
    for (size_t i = 0; i < gradient.count; i++)
        squares += (long double)gradient.tensors[0].values.data[i] * (long double)gradient.tensors[0].values.data[i];
    double norm = adam_gradient_norm(&gradient);
    CHECK(fabs(norm - (double)sqrtl(squares)) <= 1e-14 * norm, "%.17g, not %.17Lg", norm, sqrtl(squares));
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix m = gradient.tensors[i].values;
        for (int j = 0; j < 20; j++) {
            real *place = m.data + (j < 10 ? j : m.rows * m.columns - 1 - (j - 10)), kept = *place;
            *place = (real)NAN;
            CHECK(isnan(adam_gradient_norm(&gradient)), "NaN in %s is lost", gradient.tensors[i].name);
            *place = (real)-INFINITY;
            CHECK(isinf(adam_gradient_norm(&gradient)), "infinity in %s is lost", gradient.tensors[i].name);
            *place = kept;
        }
    }
    for (size_t i = 0; i < gradient.count; i++)
        gradient.tensors[0].values.data[i] = (real)1e30;
    norm = adam_gradient_norm(&gradient);
    CHECK(fabs(norm / (1e30 * sqrt((double)gradient.count)) - 1) <= 1e-6, "large numbers overflow: %g", norm);
    parameters_close(&gradient);
}

static void test_schedule(void)
{
    test_case("schedule: finite, positive and at most the rate at every step of any length and warm-up");
    const double minima[] = {0, 1e-3, 1e-2};
    for (int kind = SCHEDULE_COSINE; kind <= SCHEDULE_CONSTANT; kind++)
        for (int steps = 0; steps <= 50; steps++)
            for (int warmup = 0; warmup <= 60; warmup++)
                for (int m = 0; m < 3; m++)
                    for (int step = 0; step <= steps + 3; step++) {
                        Schedule s = {(ScheduleKind)kind, 1e-2, minima[m], warmup, steps};
                        double rate = schedule_rate(&s, step), before = step > 0 ? schedule_rate(&s, step - 1) : 0;
                        int rising = warmup < steps ? warmup : steps, last = steps > 0 ? steps - 1 : 0;
                        CHECK(rate > 0 && rate <= 1e-2 * (1 + 1e-15), "%s %d/%d, step %d: %g", schedule_names[kind],
                              warmup, steps, step, rate);
                        if (step > 0 && step < rising)
                            CHECK(rate > before, "warm-up falls at %d of %d", step, warmup);
                        else if (step > rising)
                            CHECK(rate <= before, "%s rises at %d of %d", schedule_names[kind], step, steps);
                        if (step >= rising && step <= last)
                            CHECK(rate >= minima[m], "%g is below the minimum", rate);
                        if (step > last)
                            CHECK(rate == schedule_rate(&s, last), "another rate after the end");
                    }

    test_case("schedule: by hand: warm-up 1/4 to 1, the cosine's middle and end, a constant");
    Schedule s = {SCHEDULE_COSINE, 0.8, 0.2, 4, 12};
    const double expected[] = {0.2, 0.4, 0.6, 0.8, 0.8, 0.5 + 0.3 * cos(M_PI / 8), 0.5 + 0.3 * sqrt(0.5),
                               0.5 + 0.3 * cos(3 * M_PI / 8), 0.5, 0.5 - 0.3 * cos(3 * M_PI / 8), 0.5 - 0.3 * sqrt(0.5),
                               0.5 - 0.3 * cos(M_PI / 8)};
    for (int step = 0; step < 12; step++)
        CHECK(fabs(schedule_rate(&s, step) - expected[step]) <= 1e-15, "step %d: %.17g, not %.17g", step,
              schedule_rate(&s, step), expected[step]);
    s.kind = SCHEDULE_CONSTANT;
    for (int step = 0; step < 20; step++)
        CHECK(fabs(schedule_rate(&s, step) - (step < 4 ? 0.2 * (step + 1) : 0.8)) <= 1e-15, "step %d", step);
    CHECK(schedule_rate(&(Schedule){SCHEDULE_COSINE, 1e-2, 0, 0, 1}, 0) == 1e-2, "a single step has the whole rate");
    CHECK(strcmp(schedule_names[SCHEDULE_COSINE], "cosine") == 0, "%s", schedule_names[SCHEDULE_COSINE]);
    CHECK(strcmp(schedule_names[SCHEDULE_CONSTANT], "constant") == 0 && schedule_names[2] == NULL, "%s",
          schedule_names[SCHEDULE_CONSTANT]);

    test_case("schedule: billions of steps");
    s = (Schedule){SCHEDULE_COSINE, 1, 0, 1000000000, 4000000000000};
    CHECK(schedule_rate(&s, 0) == 1e-9 && fabs(schedule_rate(&s, 2000500000000) - 0.5) <= 1e-9, "%g %g",
          schedule_rate(&s, 0), schedule_rate(&s, 2000500000000));
}

int main(void)
{
    test_against_plain();
    test_first_step();
    test_decay_and_clip();
    test_threads();
    test_constants();
    test_norm();
    test_schedule();
    return test_finish();
}
