/* The writing half of safetensors.h. */
#include "storage/safetensors.h"

#include "base/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are read and written as they lie in memory");

enum { LENGTH_BYTES = 8, DATA_ALIGNMENT = 64 };

static void write_text(FILE *stream, const char *text)
{
    json_write_string(stream, text, strlen(text));
}

static void write_metadata(FILE *stream, const SafetensorsMetadata *metadata, int count)
{
    fputs("\"__metadata__\":{", stream);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", stream);
        write_text(stream, metadata[i].key);
        putc(':', stream);
        write_text(stream, metadata[i].value);
    }
    putc('}', stream);
}

/* One member of the header; returns where its data ends. */
static uint64_t write_entry(FILE *stream, const SafetensorsTensor *tensor, uint64_t begin)
{
    const bool single = tensor->type == SAFETENSORS_F32;
    size_t bytes = single ? sizeof(float) : sizeof(double);
    write_text(stream, tensor->name);
    fprintf(stream, ":{\"dtype\":\"%s\",\"shape\":[", single ? "F32" : "F64");
    assert(tensor->rank >= 0 && tensor->rank <= SAFETENSORS_RANK);
    for (int i = 0; i < tensor->rank; i++) {
        fprintf(stream, "%s%zu", i > 0 ? "," : "", tensor->shape[i]);
        bytes *= tensor->shape[i];
    }
    assert(bytes == tensor->bytes);
    fprintf(stream, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin, (unsigned long long)(begin + bytes));
    return begin + bytes;
}

/* The header with its padding in *text, which the caller frees; false when memory is out. */
static bool compose_header(char **text, size_t *length, const SafetensorsMetadata *metadata, int metadata_count,
                           const SafetensorsTensor *tensors, int tensor_count)
{
    FILE *stream = open_memstream(text, length);
    if (stream == NULL)
        return false;
    putc('{', stream);
    if (metadata_count > 0)
        write_metadata(stream, metadata, metadata_count);
    uint64_t end = 0;
    for (int i = 0; i < tensor_count; i++) {
        fputs(i > 0 || metadata_count > 0 ? "," : "", stream);
        end = write_entry(stream, &tensors[i], end);
    }
    putc('}', stream);
    bool done = fflush(stream) == 0;
    for (size_t size = LENGTH_BYTES + *length; size % DATA_ALIGNMENT != 0; size++)
        putc(' ', stream);
    done = done && !ferror(stream);
    return fclose(stream) == 0 && done;
}

bool safetensors_write(const char *path, const SafetensorsMetadata *metadata, int metadata_count,
                       const SafetensorsTensor *tensors, int tensor_count, Error *error)
{
    assert(tensor_count <= SAFETENSORS_TENSORS);
    char *text = NULL;
    size_t length = 0;
    AtomicFile file = {0};
    bool done = compose_header(&text, &length, metadata, metadata_count, tensors, tensor_count) ||
                error_set(error, "cannot write %s: no memory for its header", path);
    if (done && length > SAFETENSORS_HEADER)
        done = error_set(error, "cannot write %s: its header has %zu bytes and %d are allowed; shorten the metadata",
                         path, length, SAFETENSORS_HEADER);
    if (done && atomic_file_open(&file, path, error)) {
        const uint64_t prefix = length;
        fwrite(&prefix, 1, LENGTH_BYTES, file.stream);
        fwrite(text, 1, length, file.stream);
        for (int i = 0; i < tensor_count; i++)
            if (tensors[i].bytes > 0)
                fwrite(tensors[i].data, 1, tensors[i].bytes, file.stream);
        done = atomic_file_commit(&file, error);
    } else {
        done = false;
    }
    free(text);
    return done;
}
