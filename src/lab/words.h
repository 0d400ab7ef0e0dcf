/* words.h -- the words of a query, as Python's re.findall(r"\w+|[^\w\s]", text.lower()) has them.
 *
 * A word is a run of letters, digits and underscores, or any other character that is no space, alone. Known are ASCII
 * and the signs, spaces and punctuation of U+00A0 to U+00BF, U+2000 to U+206F and U+20A0 to U+20CF; whether another
 * character is a letter is not known, and words_unknown finds it. */
#ifndef SOLILOQUY_LAB_WORDS_H
#define SOLILOQUY_LAB_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* The first character of the UTF-8 text whose kind is not known, or 0. */
uint32_t words_unknown(const char *text);

/* Finds the first word at or behind *text, in the case it is written in, and moves *text behind it. Returns its bytes;
 * 0 where there is none. */
int words_next(const char **text, const char **word);

/* c in lower case: ASCII alone has cases here. */
static inline char words_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
