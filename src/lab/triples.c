#include "lab/triples.h"

#include <stdlib.h>

static size_t place(const Triples *triples, size_t a, size_t b, size_t c)
{
    return (a * triples->V + b) * triples->V + c;
}

bool triples_open(Triples *triples, Ids text, int vocabulary_size, Error *error)
{
    size_t V = (size_t)vocabulary_size, bytes;
    *triples = (Triples){.V = V};
    if (!__builtin_mul_overflow(V, V, &bytes) && !__builtin_mul_overflow(bytes, V, &bytes))
        triples->seen = calloc(bytes, 1);
    if (triples->seen == NULL)
        return error_set(error, "no memory for the triples of %d symbols", vocabulary_size);
    for (size_t i = 2; i < text.count; i++) {
        size_t a = (size_t)ids_at(text, i - 2), b = (size_t)ids_at(text, i - 1), c = (size_t)ids_at(text, i);
        triples->seen[place(triples, a, b, c)] = 1;
    }
    return true;
}

void triples_close(Triples *triples)
{
    free(triples->seen);
    *triples = (Triples){0};
}

double triples_known(const Triples *triples, const int32_t *ids, int count)
{
    int known = 0;
    for (int i = 2; i < count; i++)
        known += triples->seen[place(triples, (size_t)ids[i - 2], (size_t)ids[i - 1], (size_t)ids[i])];
    return (double)known / (count - 2);
}
