#include "text/utf8.h"

/* Table 3-7: the first byte fixes the length and the range of the second byte; the rest are 80..BF. The
 * narrowed second ranges are what excludes overlong forms, surrogates and values above U+10FFFF. */
int utf8_decode(const unsigned char *bytes, size_t size, uint32_t *code_point)
{
    const unsigned char first = bytes[0];
    if (first < 0x80) {
        *code_point = first;
        return 1;
    }
    if (first < 0xC2 || first > 0xF4)
        return 0;
    const int length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (size < (size_t)length)
        return 0;
    const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < lowest || bytes[1] > highest)
        return 0;
    uint32_t result = first & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        result = result << 6 | (bytes[i] & 0x3Fu);
    }
    *code_point = result;
    return length;
}

int utf8_encode(uint32_t code_point, char bytes[UTF8_LONGEST])
{
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
        return 1;
    }
    const int length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    bytes[0] = (char)((0xF00u >> length & 0xFF) | code_point);
    return length;
}
