/* ids.h -- a text as symbol numbers, one, two or four bytes each, whichever the vocabulary needs. */
#ifndef SOLILOQUY_TEXT_IDS_H
#define SOLILOQUY_TEXT_IDS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Ids {
    void *data;   /* owned by whoever allocated it; views from ids_slice borrow */
    size_t count; /* symbols */
    int width;    /* bytes a symbol: 1, 2 or 4 */
} Ids;

/* Room for `count` symbols of a vocabulary of that size. */
bool ids_allocate(Ids *ids, size_t count, int vocabulary_size, Error *error);
void ids_free(Ids *ids);

/* A view of ids[first .. first+count); it borrows. */
Ids ids_slice(Ids ids, size_t first, size_t count);

/* to[i] = ids[first + i], i < count. */
void ids_copy(Ids ids, size_t first, size_t count, int32_t *to);

/* Asks for the symbol's cache line ahead of its use. */
static inline void ids_prefetch(Ids ids, size_t index)
{
    __builtin_prefetch((const unsigned char *)ids.data + index * (size_t)ids.width);
}

static inline int32_t ids_at(Ids ids, size_t index)
{
    switch (ids.width) {
    case 1: return ((const uint8_t *)ids.data)[index];
    case 2: return ((const uint16_t *)ids.data)[index];
    default: return ((const int32_t *)ids.data)[index];
    }
}

static inline void ids_put(Ids ids, size_t index, int32_t id)
{
    switch (ids.width) {
    case 1: ((uint8_t *)ids.data)[index] = (uint8_t)id; break;
    case 2: ((uint16_t *)ids.data)[index] = (uint16_t)id; break;
    default: ((int32_t *)ids.data)[index] = id; break;
    }
}

#endif
