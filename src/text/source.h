/* source.h -- the bytes of a text in windows, from its start and as often as they are needed.
 *
 * A regular file is read anew each time, so that no more than a window of it is in memory; a pipe or device
 * cannot be, and is held whole (1 GiB at most). */
#ifndef SOLILOQUY_TEXT_SOURCE_H
#define SOLILOQUY_TEXT_SOURCE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Source {
    const char *name;            /* for messages; borrows */
    const unsigned char *window; /* the bytes at hand; borrows from buffer or from the text in memory */
    size_t size;                 /* bytes in the window */
    uint64_t offset;             /* of window[0], from the start of the text */
    bool last;                   /* the window reaches the end of the text */
    uint64_t hash;               /* FNV-1a, 64 bits, of all bytes up to the window's end */
    FILE *stream;                /* owned; NULL for a text in memory */
    unsigned char *buffer;       /* owned: the stream's window, or the content of a pipe; NULL otherwise */
    const unsigned char *memory; /* a text in memory: buffer, or the caller's */
    size_t memory_size;
} Source;

/* "-" is standard input. Missing, unreadable files and directories are refused by name. */
bool source_open(Source *source, const char *path, Error *error);

/* A text in memory, which must outlive the source. */
void source_open_memory(Source *source, const char *name, const char *text, size_t size);

/* Moves to the start, with an empty window. */
bool source_rewind(Source *source, Error *error);

/* The next window: begins `used` bytes into the present one, with what is left of it at its front. At least
 * four bytes long, or the last. */
bool source_next(Source *source, size_t used, Error *error);

/* Accepts a zeroed Source. */
void source_close(Source *source);

#endif
