#include "text/ids.h"

#include <stdlib.h>
#include <string.h>

bool ids_allocate(Ids *ids, size_t count, int vocabulary_size, Error *error)
{
    const int width = vocabulary_size <= 256 ? 1 : vocabulary_size <= 65536 ? 2 : 4;
    size_t bytes;
    void *data = NULL;
    if (!__builtin_mul_overflow(count, (size_t)width, &bytes) && bytes <= PTRDIFF_MAX)
        data = malloc(bytes > 0 ? bytes : 1);
    *ids = (Ids){0};
    if (data == NULL)
        return error_set(error, "a text of %zu symbols needs %.1f MB of memory, which this machine does not give",
                         count, (double)count * width / 1e6);
    *ids = (Ids){.data = data, .count = count, .width = width};
    return true;
}

void ids_free(Ids *ids)
{
    free(ids->data);
    *ids = (Ids){0};
}

Ids ids_slice(Ids ids, size_t first, size_t count)
{
    return (Ids){.data = (unsigned char *)ids.data + first * (size_t)ids.width, .count = count, .width = ids.width};
}

/* A loop for each width, so that each is one that compilers vectorise. */
void ids_copy(Ids ids, size_t first, size_t count, int32_t *restrict to)
{
    const uint8_t *bytes = (const uint8_t *)ids.data + first;
    const uint16_t *words = (const uint16_t *)ids.data + first;
    if (ids.width == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = bytes[i];
    else if (ids.width == 2)
        for (size_t i = 0; i < count; i++)
            to[i] = words[i];
    else
        memcpy(to, (const int32_t *)ids.data + first, count * sizeof *to);
}
