/* Safetensors files: round trips, and every way in which a header can lie. With `write PATH` as arguments the program
 * only writes its sample, for tests/test_formats_python.sh to read. */
#include "base/file.h"
#include "scratch.h"
#include "storage/safetensors.h"

static const double sample_moments[3] = {0.1, -1e300, 3};
static const float sample_weight[2][3] = {{1, 2, 3}, {-0.5f, 1e-40f, 6}};
static const float sample_scalar[1] = {7};

static const SafetensorsMetadata sample_metadata[] = {
    {"format", "pt"}, {"vocabulary", "[10,32,60]"}, {"odd \"key\"", "<\xC3\xA9\n\xF0\x9F\x98\x80>"}, {"empty", ""}};

static const SafetensorsTensor sample_tensors[] = {
    {.name = "moments", .type = SAFETENSORS_F64, .rank = 1, .shape = {3}, .data = sample_moments, .bytes = 24},
    {.name = "head.weight", .type = SAFETENSORS_F32, .rank = 2, .shape = {2, 3}, .data = sample_weight, .bytes = 24},
    {.name = "nothing", .type = SAFETENSORS_F32, .rank = 3, .shape = {4, 0, 2}, .data = NULL, .bytes = 0},
    {.name = "scalar", .type = SAFETENSORS_F32, .rank = 0, .data = sample_scalar, .bytes = 4}};

static bool write_sample(const char *path, Error *error)
{
    return safetensors_write(path, sample_metadata, 4, sample_tensors, 4, error);
}

/* The length, the header and as many bytes of data. */
static void put_parts(const char *path, const char *header, size_t data_size)
{
    const uint64_t length = strlen(header);
    unsigned char *bytes = calloc(1, 8 + length + data_size);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    put(path, bytes, 8 + length + data_size);
    free(bytes);
}

/* Opening fails with one line that names the file and says the part, and leaves nothing behind. */
static bool refused(const char *path, const char *part)
{
    Safetensors file;
    Error error = {0};
    const bool opened = safetensors_open(&file, path, &error);
    const bool good = !opened && strstr(error.message, path) != NULL && strstr(error.message, part) != NULL &&
                      strchr(error.message, '\n') == NULL && file.tensors == NULL && file.values.base == NULL;
    if (!good)
        fprintf(stderr, "expected \"%s\": %s\n", part, opened ? "it opened" : error.message);
    safetensors_close(&file);
    return good;
}

static void test_round_trip(void)
{
    char path[PATH_SIZE], again[PATH_SIZE];
    Error error = {0};
    Safetensors file;
    test_case("safetensors: what is written is read");
    CHECK(write_sample(scratch("sample", path), &error), "%s", error.message);
    CHECK(safetensors_open(&file, path, &error), "%s", error.message);
    CHECK(file.tensor_count == 4 && file.metadata_count == 4, "%d, %d", file.tensor_count, file.metadata_count);
    for (int i = 0; i < 4; i++) {
        const SafetensorsTensor *wanted = &sample_tensors[i], *tensor = safetensors_find(&file, wanted->name);
        CHECK(tensor != NULL && tensor->type == wanted->type && tensor->rank == wanted->rank, "%s", wanted->name);
        CHECK(memcmp(tensor->shape, wanted->shape, sizeof tensor->shape) == 0, "%s", wanted->name);
        CHECK(tensor->bytes == wanted->bytes && (uintptr_t)tensor->data % ARENA_ALIGNMENT == 0, "%s", wanted->name);
        CHECK(tensor->bytes == 0 || memcmp(tensor->data, wanted->data, tensor->bytes) == 0, "%s", wanted->name);
        const char *value = safetensors_metadata(&file, sample_metadata[i].key);
        CHECK(value != NULL && strcmp(value, sample_metadata[i].value) == 0, "%s", sample_metadata[i].key);
        CHECK(strcmp(file.metadata[i].key, sample_metadata[i].key) == 0, "the order of the metadata");
    }
    CHECK(safetensors_find(&file, "none") == NULL && safetensors_metadata(&file, "moments") == NULL, "found");
    test_case("safetensors: the same input gives the same bytes, data aligned to 64");
    unsigned char *first = NULL, *second = NULL;
    size_t size = 0, second_size = 0;
    CHECK(safetensors_write(scratch("again", again), file.metadata, 4, sample_tensors, 4, &error), "%s", error.message);
    CHECK(file_read(path, FILE_LIMIT, &first, &size, &error), "%s", error.message);
    CHECK(file_read(again, FILE_LIMIT, &second, &second_size, &error), "%s", error.message);
    CHECK(size == second_size && memcmp(first, second, size) == 0, "the files differ");
    uint64_t length = 0;
    memcpy(&length, first, sizeof length);
    CHECK((8 + length) % 64 == 0 && first[8] == '{' && size == 8 + length + 52, "a header of %zu", (size_t)length);
    free(first);
    free(second);
    safetensors_close(&file);
    safetensors_close(&file);
    CHECK(file.tensors == NULL && file.tensor_count == 0, "not zeroed");
}

/* Files that other programs may write: another order, padding, misaligned doubles, nothing at all. */
static void test_foreign(void)
{
    static const char *const headers[] = {
        "{}", "{\"__metadata__\":{}}   ", "{ \"a\" : { \"data_offsets\":[0,4], \"shape\":[1] , \"dtype\":\"F32\" } }",
        "{\"z\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[4,12]},\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
        "\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
        "{\"e\":{\"dtype\":\"F32\",\"shape\":[0,18446744073709551615],\"data_offsets\":[0,0]},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
        "\"f\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}"};
    static const size_t sizes[] = {0, 0, 4, 12, 4, 4};
    static const int counts[] = {0, 0, 1, 2, 1, 3};
    char path[PATH_SIZE];
    test_case("safetensors: headers that other programs may write");
    for (int i = 0; i < 6; i++) {
        Safetensors file;
        Error error = {0};
        put_parts(scratch("foreign", path), headers[i], sizes[i]);
        CHECK(safetensors_open(&file, path, &error) && file.tensor_count == counts[i], "%s: %s", headers[i],
              error.message);
        size_t sum = 0;
        for (int t = 0; t < file.tensor_count; t++) {
            sum += file.tensors[t].bytes;
            CHECK((uintptr_t)file.tensors[t].data % sizeof(double) == 0, "misaligned");
        }
        CHECK(sum == sizes[i], "%zu bytes", sum);
        safetensors_close(&file);
    }
}

#define ENTRY(name, dtype, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_headers(void)
{
    static const struct { const char *header; size_t data; const char *part; } cases[] = {
        {"{" ENTRY("a", "F32", "[2]", "[0,8]") "}", 9, "bytes follow the last tensor: its tensors have 8"},
        {"{" ENTRY("a", "F32", "[2]", "[0,8]") "}", 7, "cut short: its tensors have 8 bytes of data and 7 are there"},
        {"{" ENTRY("a", "F32", "[2]", "[8,0]") "}", 8, "tensor \"a\" has data that ends before it begins"},
        {"{" ENTRY("a", "F32", "[1]", "[0,4]") "," ENTRY("b", "F32", "[1]", "[5,9]") "}", 9, "\"b\" has unused bytes"},
        {"{" ENTRY("a", "F32", "[1]", "[4,8]") "}", 8, "\"a\" has unused bytes before its data"},
        {"{" ENTRY("a", "F32", "[2]", "[0,8]") "," ENTRY("b", "F32", "[1]", "[4,8]") "}", 8, "\"b\" overlaps"},
        {"{" ENTRY("a", "F32", "[1]", "[0,4]") "," ENTRY("b", "F32", "[1]", "[0,4]") "}", 4, "overlaps"},
        {"{" ENTRY("a", "F32", "[1]", "[0,8]") "}", 8, "another size than its shape"},
        {"{" ENTRY("a", "F64", "[1]", "[0,4]") "}", 4, "another size than its shape"},
        {"{" ENTRY("a", "F32", "[]", "[0,8]") "}", 8, "another size than its shape"},
        {"{" ENTRY("a", "BF16", "[2]", "[0,4]") "}", 4, "tensor \"a\" has the type \"BF16\"; only F32 and F64"},
        {"{" ENTRY("a", "f32", "[1]", "[0,4]") "}", 4, "the type \"f32\""},
        {"{" ENTRY("a\\u001b[2J", "I8\\n", "[1]", "[0,1]") "}", 1, "tensor \"a\\x1B[2J\" has the type \"I8\\x0A\""},
        {"{\"a\":{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "no \"dtype\" that is a string"},
        {"{" ENTRY("a", "F32", "3", "[0,12]") "}", 12, "no \"shape\" that is an array"},
        {"{" ENTRY("a", "F32", "[-1]", "[0,4]") "}", 4, "dimension that is no whole number"},
        {"{" ENTRY("a", "F32", "[1.0]", "[0,4]") "}", 4, "dimension that is no whole number"},
        {"{" ENTRY("a", "F32", "[\"1\"]", "[0,4]") "}", 4, "dimension that is no whole number"},
        {"{" ENTRY("a", "F32", "[18446744073709551616]", "[0,4]") "}", 4, "dimension that is no whole number"},
        {"{" ENTRY("a", "F32", "[4294967296,1073741824]", "[0,0]") "}", 0, "too large for any memory"},
        {"{" ENTRY("a", "F32", "[18446744073709551615]", "[0,4]") "}", 4, "too large for any memory"},
        {"{" ENTRY("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "more than 8 dimensions"},
        {"{" ENTRY("a", "F32", "[1]", "[0]") "}", 4, "\"data_offsets\" that are two"},
        {"{" ENTRY("a", "F32", "[1]", "[0,4,4]") "}", 4, "\"data_offsets\" that are two"},
        {"{" ENTRY("a", "F32", "[1]", "[-4,0]") "}", 4, "\"data_offsets\" that are two"},
        {"{" ENTRY("a", "F32", "[1]", "{}") "}", 4, "\"data_offsets\" that are two"},
        {"{" ENTRY("a", "F32", "[4611686018427387903]", "[0,18446744073709551612]") "}", 4, "cut short"},
        {"{" ENTRY("a", "F32", "[1]", "[18446744073709551612,18446744073709551616]") "}", 4, "two whole numbers"},
        {"{" ENTRY("a", "F32", "[1]", "[0,4]") "," ENTRY("a", "F32", "[1]", "[4,8]") "}", 8, "the key \"a\" twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "\"dtype\" twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":0}}", 4, "alone"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"offsets\":[0,4]}}", 4, "\"data_offsets\" that are two"},
        {"{\"a\":{}}", 0, "tensor \"a\" is no object of"}, {"{\"a\":[1,2,3]}", 0, "tensor \"a\" is no object of"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "its metadata \"k\" is no string"},
        {"{\"__metadata__\":{\"k\":null}}", 0, "its metadata \"k\" is no string"},
        {"{\"__metadata__\":{\"k\":\"a\\u0000b\"}}", 0, "its metadata \"k\" is no string, or one that holds NUL"},
        {"{\"__metadata__\":[]}", 0, "\"__metadata__\" is no object"},
        {"{\"__metadata__\":{\"k\":\"a\",\"k\":\"a\"}}", 0, "the key \"k\" twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"}, {"{}x", 0, "damaged header: byte 2"},
        {" {}", 0, "does not begin with '{'"}, {"[]", 0, "does not begin with '{'"}, {"{", 0, "a header of 1 bytes"},
        {"{]", 0, "damaged header: byte 1"}, {"{\"\xFF\":0}", 0, "malformed UTF-8"}};
    char path[PATH_SIZE];
    test_case("safetensors: headers that lie, each refused by name");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_parts(scratch("lying", path), cases[i].header, cases[i].data);
        CHECK(refused(path, cases[i].part), "%s", cases[i].header);
    }
}

static void test_lengths(void)
{
    static const struct { uint64_t length; const char *part; } cases[] = {
        {UINT64_MAX, "a header of 18446744073709551615 bytes (2 to"}, {UINT64_MAX - 7, "allowed"}, {0, "a header of 0"},
        {(1 << 20) + 1, "a header of 1048577 bytes (2 to 1048576 are allowed)"},
        {1 << 20, "cut short: a header of 1048576 bytes in a file of 18"}, {11, "cut short"}, {INT64_MAX, "allowed"}};
    char path[PATH_SIZE];
    test_case("safetensors: header lengths up to 2^64-1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[18] = "01234567{        }";
        memcpy(bytes, &cases[i].length, 8);
        put(scratch("length", path), bytes, sizeof bytes);
        CHECK(refused(path, cases[i].part), "%s", cases[i].part);
    }
    test_case("safetensors: no file, no bytes, a directory, a device, a pipe");
    CHECK(refused(scratch("missing", path), "no such file"), "missing");
    CHECK(refused(scratch(".", path), "is a directory"), "directory");
    put(scratch("empty", path), "", 0);
    CHECK(refused(path, "the file is empty"), "empty");
    CHECK(refused("/dev/null", "the file is empty") && refused("/dev/zero", "a header of 0 bytes"), "device");
    test_case("safetensors: 1025 tensors and a header of 1 MiB");
    char *text = NULL;
    size_t size = 0;
    for (int count = 1024; count <= 1025; count++) {
        FILE *stream = open_memstream(&text, &size);
        for (int i = 0; i < count; i++)
            fprintf(stream, "%c\"t%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", i > 0 ? ',' : '{', i);
        fprintf(stream, ",\"__metadata__\":{}}%*s", count == 1024 ? SAFETENSORS_HEADER - 100000 : 1, "");
        fclose(stream);
        put_parts(scratch("many", path), text, 0);
        free(text);
        Safetensors file;
        Error error = {0};
        CHECK(safetensors_open(&file, path, &error) == (count == 1024), "%d: %s", count, error.message);
        CHECK(count == 1024 || strstr(error.message, "more than 1024 tensors") != NULL, "%s", error.message);
        safetensors_close(&file);
    }
}

/* A file with this content has an answer: an error of one line, or tensors that fill the data exactly. */
static bool answers(const char *path, const unsigned char *bytes, size_t size, bool may_open)
{
    put(path, bytes, size);
    Safetensors file;
    Error error = {0};
    size_t sum = 0;
    const bool opened = safetensors_open(&file, path, &error);
    for (int i = 0; i < file.tensor_count; i++)
        sum += file.tensors[i].bytes;
    const bool good = opened ? may_open && sum == 52 && file.tensor_count == 4
                             : strstr(error.message, path) != NULL && strchr(error.message, '\n') == NULL;
    safetensors_close(&file);
    return good;
}

static void test_damage(void)
{
    char path[PATH_SIZE], sample[PATH_SIZE];
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error error = {0};
    test_case("safetensors: every truncation is refused");
    CHECK(write_sample(scratch("sample", sample), &error) && file_read(sample, FILE_LIMIT, &bytes, &size, &error), "%s",
          error.message);
    scratch("damaged", path);
    for (size_t cut = 0; cut < size; cut++)
        CHECK(answers(path, bytes, cut, false), "cut to %zu bytes", cut);
    test_case("safetensors: every flipped bit and every set byte of the header has an answer");
    for (size_t i = 0; i + 52 < size; i++) {
        const unsigned char kept = bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (unsigned char)(kept ^ 1 << bit);
            CHECK(answers(path, bytes, size, true), "byte %zu bit %d", i, bit);
        }
        for (int set = 0; set < 2; set++) {
            bytes[i] = set == 0 ? 0 : 255;
            CHECK(answers(path, bytes, size, bytes[i] == kept), "byte %zu set to %d", i, bytes[i]);
        }
        bytes[i] = kept;
    }
    test_case("safetensors: appended bytes are refused");
    for (size_t extra = 1; extra < 66; extra += 8) {
        unsigned char *longer = calloc(1, size + extra);
        memcpy(longer, bytes, size);
        CHECK(answers(path, longer, size + extra, false), "%zu more bytes", extra);
        free(longer);
    }
    free(bytes);
}

/* The sample through a pipe, whose size nobody knows beforehand: cut by, or longer than, what is stated. */
static void test_pipe(void)
{
    char sample[PATH_SIZE], path[64];
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error error = {0};
    test_case("safetensors: a pipe is read; one cut short or too long is refused");
    CHECK(write_sample(scratch("sample", sample), &error) && file_read(sample, FILE_LIMIT, &bytes, &size, &error), "%s",
          error.message);
    for (size_t sent = size - 1; sent <= size + 1; sent++) {
        int ends[2];
        Safetensors file;
        CHECK(pipe(ends) == 0 && write(ends[1], bytes, sent) == (ssize_t)sent, "pipe"); /* fits the pipe's buffer */
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        CHECK(safetensors_open(&file, path, &error) == (sent == size), "%zu bytes", sent);
        safetensors_close(&file);
        close(ends[0]);
    }
    free(bytes);
}

static void test_write_failures(void)
{
    char path[PATH_SIZE];
    Error error = {0};
    Safetensors file;
    test_case("safetensors: a header beyond 1 MiB is not written, and the old file stands");
    CHECK(write_sample(scratch("kept", path), &error), "%s", error.message);
    char *text = malloc(SAFETENSORS_HEADER + 1);
    memset(text, 'x', SAFETENSORS_HEADER);
    text[SAFETENSORS_HEADER] = '\0';
    const SafetensorsMetadata huge = {"config", text};
    CHECK(!safetensors_write(path, &huge, 1, sample_tensors, 4, &error) && strstr(error.message, path) != NULL &&
          strstr(error.message, "1048576 are allowed") != NULL, "%s", error.message);
    CHECK(safetensors_open(&file, path, &error) && file.metadata_count == 4, "%s", error.message);
    safetensors_close(&file);
    text[SAFETENSORS_HEADER - 400] = '\0';
    CHECK(safetensors_write(path, &huge, 1, sample_tensors, 1, &error), "%s", error.message);
    CHECK(safetensors_open(&file, path, &error) && strcmp(file.metadata[0].value, text) == 0, "%s", error.message);
    safetensors_close(&file);
    free(text);
    test_case("safetensors: nothing at all is a file too");
    CHECK(safetensors_write(path, NULL, 0, NULL, 0, &error) && safetensors_open(&file, path, &error), "%s",
          error.message);
    safetensors_close(&file);
    test_case("safetensors: a missing directory and a disk that is full");
    CHECK(!write_sample(scratch("none/x", path), &error) && strstr(error.message, "no such file") != NULL, "%s",
          error.message);
    const rlim_t old = limit_files(100);
    CHECK(!write_sample(scratch("kept", path), &error) && strstr(error.message, "untouched") != NULL, "%s",
          error.message);
    limit_files(old);
    CHECK(safetensors_open(&file, path, &error) && file.tensor_count == 0, "%s", error.message);
    safetensors_close(&file);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "write") == 0) {
        Error error;
        return write_sample(arguments[2], &error) ? 0 : 1;
    }
    test_round_trip();
    test_foreign();
    test_headers();
    test_lengths();
    test_damage();
    test_pipe();
    test_write_failures();
    return test_finish();
}
