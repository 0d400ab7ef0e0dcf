/* NumPy files: exact bytes of a known one, round trips of every rank, and damage. With `write DIRECTORY` as arguments
 * the program only writes its samples, for tests/test_formats_python.sh to read. */
#include "scratch.h"
#include "storage/npy.h"

#include <stdint.h>

enum { SHAPES = 6 };

static const size_t shapes[SHAPES][NPY_RANK] = {{3}, {2, 3}, {2, 3, 4}, {1, 2, 3, 4}, {0}, {5, 0, 7}};
static const int ranks[SHAPES] = {1, 2, 3, 4, 1, 3};

/* The value at place i of every sample. */
static float sample_value(size_t i)
{
    return (float)i * 0.25f - 1;
}

/* The sample of that shape; returns its number of values. */
static bool write_sample(const char *path, int sample, size_t *count, Error *error)
{
    float values[64];
    *count = 1;
    for (int i = 0; i < ranks[sample]; i++)
        *count *= shapes[sample][i];
    for (size_t i = 0; i < *count; i++)
        values[i] = sample_value(i);
    return npy_write(path, values, ranks[sample], shapes[sample], error);
}

static int write_samples(const char *directory)
{
    int status = 0;
    for (int sample = 0; sample < SHAPES; sample++) {
        char path[PATH_SIZE];
        Error error;
        size_t count;
        snprintf(path, sizeof path, "%s/%d.npy", directory, sample);
        status |= !write_sample(path, sample, &count, &error);
    }
    return status;
}

static void test_bytes(void)
{
    char path[PATH_SIZE];
    unsigned char *bytes = NULL;
    size_t size = 0, count;
    Error error = {0};
    test_case("npy: the bytes of a vector of three");
    char expected[128 + 12];
    memset(expected, ' ', 128);
    memcpy(expected, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char *text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    memcpy(expected + 10, text, strlen(text));
    expected[127] = '\n';
    memcpy(expected + 128, (const float[]){-1, -0.75f, -0.5f}, 12);
    CHECK(write_sample(scratch("three.npy", path), 0, &count, &error), "%s", error.message);
    CHECK(file_read(path, FILE_LIMIT, &bytes, &size, &error), "%s", error.message);
    CHECK(size == sizeof expected && memcmp(bytes, expected, size) == 0, "%zu bytes differ", size);
    free(bytes);
}

static void test_round_trip(void)
{
    char path[PATH_SIZE];
    Error error = {0};
    test_case("npy: every rank is read as written, values at a multiple of 64");
    for (int sample = 0; sample < SHAPES; sample++) {
        NpyArray array;
        size_t count, size = 0;
        unsigned char *bytes = NULL;
        CHECK(write_sample(scratch("round.npy", path), sample, &count, &error), "%s", error.message);
        CHECK(file_read(path, FILE_LIMIT, &bytes, &size, &error), "%s", error.message);
        CHECK((size - count * sizeof(float)) % 64 == 0, "%zu bytes", size);
        free(bytes);
        CHECK(npy_read(&array, path, &error), "%s", error.message);
        CHECK(array.rank == ranks[sample] && array.count == count, "rank %d", array.rank);
        for (int i = 0; i < array.rank; i++)
            CHECK(array.shape[i] == shapes[sample][i], "sample %d", sample);
        for (size_t i = 0; i < array.count; i++)
            CHECK(array.values[i] == sample_value(i), "%g", (double)array.values[i]);
        npy_close(&array);
        npy_close(&array);
    }
}

static void test_pieces(void)
{
    char path[PATH_SIZE];
    Error error = {0};
    NpyWriter writer;
    NpyArray array;
    const float row[4] = {1, 2, 3, 4};
    test_case("npy: written piece by piece, in place only when complete");
    scratch("pieces.npy", path);
    CHECK(npy_open(&writer, path, 2, (const size_t[]){3, 4}, &error), "%s", error.message);
    for (int i = 0; i < 3; i++) {
        npy_append(&writer, row, 1);
        npy_append(&writer, row + 1, 3);
    }
    npy_append(&writer, NULL, 0);
    CHECK(access(path, F_OK) != 0 && writer.missing == 0, "it is there early");
    CHECK(npy_commit(&writer, &error) && npy_read(&array, path, &error), "%s", error.message);
    for (size_t i = 0; i < 12; i++)
        CHECK(array.values[i] == row[i % 4], "%g", (double)array.values[i]);
    npy_close(&array);
    test_case("npy: an abandoned file leaves the old one");
    CHECK(npy_open(&writer, path, 1, (const size_t[]){1000}, &error), "%s", error.message);
    npy_append(&writer, row, 4);
    npy_abandon(&writer);
    npy_abandon(&writer);
    CHECK(npy_read(&array, path, &error) && array.count == 12, "%s", error.message);
    npy_close(&array);
    test_case("npy: sizes beyond any machine, a missing directory, a disk that is full");
    CHECK(!npy_open(&writer, path, 2, (const size_t[]){SIZE_MAX / 4, 2}, &error) &&
          strstr(error.message, "too large") != NULL, "%s", error.message);
    CHECK(!npy_write(scratch("none/x.npy", path), row, 1, (const size_t[]){4}, &error) &&
          strstr(error.message, "no such file") != NULL, "%s", error.message);
    const rlim_t old = limit_files(100);
    CHECK(!npy_write(scratch("full.npy", path), row, 1, (const size_t[]){4}, &error) &&
          strstr(error.message, "cannot write") != NULL && access(path, F_OK) != 0, "%s", error.message);
    limit_files(old);
}

/* Reading the file fails with one line that names it and says the part. */
static bool refused(const char *path, const char *part)
{
    NpyArray array;
    Error error = {0};
    const bool opened = npy_read(&array, path, &error);
    const bool good = !opened && strstr(error.message, path) != NULL && strstr(error.message, part) != NULL &&
                      strchr(error.message, '\n') == NULL && array.values == NULL;
    if (!good)
        fprintf(stderr, "expected \"%s\": %s\n", part, opened ? "it opened" : error.message);
    npy_close(&array);
    return good;
}

static void test_headers(void)
{
    static const struct { const char *dict; size_t data; const char *part; } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", 8, "no float32 array in C order"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", 4, "no float32 array in C order"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }\n", 4, "no float32 array in C order"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1), }\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,2,), }\n", 8, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1), }\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }x\n", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ", 4, "its shape must be"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 4, "not what its shape asks for"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 0, "not what its shape"},
        {"", 0, "no float32 array"}};
    char path[PATH_SIZE];
    test_case("npy: headers that are refused by name");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[256] = "\x93NUMPY\x01";
        const size_t length = strlen(cases[i].dict);
        bytes[8] = (unsigned char)length;
        memcpy(bytes + 10, cases[i].dict, length);
        put(scratch("lying.npy", path), bytes, 10 + length + cases[i].data);
        CHECK(refused(path, cases[i].part), "%s", cases[i].dict);
    }
    test_case("npy: no file, no bytes, a directory, another version");
    CHECK(refused(scratch("missing", path), "no such file") && refused(scratch(".", path), "is a directory"), "path");
    put(scratch("empty", path), "", 0);
    CHECK(refused(path, "the file is empty"), "empty");
    put(path, "\x93NUMPY\x02\x00\x00\x00\x00\x00", 12);
    CHECK(refused(path, "not a NumPy array of version 1.0"), "version");
}

static void test_damage(void)
{
    char path[PATH_SIZE];
    unsigned char *bytes = NULL;
    size_t size = 0, count;
    Error error = {0};
    test_case("npy: every truncation is refused, every flipped bit has an answer");
    CHECK(write_sample(scratch("sample.npy", path), 2, &count, &error), "%s", error.message);
    CHECK(file_read(path, FILE_LIMIT, &bytes, &size, &error), "%s", error.message);
    scratch("damaged.npy", path);
    for (size_t cut = 0; cut < size; cut++) {
        put(path, bytes, cut);
        CHECK(refused(path, ""), "cut to %zu bytes", cut);
    }
    for (size_t bit = 0; bit < 8 * (size - count * sizeof(float)); bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put(path, bytes, size);
        NpyArray array;
        CHECK(!npy_read(&array, path, &error) || array.count == count, "bit %zu", bit);
        npy_close(&array);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    unsigned char *longer = calloc(1, size + 1);
    memcpy(longer, bytes, size);
    put(path, longer, size + 1);
    CHECK(refused(path, "not what its shape asks for"), "appended");
    free(longer);
    free(bytes);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "write") == 0)
        return write_samples(arguments[2]);
    test_bytes();
    test_round_trip();
    test_pieces();
    test_headers();
    test_damage();
    return test_finish();
}
