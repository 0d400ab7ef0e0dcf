/* safetensors.h -- named tensors and strings in one file, in the format that PyTorch users exchange.
 *
 * Source: the format's description in the safetensors project (Hugging Face). A file is
 *   header length n, 8 bytes little-endian | header, n bytes of JSON | data
 *   header: {"__metadata__": {KEY: STRING, ...},
 *            NAME: {"dtype": "F32", "shape": [R, C], "data_offsets": [begin, end]}, ...}
 * with offsets in bytes from the start of the data. Values are little-endian, row-major.
 *
 * The reader is strict, for a checkpoint that is damaged must not train on: a header of at most 1 MiB that begins
 * with '{', no key twice, exactly the three members a tensor, offsets that cover the data from 0 to the end of the
 * file without gap or overlap, sizes that agree with checked products of the shapes, strings without NUL as
 * metadata. Every error is one line with the file's name. What the values mean is the caller's to check. */
#ifndef SOLILOQUY_STORAGE_SAFETENSORS_H
#define SOLILOQUY_STORAGE_SAFETENSORS_H

#include "base/arena.h"
#include "base/json.h"

#include <stddef.h>

enum { SAFETENSORS_RANK = 8, SAFETENSORS_TENSORS = 1024, SAFETENSORS_HEADER = 1 << 20 }; /* the most of each */

typedef enum SafetensorsType { SAFETENSORS_F32, SAFETENSORS_F64 } SafetensorsType;

typedef struct SafetensorsTensor {
    const char *name;
    SafetensorsType type;
    int rank; /* 0 is a scalar */
    size_t shape[SAFETENSORS_RANK];
    const void *data; /* float or double [shape[0], ..., shape[rank-1]], aligned to ARENA_ALIGNMENT when read */
    size_t bytes;     /* of data: the product of the shape times 4 or 8 */
} SafetensorsTensor;

typedef struct SafetensorsMetadata {
    const char *key, *value; /* UTF-8 */
} SafetensorsMetadata;

/* A file in memory. Names, strings and data live until safetensors_close. */
typedef struct Safetensors {
    SafetensorsTensor *tensors; /* owned; in the order of their data */
    int tensor_count;
    SafetensorsMetadata *metadata; /* owned; in the order of the header */
    int metadata_count;
    JsonDocument header; /* owned: names and strings */
    Arena values;        /* owned: the tensors' data */
} Safetensors;

/* Reads the whole file. On failure nothing is held. */
bool safetensors_open(Safetensors *file, const char *path, Error *error);

/* Accepts a zeroed Safetensors. */
void safetensors_close(Safetensors *file);

/* The tensor of that name, or NULL. */
const SafetensorsTensor *safetensors_find(const Safetensors *file, const char *name);

/* The metadata string of that key, or NULL. */
const char *safetensors_metadata(const Safetensors *file, const char *key);

/* Writes the file through an AtomicFile, metadata and tensors in the order given: the same input gives the same
 * bytes. The data begins at a multiple of 64 bytes; put doubles before floats to keep them aligned for readers that
 * map the file. Names must be distinct, and `bytes` agree with the shape (asserted). Refuses a header beyond 1 MiB. */
bool safetensors_write(const char *path, const SafetensorsMetadata *metadata, int metadata_count,
                       const SafetensorsTensor *tensors, int tensor_count, Error *error);

#endif
