#include "text/corpus.h"

#include "text/source.h"
#include "text/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One reading of a text. The first pass surveys it (which symbols, how many), the second numbers it. */
typedef struct Pass {
    Source *source;
    const Vocabulary *given; /* the model's; NULL where the text makes its own */
    bool bytes;
    Unknown unknown;
    unsigned char *seen;     /* [symbol_limit]: 1 where the symbol occurs; owned */
    size_t count;            /* symbols the survey found */
    int32_t *table;          /* [symbol_limit]: id + 1, or 0 for an unknown symbol; owned. Most of its pages are
                              * never touched and cost nothing. */
    Ids ids;                 /* the corpus's */
    size_t placed;           /* ids written */
    int32_t substitute;      /* for UNKNOWN_REPLACE */
    uint64_t skipped;
    bool mark;               /* a byte-order mark was dropped */
    bool stopped;            /* numbering met a symbol that it must refuse, or more symbols than surveyed */
} Pass;

typedef size_t Visit(Pass *pass, const unsigned char *text, size_t size);

static size_t symbol_limit(const Pass *pass)
{
    return pass->bytes ? 256 : UTF8_CODE_POINTS;
}

/* The symbol at text[0..size), size > 0; returns its length in bytes, 0 where it is malformed or cut off. */
static inline int symbol_decode(const unsigned char *text, size_t size, bool bytes, uint32_t *symbol)
{
    if (bytes || text[0] < 0x80) {
        *symbol = text[0];
        return 1;
    }
    return utf8_decode(text, size, symbol);
}

/* Both visits return the bytes they used: all, or up to a sequence that is malformed, cut off or refused. */
static size_t visit_survey(Pass *pass, const unsigned char *text, size_t size)
{
    unsigned char *const seen = pass->seen;
    const bool bytes = pass->bytes;
    size_t used = 0, count = 0;
    while (used < size) {
        uint32_t symbol;
        const int length = symbol_decode(text + used, size - used, bytes, &symbol);
        if (length == 0)
            break;
        seen[symbol] = 1;
        used += (size_t)length;
        count++;
    }
    pass->count += count;
    return used;
}

static size_t visit_number(Pass *pass, const unsigned char *text, size_t size)
{
    const int32_t *const table = pass->table;
    const Ids ids = pass->ids;
    const bool bytes = pass->bytes;
    size_t used = 0, placed = pass->placed;
    while (used < size) {
        uint32_t symbol;
        const int length = symbol_decode(text + used, size - used, bytes, &symbol);
        if (length == 0)
            break;
        int32_t id = table[symbol] - 1;
        if (placed == ids.count || (id < 0 && pass->unknown != UNKNOWN_SKIP && pass->unknown != UNKNOWN_REPLACE)) {
            pass->stopped = true;
            break;
        }
        used += (size_t)length;
        if (id < 0) {
            pass->skipped++;
            if (pass->unknown == UNKNOWN_SKIP)
                continue;
            id = pass->substitute;
        }
        ids_put(ids, placed++, id);
    }
    pass->placed = placed;
    return used;
}

/* --- refusals --------------------------------------------------------------------------------------- */

/* What the survey found no longer holds in the second pass. */
static bool refuse_change(const Source *source, Error *error)
{
    return error_set(error, "%s changed while it was read; try again when nothing writes to it", source->name);
}

static bool refuse_malformed(const Pass *pass, size_t place, Error *error)
{
    const Source *source = pass->source;
    return error_set(error, "%s: byte 0x%02X at offset %" PRIu64 " is not UTF-8; %s", source->name,
                     (unsigned)source->window[place], source->offset + place,
                     pass->given == NULL ? "use --bytes to train on raw bytes"
                                         : "the model knows UTF-8 text only, so convert it first (iconv -t UTF-8)");
}

/* The line of the next symbol, from 1. Newlines are counted among the ids: where the vocabulary has none and
 * unknown symbols are refused, none was passed. */
static uint64_t line_number(const Pass *pass)
{
    const int32_t newline = pass->table['\n'] - 1;
    uint64_t line = 1;
    for (size_t i = 0; i < pass->placed; i++)
        line += ids_at(pass->ids, i) == newline;
    return line;
}

static bool refuse_symbol(const Pass *pass, size_t place, Error *error)
{
    const Source *source = pass->source;
    uint32_t symbol = 0;
    symbol_decode(source->window + place, source->size - place, pass->bytes, &symbol);
    if (pass->given == NULL || pass->table[symbol] != 0)
        return refuse_change(source, error);
    char name[SYMBOL_NAME_LENGTH], line[32] = "";
    symbol_name(symbol, pass->bytes, name);
    if (source->buffer != NULL) /* a file */
        snprintf(line, sizeof line, ", line %" PRIu64, line_number(pass));
    return error_set(error, "%s: %s at %s %" PRIu64 "%s is not in the model's vocabulary; %s", source->name, name,
                     pass->bytes ? "offset" : "byte", source->offset + place, line,
                     pass->unknown == UNKNOWN_FORBID ? "leave it out" : "use --unknown skip or --unknown replace");
}

/* --- passes ----------------------------------------------------------------------------------------- */

/* The length of the byte-order mark at the start of the text, which is in the window; 0 for none. */
static size_t drop_mark(Pass *pass)
{
    const Source *source = pass->source;
    pass->mark = !pass->bytes && source->size >= 3 && memcmp(source->window, "\xEF\xBB\xBF", 3) == 0;
    return pass->mark ? 3 : 0;
}

/* Takes the whole text past `visit`. A sequence that the window's end cuts off is seen again with the rest. */
static bool pass_run(Pass *pass, Visit *visit, Error *error)
{
    Source *source = pass->source;
    size_t used = 0;
    if (!source_rewind(source, error))
        return false;
    do {
        if (!source_next(source, used, error))
            return false;
        used = source->offset == 0 ? drop_mark(pass) : 0;
        if (used < source->size)
            used += visit(pass, source->window + used, source->size - used);
        if (pass->stopped)
            return refuse_symbol(pass, used, error);
        const size_t left = source->size - used;
        if (left >= UTF8_LONGEST || (left > 0 && source->last))
            return visit == visit_number ? refuse_change(source, error) : refuse_malformed(pass, used, error);
    } while (!source->last);
    return true;
}

/* The symbols that the survey saw; at least one. */
static bool collect_vocabulary(const Pass *pass, Vocabulary *vocabulary, Error *error)
{
    const size_t limit = symbol_limit(pass);
    int size = 0;
    for (size_t symbol = 0; symbol < limit; symbol++)
        size += pass->seen[symbol];
    uint32_t *symbols = malloc((size_t)size * sizeof *symbols);
    if (symbols == NULL)
        return error_set(error, "no memory for a vocabulary of %d symbols", size);
    int filled = 0;
    for (size_t symbol = 0; symbol < limit; symbol++)
        if (pass->seen[symbol])
            symbols[filled++] = (uint32_t)symbol;
    const bool opened = vocabulary_open(vocabulary, symbols, size, pass->bytes, error);
    free(symbols);
    return opened;
}

static bool survey(Pass *pass, Corpus *corpus, Error *error)
{
    const Source *source = pass->source;
    pass->seen = calloc(symbol_limit(pass), 1);
    if (pass->seen == NULL)
        return error_set(error, "no memory to survey %s", source->name);
    if (!pass_run(pass, visit_survey, error))
        return false;
    corpus->hash = source->hash;
    corpus->byte_count = source->offset + source->size;
    corpus->byte_order_mark = pass->mark;
    if (pass->count == 0 && source->buffer != NULL)
        return error_set(error, "%s %s; a text needs at least one character", source->name,
                         pass->mark ? "holds only a byte-order mark" : "is empty");
    if (pass->given == NULL)
        return collect_vocabulary(pass, &corpus->vocabulary, error);
    return vocabulary_open(&corpus->vocabulary, pass->given->symbols, pass->given->size, pass->bytes, error);
}

static bool number(Pass *pass, Corpus *corpus, Error *error)
{
    const Source *source = pass->source;
    const Vocabulary *vocabulary = &corpus->vocabulary;
    pass->table = calloc(symbol_limit(pass), sizeof *pass->table);
    if (pass->table == NULL)
        return error_set(error, "no memory to number %s", source->name);
    for (int id = 0; id < vocabulary->size; id++)
        pass->table[vocabulary->symbols[id]] = id + 1;
    pass->substitute = pass->table[' '] > 0 ? pass->table[' '] - 1 : 0;
    if (!ids_allocate(&corpus->ids, pass->count, vocabulary->size, error))
        return false;
    pass->ids = corpus->ids;
    if (!pass_run(pass, visit_number, error))
        return false;
    if (source->hash != corpus->hash || source->offset + source->size != corpus->byte_count)
        return refuse_change(source, error);
    corpus->ids.count = pass->placed;
    corpus->skipped = pass->skipped;
    if (pass->placed == 0 && source->buffer != NULL)
        return error_set(error, "%s: none of its symbols is in the model's vocabulary", source->name);
    return true;
}

/* Closes the source; on failure the corpus too. */
static bool corpus_fill(Corpus *corpus, Pass *pass, Error *error)
{
    const bool filled = survey(pass, corpus, error) && number(pass, corpus, error);
    free(pass->seen);
    free(pass->table);
    source_close(pass->source);
    if (!filled)
        corpus_close(corpus);
    return filled;
}

/* --- contract --------------------------------------------------------------------------------------- */

bool corpus_open(Corpus *corpus, const char *path, bool bytes, Error *error)
{
    Source source;
    Pass pass = {.source = &source, .bytes = bytes, .unknown = UNKNOWN_REFUSE};
    *corpus = (Corpus){0};
    return source_open(&source, path, error) && corpus_fill(corpus, &pass, error);
}

bool corpus_open_with(Corpus *corpus, const char *path, const Vocabulary *vocabulary, Unknown unknown, Error *error)
{
    Source source;
    Pass pass = {.source = &source, .given = vocabulary, .bytes = vocabulary->bytes, .unknown = unknown};
    *corpus = (Corpus){0};
    return source_open(&source, path, error) && corpus_fill(corpus, &pass, error);
}

bool corpus_encode(Corpus *corpus, const char *name, const char *text, size_t size, const Vocabulary *vocabulary,
                   Unknown unknown, Error *error)
{
    Source source;
    Pass pass = {.source = &source, .given = vocabulary, .bytes = vocabulary->bytes, .unknown = unknown};
    *corpus = (Corpus){0};
    source_open_memory(&source, name, text, size);
    return corpus_fill(corpus, &pass, error);
}

void corpus_close(Corpus *corpus)
{
    vocabulary_close(&corpus->vocabulary);
    ids_free(&corpus->ids);
    *corpus = (Corpus){0};
}
