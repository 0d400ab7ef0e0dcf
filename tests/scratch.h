/* scratch.h -- files of a test, all in the directory that tests/run.sh gives it.
 *
 * Tests never aim a writer at a real device: as root, a writer that is broken could replace /dev/null. */
#ifndef SOLILOQUY_TESTS_SCRATCH_H
#define SOLILOQUY_TESTS_SCRATCH_H

#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILE_LIMIT = 1 << 22 };

/* The path of that name in the scratch directory. */
static inline const char *scratch(const char *name, char path[PATH_SIZE])
{
    const char *directory = getenv("TEST_DIRECTORY");
    snprintf(path, PATH_SIZE, "%s/%s", directory != NULL ? directory : ".", name);
    return path;
}

/* Writes a whole file, plainly. The old one is removed first, since some file systems flush a file at once that is
 * written over another. */
static inline void put(const char *path, const void *bytes, size_t size)
{
    unlink(path);
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0, "cannot prepare %s", path);
}

/* Makes every write beyond that many bytes of a file fail with EFBIG, as a full disk does with ENOSPC. Returns the
 * limit before, which limit_files(old) restores. */
static inline rlim_t limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t old = limit.rlim_cur;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    return old;
}

#endif
