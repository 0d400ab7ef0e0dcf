/* text_files.h -- texts written for the corpus tests, in the test's own directory. */
#ifndef SOLILOQUY_TESTS_TEXT_FILES_H
#define SOLILOQUY_TESTS_TEXT_FILES_H

#include "test.h"

#include <stdlib.h>

/* "DIRECTORY/name" in one of a few buffers, so that two paths can be in use. */
static inline const char *text_path(const char *name)
{
    static char paths[4][512];
    static int next;
    const char *directory = getenv("TEST_DIRECTORY");
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory != NULL ? directory : "/tmp", name);
    return path;
}

/* Writes text[0..size) and returns its path. */
static inline const char *text_file(const char *name, const char *text, size_t size)
{
    const char *path = text_path(name);
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL, "cannot write %s", path);
    if (stream != NULL) {
        CHECK(fwrite(text, 1, size, stream) == size, "cannot write %s", path);
        fclose(stream);
    }
    return path;
}

#endif
