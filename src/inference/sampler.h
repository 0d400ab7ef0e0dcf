/* sampler.h -- text from a head, one symbol after another.
 *
 * What it reads are the last T symbols: while there are fewer, all of them; then the window slides, and positions are
 * counted from its start. Before the first symbol it reads a newline, or the first symbol of a vocabulary that has
 * none. Works without a causal mask, too: the last row sees the window in any case. */
#ifndef SOLILOQUY_INFERENCE_SAMPLER_H
#define SOLILOQUY_INFERENCE_SAMPLER_H

#include "inference/choice.h"
#include "inference/head.h"
#include "text/ids.h"
#include "text/vocabulary.h"

typedef struct Sampler {
    Head *head;           /* borrowed */
    ChoiceRule rule;
    int32_t *window;      /* owned: [T], of which the first `filled` are read */
    int filled;
    int32_t start;        /* what an empty prompt stands for */
    Candidate *scratch;   /* owned: [V] */
} Sampler;

/* The head must outlive the sampler. */
bool sampler_open(Sampler *sampler, Head *head, const Vocabulary *vocabulary, ChoiceRule rule, Error *error);

/* Accepts a zeroed sampler. */
void sampler_close(Sampler *sampler);

/* Forgets what was read and reads the prompt, which may be empty and of any length. */
void sampler_begin(Sampler *sampler, Ids prompt);

/* Draws the next symbol, reads it, and returns it. O(T H + H V). */
int32_t sampler_next(Sampler *sampler, Random *random);

#endif
