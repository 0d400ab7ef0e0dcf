/* file.h -- files read whole, and files written so that a reader never sees half of one.
 *
 * Errors name the path and say which it is: missing, a directory, no permission, too large, disk full. */
#ifndef SOLILOQUY_BASE_FILE_H
#define SOLILOQUY_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* Opens for reading; refuses a directory. The caller closes the stream. NULL on failure. */
FILE *file_open(const char *path, Error *error);

/* The whole content of a file or pipe ("-" is standard input), with a NUL byte after its end. The caller
 * frees *bytes. Refuses more than `limit` bytes before reading on. An empty file is no error: *size is 0. */
bool file_read(const char *path, size_t limit, unsigned char **bytes, size_t *size, Error *error);

/* A file under construction: a temporary beside the target, renamed over it when it is complete. A target that
 * is a symbolic link stays one: the file it leads to is replaced. A device or pipe (/dev/stdout) is never
 * replaced: it has no temporary and is written directly. */
typedef struct AtomicFile {
    FILE *stream;    /* write here; owned, NULL when closed */
    char *path;      /* owned: the target */
    char *temporary; /* owned: a unique name in the target's directory, NAME.PID-N.tmp; NULL for a device */
} AtomicFile;

bool atomic_file_open(AtomicFile *file, const char *path, Error *error);

/* Flushes, fsyncs, renames over the target and fsyncs the directory. On any failure (a full disk, an earlier
 * failed write on the stream) the temporary is removed and the old target stands. Closes either way. */
bool atomic_file_commit(AtomicFile *file, Error *error);

/* Removes the temporary and closes; accepts a zeroed or committed AtomicFile. */
void atomic_file_abandon(AtomicFile *file);

/* Creates the directory and its missing parents; one that exists is fine. */
bool directory_create(const char *path, Error *error);

/* "directory/name", allocated; the caller frees it. NULL when memory is out. */
char *path_join(const char *directory, const char *name);

#endif
