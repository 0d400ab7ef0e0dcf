#include "base/json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, ESCAPE_SIZE = 8 };

/* The bytes are cut from `memory` in order and can never run out: each value but the first follows a comma or an
 * opening bracket, and a stored string with its NUL is shorter than its quoted spelling. */
typedef struct Parser {
    const char *text;
    size_t size, position;
    JsonValue *values; /* the next free one */
    char *characters;  /* the next free one */
    Error *error;
} Parser;

static bool parse_value(Parser *parser, JsonValue *value, int depth);

static bool refuse(Parser *parser, const char *what)
{
    if (parser->position >= parser->size)
        return error_set(parser->error, "byte %zu: the text ends too early: %s", parser->position, what);
    return error_set(parser->error, "byte %zu: %s", parser->position, what);
}

/* The byte at hand, or NUL at the end (a NUL byte itself fits no rule of the grammar). */
static char peek(const Parser *parser)
{
    return parser->position < parser->size ? parser->text[parser->position] : '\0';
}

static void skip_space(Parser *parser)
{
    char c = peek(parser);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        parser->position++;
        c = peek(parser);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length of the well-formed UTF-8 sequence at the start of bytes[0..left), or 0. */
static size_t sequence_length(const char *bytes, size_t left)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (b[0] < 0x80)
        return 1;
    if (b[0] < 0xC2 || b[0] > 0xF4)
        return 0;
    const size_t length = b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((b[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xF0 && b[1] < 0x90);
    const bool surrogate = b[0] == 0xED && b[1] > 0x9F, beyond = b[0] == 0xF4 && b[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

static void store_code_point(Parser *parser, uint32_t code)
{
    char *out = parser->characters;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    parser->characters = out;
}

/* The four hexadecimal digits of \uXXXX. */
static bool parse_hexadecimal(Parser *parser, uint32_t *code)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    *code = 0;
    for (int i = 0; i < 4; i++, parser->position++) {
        const char c = peek(parser);
        const char *digit = c == '\0' ? NULL : strchr(digits, c);
        if (digit == NULL)
            return refuse(parser, "\\u needs four hexadecimal digits");
        const ptrdiff_t place = digit - digits;
        *code = *code << 4 | (uint32_t)(place < 16 ? place : place - 6);
    }
    return true;
}

/* What follows a backslash. */
static bool parse_escape(Parser *parser)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char c = peek(parser);
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        *parser->characters++ = meanings[letter - letters];
        parser->position++;
        return true;
    }
    if (c != 'u')
        return refuse(parser, "a backslash must be followed by one of \" \\ / b f n r t u");
    parser->position++;
    uint32_t code, low;
    if (!parse_hexadecimal(parser, &code))
        return false;
    if (code >= 0xDC00 && code <= 0xDFFF)
        return refuse(parser, "a low surrogate stands alone before this");
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (parser->size - parser->position < 2 || memcmp(parser->text + parser->position, "\\u", 2) != 0)
            return refuse(parser, "a high surrogate must be followed by \\u and a low one");
        parser->position += 2;
        if (!parse_hexadecimal(parser, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return refuse(parser, "no low surrogate follows the high one before this");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    store_code_point(parser, code);
    return true;
}

/* A quoted string; the position is at its quote. */
static bool parse_string(Parser *parser, const char **string, size_t *length)
{
    *string = parser->characters;
    parser->position++;
    while (peek(parser) != '"') {
        const char *here = parser->text + parser->position;
        if (parser->position >= parser->size)
            return refuse(parser, "a string needs its closing quote");
        if ((unsigned char)*here < 0x20)
            return refuse(parser, "a control character in a string must be escaped");
        if (*here == '\\') {
            parser->position++;
            if (!parse_escape(parser))
                return false;
            continue;
        }
        const size_t bytes = sequence_length(here, parser->size - parser->position);
        if (bytes == 0)
            return refuse(parser, "malformed UTF-8");
        memcpy(parser->characters, here, bytes);
        parser->characters += bytes;
        parser->position += bytes;
    }
    parser->position++;
    *length = (size_t)(parser->characters - *string);
    *parser->characters++ = '\0';
    return true;
}

/* One digit or more. */
static bool skip_digits(Parser *parser)
{
    if (!is_digit(peek(parser)))
        return refuse(parser, "a number needs a digit here");
    while (is_digit(peek(parser)))
        parser->position++;
    return true;
}

/* Checks the grammar of a number and keeps its spelling: nothing is rounded until somebody asks for a type. */
static bool parse_number(Parser *parser, JsonValue *value)
{
    const size_t start = parser->position;
    parser->position += peek(parser) == '-';
    if (peek(parser) == '0') {
        parser->position++;
        if (is_digit(peek(parser)))
            return refuse(parser, "a number must not begin with 0");
    } else if (!skip_digits(parser)) {
        return false;
    }
    if (peek(parser) == '.') {
        parser->position++;
        if (!skip_digits(parser))
            return false;
    }
    if (peek(parser) == 'e' || peek(parser) == 'E') {
        parser->position++;
        parser->position += peek(parser) == '+' || peek(parser) == '-';
        if (!skip_digits(parser))
            return false;
    }
    value->kind = JSON_NUMBER;
    value->string = parser->characters;
    value->length = parser->position - start;
    memcpy(parser->characters, parser->text + start, value->length);
    parser->characters += value->length;
    *parser->characters++ = '\0';
    return true;
}

static bool parse_word(Parser *parser, const char *word)
{
    const size_t length = strlen(word), left = parser->size - parser->position;
    if (left < length || memcmp(parser->text + parser->position, word, length) != 0)
        return refuse(parser, "expected a value: null, true, false, a number, a string, an array or an object");
    parser->position += length;
    return true;
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp((*(JsonValue *const *)left)->key, (*(JsonValue *const *)right)->key);
}

/* Sorts the keys, so that a header full of them costs n log n. `start` is where the object begins. */
static bool check_distinct(Parser *parser, const JsonValue *object, size_t start)
{
    if (object->count < 2)
        return true;
    const JsonValue **sorted = malloc(object->count * sizeof *sorted);
    if (sorted == NULL)
        return error_set(parser->error, "byte %zu: no memory to check %zu keys", start, object->count);
    size_t count = 0;
    for (const JsonValue *member = object->first; member != NULL; member = member->next)
        sorted[count++] = member;
    qsort(sorted, count, sizeof *sorted, compare_keys);
    const char *twice = NULL;
    for (size_t i = 1; i < count && twice == NULL; i++)
        twice = strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 ? sorted[i]->key : NULL;
    free(sorted);
    char quoted[JSON_QUOTE_SIZE];
    return twice == NULL || error_set(parser->error, "byte %zu: the object that begins here has the key %s twice",
                                      start, json_quote(twice, quoted));
}

/* "key" and the colon after it. */
static bool parse_key(Parser *parser, JsonValue *member)
{
    size_t length;
    if (peek(parser) != '"')
        return refuse(parser, "expected a key in quotes");
    if (!parse_string(parser, &member->key, &length))
        return false;
    if (memchr(member->key, '\0', length) != NULL)
        return refuse(parser, "the key before this holds a NUL");
    skip_space(parser);
    if (peek(parser) != ':')
        return refuse(parser, "expected ':' after a key");
    parser->position++;
    return true;
}

/* An array or object; the position is at its opening bracket. */
static bool parse_children(Parser *parser, JsonValue *parent, JsonKind kind, int depth)
{
    const char close = kind == JSON_ARRAY ? ']' : '}';
    const size_t start = parser->position;
    if (depth >= DEEPEST)
        return refuse(parser, "nested deeper than 32");
    parent->kind = kind;
    parser->position++;
    skip_space(parser);
    bool more = peek(parser) != close;
    for (JsonValue **link = &parent->first; more; link = &(*link)->next) {
        JsonValue *child = parser->values++;
        skip_space(parser);
        if ((kind == JSON_OBJECT && !parse_key(parser, child)) || !parse_value(parser, child, depth + 1))
            return false;
        *link = child;
        parent->count++;
        skip_space(parser);
        more = peek(parser) == ',';
        if (!more && peek(parser) != close)
            return refuse(parser, kind == JSON_ARRAY ? "expected ',' or ']'" : "expected ',' or '}'");
        parser->position += more;
    }
    parser->position++;
    return kind == JSON_ARRAY || check_distinct(parser, parent, start);
}

static bool parse_value(Parser *parser, JsonValue *value, int depth)
{
    skip_space(parser);
    const char c = peek(parser);
    switch (c) {
    case '[': return parse_children(parser, value, JSON_ARRAY, depth);
    case '{': return parse_children(parser, value, JSON_OBJECT, depth);
    case '"': value->kind = JSON_STRING; return parse_string(parser, &value->string, &value->length);
    case 't': value->kind = JSON_TRUE; return parse_word(parser, "true");
    case 'f': value->kind = JSON_FALSE; return parse_word(parser, "false");
    default: break;
    }
    value->kind = JSON_NULL;
    return c == '-' || is_digit(c) ? parse_number(parser, value) : parse_word(parser, "null");
}

/* An upper bound of the values in a text. */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

bool json_parse(JsonDocument *document, const char *text, size_t size, Error *error)
{
    *document = (JsonDocument){0};
    size_t values_size, memory_size;
    if (__builtin_mul_overflow(count_values(text, size), sizeof(JsonValue), &values_size) ||
        __builtin_add_overflow(values_size, size, &memory_size) || memory_size == SIZE_MAX ||
        (document->memory = calloc(1, memory_size + 1)) == NULL)
        return error_set(error, "no memory to parse %zu bytes of JSON", size);
    Parser parser = {.text = text, .size = size, .values = document->memory, .error = error};
    parser.characters = (char *)document->memory + values_size;
    document->root = parser.values++;
    bool done = parse_value(&parser, document->root, 0);
    skip_space(&parser);
    if (done && parser.position < size)
        done = refuse(&parser, "something follows the end of the value");
    if (!done)
        json_close(document);
    return done;
}

void json_close(JsonDocument *document)
{
    free(document->memory);
    *document = (JsonDocument){0};
}

const JsonValue *json_member(const JsonValue *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    const JsonValue *member = object->first;
    while (member != NULL && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

void json_write_string(FILE *stream, const char *text, size_t length)
{
    putc('"', stream);
    for (size_t i = 0; i < length;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t bytes = sequence_length(text + i, length - i);
        if (bytes == 0)
            fputs("\xEF\xBF\xBD", stream); /* U+FFFD */
        else if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", stream);
        else if (c < 0x20 || c == '<' || c == 0x7F)
            fprintf(stream, "\\u%04x", (unsigned)c);
        else
            fwrite(text + i, 1, bytes, stream);
        i += bytes > 0 ? bytes : 1;
    }
    putc('"', stream);
}

const char *json_quote(const char *text, char quoted[JSON_QUOTE_SIZE])
{
    char *out = quoted;
    const char *const last = quoted + JSON_QUOTE_SIZE - ESCAPE_SIZE;
    *out++ = '"';
    for (; *text != '\0' && out < last; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c > 0x7E)
            out += snprintf(out, ESCAPE_SIZE, "\\x%02X", (unsigned)c);
        else
            *out++ = (char)c;
    }
    snprintf(out, ESCAPE_SIZE, "%s", *text == '\0' ? "\"" : "...");
    return quoted;
}
