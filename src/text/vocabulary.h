/* vocabulary.h -- the symbols of a text, sorted; a symbol's place is its id.
 *
 * A symbol is a Unicode code point, or with `bytes` a byte value. */
#ifndef SOLILOQUY_TEXT_VOCABULARY_H
#define SOLILOQUY_TEXT_VOCABULARY_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Vocabulary {
    uint32_t *symbols; /* owned; ascending, no repeats */
    int size;          /* V */
    bool bytes;        /* symbols are byte values */
} Vocabulary;

enum { SYMBOL_NAME_LENGTH = 48 };

/* Takes a copy; refuses an empty list, one that does not ascend, and values outside Unicode (or 0..255). */
bool vocabulary_open(Vocabulary *vocabulary, const uint32_t *symbols, int size, bool bytes, Error *error);
void vocabulary_close(Vocabulary *vocabulary);

/* The id of a symbol, or -1. */
int vocabulary_find(const Vocabulary *vocabulary, uint32_t symbol);

/* The bytes of an id as they stand in a text; returns how many, 1 to 4. */
int vocabulary_text(const Vocabulary *vocabulary, int id, char bytes[4]);

/* What a person sees of a symbol in a label: itself, or a glyph for space, newline, tab and carriage return
 * (U+2423, U+21B5, U+21E5, U+240D), U+2400 + c for other control characters, and \xNN for a byte that is not
 * ASCII. Also combining marks get a dotted circle before them, and invisible code points their U+ number. */
void vocabulary_glyph(const Vocabulary *vocabulary, int id, char glyph[SYMBOL_NAME_LENGTH]);

/* What a message calls a symbol: 'é' (U+00E9), tab (U+0009), byte 0xC3. */
void symbol_name(uint32_t symbol, bool bytes, char name[SYMBOL_NAME_LENGTH]);

/* NULL-safe difference in words: "added 'x' (U+0078), 'y' (U+0079); removed ..." (at most eight each, then a
 * count) into text[0..size). Returns true when the two are the same. */
bool vocabulary_compare(const Vocabulary *before, const Vocabulary *after, char *text, size_t size);

#endif
