#include "storage/safetensors.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are read and written as they lie in memory");

enum { LENGTH_BYTES = 8, MEMBERS = 3 };

/* A tensor and where its data lies, in bytes from the start of the data. */
typedef struct Placement {
    SafetensorsTensor tensor;
    uint64_t begin, end;
} Placement;

/* Fails with a line about one tensor. */
static bool refuse(Error *error, const char *name, const char *what)
{
    char quoted[JSON_QUOTE_SIZE];
    return error_set(error, "tensor %s %s", json_quote(name, quoted), what);
}

static bool read_type(const JsonValue *dtype, Placement *placement, Error *error)
{
    const char *name = placement->tensor.name;
    if (dtype == NULL || dtype->kind != JSON_STRING)
        return refuse(error, name, "has no \"dtype\" that is a string");
    if (strcmp(dtype->string, "F32") != 0 && strcmp(dtype->string, "F64") != 0) {
        char quoted[JSON_QUOTE_SIZE], type[JSON_QUOTE_SIZE];
        return error_set(error, "tensor %s has the type %s; only F32 and F64 are read", json_quote(name, quoted),
                         json_quote(dtype->string, type));
    }
    placement->tensor.type = dtype->string[1] == '3' ? SAFETENSORS_F32 : SAFETENSORS_F64;
    return true;
}

/* Reads the shape and multiplies it out. */
static bool read_shape(const JsonValue *shape, SafetensorsTensor *tensor, Error *error)
{
    if (shape == NULL || shape->kind != JSON_ARRAY)
        return refuse(error, tensor->name, "has no \"shape\" that is an array");
    if (shape->count > SAFETENSORS_RANK)
        return refuse(error, tensor->name, "has more than 8 dimensions");
    tensor->bytes = tensor->type == SAFETENSORS_F32 ? sizeof(float) : sizeof(double);
    for (const JsonValue *value = shape->first; value != NULL; value = value->next) {
        uint64_t extent;
        if (!json_unsigned(value, &extent))
            return refuse(error, tensor->name, "has a dimension that is no whole number of 0 or more");
        if (extent > SIZE_MAX || __builtin_mul_overflow(tensor->bytes, (size_t)extent, &tensor->bytes))
            return refuse(error, tensor->name, "has a shape too large for any memory");
        tensor->shape[tensor->rank++] = (size_t)extent;
    }
    return true;
}

static bool read_offsets(const JsonValue *offsets, Placement *placement, Error *error)
{
    const char *name = placement->tensor.name;
    if (offsets == NULL || offsets->kind != JSON_ARRAY || offsets->count != 2 ||
        !json_unsigned(offsets->first, &placement->begin) || !json_unsigned(offsets->first->next, &placement->end))
        return refuse(error, name, "has no \"data_offsets\" that are two whole numbers of 0 or more");
    if (placement->begin > placement->end)
        return refuse(error, name, "has data that ends before it begins");
    if (placement->end - placement->begin != placement->tensor.bytes)
        return refuse(error, name, "has data of another size than its shape and type");
    return true;
}

static bool read_metadata(Safetensors *file, const JsonValue *object, Error *error)
{
    if (object == NULL)
        return true;
    if (object->kind != JSON_OBJECT)
        return error_set(error, "its \"__metadata__\" is no object");
    file->metadata = calloc(object->count + 1, sizeof *file->metadata);
    if (file->metadata == NULL)
        return error_set(error, "no memory for %zu metadata strings", object->count);
    for (const JsonValue *value = object->first; value != NULL; value = value->next) {
        char quoted[JSON_QUOTE_SIZE];
        if (value->kind != JSON_STRING || memchr(value->string, '\0', value->length) != NULL)
            return error_set(error, "its metadata %s is no string, or one that holds NUL",
                             json_quote(value->key, quoted));
        file->metadata[file->metadata_count++] = (SafetensorsMetadata){.key = value->key, .value = value->string};
    }
    return true;
}

static int compare_placements(const void *left, const void *right)
{
    const Placement *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Sorts by place and asks that each tensor begins where the one before it ends; `total` is the last end. */
static bool check_contiguous(Placement *placements, int count, uint64_t *total, Error *error)
{
    *total = 0;
    if (count > 0)
        qsort(placements, (size_t)count, sizeof *placements, compare_placements);
    for (int i = 0; i < count; i++) {
        if (placements[i].begin != *total)
            return refuse(error, placements[i].tensor.name, placements[i].begin < *total
                                                                ? "overlaps the data of another tensor"
                                                                : "has unused bytes before its data");
        *total = placements[i].end;
    }
    return true;
}

/* The parsed header as metadata and tensors without their data. */
static bool read_members(Safetensors *file, uint64_t *total, Error *error)
{
    const JsonValue *root = file->header.root, *metadata = json_member(root, "__metadata__");
    if (root->count > SAFETENSORS_TENSORS + (metadata != NULL))
        return error_set(error, "it holds more than %d tensors", SAFETENSORS_TENSORS);
    if (!read_metadata(file, metadata, error))
        return false;
    Placement *placements = calloc(root->count + 1, sizeof *placements);
    file->tensors = calloc(root->count + 1, sizeof *file->tensors);
    bool done = (placements != NULL && file->tensors != NULL) || error_set(error, "no memory for its list of tensors");
    int count = 0;
    for (const JsonValue *member = root->first; member != NULL && done; member = member->next) {
        if (member == metadata)
            continue;
        Placement *placement = &placements[count++];
        placement->tensor.name = member->key;
        done = (member->kind == JSON_OBJECT && member->count == MEMBERS) ||
               refuse(error, member->key, "is no object of \"dtype\", \"shape\" and \"data_offsets\" alone");
        done = done && read_type(json_member(member, "dtype"), placement, error) &&
               read_shape(json_member(member, "shape"), &placement->tensor, error) &&
               read_offsets(json_member(member, "data_offsets"), placement, error);
    }
    done = done && check_contiguous(placements, count, total, error);
    for (int i = 0; i < count && done; i++)
        file->tensors[file->tensor_count++] = placements[i].tensor;
    free(placements);
    return done;
}

/* The header's text, checked against the limits and parsed. `size` is the file's, or UINT64_MAX where unknown. */
static bool read_header(Safetensors *file, FILE *stream, uint64_t size, uint64_t *length, Error *error)
{
    const size_t got = fread(length, 1, LENGTH_BYTES, stream);
    if (got == 0 && !ferror(stream))
        return error_set(error, "the file is empty");
    if (got < LENGTH_BYTES)
        return error_set(error, "not a safetensors file: only %zu bytes", got);
    if (*length < 2 || *length > SAFETENSORS_HEADER)
        return error_set(error, "not a safetensors file, or damaged: a header of %llu bytes (2 to %d are allowed)",
                         (unsigned long long)*length, SAFETENSORS_HEADER);
    if (*length > size - LENGTH_BYTES)
        return error_set(error, "cut short: a header of %llu bytes in a file of %llu", (unsigned long long)*length,
                         (unsigned long long)size);
    char *text = malloc((size_t)*length);
    if (text == NULL)
        return error_set(error, "no memory for its header");
    Error inner = {0};
    bool done = fread(text, 1, (size_t)*length, stream) == *length || error_set(error, "cut short within its header");
    if (done && text[0] != '{')
        done = error_set(error, "not a safetensors file: its header does not begin with '{'");
    else if (done && !json_parse(&file->header, text, (size_t)*length, &inner))
        done = error_set(error, "damaged header: %s", inner.message);
    free(text);
    return done;
}

/* Takes every tensor's place in the arena; once more, after it is open, with its values from the stream. */
static bool read_values(Safetensors *file, FILE *stream)
{
    for (int i = 0; i < file->tensor_count; i++) {
        SafetensorsTensor *tensor = &file->tensors[i];
        void *values = arena_take(&file->values, tensor->bytes, 1);
        tensor->data = values;
        if (values != NULL && fread(values, 1, tensor->bytes, stream) != tensor->bytes)
            return false;
    }
    return true;
}

static bool read_file(Safetensors *file, FILE *stream, Error *error)
{
    struct stat status;
    const bool sized = fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode);
    const uint64_t size = sized ? (uint64_t)status.st_size : UINT64_MAX;
    uint64_t length = 0, total = 0;
    if (!read_header(file, stream, size, &length, error) || !read_members(file, &total, error))
        return false;
    const uint64_t rest = size - LENGTH_BYTES - length;
    if (sized && total != rest)
        return error_set(error, "%s: its tensors have %llu bytes of data and %llu are there",
                         total > rest ? "cut short" : "bytes follow the last tensor", (unsigned long long)total,
                         (unsigned long long)rest);
    read_values(file, stream);
    if (!arena_open(&file->values, "reading its tensors", error))
        return false;
    if (!read_values(file, stream))
        return error_set(error, "cut short within its data, or unreadable");
    return getc(stream) == EOF || error_set(error, "bytes follow the last tensor");
}

bool safetensors_open(Safetensors *file, const char *path, Error *error)
{
    *file = (Safetensors){0};
    FILE *stream = file_open(path, error);
    if (stream == NULL)
        return false;
    Error inner = {0};
    bool done = read_file(file, stream, &inner) || error_set(error, "%s: %s", path, inner.message);
    fclose(stream);
    if (!done)
        safetensors_close(file);
    return done;
}

void safetensors_close(Safetensors *file)
{
    arena_close(&file->values);
    json_close(&file->header);
    free(file->metadata);
    free(file->tensors);
    *file = (Safetensors){0};
}

const SafetensorsTensor *safetensors_find(const Safetensors *file, const char *name)
{
    for (int i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    return NULL;
}

const char *safetensors_metadata(const Safetensors *file, const char *key)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[i].key, key) == 0)
            return file->metadata[i].value;
    return NULL;
}
