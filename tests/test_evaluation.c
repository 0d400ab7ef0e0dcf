/* The loss of a whole text, against the naive model, and as a head reads it. */
#include "inference/head.h"
#include "model/evaluation.h"
#include "small_model.h"
#include "test.h"
#include "text/batch.h"

#include <math.h>

static double naive_evaluation(const SmallModel *model, Ids text)
{
    size_t T = (size_t)model->naive.T, predictions = text.count - 1;
    int *inputs = calloc(2 * T, sizeof *inputs), *targets = inputs + T;
    double sum = 0;
    for (size_t first = 0; first < predictions; first += T) {
        size_t n = predictions - first < T ? predictions - first : T;
        for (size_t i = 0; i < n; i++) {
            inputs[i] = ids_at(text, first + i);
            targets[i] = ids_at(text, first + i + 1);
        }
        sum += (double)n * naive_loss_and_gradient(&model->naive, 1, (int)n, inputs, targets, NULL, NAIVE_CORRECT);
    }
    free(inputs);
    return sum / (double)predictions;
}

static double fast_evaluation(const SmallModel *model, Ids text, int batch, int threads, TablesPlan plan)
{
    Step step;
    Error error = {0};
    double loss = NAN;
    CHECK(step_open(&step, &model->parameters.config, batch, threads, plan, &error), "%s", error.message);
    CHECK(evaluation_loss(&step, &model->parameters, text, &loss, &error), "%s", error.message);
    step_close(&step);
    return loss;
}

/* The mean of what the head says of each character. */
static double head_evaluation(const SmallModel *model, Ids text)
{
    Head head;
    Error error = {0};
    double losses[128], sum = 0;
    int32_t inputs[128], targets[128];
    size_t T = (size_t)model->naive.T, predictions = text.count - 1;
    CHECK(head_open(&head, &model->parameters, &error), "%s", error.message);
    for (size_t first = 0; first < predictions; first += T) {
        int n = predictions - first < T ? (int)(predictions - first) : (int)T;
        batch_window(text, first, n, inputs, targets);
        head_losses(&head, inputs, targets, n, losses);
        for (int i = 0; i < n; i++)
            sum += losses[i];
    }
    head_close(&head);
    return sum / (double)predictions;
}

static void test_exact(void)
{
    test_case("the loss of a text equals the naive model's, for every kind of model and rest");
    for (int i = 0; i < SMALL_CONFIGS; i++) {
        SmallModel model = small_model_open(small_config(i), 200 + (uint64_t)i);
        size_t T = (size_t)model.naive.T;
        TablesPlan plan = {.linear_first = i / 2 % 2 == 1, .score_table = i / 3 % 2 == 1};
        const size_t counts[] = {2, T + 1, T + 2, 2 * T, 5 * T + 1, 5 * T + 2 + T / 2};
        Ids text = small_model_text(&model, 7 * T + 3, 8);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            Ids part = ids_slice(text, 0, counts[k] < 2 ? 2 : counts[k]);
            double expected = naive_evaluation(&model, part), found = fast_evaluation(&model, part, 2, 2, plan);
            CHECK(fabs(found - expected) <= 2e-6 * (1 + expected), "model %d, %zu characters: %.9g, expected %.9g", i,
                  part.count, found, expected);
            double by_head = head_evaluation(&model, part);
            CHECK(fabs(by_head - expected) <= 2e-6 * (1 + expected), "model %d, %zu characters by head: %.9g, not %.9g",
                  i, part.count, by_head, expected);
        }
        ids_free(&text);
        small_model_close(&model);
    }
}

static void test_same_bits(void)
{
    test_case("the same bits on any number of threads");
    ModelConfig config = {.context = 37, .channels = 12, .head_size = 9, .vocabulary_size = 23};
    SmallModel model = small_model_open(config, 9);
    Ids text = small_model_text(&model, 37 * 40 + 11, 10);
    TablesPlan plan = {.linear_first = true, .score_table = true};
    double one = fast_evaluation(&model, text, 16, 1, plan);
    for (int threads = 2; threads <= 7; threads++) {
        double many = fast_evaluation(&model, text, 16, threads, plan);
        CHECK(memcmp(&many, &one, sizeof one) == 0, "%d threads: %.17g, one: %.17g", threads, many, one);
    }

    test_case("the size of a batch changes no more than the order of a sum");
    for (int batch = 1; batch <= 64; batch *= 4)
        CHECK(fabs(fast_evaluation(&model, text, batch, 2, plan) - one) <= 1e-12 * one, "batch %d", batch);
    ids_free(&text);
    small_model_close(&model);
}

static void test_short_texts(void)
{
    test_case("a text of fewer than two characters is refused");
    ModelConfig config = {.context = 8, .channels = 4, .head_size = 3, .vocabulary_size = 5};
    SmallModel model = small_model_open(config, 11);
    Ids text = small_model_text(&model, 1, 12);
    Step step;
    Error error = {0};
    double loss = 0;
    CHECK(step_open(&step, &config, 1, 1, (TablesPlan){0}, &error), "%s", error.message);
    for (size_t count = 0; count < 2; count++)
        CHECK(!evaluation_loss(&step, &model.parameters, ids_slice(text, 0, count), &loss, &error) &&
                  strstr(error.message, "at least 2") != NULL, "%zu characters: %s", count, error.message);
    step_close(&step);
    ids_free(&text);
    small_model_close(&model);

    test_case("a batch limit fits the text");
    static const struct {
        int context;
        size_t count;
        int batch;
    } rows[] = {{64, 0, 1},           {64, 63, 1}, {64, 640, 10},    {64, 1000000, 64},
                {1 << 24, 1 << 25, 1}, {1, 5, 5},   {1024, 100000, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(evaluation_batch(rows[i].context, rows[i].count) == rows[i].batch, "row %zu: %d", i,
              evaluation_batch(rows[i].context, rows[i].count));
}

int main(void)
{
    test_exact();
    test_same_bits();
    test_short_texts();
    return test_finish();
}
