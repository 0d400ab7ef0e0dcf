/* The gradient check itself: it accepts the program's own gradient and an independent one in every configuration, and
 * refuses every classic mistake, also one that hides in a single entry. */
#include "naive_model.h"
#include "test.h"

#include "base/random.h"
#include "training/gradient_check.h"

#include <math.h>
#include <stdlib.h>

enum { TENSORS = GRADIENT_CHECK_TENSORS, MOST_IDS = 64, ALL_ENTRIES = 1 << 20 };
enum { TOKEN, POSITION, QUERY, KEY, VALUE, LM_WEIGHT, LM_BIAS };

static const char *const names[TENSORS] = {
    "token_embedding_table.weight", "position_embedding_table.weight", "sa_head.query.weight", "sa_head.key.weight",
    "sa_head.value.weight", "lm_head.weight", "lm_head.bias",
};

/* One configuration with its numbers: the checker is given the floats, the naive model the same numbers in double. */
typedef struct Subject {
    GradientCheckRequest request; /* points at the arrays below */
    size_t first[TENSORS + 1];    /* where each tensor begins in them */
    float *parameters;
    double *weights, *gradient;
    int32_t inputs[MOST_IDS], targets[MOST_IDS];
} Subject;

static bool is_trained(const ModelConfig *config, int tensor)
{
    return tensor == POSITION ? config->positions == POSITIONS_LEARNED
                              : (tensor != QUERY && tensor != KEY) || config->mixing == MIXING_ATTENTION;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort();
    return memory;
}

/* Constants hold what the program holds there: sinusoids (rounded to float), and zeros for W_Q = W_K. */
static float parameter(const ModelConfig *config, int tensor, size_t index, Random *random)
{
    double drawn = 0.7 * random_normal(random);
    if (tensor == POSITION && config->positions == POSITIONS_SINUSOIDAL) {
        size_t channels = (size_t)config->channels, c = index % channels;
        double angle = (double)(index / channels) / pow(10000, (double)(c - c % 2) / (double)channels);
        return (float)(c % 2 == 0 ? sin(angle) : cos(angle));
    }
    return is_trained(config, tensor) ? (float)drawn : 0;
}

static void subject_open(Subject *s, ModelConfig config, int batch, int length)
{
    int T = config.positions == POSITIONS_NONE ? 0 : config.context;
    int C = config.channels, H = config.head_size, V = config.vocabulary_size;
    const int counts[TENSORS] = {V * C, T * C, H * C, H * C, H * C, V * H, V};
    Random random = random_seed(7);
    *s = (Subject){0};
    for (int i = 0; i < TENSORS; i++)
        s->first[i + 1] = s->first[i] + (size_t)counts[i];
    size_t count = s->first[TENSORS];
    s->parameters = allocate(count, sizeof *s->parameters);
    s->weights = allocate(count, sizeof *s->weights);
    s->gradient = allocate(count, sizeof *s->gradient);
    for (int i = 0; i < TENSORS; i++)
        for (size_t k = s->first[i]; k < s->first[i + 1]; k++)
            s->weights[k] = s->parameters[k] = parameter(&config, i, k - s->first[i], &random);
    for (int i = 0; i < batch * length; i++) {
        s->inputs[i] = (int32_t)random_below(&random, (uint64_t)V);
        s->targets[i] = (int32_t)random_below(&random, (uint64_t)V);
    }
    s->request = (GradientCheckRequest){
        .config = config, .batch = batch, .length = length, .inputs = s->inputs, .targets = s->targets,
        .parameters = s->parameters, .seed = 1, .entries = ALL_ENTRIES, .threads = 1,
    };
}

static void subject_close(Subject *s)
{
    free(s->parameters);
    free(s->weights);
    free(s->gradient);
}

/* Views of one list of numbers as a naive model. Its position table is read, whatever it holds. */
static NaiveModel naive_view(const Subject *s, double *numbers)
{
    const ModelConfig *c = &s->request.config;
    return (NaiveModel){
        .V = c->vocabulary_size, .T = c->context, .C = c->channels, .H = c->head_size,
        .positions = c->positions == POSITIONS_NONE ? NAIVE_POSITIONS_NONE : NAIVE_POSITIONS_LEARNED,
        .mask = c->mask == MASK_CAUSAL ? NAIVE_MASK_CAUSAL : NAIVE_MASK_NONE,
        .mixing = c->mixing == MIXING_ATTENTION ? NAIVE_MIXING_ATTENTION : NAIVE_MIXING_UNIFORM,
        .scale = c->scale == SCALE_SQRT ? NAIVE_SCALE_SQRT : NAIVE_SCALE_NONE,
        .token = numbers + s->first[TOKEN],
        .position = c->positions == POSITIONS_NONE ? NULL : numbers + s->first[POSITION],
        .query = numbers + s->first[QUERY], .key = numbers + s->first[KEY], .value = numbers + s->first[VALUE],
        .lm_weight = numbers + s->first[LM_WEIGHT], .lm_bias = numbers + s->first[LM_BIAS],
    };
}

/* Puts the naive gradient, with a fault, under judgement; returns the naive loss. */
static double hand_over(Subject *s, NaiveFault fault)
{
    NaiveModel model = naive_view(s, s->weights), gradient = naive_view(s, s->gradient);
    s->request.gradient = s->gradient;
    return naive_loss_and_gradient(&model, s->request.batch, s->request.length, s->inputs, s->targets, &gradient, fault);
}

static GradientCheckResult check(const Subject *s)
{
    GradientCheckResult result;
    Error error = {0};
    bool done = gradient_check_double(&s->request, &result, &error);
    CHECK(done, "%s", error.message);
    return result;
}

static const GradientCheckRow *row_of(const GradientCheckResult *result, int tensor)
{
    for (int i = 0; i < result->row_count; i++)
        if (strcmp(result->rows[i].tensor, names[tensor]) == 0)
            return &result->rows[i];
    return NULL;
}

static bool accepts(const GradientCheckResult *result)
{
    bool passed = result->row_count > 0;
    for (int i = 0; i < result->row_count; i++)
        passed = passed && result->rows[i].passed;
    return passed;
}

/* That tensor, and no other, is refused. */
static void check_refused_alone(const Subject *s, int tensor)
{
    GradientCheckResult result = check(s);
    for (int i = 0; i < result.row_count; i++) {
        const GradientCheckRow *row = &result.rows[i];
        CHECK(row->passed == (strcmp(row->tensor, names[tensor]) != 0), "%s: error %g with a wrong %s", row->tensor,
              row->error, names[tensor]);
        CHECK(row->passed == (row->error <= GRADIENT_CHECK_LIMIT), "%s: error %g", row->tensor, row->error);
    }
    CHECK(row_of(&result, tensor) != NULL, "no row for %s", names[tensor]);
}

/* Ragged, C != H; windows shorter than the context in the second. */
static const struct {
    ModelConfig config;
    int batch, length;
} shapes[] = {
    {{.context = 7, .channels = 6, .head_size = 5, .vocabulary_size = 9}, 3, 7},
    {{.context = 19, .channels = 3, .head_size = 17, .vocabulary_size = 5}, 2, 18},
};
enum { SHAPES = 2, COMBINATIONS = 3 * 2 * 2 * 2 * 2 };

static void subject_open_combination(Subject *s, int shape, int combination)
{
    ModelConfig config = shapes[shape].config;
    config.positions = (Positions)(combination / 16);
    config.mask = (Mask)(combination / 8 % 2);
    config.mixing = (Mixing)(combination / 4 % 2);
    config.scale = (Scale)(combination / 2 % 2);
    subject_open(s, config, shapes[shape].batch, shapes[shape].length);
    s->request.linear_first = combination % 2 == 1;
}

static void check_accepted(const Subject *s, double naive_loss)
{
    GradientCheckResult result = check(s);
    double difference = fabs(result.loss - naive_loss);
    CHECK(difference <= 1e-12 * naive_loss, "loss %.17g, naive %.17g", result.loss, naive_loss);
    int rows = 0;
    for (int i = 0; i < TENSORS; i++) {
        const GradientCheckRow *row = row_of(&result, i);
        rows += is_trained(&s->request.config, i);
        CHECK((row != NULL) == is_trained(&s->request.config, i), "%s", names[i]);
        if (row == NULL)
            continue;
        CHECK(row->passed && row->error <= GRADIENT_CHECK_LIMIT, "%s: error %g", names[i], row->error);
        CHECK(row->norm > 1e-6, "%s: a gradient of norm %g shows nothing", names[i], row->norm);
        CHECK(row->entries > 0, "%s: no entry", names[i]);
    }
    CHECK(result.row_count == rows, "%d rows, %d trained tensors", result.row_count, rows);
}

static void test_accepted(void)
{
    for (int i = 0; i < SHAPES * COMBINATIONS; i++) {
        Subject s;
        subject_open_combination(&s, i / COMBINATIONS, i % COMBINATIONS);
        s.request.entries = 24;
        double loss = hand_over(&s, NAIVE_CORRECT);
        if (i == 0)
            test_case("gradient check: a correct gradient of the naive model is accepted in every configuration");
        check_accepted(&s, loss);
        subject_close(&s);
    }
    for (int i = 0; i < SHAPES * COMBINATIONS; i++) {
        Subject s;
        subject_open_combination(&s, i / COMBINATIONS, i % COMBINATIONS);
        double loss = hand_over(&s, NAIVE_CORRECT);
        s.request.entries = 24;
        s.request.gradient = NULL;
        if (i == 0)
            test_case("gradient check: the program's own gradient is accepted in every configuration");
        check_accepted(&s, loss);
        subject_close(&s);
    }
    test_case("gradient check: parameters from a seed are accepted, the same on 1 and 3 threads");
    Subject s;
    subject_open_combination(&s, 1, 0);
    s.request.parameters = NULL;
    GradientCheckResult one = check(&s);
    s.request.threads = 3;
    GradientCheckResult three = check(&s);
    CHECK(accepts(&one), "refused");
    CHECK(one.loss == three.loss, "losses %.17g and %.17g", one.loss, three.loss);
    for (int i = 0; i < one.row_count; i++)
        CHECK(one.rows[i].error == three.rows[i].error && one.rows[i].norm == three.rows[i].norm, "%s", one.rows[i].tensor);
    subject_close(&s);
}

/* Each fault in every configuration that it shows in; `tensor` is one that it must spoil. */
static void test_faults(void)
{
    static const struct {
        const char *name;
        NaiveFault fault;
        int tensor;
        bool uniform, unscaled; /* whether the fault shows with uniform mixing, and without a scale */
    } faults[] = {
        {"gradient check: a flipped sign of d_q is refused", NAIVE_FLIPPED_SIGN, QUERY, false, true},
        {"gradient check: a missing 1/sqrt(H) is refused", NAIVE_MISSING_SCALE, KEY, false, false},
        {"gradient check: a key gradient from its own query alone is refused", NAIVE_DROPPED_KEY, VALUE, true, true},
        {"gradient check: a softmax without its sum is refused", NAIVE_DIAGONAL_SOFTMAX, QUERY, false, true},
        {"gradient check: 1/sqrt(C) for 1/sqrt(H) is refused", NAIVE_CHANNELS, QUERY, false, false},
        {"gradient check: a zero d_q is refused", NAIVE_ZERO, QUERY, false, true},
        {"gradient check: a NaN in d_W_V is refused", NAIVE_NAN, VALUE, true, true},
    };
    enum { FAULTS = sizeof faults / sizeof faults[0] };
    _Static_assert(FAULTS == NAIVE_FAULT_COUNT - 1, "every fault");
    for (int f = 0; f < FAULTS; f++) {
        test_case(faults[f].name);
        for (int i = 0; i < COMBINATIONS; i++) {
            Subject s;
            subject_open_combination(&s, 0, i);
            s.request.entries = 24;
            const ModelConfig *config = &s.request.config;
            if ((config->mixing == MIXING_ATTENTION || faults[f].uniform) &&
                (config->scale == SCALE_SQRT || faults[f].unscaled)) {
                hand_over(&s, faults[f].fault);
                GradientCheckResult result = check(&s);
                const GradientCheckRow *row = row_of(&result, faults[f].tensor);
                CHECK(row != NULL && !row->passed && !(row->error <= 1e-4), "configuration %d: error %g", i,
                      row != NULL ? row->error : -1);
                if (faults[f].fault == NAIVE_NAN)
                    CHECK(row != NULL && isnan(row->error), "configuration %d: error %g", i, row->error);
            }
            subject_close(&s);
        }
    }
}

static bool refuses(const GradientCheckResult *result, int tensor)
{
    const GradientCheckRow *row = row_of(result, tensor);
    return row != NULL && !row->passed && !(row->error <= 1e-4);
}

/* The program's own mistakes: each spoils a tensor, and is refused, in every configuration that it shows in. */
static void test_mistakes(void)
{
    static const struct {
        Mistake mistake;
        int tensor;
        bool uniform, unscaled; /* as above */
    } mistakes[] = {
        {MISTAKE_NO_SCALE, KEY, false, false},  {MISTAKE_DIAGONAL_SOFTMAX, QUERY, false, true},
        {MISTAKE_LATER_QUERIES, VALUE, true, true}, {MISTAKE_SUM, LM_BIAS, true, true},
        {MISTAKE_CHANNELS, QUERY, false, false},
    };
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        char name[128];
        snprintf(name, sizeof name, "gradient check: the mistake %s is refused", mistake_names[mistakes[m].mistake]);
        test_case(name);
        for (int i = 0; i < SHAPES * COMBINATIONS; i++) {
            Subject s;
            subject_open_combination(&s, i / COMBINATIONS, i % COMBINATIONS);
            s.request.entries = 24;
            s.request.mistake = mistakes[m].mistake;
            const ModelConfig *config = &s.request.config;
            bool shows = (config->mixing == MIXING_ATTENTION || mistakes[m].uniform) &&
                         (config->scale == SCALE_SQRT || mistakes[m].unscaled);
            GradientCheckResult result = check(&s);
            CHECK(shows ? refuses(&result, mistakes[m].tensor) : accepts(&result), "configuration %d", i);
            subject_close(&s);
        }
    }
}

/* Adam's steps are judged by their equations: right in every configuration, wrong with a step counted by tensor. */
static void test_updates(void)
{
    test_case("update check: Adam is accepted, a step for each tensor is refused in every tensor");
    for (int i = 0; i < SHAPES * COMBINATIONS; i++) {
        Subject s;
        subject_open_combination(&s, i / COMBINATIONS, i % COMBINATIONS);
        s.request.update = true;
        GradientCheckResult right = check(&s);
        s.request.mistake = MISTAKE_ADAM_STEP;
        GradientCheckResult wrong = check(&s);
        CHECK(accepts(&right) && right.loss == wrong.loss, "configuration %d", i);
        for (int k = 0; k < TENSORS; k++) {
            const GradientCheckRow *row = row_of(&right, k);
            CHECK((row != NULL) == is_trained(&s.request.config, k), "configuration %d: %s", i, names[k]);
            CHECK(row == NULL || (row->norm > 1e-3 && refuses(&wrong, k)), "configuration %d: %s", i, names[k]);
        }
        subject_close(&s);
    }
}

/* Where the largest |gradient| of a tensor stands. */
static size_t largest_entry(const Subject *s, int tensor)
{
    size_t best = s->first[tensor];
    for (size_t i = best; i < s->first[tensor + 1]; i++)
        if (fabs(s->gradient[i]) > fabs(s->gradient[best]))
            best = i;
    return best;
}

typedef void (*Spoil)(Subject *s, int tensor);

static void flip_largest(Subject *s, int tensor)
{
    size_t i = largest_entry(s, tensor);
    s->gradient[i] = -s->gradient[i];
}

static void scale_slightly(Subject *s, int tensor)
{
    for (size_t i = s->first[tensor]; i < s->first[tensor + 1]; i++)
        s->gradient[i] *= 1.001;
}

static void clear(Subject *s, int tensor)
{
    for (size_t i = s->first[tensor]; i < s->first[tensor + 1]; i++)
        s->gradient[i] = 0;
}

static void nan_at_start(Subject *s, int tensor)
{
    s->gradient[s->first[tensor]] = NAN;
}

static void nan_at_end(Subject *s, int tensor)
{
    s->gradient[s->first[tensor + 1] - 1] = NAN;
}

static void infinity_inside(Subject *s, int tensor)
{
    s->gradient[s->first[tensor] + 1] = INFINITY;
}

static void minus_infinity_at_start(Subject *s, int tensor)
{
    s->gradient[s->first[tensor]] = -INFINITY;
}

/* Its square overflows, and so does the norm that errors are relative to. */
static void huge_inside(Subject *s, int tensor)
{
    s->gradient[s->first[tensor] + 1] = 1e200;
}

static void test_spoilt_tensors(void)
{
    static const struct {
        const char *name;
        Spoil spoil;
    } spoils[] = {
        {"gradient check: one flipped sign, of the largest entry, is refused in each tensor", flip_largest},
        {"gradient check: a gradient times 1.001 is refused in each tensor", scale_slightly},
        {"gradient check: all zeros are refused in each tensor", clear},
        {"gradient check: a NaN in the first entry is refused in each tensor", nan_at_start},
        {"gradient check: a NaN in the last entry is refused in each tensor", nan_at_end},
        {"gradient check: an infinity is refused in each tensor", infinity_inside},
        {"gradient check: a negative infinity is refused in each tensor", minus_infinity_at_start},
        {"gradient check: a number whose square overflows is refused in each tensor", huge_inside},
    };
    static const int entries[] = {ALL_ENTRIES, 6}; /* every entry, and a sample */
    for (size_t k = 0; k < sizeof spoils / sizeof spoils[0]; k++) {
        test_case(spoils[k].name);
        for (int i = 0; i < 2 * TENSORS; i++) {
            Subject s;
            subject_open_combination(&s, 0, 0);
            s.request.entries = entries[i / TENSORS];
            hand_over(&s, NAIVE_CORRECT);
            spoils[k].spoil(&s, i % TENSORS);
            check_refused_alone(&s, i % TENSORS);
            subject_close(&s);
        }
    }
}

/* A small lm_head makes every gradient before it small, and an error in it smaller than any absolute limit. */
static void test_small_gradients(void)
{
    test_case("gradient check: a small gradient times 1.001 is refused: errors are relative to the tensor's norm");
    for (int tensor = QUERY; tensor <= KEY; tensor++) {
        Subject s;
        subject_open_combination(&s, 0, 0);
        for (size_t k = s.first[LM_WEIGHT]; k < s.first[LM_WEIGHT + 1]; k++)
            s.weights[k] = s.parameters[k] *= 1e-3f;
        hand_over(&s, NAIVE_CORRECT);
        GradientCheckResult right = check(&s);
        CHECK(accepts(&right) && row_of(&right, tensor)->norm <= 5e-4, "norm %g", row_of(&right, tensor)->norm);
        scale_slightly(&s, tensor);
        check_refused_alone(&s, tensor);
        subject_close(&s);
    }
}

static void test_sample_of_entries(void)
{
    Subject s;
    test_case("gradient check: large tensors are sampled, small ones checked whole");
    subject_open_combination(&s, 0, 0);
    s.request.entries = 20;
    GradientCheckResult result = check(&s);
    for (int i = 0; i < TENSORS; i++) {
        size_t count = s.first[i + 1] - s.first[i];
        const GradientCheckRow *row = row_of(&result, i);
        /* Two random draws may meet, and a largest entry may have been drawn: never more than the limit. */
        CHECK(row != NULL && (count <= 20 ? row->entries == (int64_t)count : row->entries >= 10 && row->entries <= 20),
              "%s: %lld of %zu", names[i], row != NULL ? (long long)row->entries : -1, count);
    }
    test_case("gradient check: the same seed samples the same entries, another seed others");
    GradientCheckResult again = check(&s);
    s.request.seed = 2;
    GradientCheckResult other = check(&s);
    bool differs = false;
    for (int i = 0; i < TENSORS; i++) {
        const GradientCheckRow *a = row_of(&result, i), *b = row_of(&again, i), *c = row_of(&other, i);
        CHECK(a->error == b->error && a->entries == b->entries, "%s: %g and %g", names[i], a->error, b->error);
        differs = differs || a->error != c->error || a->entries != c->entries;
    }
    CHECK(differs, "all rows are the same");
    subject_close(&s);

    test_case("gradient check: a model of impossible sizes is an error, not a verdict");
    Error error = {0};
    subject_open_combination(&s, 0, 0);
    s.request.config.head_size = 0;
    CHECK(!gradient_check_double(&s.request, &result, &error), "accepted");
    CHECK(strstr(error.message, "head size") != NULL, "%s", error.message);
    subject_close(&s);
}

int main(void)
{
    test_accepted();
    test_faults();
    test_mistakes();
    test_updates();
    test_spoilt_tensors();
    test_small_gradients();
    test_sample_of_entries();
    return test_finish();
}
