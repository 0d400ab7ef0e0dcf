/* counts.h -- what counting alone predicts: the baselines beside every validation loss.
 *
 * Each is the mean of -ln p over the evaluated text's positions 1 .. n-1 (the first symbol has no
 * predecessor), in nats a character: the positions that a model's validation loss is over, too. With n(.)
 * counted on the N symbols of the training text, every count is raised by one (Laplace's rule), so that a
 * symbol or pair which training never saw costs a finite loss:
 *   unigram  p(c)     = (n(c) + 1) / (N + V)
 *   bigram   p(c | b) = (n(b c) + 1) / (n(b followed by anything) + V)
 * On tiny Shakespeare's first 90 % and the rest: 3.347 and 2.482. With V = 1 all are 0. An evaluated text of
 * fewer than two symbols has nothing to predict; the losses are then those of no counts at all, ln V. */
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
