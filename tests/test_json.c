/* JSON read strictly and written: the corners of RFC 8259, damage, and sizes that must stay cheap. */
#include "base/json.h"
#include "base/random.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static bool parses(const char *text, size_t size, Error *error)
{
    JsonDocument document;
    error->message[0] = '\0';
    /* A copy of the exact size: a byte read beyond the end is a sanitizer's report. */
    char *copy = malloc(size + (size == 0));
    memcpy(copy, text, size);
    const bool done = json_parse(&document, copy, size, error);
    free(copy);
    json_close(&document);
    return done;
}

static void test_accepted(void)
{
    static const char *const texts[] = {
        "null", "true", "false", "0", "-0", "10", "-1.5", "0.5e+10", "1E5", "1e-5", "123456789012345678901234567890",
        "1e999", "\"\"", "\"a\"", "[]", "{}", " [ ] ", "\t\r\n{\n}\n", "[1,2]", "[1 , 2 ]", "[[],[[]],{}]",
        "{\"\":0}", "{\"a\":1,\"b\":[true,false,null]}", "{ \"a\" : { \"a\" : 1 } , \"b\" : { \"a\" : 2 } }",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"",
        "\"\x7f\"", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF\xED\x9F\xBF\"", "\"[{,:}]\"",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"}; /* 32 deep */
    test_case("json: accepts what the grammar accepts, and no part of it");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Error error;
        const size_t size = strlen(texts[i]);
        CHECK(parses(texts[i], size, &error), "%s: %s", texts[i], error.message);
        const bool open_ended = strchr("0123456789", texts[i][size - 1]) != NULL;
        for (size_t cut = 0; cut < size && !open_ended; cut++)
            if (strspn(texts[i] + cut, " \t\r\n") != size - cut) /* more than space is missing */
                CHECK(!parses(texts[i], cut, &error), "%s cut to %zu bytes", texts[i], cut);
    }
}

static void test_refused(void)
{
    static const char *const cases[][2] = {
        {"", "byte 0: the text ends too early"}, {"  ", "byte 2"}, {"nul", "byte 0"}, {"nulll", "byte 4: something"},
        {"True", "byte 0"}, {"01", "begin with 0"}, {"-01", "begin with 0"}, {"00", "begin with 0"}, {"+1", "byte 0"},
        {".5", "byte 0"}, {"1.", "digit"}, {"1.e5", "digit"}, {"-", "digit"}, {"--1", "digit"}, {"-a", "digit"},
        {"1e", "digit"}, {"1e+", "digit"}, {"1e5.5", "byte 3: something"}, {"0x10", "byte 1"}, {"NaN", "byte 0"},
        {"Infinity", "byte 0"}, {"-Infinity", "digit"}, {"1,5", "byte 1"}, {"1 2", "byte 2"}, {"[", "byte 1"},
        {"]", "byte 0"}, {"[1", "expected ',' or ']'"}, {"[1,", "byte 3"}, {"[1,]", "byte 3"}, {"[,1]", "byte 1"},
        {"[1 2]", "byte 3"}, {"[1}", "byte 2"}, {"[]]", "byte 2"}, {"{", "key"}, {"{]", "key"}, {"{1:2}", "key"},
        {"{\"a\"}", "':'"}, {"{\"a\":}", "byte 5"}, {"{\"a\":1,}", "key"}, {"{\"a\" 1}", "':'"}, {"{a:1}", "key"},
        {"{'a':1}", "key"}, {"{\"a\":1,\"a\":2}", "byte 0: the object that begins here has the key \"a\" twice"},
        {"[{\"x\":1,\"y\":0,\"\\u0078\":2}]", "byte 1"}, {"{\"a\\u0000\":1}", "NUL"}, {"\"", "quote"},
        {"\"a", "quote"}, {"\"\\\"", "quote"}, {"\"\\x41\"", "backslash"}, {"\"\\", "backslash"},
        {"\"\\u12\"", "hexadecimal"}, {"\"\\u12g4\"", "hexadecimal"}, {"\"\\ud800\"", "surrogate"},
        {"\"\\ud800x\"", "surrogate"}, {"\"\\ud800\\n\"", "surrogate"}, {"\"\\ud800\\u0041\"", "surrogate"},
        {"\"\\ud800\\ud800\"", "surrogate"}, {"\"\\udc00\"", "surrogate"}, {"\"\\ude00\\ud83d\"", "surrogate"},
        {"\"\n\"", "control"}, {"\"\t\"", "control"}, {"\"\x1f\"", "control"}, {"\"\x80\"", "byte 1: malformed"},
        {"\"\xC3\"", "UTF-8"}, {"\"\xC0\x80\"", "UTF-8"}, {"\"\xC1\xBF\"", "UTF-8"}, {"\"\xE0\x80\x80\"", "UTF-8"},
        {"\"\xED\xA0\x80\"", "UTF-8"}, {"\"\xF0\x80\x80\x80\"", "UTF-8"}, {"\"\xF4\x90\x80\x80\"", "UTF-8"},
        {"\"\xF5\x80\x80\x80\"", "UTF-8"}, {"\"\xFF\"", "UTF-8"}, {"\xEF\xBB\xBF[]", "byte 0"},
        {"[1]\xC2\xA0", "byte 3"}, {"/**/1", "byte 0"}, {"[1]//", "byte 3"}, {"\f1", "byte 0"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "byte 32: nested deeper than 32"}};
    test_case("json: refuses what the grammar refuses, naming the byte");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error error;
        CHECK(!parses(cases[i][0], strlen(cases[i][0]), &error), "%s", cases[i][0]);
        CHECK(strstr(error.message, cases[i][1]) != NULL && strncmp(error.message, "byte ", 5) == 0, "%s: %s",
              cases[i][0], error.message);
    }
    Error error;
    CHECK(!parses("1\0", 2, &error) && !parses("\0", 1, &error) && !parses("\"a\0b\"", 5, &error), "NUL");
    CHECK(!parses("{\"\\\0\":1}", 8, &error) && !parses("\"\\u00\0\0\"", 8, &error), "NUL in an escape");
}

static void test_values(void)
{
    static const char text[] = "{\"s\":\"a\\u0000\\u00e9\\ud83d\\ude00\",\"n\":-1.50e1,\"a\":[1,[],\"x\"],\"o\":{}}";
    JsonDocument document;
    Error error;
    double number = 0;
    test_case("json: kinds, strings, counts and order");
    CHECK(json_parse(&document, text, strlen(text), &error), "%s", error.message);
    const JsonValue *root = document.root, *string = json_member(root, "s"), *array = json_member(root, "a");
    CHECK(root->kind == JSON_OBJECT && root->count == 4, "root");
    CHECK(root->first == string && string->next->next == array, "order");
    CHECK(string->kind == JSON_STRING && string->length == 8, "%zu bytes", string->length);
    CHECK(memcmp(string->string, "a\0\xC3\xA9\xF0\x9F\x98\x80", 9) == 0, "string");
    CHECK(json_double(json_member(root, "n"), &number) && number == -15, "%g", number);
    CHECK(strcmp(json_member(root, "n")->string, "-1.50e1") == 0, "spelling");
    CHECK(array->kind == JSON_ARRAY && array->count == 3 && array->key[0] == 'a' && array->first->key == NULL, "array");
    CHECK(array->first->next->count == 0 && array->first->next->first == NULL, "empty array");
    CHECK(strcmp(array->first->next->next->string, "x") == 0 && array->first->next->next->next == NULL, "last");
    CHECK(json_member(root, "z") == NULL && json_member(NULL, "s") == NULL && json_member(array, "s") == NULL, "none");
    json_close(&document);
    json_close(&document);
}

/* What json_write_string writes; the caller frees it. */
static char *written(const char *text, size_t length, size_t *size)
{
    char *output = NULL;
    FILE *stream = open_memstream(&output, size);
    json_write_string(stream, text, length);
    fclose(stream);
    return output;
}

static void test_write_string(void)
{
    static const struct { const char *text, *expected; size_t length; } cases[] = {
        {"", "\"\"", 0}, {"abc", "\"abc\"", 3}, {"\"\\/", "\"\\\"\\\\/\"", 3}, {"\n\t\r", "\"\\n\\u0009\\u000d\"", 3},
        {"\0\x1f\x7f", "\"\\u0000\\u001f\\u007f\"", 3}, {"</script>", "\"\\u003c/script>\"", 9},
        {"\xC3\xA9\xF0\x9F\x98\x80", "\"\xC3\xA9\xF0\x9F\x98\x80\"", 6}, {"\xC3", "\"\xEF\xBF\xBD\"", 1},
        {"a\xFFz", "\"a\xEF\xBF\xBDz\"", 3}, {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 3},
        {"\xE2\x82\xAC", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 2}}; /* the last one is cut by its length */
    test_case("json_write_string: escapes, UTF-8 and what is not");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *output = written(cases[i].text, cases[i].length, &size);
        CHECK(strcmp(output, cases[i].expected) == 0, "%s instead of %s", output, cases[i].expected);
        free(output);
    }
    test_case("json_write_string: random ASCII reads back the same; random bytes read back");
    Random random = random_seed(3);
    for (int round = 0; round < 400; round++) {
        char text[64];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)random_below(&random, round % 2 == 0 ? 128 : 256);
        size_t size;
        char *output = written(text, sizeof text, &size);
        JsonDocument document;
        Error error;
        CHECK(json_parse(&document, output, size, &error), "%s", error.message);
        CHECK(round % 2 == 1 || (document.root->length == sizeof text &&
              memcmp(document.root->string, text, sizeof text) == 0), "round %d", round);
        json_close(&document);
        free(output);
    }
    test_case("json_quote: printable, bounded, on one line");
    char quoted[JSON_QUOTE_SIZE], longest[300];
    CHECK(strcmp(json_quote("a b", quoted), "\"a b\"") == 0, "%s", quoted);
    CHECK(strcmp(json_quote("\x1b[2J\n\xC3\xA9", quoted), "\"\\x1B[2J\\x0A\\xC3\\xA9\"") == 0, "%s", quoted);
    for (size_t length = 50; length < sizeof longest; length++) {
        memset(longest, length % 2 == 0 ? 'x' : '\xFF', length);
        longest[length] = '\0';
        json_quote(longest, quoted);
        CHECK(strlen(quoted) < sizeof quoted && quoted[0] == '"', "%s", quoted);
    }
    CHECK(strcmp(quoted + strlen(quoted) - 3, "...") == 0, "%s", quoted);
}

/* Every byte changed to every neighbour by one bit: an answer, never a crash. */
static void test_damage(void)
{
    static const char text[] = "{\"a\\u00e9\":[1,-2.5e3,\"\\ud83d\\ude00\xC3\xA9\"],"
                               "\"b\":{\"c\":null,\"d\":[true,false]}}";
    test_case("json: every flipped bit has an answer");
    for (size_t i = 0; i < strlen(text); i++)
        for (int bit = 0; bit < 8; bit++) {
            char damaged[sizeof text];
            memcpy(damaged, text, sizeof text);
            damaged[i] = (char)(damaged[i] ^ 1 << bit);
            Error error;
            const bool done = parses(damaged, strlen(text), &error);
            CHECK(done == (error.message[0] == '\0'), "byte %zu bit %d: %s", i, bit, error.message);
        }
}

/* Parses `count` pieces between brackets; `format` is given the piece's number. Returns the seconds that the processor
 * worked, which a busy machine does not lengthen. */
static double time_parse(const char *open, const char *format, const char *close, int count, bool expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fputs(open, stream);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", stream);
        fprintf(stream, format, i);
    }
    fputs(close, stream);
    fclose(stream);
    JsonDocument document;
    Error error = {0};
    const clock_t start = clock();
    const bool done = json_parse(&document, text, size, &error);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(done == expected && (!done || document.root->count == (size_t)count), "%s", error.message);
    json_close(&document);
    free(text);
    return seconds;
}

static void test_large(void)
{
    test_case("json: large arrays and objects take no quadratic time");
    const double allowed = 5; /* many times what it takes, also under sanitizers; pairs of 100,000 would take more */
    const double array = time_parse("[", "%d", "]", 200000, true);
    CHECK(array <= allowed, "%g s", array);
    const double object = time_parse("{", "\"key%d\":0", "}", 100000, true);
    CHECK(object <= allowed, "%g s", object);
    const double twice = time_parse("{\"key0\":1,", "\"key%d\":0", "}", 100000, false);
    CHECK(twice <= allowed, "%g s", twice);
    const double deep = time_parse("", "[", "", 200000, false);
    CHECK(deep <= allowed, "%g s", deep);
}

int main(void)
{
    test_accepted();
    test_refused();
    test_values();
    test_write_string();
    test_damage();
    test_large();
    return test_finish();
}
