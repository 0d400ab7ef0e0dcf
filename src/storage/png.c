#include "storage/png.h"

#include "base/file.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 0x7FFFFFFF,        /* of widths, heights and chunks */
    STORED = 65535,              /* the most bytes of a stored block: its length has 16 bits */
    ADLER_BASE = 65521,          /* the largest prime below 2^16 */
    KEYWORD_LENGTH = 79,
    BLOCK_OPENING = 2 + 5,       /* the zlib header, before the first block alone, and a block's own */
    CHUNK_ROOM = BLOCK_OPENING + STORED + 4 /* and the Adler-32 after the last */
};

static uint32_t crc_update(uint32_t crc, const unsigned char *bytes, size_t size)
{
    /* The remainders of the sixteen values of half a byte, polynomial 0xEDB88320. */
    static const uint32_t remainder[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ remainder[crc & 15];
        crc = crc >> 4 ^ remainder[crc & 15];
    }
    return crc;
}

static uint32_t adler_update(uint32_t adler, const unsigned char *bytes, size_t size)
{
    uint32_t low = adler & 0xFFFF, high = adler >> 16;
    for (size_t i = 0; i < size; i++) {
        low = (low + bytes[i]) % ADLER_BASE;
        high = (high + low) % ADLER_BASE;
    }
    return high << 16 | low;
}

static unsigned char *put_number(unsigned char *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = (unsigned char)(number >> shift);
    return out;
}

/* Length, type, data, CRC of type and data. */
static void write_chunk(FILE *stream, const char type[4], const unsigned char *data, size_t size)
{
    unsigned char number[4];
    put_number(number, (uint32_t)size);
    fwrite(number, 1, sizeof number, stream);
    fwrite(type, 1, 4, stream);
    if (size > 0)
        fwrite(data, 1, size, stream);
    const uint32_t crc = crc_update(crc_update(0xFFFFFFFF, (const unsigned char *)type, 4), data, size);
    put_number(number, ~crc);
    fwrite(number, 1, sizeof number, stream);
}

static bool is_ascii(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

static bool write_text(FILE *stream, const PngText *note)
{
    /* After the keyword's NUL, iTXt has: not compressed, method 0, no language, no translated keyword. */
    const size_t keyword = strlen(note->keyword), text = strlen(note->text), fields = is_ascii(note->text) ? 1 : 5;
    assert(keyword >= 1 && keyword <= KEYWORD_LENGTH && is_ascii(note->keyword) && text < LARGEST - 128);
    unsigned char *data = calloc(1, keyword + fields + text);
    if (data == NULL)
        return false;
    memcpy(data, note->keyword, keyword);
    memcpy(data + keyword + fields, note->text, text);
    write_chunk(stream, fields == 1 ? "tEXt" : "iTXt", data, keyword + fields + text);
    free(data);
    return true;
}

/* The rows as one stream of stored blocks, cut into a chunk a block. */
typedef struct PixelStream {
    FILE *stream;
    unsigned char *chunk; /* owned: [CHUNK_ROOM]; the block's data begins at BLOCK_OPENING */
    size_t filled;        /* bytes of data in the block */
    bool first;
    uint32_t adler;
} PixelStream;

static void write_block(PixelStream *pixels, bool last)
{
    unsigned char *start = pixels->chunk + (pixels->first ? 0 : 2), *out = pixels->chunk;
    const unsigned length = (unsigned)pixels->filled;
    *out++ = 0x78; /* deflate, window 32 KB */
    *out++ = 0x01; /* no dictionary; makes the pair a multiple of 31 */
    *out++ = last; /* and block type 00: stored */
    *out++ = (unsigned char)length;
    *out++ = (unsigned char)(length >> 8);
    *out++ = (unsigned char)~length;
    *out++ = (unsigned char)(~length >> 8);
    pixels->adler = adler_update(pixels->adler, out, length);
    out += length;
    if (last)
        out = put_number(out, pixels->adler);
    write_chunk(pixels->stream, "IDAT", start, (size_t)(out - start));
    pixels->filled = 0;
    pixels->first = false;
}

static void append_bytes(PixelStream *pixels, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        if (pixels->filled == STORED)
            write_block(pixels, false);
        const size_t room = STORED - pixels->filled, taken = size < room ? size : room;
        memcpy(pixels->chunk + BLOCK_OPENING + pixels->filled, bytes, taken);
        pixels->filled += taken;
        bytes += taken;
        size -= taken;
    }
}

/* Each row follows its filter's number: 0, none. */
static bool write_pixels(FILE *stream, const PngImage *image, size_t row_bytes)
{
    PixelStream pixels = {.stream = stream, .chunk = malloc(CHUNK_ROOM), .first = true, .adler = 1};
    if (pixels.chunk == NULL)
        return false;
    for (size_t y = 0; y < image->height; y++) {
        append_bytes(&pixels, &(const unsigned char){0}, 1);
        append_bytes(&pixels, image->pixels + y * row_bytes, row_bytes);
    }
    write_block(&pixels, true);
    free(pixels.chunk);
    return true;
}

static void write_header(FILE *stream, const PngImage *image)
{
    unsigned char data[13] = {0}, *out = put_number(put_number(data, (uint32_t)image->width), (uint32_t)image->height);
    *out++ = 8; /* bits a sample; compression, filter and interlacing stay 0 */
    *out = (unsigned char)image->kind;
    fwrite("\x89PNG\r\n\x1A\n", 1, 8, stream);
    write_chunk(stream, "IHDR", data, sizeof data);
    if (image->kind == PNG_PALETTE)
        write_chunk(stream, "PLTE", image->palette, (size_t)image->palette_size * 3);
}

/* Decoders may refuse an index outside the palette; the writer does not make such a file. */
static bool palette_covers(const PngImage *image)
{
    if (image->palette == NULL || image->palette_size < 1 || image->palette_size > 256)
        return false;
    for (size_t i = 0; i < image->width * image->height; i++)
        if (image->pixels[i] >= image->palette_size)
            return false;
    return true;
}

bool png_write(const char *path, const PngImage *image, const PngText *texts, int text_count, Error *error)
{
    const size_t samples = image->kind == PNG_RGB ? 3 : 1;
    size_t row_bytes, all_bytes;
    if (image->width < 1 || image->height < 1 || image->width > LARGEST || image->height > LARGEST ||
        __builtin_mul_overflow(image->width, samples, &row_bytes) ||
        __builtin_mul_overflow(row_bytes, image->height, &all_bytes) || all_bytes > PTRDIFF_MAX)
        return error_set(error, "cannot write %s: no PNG has %zu x %zu pixels", path, image->width, image->height);
    assert(image->kind != PNG_PALETTE || palette_covers(image));
    AtomicFile file;
    if (!atomic_file_open(&file, path, error))
        return false;
    write_header(file.stream, image);
    bool done = true;
    for (int i = 0; i < text_count && done; i++)
        done = write_text(file.stream, &texts[i]);
    done = done && write_pixels(file.stream, image, row_bytes);
    if (!done) {
        atomic_file_abandon(&file);
        return error_set(error, "cannot write %s: no memory", path);
    }
    write_chunk(file.stream, "IEND", NULL, 0);
    return atomic_file_commit(&file, error);
}
