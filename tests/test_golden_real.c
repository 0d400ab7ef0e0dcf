/* What PyTorch says (tests/golden/README.md): loss, logits, attention, the gradient of every tensor, and the weights
 * after 20 Adam steps, against this program with every plan of its tables and against the naive model. */
#include "base/json.h"
#include "optimizer/adam.h"
#include "storage/safetensors.h"

#include "real_model.h"
#include "test.h"

typedef struct Golden {
    Safetensors file;
    ModelConfig config;
    AdamSettings adam;
    double learning_rate;
    Batch *batches; /* owned, like their characters; `steps` of them */
    int steps;
} Golden;

static int word_of(const JsonValue *config, const char *key, const char *const names[])
{
    const JsonValue *value = json_member(config, key);
    for (int i = 0; value != NULL && names[i] != NULL; i++)
        if (strcmp(value->string, names[i]) == 0)
            return i;
    CHECK(false, "config: %s is not one of the program's", key);
    return 0;
}

static double number_of(const JsonValue *config, const char *key)
{
    double number = 0;
    CHECK(json_double(json_member(config, key), &number), "config: no %s", key);
    return number;
}

/* The doubles of a tensor that must have so many. */
static const double *values_of(const Golden *golden, const char *prefix, const char *name, size_t count)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const SafetensorsTensor *tensor = safetensors_find(&golden->file, full);
    bool right = tensor != NULL && tensor->type == SAFETENSORS_F64 && tensor->bytes == count * sizeof(double);
    CHECK(right, "%s is missing or has another size", full);
    return right ? tensor->data : NULL;
}

static void golden_batches(Golden *golden, int count, int length)
{
    size_t characters = (size_t)count * (size_t)length, all = characters * (size_t)golden->steps;
    const double *inputs = values_of(golden, "", "inputs", all), *targets = values_of(golden, "", "targets", all);
    golden->batches = calloc((size_t)golden->steps, sizeof *golden->batches);
    for (int s = 0; golden->batches != NULL && s < golden->steps; s++) {
        golden->batches[s] = test_batch(count, length, 1, 0);
        for (size_t i = 0; inputs != NULL && targets != NULL && i < characters; i++) {
            ((int32_t *)golden->batches[s].inputs)[i] = (int32_t)inputs[(size_t)s * characters + i];
            ((int32_t *)golden->batches[s].targets)[i] = (int32_t)targets[(size_t)s * characters + i];
        }
    }
}

/* False, with the case failed, where the file cannot be used. */
static bool golden_open(Golden *golden, const char *name)
{
    Error error = {""};
    JsonDocument document = {0};
    char path[128];
    snprintf(path, sizeof path, "tests/golden/%s.safetensors", name);
    *golden = (Golden){0};
    if (!safetensors_open(&golden->file, path, &error)) {
        CHECK(false, "%s", error.message);
        return false;
    }
    const char *text = safetensors_metadata(&golden->file, "config");
    bool parsed = text != NULL && json_parse(&document, text, strlen(text), &error);
    CHECK(parsed, "%s: %s", path, error.message);
    const JsonValue *config = document.root;
    golden->config = (ModelConfig){
        .context = (int)number_of(config, "context"), .channels = (int)number_of(config, "channels"),
        .head_size = (int)number_of(config, "head_size"), .vocabulary_size = (int)number_of(config, "vocabulary_size"),
        .positions = (Positions)word_of(config, "positions", positions_names),
        .mask = (Mask)word_of(config, "mask", mask_names),
        .mixing = (Mixing)word_of(config, "mixing", mixing_names),
        .scale = (Scale)word_of(config, "scale", scale_names),
    };
    golden->adam = (AdamSettings){number_of(config, "beta1"), number_of(config, "beta2"), number_of(config, "epsilon"),
                                  0, 0};
    golden->learning_rate = number_of(config, "learning_rate");
    const SafetensorsTensor *loss = safetensors_find(&golden->file, "loss");
    golden->steps = loss != NULL ? (int)(loss->bytes / sizeof(double)) : 0;
    golden_batches(golden, (int)number_of(config, "batch_size"), golden->config.context);
    json_close(&document);
    return !test_state.failed;
}

static void golden_close(Golden *golden)
{
    for (int s = 0; golden->batches != NULL && s < golden->steps; s++)
        test_batch_close(golden->batches[s]);
    free(golden->batches);
    safetensors_close(&golden->file);
}

static size_t tensor_count(Tensor tensor)
{
    return (size_t)tensor.values.rows * (size_t)tensor.values.columns;
}

/* The weights the file begins with. */
static Parameters golden_parameters(const Golden *golden)
{
    Parameters p = test_parameters_nan(&golden->config);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        size_t count = tensor_count(p.tensors[i]);
        const double *values = count > 0 ? values_of(golden, "", p.tensors[i].name, count) : NULL;
        for (size_t j = 0; values != NULL && j < count; j++)
            p.tensors[i].values.data[j] = (real)values[j];
    }
    return p;
}

static void check_tensors(const Golden *golden, const char *prefix, const Parameters *ours, double allowed)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        if (!ours->tensors[i].trained)
            continue;
        const double *expected = values_of(golden, prefix, ours->tensors[i].name, tensor_count(ours->tensors[i]));
        double difference = expected == NULL ? NAN : matrix_difference(ours->tensors[i].values, expected);
        CHECK(difference <= allowed, "%s%s: %.3g", prefix, ours->tensors[i].name, difference);
    }
}

/* Logits and attention of every sequence of the first batch, block by block, with the tables of these weights. */
static void check_forward(const Golden *golden, Step *step, const Parameters *p, int plan)
{
    Batch batch = golden->batches[0];
    int T = batch.length, V = golden->config.vocabulary_size;
    size_t rows = (size_t)batch.count * (size_t)T;
    const double *logits = values_of(golden, "", "logits", rows * (size_t)V);
    const double *attention = values_of(golden, "", "attention", rows * (size_t)T);
    step_loss(step, p, batch); /* after a gradient the tables hold other things */
    double *expected = calloc(rows * (size_t)V, sizeof *expected);
    if (expected == NULL)
        abort();
    if (logits != NULL)
        memcpy(expected, logits, rows * (size_t)V * sizeof *expected);
    int columns = test_logits_of_plan(plan, expected, (int)rows, V);
    Matrix ours = test_matrix(batch.count * T, columns), weights = test_matrix(batch.count * T, T);
    for (int b = 0; b < batch.count; b++) {
        pass_gather(&step->passes[0], &step->tables, step->row_of + (size_t)b * (size_t)T, T, false);
        for (int first = 0, count; first < T; first += count) {
            count = T - first < 4 ? T - first : 4;
            int seen = pass_block_forward(&step->passes[0], &step->tables, first, count, T);
            for (int r = 0; r < count; r++) {
                int row = b * T + first + r;
                memcpy(matrix_row(ours, row), matrix_row(step->passes[0].logits, r), (size_t)columns * sizeof(real));
                memset(matrix_row(weights, row), 0, (size_t)T * sizeof(real));
                memcpy(matrix_row(weights, row), matrix_row(step->passes[0].weights, r), (size_t)seen * sizeof(real));
            }
        }
    }
    if (logits != NULL && attention != NULL) {
        double of_logits = matrix_difference(ours, expected), of_weights = matrix_difference(weights, attention);
        CHECK(of_logits <= tolerance(2e-6, 1e-13) && of_weights <= tolerance(2e-6, 1e-13),
              "logits %.3g, attention %.3g", of_logits, of_weights);
    }
    free(expected);
    test_matrix_free(ours);
    test_matrix_free(weights);
}

static void check_program(const Golden *golden, int plan)
{
    int steps = golden->steps;
    const double *losses = values_of(golden, "", "loss", (size_t)steps);
    Parameters p = golden_parameters(golden), gradient = test_parameters_nan(&golden->config);
    Step step = test_step(&golden->config, golden->batches[0].count, 1, plan);
    Adam adam = {0};
    Error error = {""};
    CHECK(adam_open(&adam, &golden->config, golden->adam, &error), "%s", error.message);
    for (int s = 0; s < steps; s++) {
        double loss = step_gradient(&step, &p, golden->batches[s], &gradient);
        CHECK(fabs(loss - losses[s]) <= tolerance(1e-6, 1e-12), "step %d: loss %.12g, not %.12g", s, loss, losses[s]);
        if (s == 0) {
            check_tensors(golden, "gradient.", &gradient, tolerance(5e-6, 1e-12));
            check_forward(golden, &step, &p, plan);
        }
        adam_update(&adam, &p, &gradient, adam_gradient_norm(&gradient), golden->learning_rate, 1);
    }
    if (steps > 1)
        check_tensors(golden, "after.", &p, tolerance(1e-5, 1e-11));
    adam_close(&adam);
    step_close(&step);
    parameters_close(&p);
    parameters_close(&gradient);
}

/* Forward of the naive model, sequence by sequence. */
static void check_naive_forward(const Golden *golden, const NaiveModel *naive)
{
    Batch batch = golden->batches[0];
    size_t n = (size_t)batch.length, V = (size_t)naive->V, B = (size_t)batch.count;
    const double *logits = values_of(golden, "", "logits", B * n * V);
    const double *attention = values_of(golden, "", "attention", B * n * n);
    double *ours = calloc(n * (n + V), sizeof *ours);
    for (size_t b = 0; ours != NULL && logits != NULL && attention != NULL && b < B; b++) {
        naive_forward(naive, batch.inputs + b * n, (int)n, ours, ours + n * n);
        for (size_t i = 0; i < n * n; i++)
            CHECK(fabs(ours[i] - attention[b * n * n + i]) <= 1e-13, "attention %zu, %zu", b, i);
        for (size_t i = 0; i < n * V; i++)
            CHECK(fabs(ours[n * n + i] - logits[b * n * V + i]) <= 1e-12, "logits %zu, %zu", b, i);
    }
    free(ours);
}

static void check_naive_tensors(const Golden *golden, const char *prefix, const Parameters *list, double **places[])
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        size_t count = tensor_count(list->tensors[i]);
        if (!list->tensors[i].trained)
            continue;
        const double *expected = values_of(golden, prefix, list->tensors[i].name, count);
        double squares = 0, difference = 0;
        for (size_t j = 0; expected != NULL && j < count; j++) {
            squares += expected[j] * expected[j];
            difference += pow((*places[i])[j] - expected[j], 2);
        }
        CHECK(difference <= squares * 1e-24, "%s%s: %g of %g", prefix, list->tensors[i].name, difference, squares);
    }
}

static void check_naive(const Golden *golden)
{
    Parameters list = golden_parameters(golden);
    NaiveModel naive = naive_open(&list), gradient = naive_open(&list), m = naive_open(&list), v = naive_open(&list);
    double **weights[TENSOR_COUNT], **gradients[TENSOR_COUNT], **ms[TENSOR_COUNT], **vs[TENSOR_COUNT];
    naive_places(&naive, weights);
    naive_places(&gradient, gradients);
    naive_places(&m, ms);
    naive_places(&v, vs);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        size_t count = tensor_count(list.tensors[i]);
        const double *start = count > 0 ? values_of(golden, "", list.tensors[i].name, count) : NULL;
        memset(*ms[i], 0, count * sizeof(double));
        memset(*vs[i], 0, count * sizeof(double));
        if (start != NULL)
            memcpy(*weights[i], start, count * sizeof(double));
    }
    const double *losses = values_of(golden, "", "loss", (size_t)golden->steps);
    for (int s = 0; losses != NULL && s < golden->steps; s++) {
        Batch batch = golden->batches[s];
        if (s == 0)
            check_naive_forward(golden, &naive);
        double loss = naive_loss_and_gradient(&naive, batch.count, batch.length, batch.inputs, batch.targets, &gradient,
                                              NAIVE_CORRECT);
        CHECK(fabs(loss - losses[s]) <= 1e-12, "step %d: loss %.15g, not %.15g", s, loss, losses[s]);
        if (s == 0)
            check_naive_tensors(golden, "gradient.", &list, gradients);
        NaiveAdam adam = {golden->learning_rate, golden->adam.beta1, golden->adam.beta2, golden->adam.epsilon, s + 1};
        for (int i = 0; i < TENSOR_COUNT; i++)
            if (list.tensors[i].trained)
                naive_adam_step(adam, tensor_count(list.tensors[i]), *gradients[i], *ms[i], *vs[i], *weights[i]);
    }
    if (golden->steps > 1)
        check_naive_tensors(golden, "after.", &list, weights);
    naive_close(&naive);
    naive_close(&gradient);
    naive_close(&m);
    naive_close(&v);
    parameters_close(&list);
}

int main(void)
{
    static const char *const names[] = {"lecture", "positions_sinusoidal", "positions_none", "mask_none",
                                        "mixing_uniform", "scale_none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int plan = -1; plan < TEST_PLANS; plan++) {
            char name[128];
            Golden golden;
            snprintf(name, sizeof name, "golden %s: PyTorch's figures, %s", names[i],
                     plan < 0 ? "the naive model" : test_plan_name(plan));
            test_case(name);
            if (golden_open(&golden, names[i])) {
                if (plan < 0)
                    check_naive(&golden);
                else
                    check_program(&golden, plan);
            }
            golden_close(&golden);
        }
    return test_finish();
}
