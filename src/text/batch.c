#include "text/batch.h"

#include <assert.h>

void batch_draw(Random *random, Ids text, int count, int length, int32_t *inputs, int32_t *targets)
{
    assert(length > 0 && text.count > (size_t)length);
    const uint64_t starts = text.count - (size_t)length; /* the last target needs one symbol past the window */
    for (int row = 0; row < count; row++) {
        const size_t first = (size_t)row * (size_t)length;
        batch_window(text, (size_t)random_below(random, starts), length, inputs + first, targets + first);
    }
}

void batch_window(Ids text, size_t start, int length, int32_t *inputs, int32_t *targets)
{
    assert(length > 0 && start < text.count && (size_t)length < text.count - start);
    ids_copy(text, start, (size_t)length, inputs);
    ids_copy(text, start + 1, (size_t)length, targets);
}
