/* The attention of a text: exact, causal, cut into windows. */
#include "inference/attention_map.h"
#include "small_model.h"
#include "test.h"

#include <math.h>

/* One window against the naive model. */
static void check_window(const SmallModel *model, Ids text, const AttentionMap *map, size_t w)
{
    int n = map->n, *inputs = calloc((size_t)n, sizeof *inputs);
    double *attention = calloc((size_t)n * (size_t)n, sizeof *attention);
    double *logits = calloc((size_t)n * (size_t)model->naive.V, sizeof *logits);
    for (int i = 0; i < n; i++)
        inputs[i] = ids_at(text, map->starts[w] + (size_t)i);
    naive_forward(&model->naive, inputs, n, attention, logits);
    const float *weights = map->weights + w * (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            double weight = (double)weights[i * n + j], difference = fabs(weight - attention[i * n + j]);
            CHECK(difference <= 1e-5, "window %zu, row %d, column %d differs by %g", w, i, j, difference);
            CHECK(model->naive.mask == NAIVE_MASK_NONE || j <= i || (weight == 0 && !signbit(weight)),
                  "row %d sees column %d", i, j);
            sum += weight;
        }
        CHECK(fabs(sum - 1) <= 1e-6, "window %zu, row %d sums to %.9g", w, i, sum);
    }
    free(inputs);
    free(attention);
    free(logits);
}

static void test_exact(void)
{
    test_case("attention equals the naive model, for every kind of model");
    for (int i = 0; i < SMALL_CONFIGS; i++) {
        SmallModel model = small_model_open(small_config(i), 100 + (uint64_t)i);
        Ids text = small_model_text(&model, 3 * (size_t)model.naive.T + 5, 7);
        Head head;
        AttentionMap map;
        Error error = {0};
        CHECK(head_open(&head, &model.parameters, &error), "%s", error.message);
        for (size_t count = 1; count <= text.count; count += 1 + count / 3) {
            CHECK(attention_map_open(&map, &head, ids_slice(text, 0, count), 0, &error), "%s", error.message);
            for (size_t w = 0; w < map.windows; w++)
                check_window(&model, text, &map, w);
            attention_map_close(&map);
        }
        head_close(&head);
        ids_free(&text);
        small_model_close(&model);
    }
}

static void test_windows(void)
{
    static const struct {
        size_t count, limit, windows, available, last_start;
        int n;
    } rows[] = {
        {1, 0, 1, 1, 0, 1},     {9, 0, 1, 1, 0, 9},    {10, 0, 1, 1, 0, 10},  {11, 0, 2, 2, 1, 10},
        {20, 0, 2, 2, 10, 10},  {25, 0, 3, 3, 15, 10}, {25, 2, 2, 3, 10, 10}, {25, 3, 3, 3, 15, 10},
        {25, 99, 3, 3, 15, 10}, {25, 1, 1, 3, 0, 10},
    };
    test_case("windows follow one another, the last one is moved back");
    ModelConfig config = {.context = 10, .channels = 4, .head_size = 3, .vocabulary_size = 6};
    SmallModel model = small_model_open(config, 3);
    Ids text = small_model_text(&model, 25, 4);
    Head head;
    AttentionMap map;
    Error error = {0};
    CHECK(head_open(&head, &model.parameters, &error), "%s", error.message);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Ids part = ids_slice(text, 0, rows[i].count);
        CHECK(attention_map_open(&map, &head, part, rows[i].limit, &error), "%s", error.message);
        CHECK(map.windows == rows[i].windows && map.available == rows[i].available && map.n == rows[i].n,
              "row %zu: %zu of %zu windows of %d", i, map.windows, map.available, map.n);
        CHECK(map.starts[0] == 0 && map.starts[map.windows - 1] == rows[i].last_start, "row %zu: last start %zu", i,
              map.starts[map.windows - 1]);
        attention_map_close(&map);
    }

    test_case("an empty text and a map beyond memory are refused");
    CHECK(!attention_map_open(&map, &head, ids_slice(text, 0, 0), 0, &error) && strstr(error.message, "empty") != NULL,
          "%s", error.message);
    Ids endless = {text.data, SIZE_MAX / 2, text.width};
    CHECK(!attention_map_open(&map, &head, endless, 0, &error) && strstr(error.message, "no memory") != NULL, "%s",
          error.message);
    attention_map_close(&map);
    head_close(&head);
    ids_free(&text);
    small_model_close(&model);
}

static void test_past_is_untouched(void)
{
    test_case("another character j leaves all rows before j as they were, bit for bit");
    ModelConfig config = {.context = 150, .channels = 20, .head_size = 9, .vocabulary_size = 11};
    SmallModel model = small_model_open(config, 5);
    Ids text = small_model_text(&model, 150, 6);
    Head head;
    AttentionMap before, after;
    Error error = {0};
    size_t n = text.count;
    CHECK(head_open(&head, &model.parameters, &error), "%s", error.message);
    CHECK(attention_map_open(&before, &head, text, 0, &error), "%s", error.message);
    for (size_t j = 0; j < n; j += 13) {
        int32_t kept = ids_at(text, j);
        ids_put(text, j, (kept + 1) % config.vocabulary_size);
        CHECK(attention_map_open(&after, &head, text, 0, &error), "%s", error.message);
        CHECK(memcmp(before.weights, after.weights, j * n * sizeof(float)) == 0, "a row before %zu changed", j);
        CHECK(j == 0 || memcmp(before.weights + j * n, after.weights + j * n, n * sizeof(float)) != 0,
              "row %zu did not", j);
        attention_map_close(&after);
        ids_put(text, j, kept);
    }
    attention_map_close(&before);
    head_close(&head);
    ids_free(&text);
    small_model_close(&model);
}

int main(void)
{
    test_exact();
    test_windows();
    test_past_is_untouched();
    return test_finish();
}
