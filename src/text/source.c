#include "text/source.h"

#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WINDOW = 1 << 18, HELD_LIMIT = 1 << 30 }; /* bytes: a window stays in the second-level cache */

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_prime = 0x100000001b3u; /* FNV-1a, 64 bits */

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * hash_prime;
    return hash;
}

/* Whether only one reading gives the bytes: a pipe, a terminal, a device. A path that cannot be examined is
 * left to file_open, which says why. */
static bool is_read_once(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

bool source_open(Source *source, const char *path, Error *error)
{
    *source = (Source){.name = strcmp(path, "-") == 0 ? "standard input" : path};
    if (is_read_once(path)) {
        if (!file_read(path, HELD_LIMIT, &source->buffer, &source->memory_size, error))
            return false;
        source->memory = source->buffer;
        return source_rewind(source, error);
    }
    source->stream = file_open(path, error);
    if (source->stream == NULL)
        return false;
    source->buffer = malloc(WINDOW);
    if (source->buffer == NULL) {
        source_close(source);
        return error_set(error, "cannot read %s: no memory for %d bytes", path, WINDOW);
    }
    return true;
}

void source_open_memory(Source *source, const char *name, const char *text, size_t size)
{
    *source = (Source){.name = name, .memory = (const unsigned char *)text, .memory_size = size, .hash = hash_start};
}

bool source_rewind(Source *source, Error *error)
{
    source->window = source->stream != NULL ? source->buffer : source->memory;
    source->size = 0;
    source->offset = 0;
    source->last = false;
    source->hash = hash_start;
    if (source->stream != NULL && fseek(source->stream, 0, SEEK_SET) != 0)
        return error_set(error, "cannot read %s: %s", source->name, strerror(errno));
    return true;
}

bool source_next(Source *source, size_t used, Error *error)
{
    assert(used <= source->size && !source->last);
    if (source->stream == NULL) {
        source->size = source->memory_size;
        source->hash = hash_bytes(source->hash, source->memory, source->memory_size);
        source->last = true;
        return true;
    }
    const size_t left = source->size - used;
    memmove(source->buffer, source->buffer + used, left);
    const size_t got = fread(source->buffer + left, 1, WINDOW - left, source->stream);
    if (ferror(source->stream))
        return error_set(error, "cannot read %s: %s", source->name, strerror(errno));
    source->hash = hash_bytes(source->hash, source->buffer + left, got);
    source->offset += used;
    source->size = left + got;
    source->last = source->size < WINDOW;
    return true;
}

void source_close(Source *source)
{
    if (source->stream != NULL)
        fclose(source->stream);
    free(source->buffer);
    *source = (Source){0};
}
