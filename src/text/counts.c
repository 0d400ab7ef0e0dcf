#include "text/counts.h"

#include <math.h>
#include <stdlib.h>

enum { DENSE_VOCABULARY = 256, FIRST_CAPACITY = 1024 };

/* How often a pair of neighbours stands in either text. */
typedef struct Pair {
    uint64_t key; /* previous * V + current */
    uint64_t trained, evaluated;
} Pair;

/* The pairs of the evaluated text, the only ones whose counts matter. For a small V the key is the place;
 * otherwise a hash table by linear probing, at most 3/4 full, where `evaluated` = 0 marks a free place. */
typedef struct Pairs {
    Pair *places;      /* owned */
    uint64_t capacity; /* a power of two unless dense */
    uint64_t filled;   /* places with evaluated > 0 */
    bool dense;
} Pairs;

/* The place of the key, or the free place where it would go. */
static Pair *pairs_find(const Pairs *pairs, uint64_t key)
{
    if (pairs->dense)
        return &pairs->places[key];
    const uint64_t mask = pairs->capacity - 1;
    uint64_t place = ((key * 0x9e3779b97f4a7c15u) >> 32) & mask; /* multiplicative hash, its middle bits */
    while (pairs->places[place].evaluated > 0 && pairs->places[place].key != key)
        place = (place + 1) & mask;
    return &pairs->places[place];
}

static bool pairs_open(Pairs *pairs, uint64_t capacity, bool dense, Error *error)
{
    *pairs = (Pairs){.places = calloc(capacity, sizeof(Pair)), .capacity = capacity, .dense = dense};
    if (pairs->places == NULL)
        return error_set(error, "no memory to count %llu pairs of characters", (unsigned long long)capacity);
    return true;
}

static bool pairs_grow(Pairs *pairs, Error *error)
{
    Pairs larger;
    if (!pairs_open(&larger, 2 * pairs->capacity, false, error))
        return false;
    for (uint64_t i = 0; i < pairs->capacity; i++)
        if (pairs->places[i].evaluated > 0)
            *pairs_find(&larger, pairs->places[i].key) = pairs->places[i];
    larger.filled = pairs->filled;
    free(pairs->places);
    *pairs = larger;
    return true;
}

/* Counts one occurrence in the evaluated text. */
static bool pairs_add(Pairs *pairs, uint64_t key, Error *error)
{
    Pair *pair = pairs_find(pairs, key);
    if (pair->evaluated++ > 0)
        return true;
    pair->key = key;
    pairs->filled++;
    return pairs->dense || pairs->filled <= pairs->capacity / 4 * 3 || pairs_grow(pairs, error);
}

static uint64_t pair_key(Ids text, size_t index, uint64_t vocabulary_size)
{
    return (uint64_t)ids_at(text, index - 1) * vocabulary_size + (uint64_t)ids_at(text, index);
}

static bool pairs_count(Pairs *pairs, Ids training, Ids evaluated, uint64_t vocabulary_size, Error *error)
{
    const bool dense = vocabulary_size <= DENSE_VOCABULARY;
    if (!pairs_open(pairs, dense ? vocabulary_size * vocabulary_size : FIRST_CAPACITY, dense, error))
        return false;
    for (size_t i = 1; i < evaluated.count; i++)
        if (!pairs_add(pairs, pair_key(evaluated, i, vocabulary_size), error))
            return false;
    /* A pair that is not evaluated leaves its count on a free place, which nobody looks at any more. */
    for (size_t i = 1; i < training.count; i++)
        pairs_find(pairs, pair_key(training, i, vocabulary_size))->trained++;
    return true;
}

/* -ln of the add-one estimate (count + 1) / (total + V), summed over `times` occurrences. */
static double cost(uint64_t times, uint64_t count, uint64_t total, uint64_t vocabulary_size)
{
    return (double)times * log((double)(total + vocabulary_size) / (double)(count + 1));
}

/* singles[V]: how often each symbol stands in the training text. */
static void baselines_sum(Baselines *baselines, const Pairs *pairs, uint64_t *singles, Ids training,
                          uint64_t predictions, uint64_t vocabulary_size)
{
    double unigram = 0, bigram = 0;
    for (uint64_t i = 0; i < pairs->capacity; i++) {
        const Pair *pair = &pairs->places[i];
        if (pair->evaluated > 0)
            unigram += cost(pair->evaluated, singles[pair->key % vocabulary_size], training.count, vocabulary_size);
    }
    if (training.count > 0)
        singles[ids_at(training, training.count - 1)]--; /* nothing follows the last symbol */
    for (uint64_t i = 0; i < pairs->capacity; i++) {
        const Pair *pair = &pairs->places[i];
        if (pair->evaluated > 0)
            bigram += cost(pair->evaluated, pair->trained, singles[pair->key / vocabulary_size], vocabulary_size);
    }
    baselines->unigram = unigram / (double)predictions;
    baselines->bigram = bigram / (double)predictions;
}

bool baselines_count(Baselines *baselines, Ids training, Ids evaluated, int vocabulary_size, Error *error)
{
    const uint64_t symbols = (uint64_t)vocabulary_size;
    const double uniform = log((double)vocabulary_size);
    *baselines = (Baselines){.uniform = uniform, .unigram = uniform, .bigram = uniform};
    if (evaluated.count < 2)
        return true;
    uint64_t *singles = calloc(symbols, sizeof *singles);
    if (singles == NULL)
        return error_set(error, "no memory to count %d characters", vocabulary_size);
    for (size_t i = 0; i < training.count; i++)
        singles[ids_at(training, i)]++;
    Pairs pairs;
    const bool counted = pairs_count(&pairs, training, evaluated, symbols, error);
    if (counted)
        baselines_sum(baselines, &pairs, singles, training, evaluated.count - 1, symbols);
    free(pairs.places);
    free(singles);
    return counted;
}
