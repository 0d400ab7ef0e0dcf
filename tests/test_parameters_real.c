/* The list of tensors, what they start from, and the sizes that are refused. */
#include "model/parameters.h"

#include "layers/positions.h"

#include "real_model.h"
#include "test.h"

/* AddressSanitizer: an allocation that is too large fails, as it does without it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static const ModelConfig plain = {.context = 70, .channels = 50, .head_size = 30, .vocabulary_size = 90};

static void test_list(void)
{
    test_case("parameters: names, shapes, ranks and order, dense from the first number to the last");
    const struct {
        const char *name;
        int rank, rows, columns;
    } expected[TENSOR_COUNT] = {
        {"token_embedding_table.weight", 2, 90, 50}, {"position_embedding_table.weight", 2, 70, 50},
        {"sa_head.query.weight", 2, 30, 50}, {"sa_head.key.weight", 2, 30, 50}, {"sa_head.value.weight", 2, 30, 50},
        {"lm_head.weight", 2, 90, 30}, {"lm_head.bias", 1, 1, 90},
    };
    Parameters p = test_parameters(&plain, 1);
    const real *place = p.tensors[0].values.data;
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Tensor tensor = p.tensors[i];
        CHECK(strcmp(tensor.name, expected[i].name) == 0, "%d is called %s", i, tensor.name);
        CHECK(tensor.rank == expected[i].rank && tensor.values.rows == expected[i].rows &&
                  tensor.values.columns == expected[i].columns,
              "%s: rank %d, %d x %d", tensor.name, tensor.rank, tensor.values.rows, tensor.values.columns);
        CHECK(tensor.trained, "%s is not trained", tensor.name);
        CHECK(tensor.values.data == place && tensor.values.row_stride == tensor.values.columns, "%s is out of line",
              tensor.name);
        place += (size_t)tensor.values.rows * (size_t)tensor.values.columns;
    }
    const Matrix views[TENSOR_COUNT] = {p.token_embedding, p.position_embedding, p.query, p.key, p.value, p.lm_weight,
                                        p.lm_bias};
    for (int i = 0; i < TENSOR_COUNT; i++)
        CHECK(views[i].data == p.tensors[i].values.data, "%s has another view", p.tensors[i].name);
    size_t count = 90 * 50 + 70 * 50 + 3 * 30 * 50 + 90 * 30 + 90;
    CHECK(p.count == count && parameters_trained_count(&p) == count, "%zu numbers, %zu trained", p.count,
          parameters_trained_count(&p));
    parameters_close(&p);
    CHECK(p.memory.base == NULL && p.count == 0, "close left something");
    parameters_close(&p);
}

static void test_ablations(void)
{
    Parameters all = test_parameters(&plain, 7);
    test_case("parameters: sinusoidal positions are a constant, and leave the others' numbers as they were");
    ModelConfig config = plain;
    config.positions = POSITIONS_SINUSOIDAL;
    Parameters p = test_parameters(&config, 7);
    Matrix table = test_matrix(70, 50);
    positions_sinusoidal(table);
    CHECK(!p.tensors[1].trained && matrix_same_bits(p.position_embedding, table), "not the sinusoids");
    CHECK(parameters_trained_count(&p) == p.count - 70 * 50, "%zu trained", parameters_trained_count(&p));
    for (int i = 0; i < TENSOR_COUNT; i++)
        CHECK(i == 1 || matrix_same_bits(p.tensors[i].values, all.tensors[i].values), "%s changed", p.tensors[i].name);
    parameters_close(&p);
    test_matrix_free(table);

    test_case("parameters: without positions the table has no rows");
    config.positions = POSITIONS_NONE;
    p = test_parameters(&config, 7);
    CHECK(p.tensors[1].values.rows == 0 && !p.tensors[1].trained, "%d rows", p.tensors[1].values.rows);
    CHECK(p.count == all.count - 70 * 50 && parameters_trained_count(&p) == p.count, "%zu numbers", p.count);
    for (int i = 0; i < TENSOR_COUNT; i++)
        CHECK(i == 1 || matrix_same_bits(p.tensors[i].values, all.tensors[i].values), "%s changed", p.tensors[i].name);
    parameters_close(&p);

    test_case("parameters: uniform mixing has zero query and key as constants");
    config = plain;
    config.mixing = MIXING_UNIFORM;
    p = test_parameters(&config, 7);
    CHECK(!p.tensors[2].trained && !p.tensors[3].trained, "trained");
    for (int i = 0; i < 30 * 50; i++)
        CHECK(p.query.data[i] == 0 && p.key.data[i] == 0, "[%d]: %g %g", i, (double)p.query.data[i],
              (double)p.key.data[i]);
    CHECK(parameters_trained_count(&p) == p.count - 2 * 30 * 50, "%zu trained", parameters_trained_count(&p));
    CHECK(matrix_same_bits(p.value, all.value) && matrix_same_bits(p.lm_bias, all.lm_bias), "the others changed");
    parameters_close(&p);
    parameters_close(&all);
}

/* Mean and mean square over `count` numbers, and the largest size. */
typedef struct Moments {
    double mean, square, largest;
} Moments;

static Moments moments_of(Matrix m)
{
    Moments of = {0};
    int count = m.rows * m.columns;
    for (int i = 0; i < count; i++) {
        double x = (double)m.data[i];
        of.mean += x / count;
        of.square += x * x / count;
        of.largest = fmax(of.largest, fabs(x));
    }
    return of;
}

static void test_initialisation(void)
{
    ModelConfig config = {.context = 400, .channels = 100, .head_size = 64, .vocabulary_size = 300};
    Parameters p = test_parameters(&config, 3), again = test_parameters(&config, 3);
    Parameters other = test_parameters(&config, 4);
    test_case("parameters: embeddings are N(0,1); the rest is uniform within 1/sqrt(inputs)");
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix m = p.tensors[i].values;
        Moments of = moments_of(m);
        double count = m.rows * m.columns, deviations = 5 / sqrt(count);
        double bound = i < 2 ? 0 : 1 / sqrt(i < 5 ? 100 : 64), variance = i < 2 ? 1 : bound * bound / 3;
        CHECK(fabs(of.mean) <= deviations * sqrt(variance), "%s: mean %g", p.tensors[i].name, of.mean);
        CHECK(fabs(of.square / variance - 1) <= deviations * sqrt(2), "%s: variance %g, not %g", p.tensors[i].name,
              of.square, variance);
        if (i < 2)
            CHECK(of.largest >= 3 && of.largest <= 6.5, "%s: largest %g", p.tensors[i].name, of.largest);
        else
            CHECK(of.largest <= bound * (1 + REAL_EPSILON) && of.largest >= bound * (1 - 20 / count),
                  "%s: largest %g of %g", p.tensors[i].name, of.largest, bound);
    }

    test_case("parameters: a seed gives the same numbers again, another seed and another tensor others");
    for (int i = 0; i < TENSOR_COUNT; i++) {
        CHECK(matrix_same_bits(p.tensors[i].values, again.tensors[i].values), "%s", p.tensors[i].name);
        CHECK(p.tensors[i].values.data[0] != other.tensors[i].values.data[0], "%s", p.tensors[i].name);
    }
    CHECK(p.query.data[0] != p.key.data[0] && p.key.data[0] != p.value.data[0], "two weights begin alike");
    parameters_close(&p);
    parameters_close(&again);
    parameters_close(&other);
}

static void test_nonfinite(void)
{
    test_case("parameters: the first tensor that holds a NaN or an infinity is found, at its first or last number");
    Parameters p = test_parameters(&plain, 1);
    CHECK(parameters_find_nonfinite(&p) == NULL, "found one in a new model");
    for (int i = TENSOR_COUNT - 1; i >= 0; i--) {
        Matrix m = p.tensors[i].values;
        real *ends[] = {m.data, m.data + m.rows * m.columns - 1};
        for (int end = 0; end < 2; end++) {
            const real bad[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
            real kept = *ends[end];
            *ends[end] = bad[(i + end) % 3];
            CHECK(parameters_find_nonfinite(&p) == &p.tensors[i], "%s", p.tensors[i].name);
            *ends[end] = end == 0 ? kept : *ends[end]; /* the later tensors keep theirs */
        }
    }
    parameters_close(&p);
}

static void test_sizes(void)
{
    Error error;
    Parameters p;
    Step step;
    test_case("config: sizes below 1 or above the limit are refused by name, here and by the step");
    for (int i = 0; i < 8; i++) {
        ModelConfig config = plain;
        int *sizes[] = {&config.context, &config.channels, &config.head_size, &config.vocabulary_size};
        const char *names[] = {"context", "channels", "head size", "vocabulary"};
        *sizes[i / 2] = i % 2 ? MODEL_SIZE_LIMIT + 1 : 0;
        error.message[0] = '\0';
        CHECK(!parameters_open(&p, &config, &error) && strstr(error.message, names[i / 2]) != NULL, "%s",
              error.message);
        parameters_close(&p);
        error.message[0] = '\0';
        CHECK(!step_open(&step, &config, 4, 1, test_plan(0), &error) && strstr(error.message, names[i / 2]) != NULL,
              "%s", error.message);
        step_close(&step);
    }

    test_case("config: the scale is 1/sqrt(head size), not of the channels, or 1");
    ModelConfig config = plain;
    CHECK(fabs(model_config_scale(&config) - 1 / sqrt(30)) <= 1e-16, "%.17g", model_config_scale(&config));
    config.scale = SCALE_NONE;
    CHECK(model_config_scale(&config) == 1, "%.17g", model_config_scale(&config));

    test_case("step_bytes: is what step_open takes, and grows with every size");
    for (int i = 0; i < TEST_PLANS; i++) {
        TablesPlan plan = test_plan(i);
        size_t bytes = step_bytes(&plain, 5, 2, plan);
        step = test_step(&plain, 5, 2, i);
        CHECK(step.memory.capacity == bytes && step.memory.used == bytes, "%zu, %zu, %zu", step.memory.capacity,
              step.memory.used, bytes);
        step_close(&step);
        config = plain;
        config.context = 500;
        CHECK(step_bytes(&plain, 500, 2, plan) > bytes && step_bytes(&plain, 5, 3, plan) > bytes &&
                  step_bytes(&config, 5, 2, plan) > bytes,
              "a larger step takes no more");
    }

    test_case("step and parameters: sizes no machine can hold are refused in one line that says what to do");
    ModelConfig huge = {.context = MODEL_SIZE_LIMIT, .channels = MODEL_SIZE_LIMIT, .head_size = MODEL_SIZE_LIMIT,
                        .vocabulary_size = MODEL_SIZE_LIMIT};
    CHECK(step_bytes(&huge, 1 << 30, 1 << 15, test_plan(0)) == SIZE_MAX, "%zu",
          step_bytes(&huge, 1 << 30, 1 << 15, test_plan(0)));
    for (int threads = 1; threads <= 1 << 15; threads <<= 15) {
        error.message[0] = '\0';
        CHECK(!step_open(&step, &huge, 1 << 30, threads, test_plan(0), &error), "opened");
        CHECK(strstr(error.message, "memory") != NULL && strstr(error.message, "choose smaller") != NULL, "%s",
              error.message);
        step_close(&step);
    }
    error.message[0] = '\0';
    CHECK(!parameters_open(&p, &huge, &error), "opened");
    CHECK(strstr(error.message, "memory") != NULL && strstr(error.message, "choose smaller") != NULL, "%s",
          error.message);
    parameters_close(&p);
}

int main(void)
{
    test_list();
    test_ablations();
    test_initialisation();
    test_nonfinite();
    test_sizes();
    return test_finish();
}
