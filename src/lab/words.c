#include "lab/words.h"

#include "text/utf8.h"

#include <string.h>

typedef enum Kind { KIND_SPACE, KIND_LETTER, KIND_SIGN, KIND_UNKNOWN } Kind;

/* The kind of a code point, as str.isspace and str.isalnum decide. */
static Kind kind_of(uint32_t c)
{
    if (c < 0x80) {
        if ((c >= '\t' && c <= '\r') || (c >= 0x1C && c <= ' '))
            return KIND_SPACE;
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        return letter ? KIND_LETTER : KIND_SIGN;
    }
    if (c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F)
        return KIND_SPACE;
    if (c >= 0xA0 && c <= 0xBF) /* without the ordinals, superscripts, micro and fractions, which count as letters */
        return strchr("\xAA\xB2\xB3\xB5\xB9\xBA\xBC\xBD\xBE", (int)c) != NULL ? KIND_LETTER : KIND_SIGN;
    return (c >= 0x2000 && c <= 0x206F) || (c >= 0x20A0 && c <= 0x20CF) ? KIND_SIGN : KIND_UNKNOWN;
}

/* The kind of the character at text, which has not ended, and its bytes; bytes that are not UTF-8 are unknown. */
static Kind next_kind(const char *text, int *length, uint32_t *c)
{
    *length = utf8_decode((const unsigned char *)text, strnlen(text, UTF8_LONGEST), c);
    if (*length > 0)
        return kind_of(*c);
    *c = (unsigned char)*text;
    *length = 1;
    return KIND_UNKNOWN;
}

uint32_t words_unknown(const char *text)
{
    int length;
    uint32_t c;
    for (; *text != '\0'; text += length)
        if (next_kind(text, &length, &c) == KIND_UNKNOWN)
            return c;
    return 0;
}

int words_next(const char **text, const char **word)
{
    const char *at = *text;
    int length = 0;
    uint32_t c;
    while (*at != '\0' && next_kind(at, &length, &c) == KIND_SPACE)
        at += length;
    *word = at;
    if (*at != '\0' && next_kind(at, &length, &c) != KIND_LETTER)
        at += length;
    else
        while (*at != '\0' && next_kind(at, &length, &c) == KIND_LETTER)
            at += length;
    *text = at;
    return (int)(at - *word);
}
