/* counts.h -- what counting alone predicts: the baselines beside every validation loss.
 *
 * Each is the mean of -ln p over the evaluated text, in nats a character. */
#ifndef SOLILOQUY_TEXT_COUNTS_H
#define SOLILOQUY_TEXT_COUNTS_H

#include "text/ids.h"

typedef struct Baselines {
    double uniform; /* ln V */
    double unigram; /* p(c), counted on the training text */
    double bigram;  /* p(c | previous), counted on the training text */
} Baselines;

/* Counts on `training`, evaluates on `evaluated`; V = vocabulary_size. Fails only when memory is out. */
bool baselines_count(Baselines *baselines, Ids training, Ids evaluated, int vocabulary_size, Error *error);

#endif
