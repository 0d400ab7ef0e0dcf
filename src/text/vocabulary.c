#include "text/vocabulary.h"

#include "text/unicode.h"
#include "text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_LISTED = 8 };

/* --- the list --------------------------------------------------------------------------------------- */

static bool is_symbol(uint32_t symbol, bool bytes)
{
    if (bytes)
        return symbol < 256;
    return symbol < UTF8_CODE_POINTS && (symbol < 0xD800 || symbol > 0xDFFF);
}

bool vocabulary_open(Vocabulary *vocabulary, const uint32_t *symbols, int size, bool bytes, Error *error)
{
    *vocabulary = (Vocabulary){0};
    if (size < 1)
        return error_set(error, "the vocabulary is empty; it needs at least one symbol");
    for (int i = 0; i < size; i++) {
        if (!is_symbol(symbols[i], bytes))
            return error_set(error, "entry %d of the vocabulary, %lu, is not a %s", i, (unsigned long)symbols[i],
                             bytes ? "byte value (0 to 255)" : "Unicode code point that a text can hold");
        if (i > 0 && symbols[i] <= symbols[i - 1])
            return error_set(error, "entry %d of the vocabulary, %lu, does not come after the one before it, %lu", i,
                             (unsigned long)symbols[i], (unsigned long)symbols[i - 1]);
    }
    uint32_t *copy = malloc((size_t)size * sizeof *copy);
    if (copy == NULL)
        return error_set(error, "no memory for a vocabulary of %d symbols", size);
    memcpy(copy, symbols, (size_t)size * sizeof *copy);
    *vocabulary = (Vocabulary){.symbols = copy, .size = size, .bytes = bytes};
    return true;
}

void vocabulary_close(Vocabulary *vocabulary)
{
    free(vocabulary->symbols);
    *vocabulary = (Vocabulary){0};
}

int vocabulary_find(const Vocabulary *vocabulary, uint32_t symbol)
{
    int low = 0, high = vocabulary->size; /* symbols before low are smaller, those from high on are not */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (vocabulary->symbols[middle] < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return low < vocabulary->size && vocabulary->symbols[low] == symbol ? low : -1;
}

int vocabulary_text(const Vocabulary *vocabulary, int id, char bytes[4])
{
    if (!vocabulary->bytes)
        return utf8_encode(vocabulary->symbols[id], bytes);
    bytes[0] = (char)vocabulary->symbols[id];
    return 1;
}

/* --- in words --------------------------------------------------------------------------------------- */

/* The visible code point that stands for one of the first 128, or 0 where the symbol shows itself. */
static uint32_t control_picture(uint32_t symbol)
{
    switch (symbol) {
    case ' ': return 0x2423;
    case '\n': return 0x21B5;
    case '\t': return 0x21E5;
    case '\r': return 0x240D;
    case 0x7F: return 0x2421;
    default: return symbol < ' ' ? 0x2400 + symbol : 0;
    }
}

/* The character as UTF-8 with a NUL after it; a mark on a dotted circle. */
static void write_character(uint32_t symbol, char text[2 * UTF8_LONGEST + 1])
{
    int length = unicode_is_mark(symbol) ? utf8_encode(0x25CC, text) : 0;
    length += utf8_encode(symbol, text + length);
    text[length] = '\0';
}

void vocabulary_glyph(const Vocabulary *vocabulary, int id, char glyph[SYMBOL_NAME_LENGTH])
{
    const uint32_t symbol = vocabulary->symbols[id];
    const uint32_t picture = control_picture(symbol);
    if (vocabulary->bytes && symbol >= 0x80)
        snprintf(glyph, SYMBOL_NAME_LENGTH, "\\x%02X", (unsigned)symbol);
    else if (picture == 0 && unicode_is_invisible(symbol))
        snprintf(glyph, SYMBOL_NAME_LENGTH, "U+%04X", (unsigned)symbol);
    else
        write_character(picture != 0 ? picture : symbol, glyph);
}

/* What is not shown between quotes has a word instead; NULL for the rest. */
static const char *spoken_name(uint32_t symbol)
{
    switch (symbol) {
    case 0: return "NUL";
    case '\t': return "tab";
    case '\n': return "newline";
    case '\r': return "carriage return";
    case ' ': return "space";
    case '\'': return "apostrophe";
    case 0xA0: return "no-break space";
    case 0xFEFF: return "byte-order mark";
    default: break;
    }
    if (symbol < ' ' || (symbol >= 0x7F && symbol < 0xA0))
        return "control character";
    return unicode_is_invisible(symbol) ? "invisible character" : NULL;
}

void symbol_name(uint32_t symbol, bool bytes, char name[SYMBOL_NAME_LENGTH])
{
    const char *word = spoken_name(symbol);
    char character[2 * UTF8_LONGEST + 1];
    if (bytes) {
        snprintf(name, SYMBOL_NAME_LENGTH, "byte 0x%02X", (unsigned)symbol);
    } else if (word != NULL) {
        snprintf(name, SYMBOL_NAME_LENGTH, "%s (U+%04X)", word, (unsigned)symbol);
    } else {
        write_character(symbol, character);
        snprintf(name, SYMBOL_NAME_LENGTH, "'%s' (U+%04X)", character, (unsigned)symbol);
    }
}

/* --- differences ------------------------------------------------------------------------------------ */

/* A line under construction in text[0..size): a piece that does not fit is left out whole, so that no
 * character is cut in two. */
typedef struct Line {
    char *text;
    size_t size, used;
} Line;

__attribute__((format(printf, 2, 3))) static void line_add(Line *line, const char *format, ...)
{
    char piece[SYMBOL_NAME_LENGTH + 16];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof piece || line->used + (size_t)length >= line->size)
        return;
    memcpy(line->text + line->used, piece, (size_t)length + 1);
    line->used += (size_t)length;
}

/* Adds "VERB a, b, c and N more" for the symbols of `vocabulary` that `other` lacks; returns how many. */
static int add_missing(Line *line, const char *verb, const Vocabulary *vocabulary, const Vocabulary *other)
{
    int missing = 0;
    for (int id = 0; id < vocabulary->size; id++) {
        if (vocabulary_find(other, vocabulary->symbols[id]) >= 0)
            continue;
        char name[SYMBOL_NAME_LENGTH];
        symbol_name(vocabulary->symbols[id], vocabulary->bytes, name);
        if (missing == 0)
            line_add(line, "%s%s ", line->used > 0 ? "; " : "", verb);
        if (missing < SYMBOLS_LISTED)
            line_add(line, "%s%s", missing > 0 ? ", " : "", name);
        missing++;
    }
    if (missing > SYMBOLS_LISTED)
        line_add(line, " and %d more", missing - SYMBOLS_LISTED);
    return missing;
}

bool vocabulary_compare(const Vocabulary *before, const Vocabulary *after, char *text, size_t size)
{
    static const Vocabulary none;
    const Vocabulary *old = before != NULL ? before : &none, *new = after != NULL ? after : &none;
    Line line = {.text = text, .size = size};
    if (size > 0)
        text[0] = '\0';
    if (old->size > 0 && new->size > 0 && old->bytes != new->bytes) {
        line_add(&line, "%s, now %s", old->bytes ? "bytes before" : "characters before",
                 new->bytes ? "bytes" : "characters");
        return false;
    }
    const int added = add_missing(&line, "added", new, old);
    const int removed = add_missing(&line, "removed", old, new);
    return added == 0 && removed == 0;
}
