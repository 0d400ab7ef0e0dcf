#include "storage/npy.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written and read as they lie in memory");

enum { PREFIX = 10, HEADER_ALIGNMENT = 64, HEADER_SIZE = 256, VERSION_BYTES = 8 };

static const char magic[VERSION_BYTES + 1] = "\x93NUMPY\x01";
static const char opening[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
static const char closing[] = "), }";

/* The product of the shape; false when the values' bytes overflow size_t. */
static bool count_values(int rank, const size_t *shape, size_t *count)
{
    size_t bytes = sizeof(float);
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(bytes, shape[i], &bytes))
            return false;
    *count = bytes / sizeof(float);
    return true;
}

/* Prefix, dict and padding into header; returns their length. A tuple of one is (3,). */
static size_t compose_header(char header[HEADER_SIZE], int rank, const size_t *shape)
{
    memcpy(header, magic, VERSION_BYTES);
    char *text = header + PREFIX, *const end = header + HEADER_SIZE;
    text += snprintf(text, (size_t)(end - text), "%s", opening);
    for (int i = 0; i < rank; i++)
        text += snprintf(text, (size_t)(end - text), i > 0 ? ", %zu" : "%zu", shape[i]);
    text += snprintf(text, (size_t)(end - text), "%s%s", rank == 1 ? "," : "", closing);
    while ((text + 1 - header) % HEADER_ALIGNMENT != 0)
        *text++ = ' ';
    *text++ = '\n';
    const uint16_t length = (uint16_t)(text - header - PREFIX);
    memcpy(header + VERSION_BYTES, &length, sizeof length);
    return PREFIX + length;
}

bool npy_open(NpyWriter *writer, const char *path, int rank, const size_t *shape, Error *error)
{
    assert(rank >= 1 && rank <= NPY_RANK);
    *writer = (NpyWriter){0};
    if (!count_values(rank, shape, &writer->missing))
        return error_set(error, "cannot write %s: an array of that shape is too large for any machine", path);
    if (!atomic_file_open(&writer->file, path, error))
        return false;
    char header[HEADER_SIZE];
    fwrite(header, 1, compose_header(header, rank, shape), writer->file.stream);
    return true;
}

void npy_append(NpyWriter *writer, const float *values, size_t count)
{
    assert(count <= writer->missing);
    writer->missing -= count;
    if (count > 0)
        fwrite(values, sizeof *values, count, writer->file.stream);
}

bool npy_commit(NpyWriter *writer, Error *error)
{
    assert(writer->missing == 0);
    return atomic_file_commit(&writer->file, error);
}

void npy_abandon(NpyWriter *writer)
{
    atomic_file_abandon(&writer->file);
    writer->missing = 0;
}

bool npy_write(const char *path, const float *values, int rank, const size_t *shape, Error *error)
{
    NpyWriter writer;
    if (!npy_open(&writer, path, rank, shape, error))
        return false;
    npy_append(&writer, values, writer.missing);
    return npy_commit(&writer, error);
}

/* "3, 4" or "3," and what closes the dict, up to `end`, into rank and shape. */
static bool parse_shape(const char *text, const char *end, NpyArray *array)
{
    bool comma = false;
    while (text < end && *text >= '0' && *text <= '9') {
        size_t extent = 0;
        if (array->rank == NPY_RANK || (array->rank > 0 && !comma))
            return false;
        for (; text < end && *text >= '0' && *text <= '9'; text++)
            if (__builtin_mul_overflow(extent, (size_t)10, &extent) ||
                __builtin_add_overflow(extent, (size_t)(*text - '0'), &extent))
                return false;
        array->shape[array->rank++] = extent;
        comma = text < end && *text == ',';
        text += comma;
        text += comma && text < end && *text == ' ';
    }
    const size_t length = sizeof closing - 1;
    if (array->rank == 0 || comma != (array->rank == 1) || (size_t)(end - text) < length ||
        memcmp(text, closing, length) != 0)
        return false;
    for (text += length; text < end && *text == ' '; text++)
        continue;
    return text + 1 == end && *text == '\n';
}

/* Fills the array from the bytes of a file. */
static bool parse_file(NpyArray *array, const unsigned char *bytes, size_t size, Error *error)
{
    if (size == 0)
        return error_set(error, "the file is empty");
    if (size < PREFIX || memcmp(bytes, magic, VERSION_BYTES) != 0)
        return error_set(error, "not a NumPy array of version 1.0");
    const size_t start = PREFIX + (size_t)(bytes[VERSION_BYTES] | bytes[VERSION_BYTES + 1] << 8);
    if (start > size)
        return error_set(error, "cut short: a header of %zu bytes in a file of %zu", start, size);
    const char *text = (const char *)bytes + PREFIX, *end = (const char *)bytes + start;
    const size_t length = sizeof opening - 1;
    if (start < PREFIX + length || memcmp(text, opening, length) != 0)
        return error_set(error, "no float32 array in C order; store it with numpy.ascontiguousarray(a, '<f4')");
    if (!parse_shape(text + length, end, array))
        return error_set(error, "damaged header: its shape must be a tuple of 1 to %d sizes, then spaces and a newline",
                         NPY_RANK);
    if (!count_values(array->rank, array->shape, &array->count) || array->count * sizeof(float) != size - start)
        return error_set(error, "its values have %zu bytes, which is not what its shape asks for", size - start);
    array->values = malloc(size - start + 1);
    if (array->values == NULL)
        return error_set(error, "no memory for %zu values", array->count);
    memcpy(array->values, bytes + start, size - start);
    return true;
}

bool npy_read(NpyArray *array, const char *path, Error *error)
{
    *array = (NpyArray){0};
    unsigned char *bytes;
    size_t size;
    if (!file_read(path, PTRDIFF_MAX, &bytes, &size, error))
        return false;
    Error inner = {0};
    bool done = parse_file(array, bytes, size, &inner) || error_set(error, "%s: %s", path, inner.message);
    free(bytes);
    if (!done)
        npy_close(array);
    return done;
}

void npy_close(NpyArray *array)
{
    free(array->values);
    *array = (NpyArray){0};
}
