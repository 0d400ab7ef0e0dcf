/* The trainer: its split and refusals, its steps, what it stops at, what is best, and going on from a checkpoint. */
#include "small_trainer.h"

#include <math.h>

static bool same_numbers(const Parameters *a, const Parameters *b)
{
    return a->count == b->count &&
           memcmp(a->tensors[0].values.data, b->tensors[0].values.data, a->count * sizeof(real)) == 0;
}

static real *copy_numbers(const Parameters *p)
{
    real *copy = malloc(p->count * sizeof *copy);
    return memcpy(copy, p->tensors[0].values.data, p->count * sizeof *copy);
}

static void test_split(void)
{
    static const struct {
        size_t count;
        double fraction;
        size_t training;
    } splits[] = {{10, 0.1, 9}, {1000, 0.1, 900}, {1115394, 0.1, 1003854}, {5, 0, 5}, {3, 0.5, 1}, {7, 0.999, 0}, {0, 0.1, 0}};
    test_case("trainer: the first part trains, rounded down, and the rest validates");
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        size_t training = trainer_split(splits[i].count, splits[i].fraction);
        CHECK(training == splits[i].training, "%zu of %zu", training, splits[i].count);
    }
    Corpus corpus;
    Trainer t;
    Error error = {0};
    corpus_make(&corpus, 101);
    CHECK(trainer_make(&t, &corpus, quick, &error), "%s", error.message);
    CHECK(t.training.count == 75 && t.validation.count == 26, "%zu and %zu", t.training.count, t.validation.count);
    CHECK(ids_at(t.validation, 0) == ids_at(corpus.ids, 75), "validation begins elsewhere");
    trainer_close(&t);
    corpus_close(&corpus);
}

/* Steps too small to share, as many shards as the limit, fewer rows of one sequence, and fewer by their memory. */
static void test_threads(void)
{
    static const struct {
        ModelConfig config;
        int batch, wanted, threads;
    } cases[] = {
        {{.context = 8, .channels = 32, .head_size = 32, .vocabulary_size = 65}, 32, 40, 1},
        {{.context = 64, .channels = 128, .head_size = 64, .vocabulary_size = 65}, 64, 40, SHARD_LIMIT},
        {{.context = 64, .channels = 128, .head_size = 64, .vocabulary_size = 65}, 64, 3, 3},
        {{.context = 2000, .channels = 8, .head_size = 8, .vocabulary_size = 65}, 1, 40, 15},
        {{.context = 65536, .channels = 64, .head_size = 64, .vocabulary_size = 65}, 1, 40, 8},
    };
    test_case("trainer: no more threads than a step has shards");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int threads = trainer_threads(&cases[i].config, cases[i].batch, cases[i].wanted);
        CHECK(threads == cases[i].threads, "context %d, batch %d: %d threads of %d, not %d", cases[i].config.context,
              cases[i].batch, threads, cases[i].wanted, cases[i].threads);
    }
}

static void check_refused(const Corpus *corpus, TrainingSettings settings, const char *const words[], int count)
{
    Trainer t;
    Error error = {0};
    CHECK(!trainer_make(&t, corpus, settings, &error), "accepted");
    for (int i = 0; i < count; i++)
        CHECK(strstr(error.message, words[i]) != NULL, "no '%s' in: %s", words[i], error.message);
    CHECK(strchr(error.message, '\n') == NULL, "more than a line: %s", error.message);
    trainer_close(&t);
}

static void test_refusals(void)
{
    Corpus corpus;
    TrainingSettings settings = quick;

    test_case("trainer: a text too short to train on is refused with its sizes and the options");
    corpus_make(&corpus, 8);
    static const char *const training[] = {"the text", "6 of its 8", "context of 6", "at least 7", "--context"};
    check_refused(&corpus, settings, training, 5);
    corpus_close(&corpus);

    test_case("trainer: a validation split too short for the context is refused with its sizes and the options");
    corpus_make(&corpus, 20);
    static const char *const validation[] = {"the text", "5 of its 20", "for validation", "context of 6", "--context",
                                             "--validation-fraction"};
    check_refused(&corpus, settings, validation, 6);

    test_case("trainer: the same text is fine without a validation split");
    Trainer t;
    Error error = {0};
    settings.validation_fraction = 0;
    CHECK(trainer_make(&t, &corpus, settings, &error), "%s", error.message);
    bool best = true;
    CHECK(trainer_validate(&t, &best, &error) && !best && isnan(t.state.validation_loss) && isnan(t.state.best_loss),
          "validation loss %g", t.state.validation_loss);
    trainer_close(&t);

    test_case("trainer: sizes beyond the machine's memory are refused before anything is taken");
    settings.batch_size = MODEL_SIZE_LIMIT;
    ModelConfig huge = {.context = MODEL_SIZE_LIMIT, .channels = MODEL_SIZE_LIMIT, .head_size = MODEL_SIZE_LIMIT,
                        .vocabulary_size = corpus.vocabulary.size};
    CHECK(!trainer_open(&t, &huge, &settings, &corpus, 1, &error), "accepted");
    CHECK(strstr(error.message, "GB of memory") != NULL && strstr(error.message, "--batch-size") != NULL, "%s",
          error.message);
    trainer_close(&t);
    corpus_close(&corpus);
}

static void test_steps(void)
{
    Corpus corpus;
    Trainer a, b;
    Error error = {0};
    StepReport report;
    TrainingSettings other = quick;
    other.seed = 2;
    corpus_make(&corpus, 200);

    test_case("trainer: a seed decides the initial weights");
    CHECK(trainer_make(&a, &corpus, quick, &error) && trainer_make(&b, &corpus, quick, &error), "%s", error.message);
    CHECK(same_numbers(&a.parameters, &b.parameters), "the same seed differs");
    trainer_close(&b);
    CHECK(trainer_make(&b, &corpus, other, &error), "%s", error.message);
    CHECK(!same_numbers(&a.parameters, &b.parameters), "another seed is the same");

    test_case("trainer: Adam's first step moves every weight that has a gradient by the learning rate");
    real *before = copy_numbers(&a.parameters);
    CHECK(trainer_step(&a, &report, &error), "%s", error.message);
    const real *after = a.parameters.tensors[0].values.data, *gradient = a.update.gradient.tensors[0].values.data;
    size_t moved = 0;
    for (size_t i = 0; i < a.parameters.count; i++) {
        double rate = fabs((double)after[i] - before[i]);
        if (!(fabs(gradient[i]) > 1e-5))
            continue;
        moved++;
        CHECK(fabs(rate - 1e-2) <= 2e-5, "number %zu moved by %g", i, rate);
        CHECK((after[i] < before[i]) == (gradient[i] > 0), "number %zu moved uphill", i);
    }
    CHECK(moved > a.parameters.count / 2, "only %zu moved", moved);
    free(before);

    test_case("trainer: a step reports its loss, rate and norm, and counts itself");
    CHECK(fabs(report.loss - log(5)) <= 0.7, "first loss %g, ln V is %g", report.loss, log(5));
    CHECK(report.learning_rate == 1e-2 && report.gradient_norm > 0, "%g %g", report.learning_rate, report.gradient_norm);
    CHECK(a.state.step == 1 && a.update.adam.step == 1 && a.state.train_loss_count == 1, "step %lld", (long long)a.state.step);
    CHECK(a.state.train_loss_sum == report.loss, "%g", a.state.train_loss_sum);
    trainer_close(&a);
    trainer_close(&b);
    corpus_close(&corpus);
}

static void test_nonfinite(void)
{
    static const struct {
        int tensor;
        const char *name;
    } spoilt[] = {{0, "token_embedding_table.weight"}, {2, "sa_head.query.weight"}, {6, "lm_head.bias"}};
    Corpus corpus;
    Trainer t;
    Error error = {0};
    StepReport report;
    corpus_make(&corpus, 200);

    test_case("trainer: a NaN or infinite weight stops the step, which names itself and the tensor, and changes nothing");
    for (int i = 0; i < 6; i++) {
        CHECK(trainer_make(&t, &corpus, quick, &error) && trainer_step(&t, &report, &error), "%s", error.message);
        t.parameters.tensors[spoilt[i / 2].tensor].values.data[0] = i % 2 == 0 ? NAN : INFINITY;
        real *before = copy_numbers(&t.parameters);
        CHECK(!trainer_step(&t, &report, &error), "accepted in %s", spoilt[i / 2].name);
        CHECK(strstr(error.message, "step 2: the loss is not finite") != NULL, "%s", error.message);
        CHECK(strstr(error.message, spoilt[i / 2].name) != NULL, "%s", error.message);
        CHECK(strstr(error.message, "--learning-rate") != NULL, "%s", error.message);
        CHECK(t.state.step == 1 && t.update.adam.step == 1, "it counted as step %lld", (long long)t.state.step);
        CHECK(memcmp(before, t.parameters.tensors[0].values.data, t.parameters.count * sizeof(real)) == 0,
              "the weights changed");
        free(before);
        trainer_close(&t);
    }

    test_case("trainer: a learning rate of 1e30 is stopped within three steps");
    TrainingSettings settings = quick;
    settings.schedule.rate = 1e30;
    CHECK(trainer_make(&t, &corpus, settings, &error), "%s", error.message);
    int steps = 0;
    while (steps < 3 && trainer_step(&t, &report, &error))
        steps++;
    CHECK(steps < 3 && strstr(error.message, "not finite") != NULL, "%d steps: %s", steps, error.message);
    trainer_close(&t);

    test_case("trainer: a validation loss that is not finite is refused, never the best");
    bool best = true;
    CHECK(trainer_make(&t, &corpus, quick, &error), "%s", error.message);
    t.parameters.lm_bias.data[1] = NAN;
    CHECK(!trainer_validate(&t, &best, &error) && !best && isnan(t.state.best_loss), "accepted");
    CHECK(strstr(error.message, "lm_head.bias") != NULL, "%s", error.message);
    trainer_close(&t);
    corpus_close(&corpus);
}

static void test_best(void)
{
    Corpus corpus;
    Trainer t;
    Error error = {0};
    bool best = false;
    corpus_make(&corpus, 200);
    CHECK(trainer_make(&t, &corpus, quick, &error), "%s", error.message);

    test_case("trainer: the first validation is the best so far, an equal one is not");
    CHECK(trainer_validate(&t, &best, &error) && best, "%s", error.message);
    CHECK(t.state.best_loss == t.state.validation_loss && t.state.best_step == 0, "%g", t.state.best_loss);
    t.state.step = 5;
    CHECK(trainer_validate(&t, &best, &error) && !best && t.state.best_step == 0, "an equal loss became the best");

    test_case("trainer: only an improvement becomes the best");
    double loss = t.state.validation_loss;
    t.state.best_loss = loss + 1e-9;
    CHECK(trainer_validate(&t, &best, &error) && best && t.state.best_loss == loss && t.state.best_step == 5, "%g",
          t.state.best_loss);
    t.state.best_loss = loss - 1e-9;
    CHECK(trainer_validate(&t, &best, &error) && !best && t.state.best_loss == loss - 1e-9, "%g", t.state.best_loss);
    CHECK(t.state.validation_loss == loss, "the last loss is not kept");
    trainer_close(&t);
    corpus_close(&corpus);
}

static void steps_of(Trainer *t, int count)
{
    StepReport report;
    Error error = {0};
    for (int i = 0; i < count; i++)
        CHECK(trainer_step(t, &report, &error), "%s", error.message);
}

static void test_restore(void)
{
    Corpus corpus;
    Trainer straight, resumed;
    Checkpoint checkpoint;
    Error error = {0};
    char path[PATH_SIZE];
    scratch("trainer.safetensors", path);
    corpus_make(&corpus, 200);
    CHECK(trainer_make(&straight, &corpus, quick, &error) && trainer_make(&resumed, &corpus, quick, &error), "%s",
          error.message);

    test_case("trainer: restored from a checkpoint it goes on bit for bit");
    bool best;
    CHECK(trainer_validate(&straight, &best, &error), "%s", error.message);
    steps_of(&straight, 7);
    CHECK(trainer_save(&straight, path, true, &error), "%s", error.message);
    CHECK(checkpoint_open(&checkpoint, path, &error) && trainer_restore(&resumed, &checkpoint, &error), "%s",
          error.message);
    checkpoint_close(&checkpoint);
    steps_of(&straight, 6);
    steps_of(&resumed, 6);
    CHECK(same_numbers(&straight.parameters, &resumed.parameters), "weights");
    CHECK(same_numbers(&straight.update.adam.m, &resumed.update.adam.m) && same_numbers(&straight.update.adam.v, &resumed.update.adam.v), "moments");
    CHECK(memcmp(&straight.state, &resumed.state, sizeof straight.state) == 0, "state");
    CHECK(resumed.update.adam.step == 13, "Adam is at step %lld", (long long)resumed.update.adam.step);

    test_case("trainer: a checkpoint without moments is not resumed from, and the message says which is");
    CHECK(trainer_save(&straight, path, false, &error), "%s", error.message);
    CHECK(checkpoint_open(&checkpoint, path, &error), "%s", error.message);
    CHECK(!trainer_restore(&resumed, &checkpoint, &error), "accepted");
    CHECK(strstr(error.message, "last.safetensors") != NULL, "%s", error.message);
    checkpoint_close(&checkpoint);

    test_case("trainer: numbers that are not finite are not saved, and the file before stays");
    straight.update.adam.v.lm_bias.data[0] = INFINITY;
    CHECK(!trainer_save(&straight, path, true, &error), "an infinite moment was saved");
    CHECK(strstr(error.message, "Adam") != NULL && strstr(error.message, "lm_head.bias") != NULL, "%s", error.message);
    straight.parameters.value.data[0] = NAN;
    CHECK(!trainer_save(&straight, path, false, &error), "a NaN was saved");
    CHECK(strstr(error.message, "sa_head.value.weight") != NULL && strstr(error.message, "step 13") != NULL, "%s",
          error.message);
    CHECK(checkpoint_open(&checkpoint, path, &error), "%s", error.message);
    checkpoint_close(&checkpoint);
    trainer_close(&straight);
    trainer_close(&resumed);
    corpus_close(&corpus);
}

int main(void)
{
    test_split();
    test_threads();
    test_refusals();
    test_steps();
    test_nonfinite();
    test_best();
    test_restore();
    return test_finish();
}
