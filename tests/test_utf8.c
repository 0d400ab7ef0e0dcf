/* UTF-8 against table 3-7 of the Unicode standard: every scalar value there and back, every malformed kind. */
#include "test.h"

#include "text/utf8.h"

#include <stdlib.h>

/* Decodes a copy of exactly `size` bytes, so that a sanitizer sees a read past them. */
static int decode_exactly(const char *bytes, size_t size, uint32_t *code_point)
{
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    const int length = utf8_decode(copy, size, code_point);
    free(copy);
    return length;
}

/* A second decoder, from the arithmetic instead of the table: reads the bits, then asks whether the value
 * needs that many bytes and is a scalar value. */
static int decode_plainly(const unsigned char *bytes, size_t size, uint32_t *code_point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int ones = 0;
    while (ones < 8 && (bytes[0] & (0x80 >> ones)))
        ones++;
    if (ones == 0) {
        *code_point = bytes[0];
        return 1;
    }
    if (ones < 2 || ones > 4 || size < (size_t)ones)
        return 0;
    uint32_t value = bytes[0] & (0x7Fu >> ones);
    for (int i = 1; i < ones; i++) {
        if (bytes[i] >> 6 != 2)
            return 0;
        value = value * 64 + (bytes[i] & 63u);
    }
    if (value < smallest[ones] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *code_point = value;
    return ones;
}

static void check_round_trip(void)
{
    test_case("utf8: every scalar value there and back");
    for (uint32_t c = 0; c < UTF8_CODE_POINTS; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        char bytes[UTF8_LONGEST];
        uint32_t back = UINT32_MAX;
        const int expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        const int written = utf8_encode(c, bytes);
        const int read = utf8_decode((unsigned char *)bytes, (size_t)written, &back);
        CHECK(written == expected && read == written && back == c, "U+%04X", (unsigned)c);
    }
}

static void check_single_bytes(void)
{
    test_case("utf8: every byte value alone");
    for (int value = 0; value < 256; value++) {
        uint32_t c = UINT32_MAX;
        const char byte = (char)value;
        const int length = decode_exactly(&byte, 1, &c);
        CHECK(value < 0x80 ? length == 1 && c == (uint32_t)value : length == 0, "byte %d gives %d", value, length);
    }
}

static void check_all_pairs_and_more(void)
{
    test_case("utf8: all second bytes, and the borders of the third and fourth, as a plain decoder has them");
    static const unsigned char borders[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    const size_t count = sizeof borders;
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++)
            for (size_t k = 0; k < count * count; k++) {
                const unsigned char bytes[4] = {(unsigned char)first, (unsigned char)second, borders[k / count],
                                                borders[k % count]};
                for (size_t size = 1; size <= 4; size++) {
                    uint32_t ours = 0, plain = 0;
                    const int length = utf8_decode(bytes, size, &ours);
                    CHECK(length == decode_plainly(bytes, size, &plain) && ours == plain,
                          "%02X %02X %02X %02X, %zu bytes", bytes[0], bytes[1], bytes[2], bytes[3], size);
                }
            }
}

static void check_malformed(void)
{
    static const struct {
        const char *why, *bytes;
    } cases[] = {
        {"overlong NUL", "\xC0\x80"},
        {"overlong slash", "\xC1\xBF"},
        {"overlong of three", "\xE0\x9F\xBF"},
        {"overlong of four", "\xF0\x8F\xBF\xBF"},
        {"first surrogate", "\xED\xA0\x80"},
        {"last surrogate", "\xED\xBF\xBF"},
        {"U+110000", "\xF4\x90\x80\x80"},
        {"F5", "\xF5\x80\x80\x80"},
        {"five bytes", "\xF8\x88\x80\x80\x80"},
        {"FE", "\xFE"},
        {"stray continuation", "\x80"},
        {"a letter for the second byte", "\xC3x"},
        {"a letter for the third byte", "\xE2\x82x"},
        {"a letter for the fourth byte", "\xF0\x9F\x98x"},
        {"a new lead for the second byte", "\xC3\xC3\xA9"},
    };
    test_case("utf8: malformed sequences are refused");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t c;
        CHECK(decode_exactly(cases[i].bytes, strlen(cases[i].bytes), &c) == 0, "%s", cases[i].why);
    }
    test_case("utf8: truncation at every length is refused");
    static const char *const whole[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < 3; i++)
        for (size_t size = 1; size <= strlen(whole[i]); size++) {
            uint32_t c;
            const int expected = size == strlen(whole[i]) ? (int)size : 0;
            CHECK(decode_exactly(whole[i], size, &c) == expected, "%s cut to %zu", whole[i], size);
        }
    test_case("utf8: the values at every border");
    static const struct {
        const char *bytes;
        uint32_t code_point;
    } borders[] = {{"\x7F", 0x7F},         {"\xC2\x80", 0x80},     {"\xDF\xBF", 0x7FF},
                   {"\xE0\xA0\x80", 0x800}, {"\xED\x9F\xBF", 0xD7FF}, {"\xEE\x80\x80", 0xE000},
                   {"\xEF\xBF\xBF", 0xFFFF}, {"\xF0\x90\x80\x80", 0x10000}, {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        uint32_t c = 0;
        const size_t size = strlen(borders[i].bytes);
        CHECK(decode_exactly(borders[i].bytes, size, &c) == (int)size && c == borders[i].code_point, "U+%04X",
              (unsigned)borders[i].code_point);
    }
}

int main(void)
{
    check_round_trip();
    check_single_bytes();
    check_all_pairs_and_more();
    check_malformed();
    return test_finish();
}
