#include "cli/info_text.h"

#include "cli/format.h"
#include "text/corpus.h"
#include "text/counts.h"
#include "text/unicode.h"
#include "training/trainer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPHS_SHOWN = 128, LISTED = 8, DECIMALS = 4 };

static const double validation_fraction = 0.1; /* of train's default */

/* How often each symbol occurs: an allocated [V]. */
static int64_t *count_symbols(const Corpus *corpus)
{
    int64_t *counts = calloc((size_t)corpus->vocabulary.size, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < corpus->ids.count; i++)
        counts[ids_at(corpus->ids, i)]++;
    return counts;
}

static void print_size(const Corpus *corpus)
{
    char count[FORMAT_LENGTH], bytes[FORMAT_LENGTH];
    format_count((int64_t)corpus->ids.count, count);
    format_count((int64_t)corpus->byte_count, bytes);
    if (corpus->vocabulary.bytes)
        printf("  %-12s %s\n", "bytes", bytes);
    else
        printf("  %-12s %s, in %s byte%s\n", "characters", count, bytes, corpus->byte_count == 1 ? "" : "s");
    printf("  %-12s %016" PRIx64 "\n", "hash", corpus->hash);
    printf("  %-12s %d:", "symbols", corpus->vocabulary.size);
    for (int id = 0; id < corpus->vocabulary.size && id < GLYPHS_SHOWN; id++) {
        char glyph[SYMBOL_NAME_LENGTH];
        vocabulary_glyph(&corpus->vocabulary, id, glyph);
        printf(" %s", glyph);
    }
    puts(corpus->vocabulary.size > GLYPHS_SHOWN ? " ..." : "");
}

static void print_symbol(const Corpus *corpus, int id, int64_t count, bool first)
{
    char name[SYMBOL_NAME_LENGTH], times[FORMAT_LENGTH];
    symbol_name(corpus->vocabulary.symbols[id], corpus->vocabulary.bytes, name);
    format_count(count, times);
    printf("%s%s %s", first ? "" : ", ", name, times);
}

/* The symbols that occur least, the rarest first; equal ones in order. */
static void print_rare(const Corpus *corpus, const int64_t *counts)
{
    int listed[LISTED], count = 0;
    for (int id = 0; id < corpus->vocabulary.size; id++) {
        int place = count < LISTED ? count : LISTED;
        while (place > 0 && counts[id] < counts[listed[place - 1]])
            place--;
        if (place == LISTED)
            continue;
        count += count < LISTED;
        memmove(listed + place + 1, listed + place, (size_t)(count - 1 - place) * sizeof *listed);
        listed[place] = id;
    }
    printf("  %-12s ", "rarest");
    for (int i = 0; i < count; i++)
        print_symbol(corpus, listed[i], counts[listed[i]], i == 0);
    putchar('\n');
}

static bool is_odd(uint32_t symbol, bool bytes)
{
    if (symbol == ' ' || symbol == '\n' || symbol == '\r' || symbol == '\t')
        return false;
    return bytes ? symbol < ' ' || symbol >= 0x7F : symbol == 0xFFFD || unicode_is_invisible(symbol);
}

static void print_odd(const Corpus *corpus, const int64_t *counts)
{
    int kinds = 0;
    for (int id = 0; id < corpus->vocabulary.size; id++) {
        if (!is_odd(corpus->vocabulary.symbols[id], corpus->vocabulary.bytes))
            continue;
        if (kinds == 0)
            printf("  %-12s ", corpus->vocabulary.bytes ? "odd bytes" : "odd symbols");
        if (kinds < LISTED)
            print_symbol(corpus, id, counts[id], kinds == 0);
        kinds++;
    }
    if (kinds > LISTED)
        printf(" and %d kinds more", kinds - LISTED);
    if (kinds > 0)
        putchar('\n');
    if (corpus->byte_order_mark)
        printf("  %-12s one at the start, left out\n", "byte order");
}

static void print_lines(const Corpus *corpus)
{
    const Ids ids = corpus->ids;
    int newline = vocabulary_find(&corpus->vocabulary, '\n'), carriage = vocabulary_find(&corpus->vocabulary, '\r');
    int64_t lf = 0, crlf = 0, cr = 0;
    int32_t before = -2;
    for (size_t i = 0; i < ids.count; i++) {
        int32_t id = ids_at(ids, i);
        if (id == newline && before == carriage) {
            crlf++;
            cr--;
        } else if (id == newline) {
            lf++;
        }
        cr += id == carriage;
        before = id;
    }
    bool ended = before == newline || before == carriage;
    char lines[FORMAT_LENGTH], text[3][FORMAT_LENGTH];
    format_count(lf + crlf + cr + !ended, lines);
    format_count(lf, text[0]);
    format_count(crlf, text[1]);
    format_count(cr, text[2]);
    printf("  %-12s %s, ended by: LF %s, CRLF %s, CR %s%s\n", "lines", lines, text[0], text[1], text[2],
           ended ? "" : "; the last one by nothing");
}

static void print_baseline(const char *name, double loss)
{
    char nats[FORMAT_LENGTH], bits[FORMAT_LENGTH];
    format_decimal(loss, DECIMALS, nats);
    format_decimal(loss / log(2), DECIMALS, bits);
    printf("  %-12s %9s nats/char %9s bits/char\n", name, nats, bits);
}

static bool print_baselines(const Corpus *corpus, Error *error)
{
    const Ids ids = corpus->ids;
    size_t split = trainer_split(ids.count, validation_fraction);
    char train[FORMAT_LENGTH], held[FORMAT_LENGTH];
    format_count((int64_t)split, train);
    format_count((int64_t)(ids.count - split), held);
    if (ids.count - split < 2) {
        printf("too short to hold back a tenth for validation: no counted baselines\n");
        return true;
    }
    Baselines baselines;
    if (!baselines_count(&baselines, ids_slice(ids, 0, split), ids_slice(ids, split, ids.count - split),
                         corpus->vocabulary.size, error))
        return false;
    printf("what counting on the first %s predicts of the last %s\n", train, held);
    print_baseline("ln V", baselines.uniform);
    print_baseline("unigram", baselines.unigram);
    print_baseline("bigram", baselines.bigram);
    return true;
}

/* Opens as UTF-8, or else as bytes; `malformed` then says why. */
static bool open_text(Corpus *corpus, const char *path, bool bytes, Error *malformed, Error *error)
{
    if (corpus_open(corpus, path, bytes, error))
        return true;
    Error ignored;
    if (bytes || strcmp(path, "-") == 0 || !corpus_open(corpus, path, true, &ignored))
        return false;
    *malformed = *error;
    return true;
}

bool info_text_print(const char *path, bool bytes, Error *error)
{
    Corpus corpus;
    Error malformed = {0};
    if (!open_text(&corpus, path, bytes, &malformed, error))
        return false;
    int64_t *counts = count_symbols(&corpus);
    bool done = counts != NULL || error_set(error, "%s: no memory for its counts", path);
    if (done) {
        printf("%s: a text, read as %s\n", strcmp(path, "-") == 0 ? "standard input" : path,
               corpus.vocabulary.bytes ? "bytes" : "UTF-8 characters");
        if (malformed.message[0] != '\0')
            printf("  %s\n", malformed.message);
        print_size(&corpus);
        print_rare(&corpus, counts);
        print_odd(&corpus, counts);
        print_lines(&corpus);
        done = print_baselines(&corpus, error);
    }
    free(counts);
    corpus_close(&corpus);
    return done;
}
