/* The sorted set of symbols: order, look-up, what labels and messages call a symbol, differences in words. */
#include "test.h"

#include "text/vocabulary.h"

static void check_open(void)
{
    Vocabulary vocabulary;
    Error error = {0};
    test_case("vocabulary: a copy, found by symbol");
    uint32_t symbols[] = {'\n', 'a', 'z', 0xE9, 0x4E2D, 0x1F600, 0x10FFFF};
    CHECK(vocabulary_open(&vocabulary, symbols, 7, false, &error), "%s", error.message);
    symbols[0] = 0;
    for (int id = 0; id < vocabulary.size; id++)
        CHECK(vocabulary_find(&vocabulary, vocabulary.symbols[id]) == id, "id %d", id);
    CHECK(vocabulary.symbols[0] == '\n' && vocabulary.size == 7);
    CHECK(vocabulary_find(&vocabulary, 0) == -1 && vocabulary_find(&vocabulary, 'b') == -1);
    CHECK(vocabulary_find(&vocabulary, UINT32_MAX) == -1);
    char bytes[4];
    CHECK(vocabulary_text(&vocabulary, 5, bytes) == 4 && memcmp(bytes, "\xF0\x9F\x98\x80", 4) == 0);
    CHECK(vocabulary_text(&vocabulary, 3, bytes) == 2 && memcmp(bytes, "\xC3\xA9", 2) == 0);
    vocabulary_close(&vocabulary);
    CHECK(vocabulary.symbols == NULL && vocabulary.size == 0);

    test_case("vocabulary: empty, unsorted, repeated and impossible symbols are refused");
    static const uint32_t bad[][2] = {{'b', 'a'}, {'a', 'a'}, {'a', 0xD800}, {'a', 0xDFFF}, {'a', 0x110000}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.message[0] = '\0';
        CHECK(!vocabulary_open(&vocabulary, bad[i], 2, false, &error) && strstr(error.message, "entry 1"), "%s",
              error.message);
        CHECK(vocabulary.symbols == NULL);
    }
    CHECK(!vocabulary_open(&vocabulary, NULL, 0, false, &error));
    CHECK(!vocabulary_open(&vocabulary, symbols, -1, false, &error));
    CHECK(!vocabulary_open(&vocabulary, (const uint32_t[]){255, 256}, 2, true, &error));

    test_case("vocabulary: bytes stand for themselves");
    CHECK(vocabulary_open(&vocabulary, (const uint32_t[]){0, 0x80, 255}, 3, true, &error), "%s", error.message);
    CHECK(vocabulary_text(&vocabulary, 2, bytes) == 1 && (unsigned char)bytes[0] == 255);
    CHECK(vocabulary_text(&vocabulary, 0, bytes) == 1 && bytes[0] == 0);
    vocabulary_close(&vocabulary);
}

typedef struct Spelling {
    uint32_t symbol;
    bool bytes;
    const char *glyph, *name;
} Spelling;

static void check_names(void)
{
    static const Spelling spellings[] = {
        {'e', false, "e", "'e' (U+0065)"},
        {0xE9, false, "é", "'é' (U+00E9)"},
        {0x4E2D, false, "中", "'中' (U+4E2D)"},
        {0x1F600, false, "😀", "'😀' (U+1F600)"},
        {' ', false, "␣", "space (U+0020)"},
        {'\n', false, "↵", "newline (U+000A)"},
        {'\t', false, "⇥", "tab (U+0009)"},
        {'\r', false, "␍", "carriage return (U+000D)"},
        {0, false, "␀", "NUL (U+0000)"},
        {0x1B, false, "␛", "control character (U+001B)"},
        {0x7F, false, "␡", "control character (U+007F)"},
        {0x85, false, "U+0085", "control character (U+0085)"},
        {'\'', false, "'", "apostrophe (U+0027)"},
        {'<', false, "<", "'<' (U+003C)"},
        {0xA0, false, "U+00A0", "no-break space (U+00A0)"},
        {0x200B, false, "U+200B", "invisible character (U+200B)"},
        {0x202E, false, "U+202E", "invisible character (U+202E)"},
        {0xFEFF, false, "U+FEFF", "byte-order mark (U+FEFF)"},
        {0xE000, false, "U+E000", "invisible character (U+E000)"},
        {0xFE0F, false, "U+FE0F", "invisible character (U+FE0F)"},
        {0x10FFFF, false, "U+10FFFF", "invisible character (U+10FFFF)"},
        {0x0301, false, "◌́", "'◌́' (U+0301)"},
        {0x0E31, false, "◌ั", "'◌ั' (U+0E31)"},
        {0x20DD, false, "◌⃝", "'◌⃝' (U+20DD)"},
        {0x036F, false, "◌ͯ", "'◌ͯ' (U+036F)"},
        {0x0370, false, "Ͱ", "'Ͱ' (U+0370)"},
        {0x1D166, false, "◌𝅦", "'◌𝅦' (U+1D166)"},
        {'e', true, "e", "byte 0x65"},
        {' ', true, "␣", "byte 0x20"},
        {0x0A, true, "↵", "byte 0x0A"},
        {0xC3, true, "\\xC3", "byte 0xC3"},
        {0x80, true, "\\x80", "byte 0x80"},
        {0xFF, true, "\\xFF", "byte 0xFF"},
    };
    test_case("vocabulary: glyphs and names");
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const Spelling *spelling = &spellings[i];
        Vocabulary vocabulary;
        Error error = {0};
        char glyph[SYMBOL_NAME_LENGTH], name[SYMBOL_NAME_LENGTH];
        CHECK(vocabulary_open(&vocabulary, &spelling->symbol, 1, spelling->bytes, &error), "%s", error.message);
        vocabulary_glyph(&vocabulary, 0, glyph);
        symbol_name(spelling->symbol, spelling->bytes, name);
        CHECK(strcmp(glyph, spelling->glyph) == 0, "U+%04X is '%s'", (unsigned)spelling->symbol, glyph);
        CHECK(strcmp(name, spelling->name) == 0, "U+%04X is %s", (unsigned)spelling->symbol, name);
        vocabulary_close(&vocabulary);
    }
}

static void check_compare(void)
{
    uint32_t many[30];
    for (uint32_t i = 0; i < 30; i++)
        many[i] = 'a' + i;
    const Vocabulary abc = {.symbols = (uint32_t[]){'a', 'b', 'c'}, .size = 3};
    const Vocabulary ac = {.symbols = (uint32_t[]){'a', 'c'}, .size = 2};
    const Vocabulary bd = {.symbols = (uint32_t[]){'b', 'd'}, .size = 2};
    const Vocabulary raw = {.symbols = (uint32_t[]){'a', 'c'}, .size = 2, .bytes = true};
    const Vocabulary ten = {.symbols = many, .size = 10}, thirty = {.symbols = many, .size = 30};
    static const char difference[] = "added 'd' (U+0064); removed 'a' (U+0061), 'c' (U+0063)";
    char text[1024];
    test_case("vocabulary: differences in words");
    CHECK(vocabulary_compare(&abc, &abc, text, sizeof text) && text[0] == '\0', "%s", text);
    CHECK(!vocabulary_compare(&ac, &abc, text, sizeof text) && strcmp(text, "added 'b' (U+0062)") == 0, "%s", text);
    CHECK(!vocabulary_compare(&abc, &ac, text, sizeof text) && strcmp(text, "removed 'b' (U+0062)") == 0, "%s", text);
    CHECK(!vocabulary_compare(&abc, &bd, text, sizeof text) && strcmp(text, difference) == 0, "%s", text);
    CHECK(!vocabulary_compare(&ac, &raw, text, sizeof text) && strcmp(text, "characters before, now bytes") == 0,
          "%s", text);
    CHECK(!vocabulary_compare(&raw, &ac, text, sizeof text) && strcmp(text, "bytes before, now characters") == 0,
          "%s", text);
    CHECK(!vocabulary_compare(&ten, &thirty, text, sizeof text), "thirty");
    CHECK(strstr(text, "'r' (U+0072) and 12 more") != NULL && strstr(text, "'s'") == NULL, "%s", text);
    CHECK(!vocabulary_compare(NULL, &ac, text, sizeof text) &&
          strcmp(text, "added 'a' (U+0061), 'c' (U+0063)") == 0, "%s", text);
    CHECK(!vocabulary_compare(&ac, NULL, text, sizeof text) && strncmp(text, "removed 'a'", 11) == 0, "%s", text);
    CHECK(vocabulary_compare(NULL, NULL, text, sizeof text));
    test_case("vocabulary: a short buffer is never overrun");
    for (size_t size = 0; size < 80; size++) {
        memset(text, 'x', sizeof text);
        CHECK(!vocabulary_compare(&abc, &bd, text, size), "size %zu", size);
        CHECK(text[size] == 'x' && (size == 0 || strlen(text) < size), "size %zu", size);
    }
}

int main(void)
{
    check_open();
    check_names();
    check_compare();
    return test_finish();
}
