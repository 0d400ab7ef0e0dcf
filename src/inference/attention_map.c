#include "inference/attention_map.h"

#include <stdlib.h>

static bool allocate(AttentionMap *map, Error *error)
{
    size_t area = (size_t)map->n * (size_t)map->n, bytes; /* n <= MODEL_SIZE_LIMIT: no overflow */
    if (__builtin_mul_overflow(area, sizeof(float), &bytes) || __builtin_mul_overflow(bytes, map->windows, &bytes))
        bytes = SIZE_MAX;
    map->weights = bytes < SIZE_MAX ? malloc(bytes) : NULL;
    map->starts = map->weights != NULL ? calloc(map->windows, sizeof *map->starts) : NULL;
    if (map->starts != NULL)
        return true;
    size_t windows = map->windows;
    int n = map->n;
    attention_map_close(map);
    return error_set(error, "no memory for %zu attention window%s of %d x %d; take fewer or a shorter text", windows,
                     windows == 1 ? "" : "s", n, n);
}

bool attention_map_open(AttentionMap *map, Head *head, Ids text, size_t limit, Error *error)
{
    size_t T = (size_t)head->config.context;
    *map = (AttentionMap){0};
    if (text.count == 0)
        return error_set(error, "an empty text has no attention; give it at least one character");
    map->n = text.count < T ? (int)text.count : (int)T;
    map->available = (text.count + T - 1) / T;
    map->windows = limit > 0 && limit < map->available ? limit : map->available;
    int32_t *ids = malloc((size_t)map->n * sizeof *ids);
    if (ids == NULL)
        return error_set(error, "no memory for a window of %d characters", map->n);
    bool allocated = allocate(map, error);
    for (size_t w = 0; allocated && w < map->windows; w++) {
        size_t n = (size_t)map->n, last = text.count - n;
        map->starts[w] = w * T < last ? w * T : last;
        for (size_t i = 0; i < n; i++)
            ids[i] = ids_at(text, map->starts[w] + i);
        head_attention(head, ids, map->n, map->weights + w * n * n);
    }
    free(ids);
    return allocated;
}

void attention_map_close(AttentionMap *map)
{
    free(map->weights);
    free(map->starts);
    *map = (AttentionMap){0};
}
