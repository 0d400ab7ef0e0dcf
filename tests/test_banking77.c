/* Banking77: rows of CSV, words, a small pair of files with its vocabulary and split, what is refused; and, where
 * SOLILOQUY_BANKING77 names the folder of the real files, their facts. */
#include "lab/banking77.h"
#include "lab/csv.h"
#include "lab/words.h"

#include "base/file.h"
#include "scratch.h"

/* --- rows ------------------------------------------------------------------------------------------- */

/* Reads the text to its end, rows of two fields. Returns the rows; -1 with the message. */
static int read_rows(const char *text, size_t size, const char *(*rows)[2], Error *error)
{
    static char copy[256];
    Csv csv;
    int count = 0;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (!csv_open(&csv, "x.csv", copy, size, error))
        return -1;
    while (!csv_ended(&csv)) {
        char *fields[2];
        if (!csv_row(&csv, fields, 2, error))
            return -1;
        rows[count][0] = fields[0];
        rows[count++][1] = fields[1];
    }
    return count;
}

static void test_rows(void)
{
    static const struct {
        const char *text;
        int count;
        const char *rows[3][2];
    } cases[] = {
        {"", 0, {{NULL}}},
        {"a,b", 1, {{"a", "b"}}},
        {"a,b\nc,d\n", 2, {{"a", "b"}, {"c", "d"}}},
        {"a,b\r\nc,d\r\n", 2, {{"a", "b"}, {"c", "d"}}},
        {"\"a, b\",\"c\"\n", 1, {{"a, b", "c"}}},
        {"\"say \"\"no\"\"\",\"\"\n,\n", 2, {{"say \"no\"", ""}, {"", ""}}},
        {"\"two\nlines\r\n\",x\n y ,z", 2, {{"two\nlines\r\n", "x"}, {" y ", "z"}}},
        {"\"\"\"\",\"\"\"\"\"\"", 1, {{"\"", "\"\""}}},
    };
    test_case("csv: quotes, commas and line ends");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rows[8][2];
        Error error = {""};
        const int count = read_rows(cases[i].text, strlen(cases[i].text), rows, &error);
        CHECK(count == cases[i].count, "case %zu: %d rows, not %d; %s", i, count, cases[i].count, error.message);
        for (int r = 0; r < count && count == cases[i].count; r++)
            for (int f = 0; f < 2; f++)
                CHECK(strcmp(rows[r][f], cases[i].rows[r][f]) == 0, "case %zu: '%s'", i, rows[r][f]);
    }
}

static void test_bad_rows(void)
{
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
        {"a,b\nc\n", 6, "x.csv, line 2: 1 field instead of 2; fetch the file anew"},
        {"a,b\n\"c\n\",d,e\n", 13, "x.csv, line 2: 3 fields instead of 2; fetch the file anew"},
        {"a,b\n\nc,d", 8, "x.csv, line 2: 1 field instead of 2; fetch the file anew"},
        {"a,b\n\"c,d\n\n", 10, "x.csv, line 2: the quote that opens here is never closed; fetch the file anew"},
        {"a,\"", 3, "x.csv, line 1: the quote that opens here is never closed; fetch the file anew"},
        {"\"a\n\nb\" ,c", 9, "x.csv, line 3: a field goes on behind its closing quote; fetch the file anew"},
        {"a,b\nc,d\"e\"\n", 11, "x.csv, line 2: a quote inside a field that is not quoted; fetch the file anew"},
        {"a,b\nc,d\re", 9, "x.csv, line 2: a CR that no LF follows; fetch the file anew"},
        {"a,b\r", 4, "x.csv, line 1: a CR that no LF follows; fetch the file anew"},
        {"a,b\nc,\0\n", 8, "x.csv, line 2: byte 0x00 is not UTF-8 text; fetch the file anew"},
        {"a,b\n\nc,\xE9t\n", 10, "x.csv, line 3: byte 0xE9 is not UTF-8 text; fetch the file anew"},
    };
    test_case("csv: bad rows are refused with their line");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rows[8][2];
        Error error = {""};
        const int count = read_rows(cases[i].text, cases[i].size, rows, &error);
        CHECK(count < 0 && strcmp(error.message, cases[i].message) == 0, "case %zu: %d rows; %s", i, count,
              error.message);
    }
}

/* --- words ------------------------------------------------------------------------------------------ */

static void test_words(void)
{
    static const struct {
        const char *text, *words; /* joined by | */
    } cases[] = {
        {"", ""},
        {" \n\t ", ""},
        {"Where is my card?", "Where|is|my|card|?"},
        {"I can't, don't_2 & 3.50\n", "I|can|'|t|,|don|'|t_2|&|3|.|50"},
        {"\xC2\xA3""10 for 5\xE2\x82\xAC\xE2\x80\xA6", "\xC2\xA3|10|for|5|\xE2\x82\xAC|\xE2\x80\xA6"},
        {"a\xC2\xA0""b\x1F\xE2\x80\x83" "c", "a|b|c"},
        {"x\xC2\xB2 \xC2\xAB\xC2\xBD", "x\xC2\xB2|\xC2\xAB|\xC2\xBD"},
        {"??", "?|?"},
    };
    test_case("words: runs of letters, and signs alone");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char joined[128] = "";
        const char *rest = cases[i].text, *word;
        for (int length; (length = words_next(&rest, &word)) > 0;)
            snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%.*s", joined[0] != '\0' ? "|" : "",
                     length, word);
        CHECK(strcmp(joined, cases[i].words) == 0, "'%s' instead of '%s'", joined, cases[i].words);
        CHECK(words_unknown(cases[i].text) == 0, "case %zu: U+%04lX", i, (unsigned long)words_unknown(cases[i].text));
    }
    test_case("words: a character of unknown kind is found");
    CHECK(words_unknown("caf\xC3\xA9") == 0xE9, "\u00e9");
    CHECK(words_unknown("a \xE4\xBA\xBA") == 0x4EBA, "a letter of three bytes");
}

/* --- a small pair of files --------------------------------------------------------------------------- */

enum { ROWS = 2004, SMALL_SIZE = 1 << 17 };

/* The places that RandomState(42).permutation(2004) puts behind its first 2,000, sorted. */
static const int training_places[4] = {860, 1126, 1294, 1459};

/* Writes train.csv, whose row i is row_of[i] for the four training rows and "filler N" elsewhere, and test.csv. */
static void put_small(const char *folder, const char *const rows[4], const char *test)
{
    static char text[SMALL_SIZE];
    char path[PATH_SIZE + 16];
    size_t size = (size_t)sprintf(text, "text,category\n");
    Error error;
    CHECK(directory_create(folder, &error), "%s", error.message);
    for (int i = 0, next = 0; i < ROWS; i++) {
        if (next < 4 && i == training_places[next])
            size += (size_t)sprintf(text + size, "%s\n", rows[next++]);
        else
            size += (size_t)sprintf(text + size, "filler %d,zebra\r\n", i);
    }
    snprintf(path, sizeof path, "%s/train.csv", folder);
    put(path, text, size);
    snprintf(path, sizeof path, "%s/test.csv", folder);
    put(path, test, strlen(test));
}

static const char *const good_rows[4] = {
    "My card is lost,lost_card", "\"Is it, my CARD?\",Arrival", "\"the\ncard\",lost_card", "Money money money?,money"};
static const char good_test[] = "text,category\nmy dog?,money\n";

static void check_ids(const int32_t *ids, int length, const int32_t *expected, int count)
{
    CHECK(length == count, "length %d instead of %d", length, count);
    for (int i = 0; i < BANKING77_LONGEST; i++)
        CHECK(ids[i] == (i < count ? expected[i] : 0), "id %d is %d", i, (int)ids[i]);
}

static void test_small(void)
{
    char folder[PATH_SIZE];
    Banking77 b;
    Error error = {""};
    put_small(scratch("small", folder), good_rows, good_test);
    test_case("Banking77: the vocabulary of a small file, by count and first appearance");
    const bool opened = banking77_open(&b, folder, &error);
    CHECK(opened, "%s", error.message);
    if (!opened)
        return;
    static const char *const words[] = {"<pad>", "<unk>", "card", "money", "my", "is", "?", "lost", "it", ",", "the"};
    CHECK(b.vocabulary_size == 11, "%d", b.vocabulary_size);
    for (int i = 0; i < 11; i++)
        CHECK(banking77_word(&b, words[i]) == (i == 1 ? BANKING77_UNKNOWN : i), "%s is %d", words[i],
              (int)banking77_word(&b, words[i]));
    CHECK(banking77_word(&b, "CARD") == 2 && banking77_word(&b, "filler") == 1 && banking77_word(&b, "") == 1, "words");

    test_case("Banking77: ids, lengths and intents of a small file");
    CHECK(b.training.count == 4 && b.validation.count == 2000 && b.test.count == 1, "%d %d %d", b.training.count,
          b.validation.count, b.test.count);
    CHECK(b.intents == 4 && strcmp(b.intent_names[0], "Arrival") == 0 && strcmp(b.intent_names[3], "zebra") == 0, "%d",
          b.intents);
    check_ids(b.training.ids[0], b.training.lengths[0], (const int32_t[]){4, 2, 5, 7}, 4);
    check_ids(b.training.ids[1], b.training.lengths[1], (const int32_t[]){5, 8, 9, 4, 2, 6}, 6);
    check_ids(b.training.ids[3], b.training.lengths[3], (const int32_t[]){3, 3, 3, 6}, 4);
    check_ids(b.test.ids[0], b.test.lengths[0], (const int32_t[]){4, 1, 6}, 3);
    CHECK(b.training.labels[0] == 1 && b.training.labels[1] == 0 && b.training.labels[2] == 1 && b.test.labels[0] == 2,
          "intents");
    CHECK(b.validation.labels[7] == 3 && b.validation.lengths[7] == 2, "a filler");

    test_case("Banking77: a query of more than 48 words is cut");
    char text[3 * BANKING77_LONGEST + 8] = "";
    for (int i = 0; i < BANKING77_LONGEST + 2; i++)
        strcat(text, "My ");
    int32_t ids[BANKING77_LONGEST];
    CHECK(banking77_encode(&b, text, ids) == BANKING77_LONGEST && ids[0] == 4 && ids[47] == 4, "cut");
    CHECK(banking77_encode(&b, " ", ids) == 0 && ids[0] == 0, "no words");
    banking77_close(&b);
}

static void refuse(const char *what, const char *const rows[4], const char *test, const char *message)
{
    char folder[PATH_SIZE], expected[PATH_SIZE + 256];
    Banking77 b;
    Error error = {""};
    put_small(scratch("bad", folder), rows, test);
    CHECK(!banking77_open(&b, folder, &error), "%s is read", what);
    snprintf(expected, sizeof expected, "%s/%s", folder, message);
    CHECK(strcmp(error.message, expected) == 0, "%s: %s", what, error.message);
    banking77_close(&b);
}

static void test_refused(void)
{
    static const char *const no_words[4] = {"a,b", "\"\n\",b", "c,d", "e,f"};
    static const char *const letters[4] = {"a,b", "caf\xC3\xA9,b", "c,d", "e,f"};
    static const char *const short_row[4] = {"a,b", "c", "d,e", "f,g"};
    test_case("Banking77: bad files are refused with their line");
    refuse("no words", no_words, good_test, "train.csv, line 1128: the query has no words; fetch the file anew");
    refuse("a letter", letters, good_test,
           "train.csv, line 1128: U+00E9 is no character of Banking77's queries; fetch the file anew");
    refuse("a short row", short_row, good_test, "train.csv, line 1128: 1 field instead of 2; fetch the file anew");
    refuse("an intent", good_rows, "text,category\na,zebra\nb,horse\n",
           "test.csv, line 3: no query of train.csv has this intent; fetch both files anew");
    refuse("a header", good_rows, "text,label\na,zebra\n",
           "test.csv, line 1: the header is not \"text,category\"; fetch the file anew");
    refuse("nothing", good_rows, "", "test.csv is empty; fetch it anew");

    char folder[PATH_SIZE], path[PATH_SIZE];
    Banking77 b;
    Error error = {""};
    test_case("Banking77: a short file is refused");
    put(scratch("bad/train.csv", path), "text,category\na,b\n", 18);
    put(scratch("bad/test.csv", path), "text,category\na,b\n", 18);
    CHECK(!banking77_open(&b, scratch("bad", folder), &error) &&
          strstr(error.message, "has 1 queries, of which the validation set alone takes 2000") != NULL, "%s",
          error.message);
    test_case("Banking77: a missing file is refused with the script that fetches it");
    CHECK(!banking77_open(&b, scratch("nowhere", folder), &error), "read");
    CHECK(strstr(error.message, "nowhere/train.csv: no such file") != NULL &&
          strstr(error.message, "scripts/fetch_banking77.sh") != NULL, "%s", error.message);
    banking77_close(&b);
}

/* --- the real files --------------------------------------------------------------------------------- */

static void test_real(void)
{
    const char *folder = getenv("SOLILOQUY_BANKING77");
    Banking77 b;
    Error error = {""};
    if (folder == NULL || folder[0] == '\0') {
        test_skip("Banking77: the real files", "SOLILOQUY_BANKING77 does not name their folder");
        return;
    }
    test_case("Banking77: the real files give document 003's vocabulary and first query");
    const bool opened = banking77_open(&b, folder, &error);
    CHECK(opened, "%s", error.message);
    if (!opened)
        return;
    static const char *const words[] = {"where", "is", "my", "card", "?", ".", "never", "arrived"};
    static const int32_t expected[] = {62, 11, 4, 9, 3, 5, 248, 274};
    CHECK(b.vocabulary_size == 2202, "%d", b.vocabulary_size);
    for (int i = 0; i < 8; i++)
        CHECK(banking77_word(&b, words[i]) == expected[i], "%s is %d", words[i], (int)banking77_word(&b, words[i]));
    static const int32_t first_query[] = {11, 12, 141, 17, 29, 6, 107, 4, 75, 213, 3};
    check_ids(b.validation.ids[0], b.validation.lengths[0], first_query, 11);
    int32_t ids[BANKING77_LONGEST];
    check_ids(ids, banking77_encode(&b, "Where is my card?", ids), expected, 5);

    test_case("Banking77: counts of the real files");
    CHECK(b.training.count == 8003 && b.validation.count == 2000 && b.test.count == 3080 && b.intents == 77,
          "%d %d %d %d", b.training.count, b.validation.count, b.test.count, b.intents);
    int shortest = 48, longest = 0;
    for (int i = 0; i < 64; i++) {
        shortest = b.validation.lengths[i] < shortest ? b.validation.lengths[i] : shortest;
        longest = b.validation.lengths[i] > longest ? b.validation.lengths[i] : longest;
    }
    CHECK(shortest == 4 && longest == 48, "the first 64 validation queries: %d to %d", shortest, longest);
    banking77_close(&b);
}

int main(void)
{
    test_rows();
    test_bad_rows();
    test_words();
    test_small();
    test_refused();
    test_real();
    return test_finish();
}
