#include "text/ids.h"

#include <stdlib.h>

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
