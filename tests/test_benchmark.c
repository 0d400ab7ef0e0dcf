/* The benchmark's text is as unequal as English, whatever its vocabulary, and the same every time. */
#include "test.h"

#include "cli/benchmark.h"

#include <math.h>
#include <string.h>

enum { V = 65, LENGTH = 1 << 18 };

static Ids text_of(size_t count, int vocabulary_size)
{
    Ids text = {0};
    Error error = {0};
    CHECK(benchmark_text(&text, count, vocabulary_size, &error));
    return text;
}

/* The mean number of different symbols in runs of `length`. */
static double distinct(Ids text, size_t length)
{
    size_t total = 0, runs = text.count / length;
    for (size_t run = 0; run < runs; run++) {
        bool seen[V] = {false};
        for (size_t i = 0; i < length; i++)
            seen[ids_at(text, run * length + i)] = true;
        for (int v = 0; v < V; v++)
            total += seen[v];
    }
    return (double)total / (double)runs;
}

static double entropy(Ids text)
{
    double counts[V] = {0}, nats = 0;
    for (size_t i = 0; i < text.count; i++)
        counts[ids_at(text, i)] += 1 / (double)text.count;
    for (int v = 0; v < V; v++)
        nats -= counts[v] > 0 ? counts[v] * log(counts[v]) : 0;
    return nats;
}

static void test_frequencies(void)
{
    test_case("65 symbols of the text are as unequal as English's");
    Ids text = text_of(LENGTH, V);
    double nats = entropy(text);
    CHECK(nats >= 3.2 && nats <= 3.45, "%.3f nats", nats);
    double among = distinct(text, 256);
    CHECK(among >= 36 && among <= 42, "%.1f", among);
    among = distinct(text, 4096);
    CHECK(among >= 55 && among <= 60, "%.1f", among);
    ids_free(&text);
}

static void test_seeded(void)
{
    test_case("the same text every time");
    Ids one = text_of(1000, V), other = text_of(1000, V);
    CHECK(memcmp(one.data, other.data, 1000) == 0);
    ids_free(&one);
    ids_free(&other);
}

static void test_vocabularies(void)
{
    static const int sizes[] = {1, 2, 3, 256, 5000, 100000};
    test_case("every symbol is one of the vocabulary's, whatever its size");
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        Ids text = text_of(20000, sizes[s]);
        int32_t largest = 0;
        for (size_t i = 0; i < text.count; i++) {
            CHECK(ids_at(text, i) >= 0 && ids_at(text, i) < sizes[s]);
            largest = ids_at(text, i) > largest ? ids_at(text, i) : largest;
        }
        CHECK(largest >= sizes[s] / 2);
        ids_free(&text);
    }
}

int main(void)
{
    test_frequencies();
    test_seeded();
    test_vocabularies();
    return test_finish();
}
