/* arena.h -- one aligned, zeroed block of memory for everything that lives equally long.
 *
 * A layout function takes its pieces in order. It runs twice: on a zeroed Arena it only measures (every
 * piece is NULL), then, after arena_open, the same function hands out the real pieces. Sizing and carving
 * can therefore not disagree. Sizes that overflow size_t saturate, and arena_open refuses them. */
#ifndef SOLILOQUY_BASE_ARENA_H
#define SOLILOQUY_BASE_ARENA_H

#include "base/error.h"

#include <stddef.h>

enum { ARENA_ALIGNMENT = 64 }; /* bytes: a cache line, and the widest vector */

typedef struct Arena {
    unsigned char *base; /* owned; NULL while measuring */
    size_t capacity;     /* bytes */
    size_t used;         /* bytes; SIZE_MAX once a sum or product overflowed */
} Arena;

/* count items of item_size bytes, aligned to ARENA_ALIGNMENT; NULL while measuring. Asserts that the
 * arena is large enough, which holds when the layout that measured is the layout that carves. */
void *arena_take(Arena *arena, size_t count, size_t item_size);

/* Allocates what a measuring pass counted and rewinds. Fails, naming `purpose` and the size, when
 * memory cannot hold it. */
bool arena_open(Arena *arena, const char *purpose, Error *error);

/* Frees the block; accepts a zeroed Arena. */
void arena_close(Arena *arena);

#endif
