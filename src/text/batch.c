#include "text/batch.h"

#include <assert.h>

/* Windows that are on their way from memory while earlier ones are copied: each is a miss, and a hundred
 * nanoseconds away. */
enum { AHEAD = 8 };

void batch_draw(Random *random, Ids text, int count, int length, int32_t *inputs, int32_t *targets)
{
    assert(length > 0 && text.count > (size_t)length);
    const uint64_t starts = text.count - (size_t)length; /* the last target needs one symbol past the window */
    size_t drawn[AHEAD];
    for (int row = 0; row < count + AHEAD; row++) {
        size_t *start = &drawn[row % AHEAD];
        if (row >= AHEAD) {
            const size_t first = (size_t)(row - AHEAD) * (size_t)length;
            batch_window(text, *start, length, inputs + first, targets + first);
        }
        if (row < count) {
            *start = (size_t)random_below(random, starts);
            ids_prefetch(text, *start);
            ids_prefetch(text, *start + (size_t)length);
        }
    }
}

void batch_window(Ids text, size_t start, int length, int32_t *inputs, int32_t *targets)
{
    assert(length > 0 && start < text.count && (size_t)length < text.count - start);
    ids_copy(text, start, (size_t)length, inputs);
    ids_copy(text, start + 1, (size_t)length, targets);
}
