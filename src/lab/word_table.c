#include "lab/word_table.h"

#include "lab/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool word_table_open(WordTable *table, int32_t most, Error *error)
{
    uint32_t slots = 2;
    while (slots < 2 * (uint32_t)most) /* at most half full, so that a search ends soon */
        slots *= 2;
    *table = (WordTable){.words = malloc(((size_t)most + 1) * sizeof *table->words),
                         .slots = malloc(slots * sizeof *table->slots), .mask = slots - 1};
    if (table->words == NULL || table->slots == NULL) {
        word_table_close(table);
        return error_set(error, "no memory for a table of %ld words", (long)most);
    }
    memset(table->slots, 0xFF, slots * sizeof *table->slots);
    return true;
}

void word_table_close(WordTable *table)
{
    free(table->words);
    free(table->slots);
    *table = (WordTable){0};
}

/* FNV-1a of the word in lower case. */
static uint32_t hash_of(const char *word, int length)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)words_lower(word[i])) * 16777619u;
    return hash;
}

static bool same_word(CountedWord known, const char *word, int length)
{
    if (known.length != length)
        return false;
    for (int i = 0; i < length; i++)
        if (words_lower(known.text[i]) != words_lower(word[i]))
            return false;
    return true;
}

/* The slot that the word has, or would get. */
static int32_t *slot_of(const WordTable *table, const char *word, int length)
{
    uint32_t slot = hash_of(word, length) & table->mask;
    while (table->slots[slot] >= 0 && !same_word(table->words[table->slots[slot]], word, length))
        slot = (slot + 1) & table->mask;
    return &table->slots[slot];
}

void word_table_add(WordTable *table, const char *word, int length)
{
    int32_t *slot = slot_of(table, word, length);
    if (*slot < 0) {
        assert(2 * (uint32_t)table->count <= table->mask);
        *slot = table->count;
        table->words[table->count] = (CountedWord){word, length, 0, table->count};
        table->count++;
    }
    table->words[*slot].count++;
}

static int compare_words(const void *a, const void *b)
{
    const CountedWord *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

void word_table_rank(WordTable *table)
{
    qsort(table->words, (size_t)table->count, sizeof *table->words, compare_words);
    memset(table->slots, 0xFF, ((size_t)table->mask + 1) * sizeof *table->slots);
    for (int32_t i = 0; i < table->count; i++)
        *slot_of(table, table->words[i].text, table->words[i].length) = i;
}

int32_t word_table_find(const WordTable *table, const char *word, int length)
{
    return *slot_of(table, word, length);
}
