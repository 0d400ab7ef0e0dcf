/* Texts that cannot be read, and symbols that a model does not know: each message in full. */
#include "test.h"
#include "text_files.h"

#include "text/corpus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static Error error;

/* The message with the directory of the file cut off its front. */
static const char *message_after_directory(void)
{
    const char *directory = getenv("TEST_DIRECTORY");
    const char *found = strstr(error.message, directory != NULL ? directory : "/tmp");
    return found == NULL ? error.message : found + strlen(directory != NULL ? directory : "/tmp") + 1;
}

static bool is_closed(const Corpus *corpus)
{
    return corpus->ids.data == NULL && corpus->ids.count == 0 && corpus->vocabulary.symbols == NULL;
}

static void expect_refusal(const char *path, bool bytes, const char *what)
{
    Corpus corpus;
    error.message[0] = '\0';
    CHECK(!corpus_open(&corpus, path, bytes, &error), "%s was read", path);
    CHECK(strstr(error.message, path) != NULL && strstr(error.message, what) != NULL, "%s", error.message);
    CHECK(strchr(error.message, '\n') == NULL && is_closed(&corpus));
}

static void check_files(void)
{
    test_case("corpus: an empty file is refused");
    expect_refusal(text_file("empty.txt", "", 0), false, "is empty");
    expect_refusal(text_path("empty.txt"), true, "is empty");
    test_case("corpus: /dev/null is refused");
    expect_refusal("/dev/null", false, "is empty");
    test_case("corpus: a file of nothing but a mark is refused");
    expect_refusal(text_file("mark.txt", "\xEF\xBB\xBF", 3), false, "holds only a byte-order mark");
    test_case("corpus: a directory is refused");
    mkdir(text_path("folder"), 0700);
    expect_refusal(text_path("folder"), false, "directory");
    test_case("corpus: a missing file is refused");
    expect_refusal(text_path("missing.txt"), false, "no such file");
    expect_refusal(text_path("missing/missing.txt"), false, "no such file");
    const char *name = "corpus: a file without permission is refused";
    if (geteuid() == 0) {
        test_skip(name, "root may read everything");
    } else {
        test_case(name);
        const char *path = text_file("secret.txt", "hush", 4);
        chmod(path, 0);
        expect_refusal(path, false, "permission");
    }
}

/* The kernel's random identifier is a regular file that is another at every reading. */
static void check_change(void)
{
    const char *name = "corpus: a file that changes between the passes is refused";
    const char *path = "/proc/sys/kernel/random/uuid";
    if (access(path, R_OK) != 0) {
        test_skip(name, "no file here that changes by itself");
        return;
    }
    test_case(name);
    for (int i = 0; i < 50; i++) {
        expect_refusal(path, false, "changed while it was read");
        expect_refusal(path, true, "changed while it was read");
    }
}

/* A child grows and shrinks the file all the while: what is read must be one state of it, or refused. */
static void check_race(void)
{
    enum { LONGEST = 600000, READINGS = 30 };
    static char text[LONGEST];
    memset(text, 'a', LONGEST);
    test_case("corpus: a file that another program writes to is read consistently or refused");
    const char *path = text_file("race.txt", text, LONGEST / 2);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        const int file = open(path, O_WRONLY);
        bool written = true;
        while (written && getppid() == parent)
            written = pwrite(file, text, LONGEST, 0) == LONGEST && ftruncate(file, LONGEST / 3) == 0;
        _exit(1);
    }
    for (int i = 0; i < READINGS; i++) {
        Corpus corpus;
        if (!corpus_open(&corpus, path, false, &error)) {
            CHECK(strstr(error.message, "changed while it was read") != NULL && is_closed(&corpus), "%s",
                  error.message);
            continue;
        }
        uint64_t hash = 14695981039346656037u;
        for (size_t k = 0; k < corpus.ids.count; k++)
            hash = (hash ^ corpus.vocabulary.symbols[ids_at(corpus.ids, k)]) * 1099511628211u;
        CHECK(corpus.ids.count == corpus.byte_count && hash == corpus.hash, "%zu ids", corpus.ids.count);
        corpus_close(&corpus);
    }
    CHECK(child > 0 && kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

static void check_malformed(void)
{
    static const struct {
        const char *name, *text;
        size_t size;
        const char *message;
    } cases[] = {
        {"a lone lead byte at the end", "abc\xC3", 4, "byte 0xC3 at offset 3"},
        {"a lone lead byte inside", "abc\xC3xyz", 7, "byte 0xC3 at offset 3"},
        {"a stray continuation first", "\x80", 1, "byte 0x80 at offset 0"},
        {"after a mark", "\xEF\xBB\xBF\xFF", 4, "byte 0xFF at offset 3"},
        {"half a mark", "\xEF\xBB", 2, "byte 0xEF at offset 0"},
        {"a surrogate", "é\xED\xA0\x80", 5, "byte 0xED at offset 2"},
        {"an overlong form", "x\xC0\xAF", 3, "byte 0xC0 at offset 1"},
        {"above U+10FFFF", "xy\xF4\x90\x80\x80", 6, "byte 0xF4 at offset 2"},
        {"four bytes cut to three", "xy\xF0\x9F\x98", 5, "byte 0xF0 at offset 2"},
        {"Latin-1", "caf\xE9 cr\xE8me", 10, "byte 0xE9 at offset 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[96], expected[160];
        Corpus corpus;
        snprintf(name, sizeof name, "corpus: malformed, %s", cases[i].name);
        test_case(name);
        const char *path = text_file("broken.txt", cases[i].text, cases[i].size);
        snprintf(expected, sizeof expected, "broken.txt: %s is not UTF-8; use --bytes to train on raw bytes",
                 cases[i].message);
        CHECK(!corpus_open(&corpus, path, false, &error) && is_closed(&corpus));
        CHECK(strcmp(message_after_directory(), expected) == 0, "%s", error.message);
    }
    enum { SIZE = 1 << 20 };
    static char text[SIZE];
    test_case("corpus: malformed, at every place beside a border of windows");
    for (size_t power = 1 << 16; power < SIZE; power *= 2)
        for (size_t place = power - 4; place <= power + 1; place++) {
            char expected[64];
            memset(text, 'a', SIZE);
            memcpy(text + place, "\xF0\x9F\x98", 3);
            snprintf(expected, sizeof expected, "byte 0xF0 at offset %zu ", place);
            expect_refusal(text_file("broken.txt", text, SIZE), false, expected);
            expect_refusal(text_file("broken.txt", text, place + 3), false, expected);
        }
}

static const Vocabulary known = {.symbols = (uint32_t[]){'\n', ' ', 'a', 'b'}, .size = 4};
static const Vocabulary spaceless = {.symbols = (uint32_t[]){'a', 'b'}, .size = 2};
static const Vocabulary raw = {.symbols = (uint32_t[]){'a', 'b'}, .size = 2, .bytes = true};
static const char advice[] = "is not in the model's vocabulary; use --unknown skip or --unknown replace";

static void expect_unknown(const char *text, const Vocabulary *vocabulary, const char *where)
{
    Corpus corpus;
    char expected[256];
    snprintf(expected, sizeof expected, "--prompt: %s %s", where, advice);
    CHECK(!corpus_encode(&corpus, "--prompt", text, strlen(text), vocabulary, UNKNOWN_REFUSE, &error), "%s", text);
    CHECK(strcmp(error.message, expected) == 0 && is_closed(&corpus), "%s", error.message);
}

static void check_refused_symbols(void)
{
    Corpus corpus;
    test_case("corpus: an unknown symbol of a prompt is named");
    expect_unknown("aabé", &known, "'é' (U+00E9) at byte 3");
    expect_unknown("2+2", &known, "'2' (U+0032) at byte 0");
    expect_unknown("a\tb", &known, "tab (U+0009) at byte 1");
    expect_unknown("a\nb", &spaceless, "newline (U+000A) at byte 1");
    expect_unknown("ab\xC3", &raw, "byte 0xC3 at offset 2");
    test_case("corpus: an unknown symbol of a file is named with its line");
    char text[300000];
    memset(text, 'a', sizeof text);
    memcpy(text, "ab\nba\n\n", 7);
    text[270000] = '\n';
    text[290000] = '?';
    const char *path = text_file("unknown.txt", text, sizeof text);
    CHECK(!corpus_open_with(&corpus, path, &known, UNKNOWN_REFUSE, &error) && is_closed(&corpus));
    CHECK(strncmp(message_after_directory(), "unknown.txt: '?' (U+003F) at byte 290000, line 5 is not", 55) == 0, "%s",
          error.message);
    CHECK(strstr(error.message, advice) != NULL, "%s", error.message);
    test_case("corpus: malformed UTF-8 is refused in a model's vocabulary too");
    CHECK(!corpus_encode(&corpus, "--prompt", "ab\xFF", 3, &known, UNKNOWN_SKIP, &error) && is_closed(&corpus));
    CHECK(strncmp(error.message, "--prompt: byte 0xFF at offset 2 is not UTF-8; ", 46) == 0, "%s", error.message);
}

static bool has_ids(const Corpus *corpus, const int *expected, size_t count)
{
    for (size_t i = 0; i < count && i < corpus->ids.count; i++)
        if (ids_at(corpus->ids, i) != expected[i])
            return false;
    return corpus->ids.count == count;
}

static void check_policies(void)
{
    Corpus corpus;
    const char *path = text_file("unknown.txt", "aéb?", 5);
    test_case("corpus: unknown symbols are skipped");
    CHECK(corpus_open_with(&corpus, path, &known, UNKNOWN_SKIP, &error), "%s", error.message);
    CHECK(has_ids(&corpus, (int[]){2, 3}, 2) && corpus.skipped == 2);
    corpus_close(&corpus);
    CHECK(corpus_encode(&corpus, "--prompt", "?!", 2, &known, UNKNOWN_SKIP, &error), "%s", error.message);
    CHECK(corpus.ids.count == 0 && corpus.skipped == 2);
    corpus_close(&corpus);
    test_case("corpus: unknown symbols are replaced by a space, or the first symbol");
    CHECK(corpus_open_with(&corpus, path, &known, UNKNOWN_REPLACE, &error), "%s", error.message);
    CHECK(has_ids(&corpus, (int[]){2, 1, 3, 1}, 4) && corpus.skipped == 2);
    corpus_close(&corpus);
    CHECK(corpus_encode(&corpus, "--prompt", "b\n", 2, &spaceless, UNKNOWN_REPLACE, &error), "%s", error.message);
    CHECK(has_ids(&corpus, (int[]){1, 0}, 2) && corpus.skipped == 1);
    corpus_close(&corpus);
    CHECK(corpus_open_with(&corpus, path, &raw, UNKNOWN_REPLACE, &error), "%s", error.message);
    CHECK(has_ids(&corpus, (int[]){0, 0, 0, 1, 0}, 5) && corpus.skipped == 3);
    corpus_close(&corpus);
    test_case("corpus: a file of which nothing is left is refused");
    path = text_file("unknown.txt", "???", 3);
    CHECK(!corpus_open_with(&corpus, path, &known, UNKNOWN_SKIP, &error) && is_closed(&corpus));
    CHECK(strstr(error.message, "none of its symbols is in the model's vocabulary") != NULL, "%s", error.message);
}

int main(void)
{
    check_files();
    check_change();
    check_race();
    check_malformed();
    check_refused_symbols();
    check_policies();
    return test_finish();
}
