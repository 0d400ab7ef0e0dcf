/* attention_map.h -- the exact attention of a text, window by window.
 *
 *   weights[w, i, j]: how much position i of window w (the query: it reads) takes from position j (the key: is read)
 *
 * A text of at most T characters is one window of its own length. A longer one is cut into windows of T in order,
 * without overlap, but that the last is moved back until it is full. Rows sum to 1; what a causal mask hides is 0. */
#ifndef SOLILOQUY_INFERENCE_ATTENTION_MAP_H
#define SOLILOQUY_INFERENCE_ATTENTION_MAP_H

#include "inference/head.h"
#include "text/ids.h"

/* Where no text is named, a map of the start of the validation text has one window of the context, but not more than
 * this: files grow with the square, and at 1,024 characters take tens of megabytes. */
enum { ATTENTION_MAP_UNASKED = 1024 };

typedef struct AttentionMap {
    float *weights; /* owned: [windows, n, n] */
    size_t *starts; /* owned: [windows], where in the text each window begins, in characters */
    size_t windows;
    size_t available; /* windows that the whole text has */
    int n;            /* characters a window */
} AttentionMap;

/* The first `limit` windows, or all with 0. Fails on an empty text and when memory cannot hold the map. */
bool attention_map_open(AttentionMap *map, Head *head, Ids text, size_t limit, Error *error);

/* Accepts a zeroed map. */
void attention_map_close(AttentionMap *map);

#endif
