/* json.h -- JSON (RFC 8259), read strictly and written piece by piece.
 *
 * Reading: the parser refuses what the grammar refuses: trailing bytes, duplicate keys in one object, bad
 * UTF-8, lone surrogates, numbers like 01 or +1, nesting deeper than 32; also a key that holds NUL. Strings come
 * out as UTF-8 with the escapes resolved. Numbers are read and written with a point in any locale. */
#ifndef SOLILOQUY_BASE_JSON_H
#define SOLILOQUY_BASE_JSON_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

/* One value. Children of an array or object are a linked list; an object's children carry their key. The strings
 * end with NUL. */
typedef struct JsonValue {
    JsonKind kind;
    const char *key;              /* of a member; NULL elsewhere */
    const char *string;           /* text of a string, or the spelling of a number */
    size_t length;                /* bytes in string: a string may hold NUL */
    size_t count;                 /* children of an array or object */
    struct JsonValue *first, *next;
} JsonValue;

typedef struct JsonDocument {
    JsonValue *root;
    void *memory; /* owned: everything the root points at */
} JsonDocument;

/* Parses text[0..size); the message names the byte offset, the caller puts the file's name before it. Copies what
 * it keeps. Takes time and memory in proportion to the text (n log n for the keys of an object). On failure the
 * document is zeroed. */
bool json_parse(JsonDocument *document, const char *text, size_t size, Error *error);
void json_close(JsonDocument *document);

/* The member of that name, or NULL; NULL too when `object` is NULL or no object. */
const JsonValue *json_member(const JsonValue *object, const char *key);

/* The value as a number of that type; false when it is absent (NULL), of another kind, not whole, out of
 * range, or (double) not finite. Whole is what is spelled so: 1.0 and 1e3 are not. */
bool json_integer(const JsonValue *value, int64_t *result);
bool json_unsigned(const JsonValue *value, uint64_t *result);
bool json_double(const JsonValue *value, double *result);

/* Writes "text" quoted and escaped; bytes that are not UTF-8 become U+FFFD. Control characters, quote and
 * backslash are escaped, and so is '<' (a corpus may hold "</script>"). */
void json_write_string(FILE *stream, const char *text, size_t length);

/* Shortest decimal that reads back to the same double, with a point; null for NaN and infinities. */
void json_write_double(FILE *stream, double number);

/* The same as a further member of an object: a comma, the name, the number. */
void json_write_member(FILE *stream, const char *name, double number);

/* What a message calls a key or name from a file: in quotes, cut after about 60 characters, with \xNN for all that
 * is not printable ASCII, so that a hostile file cannot write to the terminal. Returns `quoted`. */
enum { JSON_QUOTE_SIZE = 72 };
const char *json_quote(const char *text, char quoted[JSON_QUOTE_SIZE]);

#endif
