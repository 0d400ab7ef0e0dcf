#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 }; /* bytes; fewer, larger pages spare a walk of the tables for what lies far apart */

void *arena_take(Arena *arena, size_t count, size_t item_size)
{
    size_t bytes, end;
    if (__builtin_mul_overflow(count, item_size, &bytes) ||
        __builtin_add_overflow(bytes, (size_t)ARENA_ALIGNMENT - 1, &bytes) ||
        __builtin_add_overflow(arena->used, bytes &= ~(size_t)(ARENA_ALIGNMENT - 1), &end)) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    void *piece = arena->base == NULL ? NULL : arena->base + arena->used;
    assert(arena->base == NULL || end <= arena->capacity);
    arena->used = end;
    return piece;
}

bool arena_open(Arena *arena, const char *purpose, Error *error)
{
    assert(arena->base == NULL);
    size_t bytes = arena->used;
    if (bytes > PTRDIFF_MAX)
        return error_set(error, "%s needs more memory than a machine can address; choose smaller sizes", purpose);
    void *base = NULL;
    size_t alignment = bytes < HUGE_PAGE ? ARENA_ALIGNMENT : HUGE_PAGE;
    if (posix_memalign(&base, alignment, bytes > 0 ? bytes : ARENA_ALIGNMENT) != 0)
        return error_set(error, "%s needs %.1f MB of memory, which this machine does not give; choose smaller sizes",
                         purpose, (double)bytes / 1e6);
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_PAGE)
        madvise(base, bytes, MADV_HUGEPAGE); /* advice: where it is not taken, small pages do */
#endif
    memset(base, 0, bytes);
    *arena = (Arena){.base = base, .capacity = bytes};
    return true;
}

void arena_close(Arena *arena)
{
    free(arena->base);
    *arena = (Arena){0};
}
