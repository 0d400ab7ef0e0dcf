/* triples.h -- which strings of three symbols a text has: a measure of gibberish that needs no model. */
#ifndef SOLILOQUY_LAB_TRIPLES_H
#define SOLILOQUY_LAB_TRIPLES_H

#include "text/ids.h"

typedef struct Triples {
    unsigned char *seen; /* owned: [V,V,V], 1 where the text has it */
    size_t V;
} Triples;

/* Fails where V^3 bytes are not to be had. */
bool triples_open(Triples *triples, Ids text, int vocabulary_size, Error *error);

/* Accepts a zeroed one. */
void triples_close(Triples *triples);

/* The share of the triples of ids[0..count) that the text has; count is at least 3. */
double triples_known(const Triples *triples, const int32_t *ids, int count);

#endif
