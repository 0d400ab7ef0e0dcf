/* The counted baselines: by hand on a tiny text, by a plain table on random ones, and the published figures. */
#include "test.h"

#include "base/random.h"
#include "text/corpus.h"
#include "text/counts.h"

#include <math.h>
#include <stdlib.h>

static Ids ids_of(const char *text)
{
    return (Ids){.data = (void *)text, .count = strlen(text), .width = 1};
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static void check_by_hand(void)
{
    Baselines result;
    Error error = {0};
    test_case("counts: by hand");
    /* Training 0 1 0 2 0 1 with V = 3: n(0) = 3, n(1) = 2, n(2) = 1; pairs 01 twice, 10, 02, 20 once.
     * Evaluated 1 0 1 1: predictions 0 | 1, 1 | 0, 1 | 1. */
    const Ids training = {.data = (uint8_t[]){0, 1, 0, 2, 0, 1}, .count = 6, .width = 1};
    const Ids evaluated = {.data = (uint8_t[]){1, 0, 1, 1}, .count = 4, .width = 1};
    CHECK(baselines_count(&result, training, evaluated, 3, &error), "%s", error.message);
    CHECK(near(result.uniform, log(3.0)));
    CHECK(near(result.unigram, -(log(4.0 / 9) + log(3.0 / 9) + log(3.0 / 9)) / 3), "%.17g", result.unigram);
    /* n(1 followed by anything) = 1 (the last 1 is followed by nothing), n(0 followed by anything) = 3. */
    CHECK(near(result.bigram, -(log(2.0 / 4) + log(3.0 / 6) + log(1.0 / 4)) / 3), "%.17g", result.bigram);
}

static void check_edges(void)
{
    Baselines result;
    Error error = {0};
    const Ids none = {.data = (void *)"", .count = 0, .width = 1};
    test_case("counts: one symbol only costs exactly nothing");
    const Ids same = {.data = (uint8_t[100]){0}, .count = 100, .width = 1};
    CHECK(baselines_count(&result, same, same, 1, &error), "%s", error.message);
    CHECK(result.uniform == 0 && result.unigram == 0 && result.bigram == 0);
    test_case("counts: symbols and pairs that training never saw stay finite");
    CHECK(baselines_count(&result, same, ids_of("\1\2\3\4"), 5, &error), "%s", error.message);
    CHECK(near(result.unigram, log(105.0)) && near(result.bigram, log(5.0)), "%g %g", result.unigram, result.bigram);
    CHECK(baselines_count(&result, none, ids_of("\1\2\3\4"), 5, &error), "%s", error.message);
    CHECK(near(result.unigram, log(5.0)) && near(result.bigram, log(5.0)));
    test_case("counts: nothing to predict gives ln V");
    CHECK(baselines_count(&result, same, ids_of("\1"), 5, &error) && near(result.bigram, log(5.0)));
    CHECK(baselines_count(&result, same, none, 5, &error) && near(result.unigram, log(5.0)));
}

/* The same figures from a V x V table. */
static void count_plainly(Ids training, Ids evaluated, int size, double *unigram, double *bigram)
{
    const size_t symbols = (size_t)size;
    double *pairs = calloc(symbols * symbols, sizeof *pairs), *before = calloc(symbols, sizeof *before);
    double *singles = calloc(symbols, sizeof *singles);
    for (size_t i = 0; i < training.count; i++) {
        singles[ids_at(training, i)]++;
        if (i > 0) {
            before[ids_at(training, i - 1)]++;
            pairs[(size_t)ids_at(training, i - 1) * symbols + (size_t)ids_at(training, i)]++;
        }
    }
    *unigram = *bigram = 0;
    for (size_t i = 1; i < evaluated.count; i++) {
        const size_t b = (size_t)ids_at(evaluated, i - 1), c = (size_t)ids_at(evaluated, i);
        *unigram -= log((singles[c] + 1) / ((double)training.count + size));
        *bigram -= log((pairs[b * symbols + c] + 1) / (before[b] + size));
    }
    *unigram /= (double)(evaluated.count - 1);
    *bigram /= (double)(evaluated.count - 1);
    free(pairs);
    free(before);
    free(singles);
}

static void check_random(void)
{
    static const int sizes[] = {2, 7, 255, 256, 257, 300, 1500};
    Random random = random_seed(3);
    test_case("counts: a plain table agrees, small V (dense) and large V (hashed)");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        Ids text;
        Error error = {0};
        CHECK(ids_allocate(&text, 30000, sizes[k], &error), "%s", error.message);
        for (size_t i = 0; i < text.count; i++) {
            const double skewed = random_uniform(&random) * random_uniform(&random);
            ids_put(text, i, (int32_t)(skewed * sizes[k]));
        }
        Baselines result;
        double unigram, bigram;
        const Ids training = ids_slice(text, 0, 20000), evaluated = ids_slice(text, 20000, 10000);
        CHECK(baselines_count(&result, training, evaluated, sizes[k], &error), "%s", error.message);
        count_plainly(training, evaluated, sizes[k], &unigram, &bigram);
        CHECK(fabs(result.unigram - unigram) <= 1e-9 && fabs(result.bigram - bigram) <= 1e-9, "V = %d: %.12g %.12g",
              sizes[k], result.unigram - unigram, result.bigram - bigram);
        ids_free(&text);
    }
}

static void check_shakespeare(void)
{
    const char *name = "counts: tiny Shakespeare has 3.347 and 2.482", *path = getenv("SOLILOQUY_SHAKESPEARE");
    if (path == NULL || path[0] == '\0') {
        test_skip(name, "SOLILOQUY_SHAKESPEARE does not name the file");
        return;
    }
    Corpus corpus;
    Baselines result;
    Error error = {0};
    test_case(name);
    const bool opened = corpus_open(&corpus, path, false, &error);
    CHECK(opened, "%s", error.message);
    if (!opened)
        return;
    CHECK(corpus.ids.count == 1115394 && corpus.vocabulary.size == 65 && corpus.ids.width == 1);
    const size_t split = 1003854; /* floor(0.9 n) */
    CHECK(baselines_count(&result, ids_slice(corpus.ids, 0, split),
                          ids_slice(corpus.ids, split, corpus.ids.count - split), corpus.vocabulary.size, &error),
          "%s", error.message);
    CHECK(fabs(result.unigram - 3.3473053354) <= 1e-9 && fabs(result.bigram - 2.4818894321) <= 1e-9, "%.10f %.10f",
          result.unigram, result.bigram);
    CHECK(near(result.uniform, log(65.0)));
    corpus_close(&corpus);
}

int main(void)
{
    check_by_hand();
    check_edges();
    check_random();
    check_shakespeare();
    return test_finish();
}
