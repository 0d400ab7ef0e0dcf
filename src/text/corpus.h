/* corpus.h -- a text file as symbol ids: read, checked, counted and hashed.
 *
 * The file is streamed twice (once to find its symbols, once to number them), so that memory is the ids
 * alone; a pipe is held in memory instead. One leading byte-order mark is dropped and noted; carriage returns
 * and NUL bytes are symbols like any other. With `bytes` every byte is a symbol, a mark's bytes too.
 * Malformed UTF-8 is refused with the value and offset of the first byte of the first bad sequence (all
 * offsets count from the start of the file) and the hint --bytes. Missing, empty, unreadable files and
 * directories are refused by name, and so is a file that changes between the two passes. A function that
 * fails leaves a closed Corpus. */
#ifndef SOLILOQUY_TEXT_CORPUS_H
#define SOLILOQUY_TEXT_CORPUS_H

#include "text/ids.h"
#include "text/vocabulary.h"

typedef struct Corpus {
    Vocabulary vocabulary;
    Ids ids;
    uint64_t hash;          /* FNV-1a, 64 bits, over the file's bytes, the mark included */
    uint64_t byte_count;    /* of the file */
    bool byte_order_mark;   /* one stood at the start and was dropped */
    uint64_t skipped;       /* unknown symbols left out or replaced (UNKNOWN_SKIP, UNKNOWN_REPLACE) */
} Corpus;

/* What to do with a symbol that a given vocabulary lacks. REPLACE puts a space there, or the vocabulary's
 * first symbol where it has no space. REFUSE names --unknown in its message, FORBID is for who has no such option. */
typedef enum Unknown { UNKNOWN_REFUSE, UNKNOWN_SKIP, UNKNOWN_REPLACE, UNKNOWN_FORBID } Unknown;

/* The file's own vocabulary: the sorted set of its symbols. "-" is standard input. */
bool corpus_open(Corpus *corpus, const char *path, bool bytes, Error *error);

/* The file in a model's vocabulary, which is copied. A refusal names the symbol, its byte offset and line.
 * A file of which nothing is left is refused. */
bool corpus_open_with(Corpus *corpus, const char *path, const Vocabulary *vocabulary, Unknown unknown, Error *error);

/* The same for a text in memory (a prompt); `name` is what messages call it, such as "--prompt". Here an empty
 * text is fine: no ids. */
bool corpus_encode(Corpus *corpus, const char *name, const char *text, size_t size, const Vocabulary *vocabulary,
                   Unknown unknown, Error *error);

void corpus_close(Corpus *corpus);

#endif
