/* Choices from logits, and the window they come from. */
#include "inference/sampler.h"
#include "small_model.h"
#include "test.h"

#include <math.h>

enum { DRAWS = 20000 };
static const ChoiceRule plain = {.temperature = 1, .top_p = 1};

/* How often each of `count` symbols is drawn. */
static void draw_many(ChoiceRule rule, const real *logits, int count, int draws, int *counts)
{
    Candidate scratch[64];
    Random random = random_seed(21);
    memset(counts, 0, (size_t)count * sizeof *counts);
    for (int i = 0; i < draws; i++)
        counts[choice_draw(rule, logits, count, scratch, &random)]++;
}

static void check_shares(const char *what, const int *counts, const double *shares, int count, int draws)
{
    for (int id = 0; id < count; id++) {
        double expected = shares[id] * draws, deviation = 5 * sqrt(expected * (1 - shares[id])) + 1e-9;
        CHECK(fabs(counts[id] - expected) <= deviation, "%s: symbol %d came %d times, expected %.0f", what, id,
              counts[id], expected);
    }
}

static void test_distribution(void)
{
    static const real logits[] = {0.0f, 1.5f, -2.0f, 1.5f, 0.5f};
    enum { V = sizeof logits / sizeof logits[0] };
    int counts[V];
    double shares[V];
    test_case("symbols come as often as the softmax says, at any temperature");
    static const double temperatures[] = {0.25, 1, 3, 1e300};
    for (size_t t = 0; t < sizeof temperatures / sizeof temperatures[0]; t++) {
        double sum = 0;
        for (int id = 0; id < V; id++)
            sum += exp((double)logits[id] / temperatures[t]);
        for (int id = 0; id < V; id++)
            shares[id] = exp((double)logits[id] / temperatures[t]) / sum;
        draw_many((ChoiceRule){.temperature = temperatures[t], .top_p = 1}, logits, V, DRAWS, counts);
        check_shares("temperature", counts, shares, V, DRAWS);
    }

    test_case("top-k keeps the k likeliest, of equals the lower id");
    double two = exp(1.5) + exp(0.5);
    draw_many((ChoiceRule){1, 2, 1}, logits, V, DRAWS, counts);
    check_shares("2", counts, (double[]){0, 0.5, 0, 0.5, 0}, V, DRAWS);
    static const real equal[] = {1, 1, 1, 1, 0};
    draw_many((ChoiceRule){1, 2, 1}, equal, V, DRAWS, counts);
    check_shares("2 of equals", counts, (double[]){0.5, 0.5, 0, 0, 0}, V, DRAWS);
    draw_many((ChoiceRule){1, 3, 1}, (const real[]){0.5f, 1.5f, -2, -9, -10}, V, DRAWS, counts);
    double three = two + exp(-2);
    check_shares("3", counts, (double[]){exp(0.5) / three, exp(1.5) / three, exp(-2) / three, 0, 0}, V, DRAWS);

    test_case("top-p keeps the fewest that hold the mass, of the top-k where both are given");
    static const real halves[] = {-2.0794415f, -0.6931472f, -1.3862944f, -2.0794415f, -99}; /* 1/8 1/2 1/4 1/8 */
    draw_many((ChoiceRule){1, 0, 0.49}, halves, V, DRAWS, counts);
    check_shares("0.49", counts, (double[]){0, 1, 0, 0, 0}, V, DRAWS);
    draw_many((ChoiceRule){1, 0, 0.7}, halves, V, DRAWS, counts);
    check_shares("0.7", counts, (double[]){0, 2. / 3, 1. / 3, 0, 0}, V, DRAWS);
    draw_many((ChoiceRule){1, 0, 0.8}, halves, V, DRAWS, counts);
    check_shares("0.8", counts, (double[]){1. / 7, 4. / 7, 2. / 7, 0, 0}, V, DRAWS);
    draw_many((ChoiceRule){1, 2, 0.6}, halves, V, DRAWS, counts);
    check_shares("0.6 of 2", counts, (double[]){0, 1, 0, 0, 0}, V, DRAWS);
    draw_many((ChoiceRule){1, 0, 1e-300}, halves, V, 100, counts);
    check_shares("tiny", counts, (double[]){0, 1, 0, 0, 0}, V, 100);
}

static void test_extremes(void)
{
    static const real logits[] = {2, 7, 7, -3e38f, 7, 3};
    enum { V = sizeof logits / sizeof logits[0] };
    int counts[V];
    test_case("temperature 0 and top-k 1 take the likeliest, of equals the lowest id");
    static const ChoiceRule firsts[] = {{0, 0, 1}, {0, 3, 0.5}, {1e-320, 0, 1}, {1, 1, 1}, {50, 1, 0.9}};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        draw_many(firsts[i], logits, V, 500, counts);
        CHECK(counts[1] == 500, "rule %zu drew something else", i);
    }

    test_case("tiny and huge temperatures stay finite");
    draw_many((ChoiceRule){1e-300, 0, 1}, logits, V, DRAWS, counts);
    check_shares("tiny", counts, (double[]){0, 1. / 3, 1. / 3, 0, 1. / 3, 0}, V, DRAWS);
    draw_many((ChoiceRule){1.7e308, 0, 1}, logits, V, DRAWS, counts);
    check_shares("huge", counts, (double[]){1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}, V, DRAWS);

    test_case("a rule that cuts nothing changes nothing");
    static const ChoiceRule wides[] = {{1, 6, 1}, {1, 1000000000, 1}};
    Candidate scratch[V];
    Random one = random_seed(3), other = random_seed(3);
    for (size_t i = 0; i < sizeof wides / sizeof wides[0]; i++)
        for (int k = 0; k < 1000; k++)
            CHECK(choice_draw(plain, logits, V, scratch, &one) == choice_draw(wides[i], logits, V, scratch, &other),
                  "rule %zu, draw %d", i, k);
    draw_many(plain, logits, 1, 10, counts);
    CHECK(counts[0] == 10, "a vocabulary of one");
}

/* Every cut of a random vocabulary against sorting it out by hand. */
static void test_cuts(void)
{
    test_case("top-k takes the right symbols of many, whatever their order");
    enum { V = 60 };
    Random random = random_seed(77);
    real logits[V];
    int counts[V];
    for (int id = 0; id < V; id++)
        logits[id] = (real)random_below(&random, 20) / 10; /* with ties */
    for (int k = 1; k <= V; k++) {
        draw_many((ChoiceRule){1e6, k, 1}, logits, V, 60 * V, counts);
        for (int id = 0; id < V; id++) {
            int before = 0; /* symbols that go first */
            for (int other = 0; other < V; other++)
                before += logits[other] > logits[id] || (logits[other] == logits[id] && other < id);
            CHECK((counts[id] > 0) == (before < k), "top-k %d: symbol %d came %d times", k, id, counts[id]);
        }
    }
}

static Vocabulary letters(int size, bool newline)
{
    uint32_t symbols[64];
    Vocabulary vocabulary;
    Error error;
    for (int i = 0; i < size; i++)
        symbols[i] = newline && i == 0 ? '\n' : (uint32_t)('A' + i);
    if (newline && size > 2) /* not the first one */
        symbols[0] = '\t', symbols[1] = '\n';
    if (!vocabulary_open(&vocabulary, symbols, size, false, &error))
        abort();
    return vocabulary;
}

static void test_window(void)
{
    test_case("each symbol is the likeliest after the last T, by the naive model too");
    for (int i = 0; i < SMALL_CONFIGS; i++) {
        SmallModel model = small_model_open(small_config(i), 300 + (uint64_t)i);
        int T = model.naive.T, V = model.naive.V, length = 2 * T + 9;
        Vocabulary vocabulary = letters(V < 50 ? V : 50, false);
        Ids prompt = small_model_text(&model, 3, 5);
        int *text = calloc((size_t)length, sizeof *text);
        double *attention = calloc((size_t)T * (size_t)T, sizeof *attention);
        double *logits = calloc((size_t)T * (size_t)V, sizeof *logits);
        Head head;
        Sampler sampler;
        Random random = random_seed(1);
        Error error = {0};
        CHECK(head_open(&head, &model.parameters, &error), "%s", error.message);
        CHECK(sampler_open(&sampler, &head, &vocabulary, (ChoiceRule){0, 0, 1}, &error), "%s", error.message);
        sampler_begin(&sampler, prompt);
        for (int k = 0; k < 3; k++)
            text[k] = ids_at(prompt, (size_t)k);
        for (int k = 3; k < length; k++) {
            int first = k > T ? k - T : 0, n = k - first;
            naive_forward(&model.naive, text + first, n, attention, logits);
            const double *last = logits + (size_t)(n - 1) * (size_t)V;
            text[k] = sampler_next(&sampler, &random);
            double largest = last[0];
            for (int id = 1; id < V; id++)
                largest = last[id] > largest ? last[id] : largest;
            CHECK(largest - last[text[k]] <= 1e-4, "model %d, symbol %d: %d is not the likeliest", i, k, text[k]);
        }
        sampler_close(&sampler);
        head_close(&head);
        vocabulary_close(&vocabulary);
        ids_free(&prompt);
        free(text);
        free(attention);
        free(logits);
        small_model_close(&model);
    }
}

static void draw_text(Sampler *sampler, Ids prompt, uint64_t seed, int32_t text[40])
{
    Random random = random_seed(seed);
    sampler_begin(sampler, prompt);
    for (int i = 0; i < 40; i++)
        text[i] = sampler_next(sampler, &random);
}

static void test_prompts(void)
{
    ModelConfig config = {.context = 8, .channels = 6, .head_size = 5, .vocabulary_size = 12};
    SmallModel model = small_model_open(config, 41);
    Ids prompt = small_model_text(&model, 30, 42), start;
    Head head;
    Sampler sampler;
    Error error = {0};
    int32_t a[40], b[40];
    CHECK(ids_allocate(&start, 1, 12, &error) && head_open(&head, &model.parameters, &error), "%s", error.message);
    for (int newline = 0; newline < 2; newline++) {
        test_case(newline ? "an empty prompt stands for the newline" : "and without a newline for the first symbol");
        Vocabulary vocabulary = letters(12, newline);
        CHECK(sampler_open(&sampler, &head, &vocabulary, plain, &error), "%s", error.message);
        ids_put(start, 0, newline);
        draw_text(&sampler, (Ids){0}, 6, a);
        draw_text(&sampler, start, 6, b);
        CHECK(memcmp(a, b, sizeof a) == 0, "another text");
        vocabulary_close(&vocabulary);
        if (newline == 0)
            sampler_close(&sampler);
    }

    test_case("of a long prompt the last T symbols are read");
    draw_text(&sampler, prompt, 7, a);
    draw_text(&sampler, ids_slice(prompt, 22, 8), 7, b);
    CHECK(memcmp(a, b, sizeof a) == 0, "another text");

    test_case("the same seed draws the same text, another one another");
    draw_text(&sampler, prompt, 7, b);
    CHECK(memcmp(a, b, sizeof a) == 0, "another text");
    draw_text(&sampler, prompt, 8, b);
    CHECK(memcmp(a, b, sizeof a) != 0, "the same text");
    sampler_close(&sampler);
    head_close(&head);
    ids_free(&prompt);
    ids_free(&start);
    small_model_close(&model);
}

int main(void)
{
    test_distribution();
    test_extremes();
    test_cuts();
    test_window();
    test_prompts();
    return test_finish();
}
