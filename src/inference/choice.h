/* choice.h -- one symbol, drawn from logits.
 *
 *   p(v) proportional to exp(logits[v] / temperature), among the top_k most likely, and of these the fewest that
 *   together hold top_p of their mass
 *
 * Where logits are equal the lower id is the more likely one, so that a choice never depends on anything but the
 * logits, the rule and the generator. */
#ifndef SOLILOQUY_INFERENCE_CHOICE_H
#define SOLILOQUY_INFERENCE_CHOICE_H

#include "base/random.h"
#include "base/real.h"

#include <stdint.h>

typedef struct ChoiceRule {
    double temperature; /* 0 takes the most likely symbol */
    int64_t top_k;      /* 0: all; above V: all */
    double top_p;       /* 1: all; at least one symbol is always kept */
} ChoiceRule;

typedef struct Candidate {
    real logit;
    int32_t id;
} Candidate;

/* logits[0..count), finite; scratch holds `count`. Takes one number from the generator, or none at temperature 0. */
int32_t choice_draw(ChoiceRule rule, const real *logits, int count, Candidate *scratch, Random *random);

#endif
