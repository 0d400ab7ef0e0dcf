/* word_table.h -- the different words of a text, counted and then ranked by falling count.
 *
 * Words of one count stand in the order of their first appearance. A word is the same in any case (lab/words.h). */
#ifndef SOLILOQUY_LAB_WORD_TABLE_H
#define SOLILOQUY_LAB_WORD_TABLE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct CountedWord {
    const char *text; /* borrows; `length` bytes */
    int length, count;
    int32_t first;    /* its place among the different words as they appear */
} CountedWord;

typedef struct WordTable {
    CountedWord *words; /* owned */
    int32_t count;
    int32_t *slots;     /* owned: where a word is, or -1, found by its hash */
    uint32_t mask;      /* slots - 1 */
} WordTable;

/* Room for `most` different words. */
bool word_table_open(WordTable *table, int32_t most, Error *error);

/* Accepts a zeroed table. */
void word_table_close(WordTable *table);

/* Counts an appearance. The text of the first one must outlive the table. */
void word_table_add(WordTable *table, const char *word, int length);

/* Sorts the words. After it a word's place is its rank, from 0. */
void word_table_rank(WordTable *table);

/* The word's place, or -1. */
int32_t word_table_find(const WordTable *table, const char *word, int length);

#endif
