/* streams.h -- known streams of random numbers: the files of tests/golden/streams, as scripts/streams.py wrote them.
 *
 * A stream is a line `NAME COUNT` and the bits of its values, hexadecimal, in order. */
#ifndef SOLILOQUY_TESTS_STREAMS_H
#define SOLILOQUY_TESTS_STREAMS_H

#include "base/file.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

/* Values being drawn, of one width: 4 bytes (float) or 8 (double, int64_t, uint64_t). */
typedef struct Drawn {
    unsigned char *bytes; /* owned */
    size_t width, count, capacity;
} Drawn;

static inline Drawn drawn_open(size_t width, size_t capacity)
{
    Drawn drawn = {.bytes = malloc(width * capacity), .width = width, .capacity = capacity};
    if (drawn.bytes == NULL)
        abort();
    return drawn;
}

/* Room for `count` more values, to be filled by the caller. */
static inline void *drawn_more(Drawn *drawn, size_t count)
{
    void *place = drawn->bytes + drawn->width * drawn->count;
    drawn->count += count;
    if (drawn->count > drawn->capacity)
        abort();
    return place;
}

static inline uint64_t drawn_bits(const Drawn *drawn, size_t i)
{
    uint64_t wide;
    uint32_t narrow;
    if (drawn->width == sizeof wide)
        return memcpy(&wide, drawn->bytes + i * sizeof wide, sizeof wide), wide;
    return memcpy(&narrow, drawn->bytes + i * sizeof narrow, sizeof narrow), narrow;
}

/* The bits of all values, each times 1, 3, 5, ..., modulo 2^64. Closes. */
static inline Drawn drawn_sum(Drawn *drawn)
{
    Drawn sum = drawn_open(sizeof(uint64_t), 1);
    uint64_t total = 0;
    for (size_t i = 0; i < drawn->count; i++)
        total += drawn_bits(drawn, i) * (2 * i + 1);
    memcpy(drawn_more(&sum, 1), &total, sizeof total);
    free(drawn->bytes);
    return sum;
}

/* The values of the stream `name` behind the line `NAME COUNT`; NULL where there is none. */
static inline const char *stream_find(const char *text, const char *name, size_t *count)
{
    const size_t length = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            char *end;
            *count = strtoul(line + length, &end, 10);
            return end;
        }
    }
    return NULL;
}

/* The file's stream of that name is exactly what was drawn, bit for bit. Closes. */
static inline void check_stream(const char *path, const char *name, Drawn *drawn)
{
    unsigned char *bytes = NULL;
    size_t size, count = 0, different = 0, first = 0;
    Error error = {0};
    CHECK(file_read(path, (size_t)1 << 20, &bytes, &size, &error), "%s", error.message);
    const char *text = bytes == NULL ? NULL : stream_find((const char *)bytes, name, &count);
    CHECK(text != NULL && count > 0 && count == drawn->count, "%s: %zu stored, %zu drawn", name, count, drawn->count);
    for (size_t i = 0; text != NULL && i < count && i < drawn->count; i++) {
        char *end;
        const uint64_t bits = strtoull(text, &end, 16);
        if (end == text || bits != drawn_bits(drawn, i))
            first = different++ == 0 ? i : first;
        text = end;
    }
    CHECK(different == 0, "%s: %zu of %zu differ, the first at %zu", name, different, count, first);
    free(bytes);
    free(drawn->bytes);
    *drawn = (Drawn){0};
}

#endif
