/* utf8.h -- code points from bytes and back (Unicode standard, table 3-7), independent of the locale. */
#ifndef SOLILOQUY_TEXT_UTF8_H
#define SOLILOQUY_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_LONGEST = 4, UTF8_CODE_POINTS = 0x110000 };

/* Decodes the sequence at bytes[0..size), size > 0. Returns its length 1 to 4, or 0 where it is malformed:
 * overlong, a surrogate, above U+10FFFF, a stray continuation byte, or cut off by `size`. */
int utf8_decode(const unsigned char *bytes, size_t size, uint32_t *code_point);

/* Writes the sequence and returns its length 1 to 4; code_point must be a Unicode scalar value. */
int utf8_encode(uint32_t code_point, char bytes[UTF8_LONGEST]);

#endif
