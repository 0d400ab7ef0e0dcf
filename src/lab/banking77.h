/* banking77.h -- Banking77 as document 003 uses it: queries to a bank, as ids of words, with their intents.
 *
 * A query's words (lab/words.h) become ids, the first 48 of them; behind them stands <pad>. The split is NumPy's
 * RandomState(42).permutation of train.csv: its first 2,000 are the validation set in that order, the rest, sorted,
 * the training set. Ids: <pad> 0, <unk> 1, then the training set's words by falling count, those of one count in
 * order of their first appearance. An intent's number is its place among the sorted names.
 *
 * Source: I. Casanueva and others, "Efficient Intent Detection with Dual Sentence Encoders", 2020; CC BY 4.0. */
#ifndef SOLILOQUY_LAB_BANKING77_H
#define SOLILOQUY_LAB_BANKING77_H

#include "lab/word_table.h"

#include <stdbool.h>
#include <stdint.h>

enum { BANKING77_LONGEST = 48, BANKING77_VALIDATION = 2000, BANKING77_PAD = 0, BANKING77_UNKNOWN = 1 };

typedef struct Banking77Queries {
    int count;
    int32_t (*ids)[BANKING77_LONGEST]; /* owned; [count,48] */
    int32_t *lengths;                  /* owned; [count], 1 to 48: the ids that are no padding */
    int32_t *labels;                   /* owned; [count], the intents */
} Banking77Queries;

typedef struct Banking77 {
    int vocabulary_size;
    int intents;
    Banking77Queries training, validation; /* of train.csv */
    Banking77Queries test;                 /* test.csv in its order */
    const char **intent_names;             /* owned; [intents], sorted */
    WordTable words;                       /* the vocabulary behind <unk> */
    char *text;                            /* owned: train.csv, where names and words lie */
} Banking77;

/* Reads train.csv and test.csv of the folder. Where one is missing, the message says which script fetches it. */
bool banking77_open(Banking77 *b, const char *folder, Error *error);

/* Accepts a zeroed struct. */
void banking77_close(Banking77 *b);

/* The id of one word, in any case; <unk> for one that is not in the vocabulary. */
int32_t banking77_word(const Banking77 *b, const char *word);

/* The ids of a query, padded. Returns its length: 0 where the text has no word. */
int banking77_encode(const Banking77 *b, const char *text, int32_t ids[BANKING77_LONGEST]);

#endif
