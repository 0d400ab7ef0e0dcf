/* Texts that can be read: every id, the vocabulary, the hash; files, pipes and memory; borders between windows. */
#include "test.h"
#include "text_files.h"

#include "text/corpus.h"
#include "text/utf8.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t plain_hash(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* The ids as text again, from `first` on the bytes expected[0..size). */
static bool holds_text(const Corpus *corpus, const char *expected, size_t size)
{
    size_t place = 0;
    for (size_t i = 0; i < corpus->ids.count; i++) {
        char bytes[4];
        const int length = vocabulary_text(&corpus->vocabulary, ids_at(corpus->ids, i), bytes);
        if (size - place < (size_t)length || memcmp(expected + place, bytes, (size_t)length) != 0)
            return false;
        place += (size_t)length;
    }
    return place == size;
}

static bool ascends(const Vocabulary *vocabulary)
{
    for (int id = 1; id < vocabulary->size; id++)
        if (vocabulary->symbols[id] <= vocabulary->symbols[id - 1])
            return false;
    return true;
}

/* Opens a file of that text and checks all that must hold of any; the caller closes. */
static Corpus open_text(const char *text, size_t size, bool bytes)
{
    Corpus corpus;
    Error error = {0};
    const char *path = text_file("text.txt", text, size);
    CHECK(corpus_open(&corpus, path, bytes, &error), "%s", error.message);
    const size_t mark = corpus.byte_order_mark ? 3 : 0;
    CHECK(holds_text(&corpus, text + mark, size - mark), "the ids are not the text");
    CHECK(ascends(&corpus.vocabulary) && corpus.vocabulary.bytes == bytes && corpus.skipped == 0);
    CHECK(corpus.byte_count == size && corpus.hash == plain_hash(text, size));
    return corpus;
}

static void check_kinds(void)
{
    static const struct {
        const char *name, *text;
        size_t size;
        bool bytes, mark;
        int vocabulary_size;
        size_t count;
    } kinds[] = {
        {"plain", "hello\n", 6, false, false, 5, 6},
        {"no newline at the end", "hello", 5, false, false, 4, 5},
        {"carriage returns kept", "a\r\nb\r\n", 6, false, false, 4, 6},
        {"NUL bytes kept", "a\0b\0", 4, false, false, 3, 4},
        {"one character", "x", 1, false, false, 1, 1},
        {"one symbol only", "aaaaaaaa", 8, false, false, 1, 8},
        {"two to four bytes", "é€😀é", 11, false, false, 3, 4},
        {"a mark dropped", "\xEF\xBB\xBFhi", 5, false, true, 2, 2},
        {"only one mark dropped", "\xEF\xBB\xBF\xEF\xBB\xBFhi", 8, false, true, 3, 3},
        {"a mark inside kept", "h\xEF\xBB\xBFi", 5, false, false, 3, 3},
        {"a mark's bytes kept with --bytes", "\xEF\xBB\xBFhi", 5, true, false, 5, 5},
        {"broken UTF-8 with --bytes", "\xC3(\xFF\x00\x80", 5, true, false, 5, 5},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[96];
        snprintf(name, sizeof name, "corpus: %s", kinds[i].name);
        test_case(name);
        Corpus corpus = open_text(kinds[i].text, kinds[i].size, kinds[i].bytes);
        CHECK(corpus.byte_order_mark == kinds[i].mark && corpus.ids.count == kinds[i].count);
        CHECK(corpus.vocabulary.size == kinds[i].vocabulary_size && corpus.ids.width == 1);
        corpus_close(&corpus);
        CHECK(corpus.ids.data == NULL && corpus.vocabulary.symbols == NULL);
    }
}

static void check_sizes(void)
{
    test_case("corpus: all 256 bytes");
    char all[512];
    for (int i = 0; i < 512; i++)
        all[i] = (char)(255 - i % 256);
    Corpus corpus = open_text(all, sizeof all, true);
    CHECK(corpus.vocabulary.size == 256 && corpus.ids.width == 1 && ids_at(corpus.ids, 0) == 255);
    corpus_close(&corpus);

    test_case("corpus: thousands of Chinese characters, two bytes each");
    static char text[4 * 80000];
    size_t size = 0;
    for (uint32_t i = 0; i < 20000; i++)
        size += (size_t)utf8_encode(0x4E00 + i * 7919 % 20000, text + size);
    corpus = open_text(text, size, false);
    CHECK(corpus.vocabulary.size == 20000 && corpus.ids.width == 2 && corpus.ids.count == 20000);
    corpus_close(&corpus);

    test_case("corpus: more than 65536 symbols, four bytes each");
    size = 0;
    for (uint32_t i = 0; i < 70000; i++)
        size += (size_t)utf8_encode(0x10000 + i, text + size);
    corpus = open_text(text, size, false);
    CHECK(corpus.vocabulary.size == 70000 && corpus.ids.width == 4);
    corpus_close(&corpus);
}

/* Long enough for several windows of any likely size; the prefix shifts every border through the sequences. */
static void check_borders(void)
{
    enum { SIZE = 1 << 20 };
    static char text[SIZE + 8];
    test_case("corpus: sequences across the borders of windows");
    for (uint32_t length = 2; length <= 4; length++)
        for (size_t shift = 0; shift < length; shift++) {
            static const uint32_t firsts[] = {0, 0, 0xE0, 0x4E00, 0x1F300};
            size_t size = shift;
            memset(text, 'a', shift);
            for (uint32_t i = 0; size < SIZE; i++)
                size += (size_t)utf8_encode(firsts[length] + i % 97, text + size);
            Corpus corpus = open_text(text, size, false);
            CHECK(corpus.ids.count == shift + (size - shift) / length, "length %u shift %zu", length, shift);
            corpus_close(&corpus);
        }
    test_case("corpus: texts that end exactly at a power of two, or beside it");
    memset(text, 'b', sizeof text);
    text[0] = 'a';
    for (size_t power = 1 << 16; power <= SIZE; power *= 2)
        for (size_t size = power - 1; size <= power + 1; size++) {
            Corpus corpus = open_text(text, size, false);
            CHECK(corpus.ids.count == size, "%zu", size);
            corpus_close(&corpus);
        }
}

/* A child that writes the text into a named pipe. */
static void check_pipe(void)
{
    enum { SIZE = 300000 };
    static char text[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i * i % 23);
    memcpy(text, "\xEF\xBB\xBF", 3);
    test_case("corpus: a pipe, read once");
    const char *path = text_path("pipe");
    CHECK(mkfifo(path, 0600) == 0, "mkfifo");
    const pid_t child = fork();
    if (child == 0) {
        FILE *stream = fopen(path, "wb");
        const bool written = stream != NULL && fwrite(text, 1, SIZE, stream) == SIZE;
        _exit(written && fclose(stream) == 0 ? 0 : 1);
    }
    Corpus corpus;
    Error error = {0};
    CHECK(corpus_open(&corpus, path, false, &error), "%s", error.message);
    CHECK(corpus.byte_order_mark && holds_text(&corpus, text + 3, SIZE - 3));
    CHECK(corpus.byte_count == SIZE && corpus.hash == plain_hash(text, SIZE));
    corpus_close(&corpus);
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    remove(path);

    test_case("corpus: standard input");
    const char *file = text_file("input.txt", "speak, hands\n", 13);
    CHECK(freopen(file, "rb", stdin) != NULL, "freopen");
    CHECK(corpus_open(&corpus, "-", false, &error), "%s", error.message);
    CHECK(holds_text(&corpus, "speak, hands\n", 13));
    corpus_close(&corpus);
}

static void check_memory(void)
{
    const Vocabulary vocabulary = {.symbols = (uint32_t[]){'a', 'b', 0xE9}, .size = 3};
    Corpus corpus;
    Error error = {0};
    test_case("corpus: a text in memory, in a given vocabulary");
    CHECK(corpus_encode(&corpus, "--prompt", "béa", 4, &vocabulary, UNKNOWN_REFUSE, &error), "%s", error.message);
    CHECK(corpus.ids.count == 3 && ids_at(corpus.ids, 0) == 1 && ids_at(corpus.ids, 1) == 2 &&
          ids_at(corpus.ids, 2) == 0);
    CHECK(vocabulary_compare(&corpus.vocabulary, &vocabulary, (char[64]){0}, 64));
    CHECK(corpus.vocabulary.symbols != vocabulary.symbols && corpus.hash == plain_hash("béa", 4));
    corpus_close(&corpus);
    test_case("corpus: an empty text in memory is no ids");
    CHECK(corpus_encode(&corpus, "--prompt", "", 0, &vocabulary, UNKNOWN_REFUSE, &error), "%s", error.message);
    CHECK(corpus.ids.count == 0 && corpus.vocabulary.size == 3);
    corpus_close(&corpus);
    CHECK(corpus_encode(&corpus, "--prompt", NULL, 0, &vocabulary, UNKNOWN_REFUSE, &error), "%s", error.message);
    corpus_close(&corpus);
    corpus_close(&corpus);
}

int main(void)
{
    check_kinds();
    check_sizes();
    check_borders();
    check_pipe();
    check_memory();
    return test_finish();
}
