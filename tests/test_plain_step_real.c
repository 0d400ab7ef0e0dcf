/* The plain step against the naive model, which makes the same mistakes on its own, and against the step that trains;
 * and Adam with a step for each tensor against its equations. */
#include "model/plain_step.h"
#include "optimizer/adam_mistake.h"

#include "real_model.h"
#include "test.h"

enum { COMBINATIONS = 3 * 2 * 2 * 2 };

static const struct {
    int B, length, T, C, H, V;
} shapes[] = {{3, 7, 9, 5, 3, 11}, {2, 37, 37, 9, 17, 20}, {1, 1, 1, 1, 1, 1}, {2, 18, 18, 16, 16, 2}};

static ModelConfig config_of(int shape, int combination)
{
    return (ModelConfig){
        .context = shapes[shape].T, .channels = shapes[shape].C, .head_size = shapes[shape].H,
        .vocabulary_size = shapes[shape].V, .positions = (Positions)(combination / 8),
        .mask = (Mask)(combination / 4 % 2), .mixing = (Mixing)(combination / 2 % 2), .scale = (Scale)(combination % 2),
    };
}

/* What the naive model does with the same mistake, and the factor that it knows nothing of. */
static NaiveFault fault_of(Mistake mistake)
{
    switch (mistake) {
    case MISTAKE_NO_SCALE: return NAIVE_MISSING_SCALE;
    case MISTAKE_DIAGONAL_SOFTMAX: return NAIVE_DIAGONAL_SOFTMAX;
    case MISTAKE_LATER_QUERIES: return NAIVE_DROPPED_KEY;
    case MISTAKE_CHANNELS: return NAIVE_CHANNELS;
    default: return NAIVE_CORRECT;
    }
}

static void check_mistake(const ModelConfig *config, int shape, Mistake mistake)
{
    Error error;
    PlainStep step;
    Parameters p = test_parameters(config, 3), gradient = test_parameters_nan(config);
    Batch batch = test_batch(shapes[shape].B, shapes[shape].length, config->vocabulary_size, 4);
    NaiveModel naive = naive_open(&p), expected = naive_open(&p);
    CHECK(plain_step_open(&step, config, &error), "%s", error.message);
    double loss = naive_loss_and_gradient(&naive, batch.count, batch.length, batch.inputs, batch.targets, &expected,
                                          fault_of(mistake));
    double factor = mistake == MISTAKE_SUM ? batch.count * batch.length : 1;
    double **places[TENSOR_COUNT];
    naive_places(&expected, places);
    for (int i = 0; i < TENSOR_COUNT; i++)
        for (int k = 0; k < p.tensors[i].values.rows * p.tensors[i].values.columns; k++)
            (*places[i])[k] *= factor;
    for (int again = 0; again < 2; again++) { /* nothing of a call is left for the next */
        const char *where = "";
        double ours = plain_step_gradient(&step, &p, batch, mistake, &gradient);
        double difference = parameters_difference(&gradient, &expected, &where);
        CHECK(fabs(ours - loss) <= tolerance(1e-6, 1e-13) * (1 + loss), "%.9g, not %.9g", ours, loss);
        CHECK(difference <= factor * tolerance(5e-6, 1e-12), "shape %d, %s: %.3g", shape, where, difference);
    }
    for (int i = 0; i < TENSOR_COUNT; i++)
        for (int k = 0; !p.tensors[i].trained && k < p.tensors[i].values.rows * p.tensors[i].values.columns; k++)
            CHECK(isnan(gradient.tensors[i].values.data[k]), "the constant %s got a gradient", p.tensors[i].name);
    plain_step_close(&step);
    plain_step_close(&step);
    naive_close(&naive);
    naive_close(&expected);
    test_batch_close(batch);
    parameters_close(&gradient);
    parameters_close(&p);
}

static void test_mistake(Mistake mistake)
{
    char name[128];
    snprintf(name, sizeof name, "plain step: %s, as the naive model", mistake_meanings[mistake]);
    test_case(name);
    for (int shape = 0; shape < (int)(sizeof shapes / sizeof shapes[0]); shape++)
        for (int combination = 0; combination < COMBINATIONS; combination++) {
            ModelConfig config = config_of(shape, combination);
            check_mistake(&config, shape, mistake);
        }
}

/* Two steps, tensor by tensor: t of the k-th trained tensor is k, then n + k. */
static void test_adam(void)
{
    test_case("adam mistake: t counts tensors");
    const AdamSettings settings = {.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-8};
    for (int combination = 0; combination < COMBINATIONS; combination++) {
        ModelConfig config = config_of(0, combination);
        Parameters p = test_parameters(&config, 1), g = test_parameters(&config, 2);
        NaiveModel weights = naive_open(&p), gradient = naive_open(&g), m = naive_open(&p), v = naive_open(&p);
        double **w_at[TENSOR_COUNT], **g_at[TENSOR_COUNT], **m_at[TENSOR_COUNT], **v_at[TENSOR_COUNT];
        naive_places(&weights, w_at);
        naive_places(&gradient, g_at);
        naive_places(&m, m_at);
        naive_places(&v, v_at);
        Adam adam;
        Error error;
        CHECK(adam_open(&adam, &config, settings, &error), "%s", error.message);
        int t = 0;
        for (int step = 0; step < 2; step++) {
            adam_update_by_tensor(&adam, &p, &g, 0.1);
            for (int i = 0; i < TENSOR_COUNT; i++) {
                size_t count = (size_t)p.tensors[i].values.rows * (size_t)p.tensors[i].values.columns;
                if (!p.tensors[i].trained)
                    continue;
                for (size_t k = 0; step == 0 && k < count; k++)
                    (*m_at[i])[k] = (*v_at[i])[k] = 0;
                naive_adam_step((NaiveAdam){0.1, settings.beta1, settings.beta2, settings.epsilon, ++t}, count,
                                *g_at[i], *m_at[i], *v_at[i], *w_at[i]);
            }
        }
        const char *where = "";
        double difference = parameters_difference(&p, &weights, &where);
        CHECK(difference <= tolerance(1e-5, 1e-12), "%s: %.3g", where, difference);
        CHECK(adam.step == t, "%lld steps, not %d", (long long)adam.step, t);
        NaiveModel *const all[] = {&weights, &gradient, &m, &v};
        for (int i = 0; i < 4; i++)
            naive_close(all[i]);
        adam_close(&adam);
        parameters_close(&p);
        parameters_close(&g);
    }
}

int main(void)
{
    for (int mistake = MISTAKE_NONE; mistake < MISTAKE_ADAM_STEP; mistake++)
        test_mistake((Mistake)mistake);
    test_adam();
    return test_finish();
}
