/* npy.h -- one array of float32 in NumPy's file format, version 1.0.
 *
 * Source: NumPy's documentation, numpy.lib.format. A file is
 *   "\x93NUMPY" 1 0 | header length, 2 bytes little-endian | a Python dict as text | values
 * where the text ends with spaces and a newline so that the values begin at a multiple of 64 bytes. Values are
 * little-endian, row-major (C order). Ranks 1 to 4. Errors name the file. */
#ifndef SOLILOQUY_STORAGE_NPY_H
#define SOLILOQUY_STORAGE_NPY_H

#include "base/file.h"

enum { NPY_RANK = 4 };

/* A file under construction, whose values come piece by piece. */
typedef struct NpyWriter {
    AtomicFile file; /* owned */
    size_t missing;  /* values still to come */
} NpyWriter;

/* Writes the header for shape[0..rank). Nothing stands at `path` before npy_commit. */
bool npy_open(NpyWriter *writer, const char *path, int rank, const size_t *shape, Error *error);

/* The next `count` values; never more than the shape has (asserted). A failed write shows at npy_commit. */
void npy_append(NpyWriter *writer, const float *values, size_t count);

/* Puts the file in place. All values must have come (asserted). Closes either way. */
bool npy_commit(NpyWriter *writer, Error *error);

/* Drops the file; accepts a zeroed or committed writer. */
void npy_abandon(NpyWriter *writer);

/* All at once. */
bool npy_write(const char *path, const float *values, int rank, const size_t *shape, Error *error);

typedef struct NpyArray {
    float *values; /* owned: [shape[0], ..., shape[rank-1]] */
    int rank;
    size_t shape[NPY_RANK];
    size_t count; /* of values */
} NpyArray;

/* Reads what npy_write and numpy.save write of such an array and refuses the rest: other types and orders, sizes
 * that disagree with the shape. */
bool npy_read(NpyArray *array, const char *path, Error *error);
void npy_close(NpyArray *array);

#endif
