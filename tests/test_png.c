/* PNG files, read back by a small decoder of their own: chunks, CRC-32, stored blocks, Adler-32, pixels. With
 * `write DIRECTORY` as arguments the program only writes its samples, for tests/test_formats_python.sh to read. */
#include "base/file.h"
#include "scratch.h"
#include "storage/png.h"

#include <stdint.h>

enum { SAMPLES = 3 };

static const unsigned char palette[3 * 3] = {255, 255, 255, 200, 30, 30, 0, 0, 0};
static const PngText notes[] = {{"Title", "attention"}, {"Comment", "row = query \xE2\x86\x93, column = key"}};

static size_t sample_size(const PngImage *image)
{
    return image->width * image->height * (image->kind == PNG_RGB ? 3 : 1);
}

/* An image of counted samples; the caller frees the pixels. */
static PngImage make_image(PngKind kind, size_t width, size_t height)
{
    PngImage image = {.width = width, .height = height, .kind = kind};
    unsigned char *pixels = malloc(sample_size(&image) + 1);
    for (size_t i = 0; i < sample_size(&image); i++)
        pixels[i] = (unsigned char)(i * 31 % (kind == PNG_PALETTE ? 3 : 256));
    image.pixels = pixels;
    if (kind == PNG_PALETTE) {
        image.palette = palette;
        image.palette_size = 3;
    }
    return image;
}

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* CRC-32 straight from its definition: long division, one bit at a time. */
static uint32_t naive_crc(const unsigned char *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        const uint32_t low = (crc ^ bytes[bit / 8] >> bit % 8) & 1;
        crc = crc >> 1 ^ (low != 0 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

/* Adler-32 from its definition: sums of all bytes and of all those sums, remainders at the end. */
static uint32_t naive_adler(const unsigned char *bytes, size_t size)
{
    uint64_t low = 1, high = 0;
    for (size_t i = 0; i < size; i++) {
        low += bytes[i];
        high = (high + low) % 65521;
    }
    return (uint32_t)(high << 16 | low % 65521);
}

typedef struct Decoded {
    unsigned char *rows; /* owned: filter byte and samples of each row */
    size_t size;
    unsigned char header[13], palette[768];
    size_t palette_bytes;
    int texts, data_chunks;
} Decoded;

/* Undoes stored blocks: zlib[0..size) into decoded->rows. Returns what is wrong, or NULL. */
static const char *inflate_stored(const unsigned char *zlib, size_t size, Decoded *decoded)
{
    if (size < 6 || (zlib[0] & 15) != 8 || (zlib[0] << 8 | zlib[1]) % 31 != 0 || (zlib[1] & 32) != 0)
        return "zlib header";
    size_t at = 2;
    decoded->rows = malloc(size);
    for (bool last = false; !last;) {
        if (size - at < 5 + 4 || zlib[at] > 1)
            return "block header";
        last = zlib[at] == 1;
        const unsigned length = zlib[at + 1] | (unsigned)zlib[at + 2] << 8;
        if ((zlib[at + 3] | (unsigned)zlib[at + 4] << 8) != (length ^ 0xFFFF) || length > size - at - 9)
            return "block length";
        memcpy(decoded->rows + decoded->size, zlib + at + 5, length);
        decoded->size += length;
        at += 5 + length;
    }
    if (size - at != 4 || number_at(zlib + at) != naive_adler(decoded->rows, decoded->size))
        return "Adler-32";
    return NULL;
}

/* Takes one chunk's data into the decoded image or the zlib stream. */
static void take_chunk(const char *type, const unsigned char *data, size_t length, Decoded *decoded,
                       unsigned char *zlib, size_t *zlib_size)
{
    if (strcmp(type, "IHDR") == 0 && length == 13)
        memcpy(decoded->header, data, length);
    if (strcmp(type, "PLTE") == 0 && length <= sizeof decoded->palette) {
        memcpy(decoded->palette, data, length);
        decoded->palette_bytes = length;
    }
    if (strcmp(type, "tEXt") == 0)
        decoded->texts += length == 15 && memcmp(data, "Title\0attention", 15) == 0;
    if (strcmp(type, "iTXt") == 0) {
        const size_t text = strlen(notes[1].text);
        decoded->texts += length == 12 + text && memcmp(data, "Comment\0\0\0\0\0", 12) == 0 &&
                          memcmp(data + 12, notes[1].text, text) == 0;
    }
    if (strcmp(type, "IDAT") == 0) {
        memcpy(zlib + *zlib_size, data, length);
        *zlib_size += length;
        decoded->data_chunks++;
    }
}

/* Reads the chunks of a whole file. Returns what is wrong, or NULL. */
static const char *decode(const unsigned char *file, size_t size, Decoded *decoded)
{
    if (size < 8 || memcmp(file, "\x89PNG\r\n\x1A\n", 8) != 0)
        return "signature";
    unsigned char *zlib = malloc(size);
    size_t zlib_size = 0, at = 8;
    const char *wrong = NULL;
    char type[5] = "";
    while (wrong == NULL && strcmp(type, "IEND") != 0) {
        const size_t length = size - at >= 12 ? number_at(file + at) : SIZE_MAX;
        if (size - at < 12 || length > size - at - 12) {
            wrong = "chunk length";
        } else {
            memcpy(type, file + at + 4, 4);
            if (at == 8 && strcmp(type, "IHDR") != 0)
                wrong = "the first chunk";
            if (number_at(file + at + 8 + length) != naive_crc(file + at + 4, length + 4))
                wrong = "CRC-32";
            take_chunk(type, file + at + 8, length, decoded, zlib, &zlib_size);
            at += 12 + length;
        }
    }
    if (wrong == NULL)
        wrong = at != size ? "bytes after the end" : inflate_stored(zlib, zlib_size, decoded);
    free(zlib);
    return wrong;
}

/* The decoded rows are the image's, each after a filter byte of 0. */
static bool same_pixels(const Decoded *decoded, const PngImage *image)
{
    const size_t row = sample_size(image) / image->height;
    bool same = decoded->size == (row + 1) * image->height;
    for (size_t y = 0; y < image->height && same; y++)
        same = decoded->rows[y * (row + 1)] == 0 &&
               memcmp(decoded->rows + y * (row + 1) + 1, image->pixels + y * row, row) == 0;
    return same;
}

static void check_image(PngKind kind, size_t width, size_t height, int texts)
{
    char path[PATH_SIZE];
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error error = {0};
    Decoded decoded = {0};
    PngImage image = make_image(kind, width, height);
    CHECK(png_write(scratch("image.png", path), &image, notes, texts, &error), "%s", error.message);
    CHECK(file_read(path, FILE_LIMIT, &bytes, &size, &error), "%s", error.message);
    const char *wrong = decode(bytes, size, &decoded);
    CHECK(wrong == NULL, "%zu x %zu: wrong %s", width, height, wrong);
    CHECK(number_at(decoded.header) == width && number_at(decoded.header + 4) == height, "%zu x %zu", width, height);
    CHECK(memcmp(decoded.header + 8, (const unsigned char[]){8, (unsigned char)kind, 0, 0, 0}, 5) == 0, "format");
    CHECK(decoded.texts == texts, "%d texts", decoded.texts);
    CHECK(decoded.palette_bytes == (kind == PNG_PALETTE ? 9 : 0) && (kind != PNG_PALETTE ||
          memcmp(decoded.palette, palette, sizeof palette) == 0), "palette");
    CHECK(wrong != NULL || same_pixels(&decoded, &image), "%zu x %zu: pixels differ", width, height);
    const size_t row_bytes = sample_size(&image) / height + 1;
    CHECK((size_t)decoded.data_chunks == (row_bytes * height + 65534) / 65535, "%d chunks", decoded.data_chunks);
    free(decoded.rows);
    free(bytes);
    free((void *)image.pixels);
}

static void test_failures(void)
{
    static const size_t sizes[][2] = {{0, 5}, {5, 0}, {(size_t)1 << 31, 1}, {1, (size_t)1 << 31},
                                      {0x7FFFFFFF, 0x7FFFFFFF}, {SIZE_MAX, SIZE_MAX}};
    char path[PATH_SIZE];
    Error error = {0};
    PngImage image = make_image(PNG_RGB, 4, 4);
    test_case("png: impossible sizes are refused, nothing is written");
    scratch("impossible.png", path);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const PngImage wrong = {.width = sizes[i][0], .height = sizes[i][1], .kind = PNG_RGB, .pixels = image.pixels};
        CHECK(!png_write(path, &wrong, NULL, 0, &error) && strstr(error.message, path) != NULL &&
              access(path, F_OK) != 0, "%zu x %zu", wrong.width, wrong.height);
    }
    test_case("png: a missing directory and a disk that is full");
    CHECK(!png_write(scratch("none/x.png", path), &image, NULL, 0, &error) &&
          strstr(error.message, "no such file") != NULL, "%s", error.message);
    const rlim_t old = limit_files(50);
    CHECK(!png_write(scratch("full.png", path), &image, NULL, 0, &error) &&
          strstr(error.message, "cannot write") != NULL && access(path, F_OK) != 0, "%s", error.message);
    limit_files(old);
    free((void *)image.pixels);
}

/* The decoder itself must see damage, or the cases above prove little. */
static void test_decoder(void)
{
    char path[PATH_SIZE];
    unsigned char *bytes = NULL;
    size_t size = 0;
    Error error = {0};
    PngImage image = make_image(PNG_RGB, 5, 4);
    test_case("png: the test's decoder refuses every flipped bit");
    CHECK(png_write(scratch("small.png", path), &image, notes, 2, &error), "%s", error.message);
    CHECK(file_read(path, FILE_LIMIT, &bytes, &size, &error), "%s", error.message);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        Decoded decoded = {0}; /* that the whole file is accepted, check_image has seen */
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(decode(bytes, size, &decoded) != NULL, "bit %zu", bit);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        free(decoded.rows);
    }
    free(bytes);
    free((void *)image.pixels);
}

static int write_samples(const char *directory)
{
    static const PngKind kinds[SAMPLES] = {PNG_GRAY, PNG_RGB, PNG_PALETTE};
    int status = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        char path[PATH_SIZE];
        Error error;
        PngImage image = make_image(kinds[sample], 300, 250);
        snprintf(path, sizeof path, "%s/%d.png", directory, (int)kinds[sample]);
        status |= !png_write(path, &image, notes, 2, &error);
        free((void *)image.pixels);
    }
    return status;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "write") == 0)
        return write_samples(arguments[2]);
    test_case("png: gray, colour and palette, with and without texts");
    for (int texts = 0; texts <= 2; texts++) {
        check_image(PNG_GRAY, 7, 3, texts);
        check_image(PNG_RGB, 7, 3, texts);
        check_image(PNG_PALETTE, 7, 3, texts);
    }
    test_case("png: one pixel, one row, one column");
    check_image(PNG_RGB, 1, 1, 0);
    check_image(PNG_GRAY, 1000, 1, 0);
    check_image(PNG_PALETTE, 1, 1000, 0);
    test_case("png: sizes about the border of a stored block");
    for (size_t width = 65533; width <= 65536; width++)
        check_image(PNG_GRAY, width, 1, 0);
    check_image(PNG_GRAY, 65534, 2, 0);
    check_image(PNG_RGB, 300, 200, 0);
    test_failures();
    test_decoder();
    return test_finish();
}
