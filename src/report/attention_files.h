/* attention_files.h -- an attention map as files in a directory.
 *
 *   attention.npy   float32 [N,T,T]
 *   attention.json  what its cells are:
 *     "axes"        ["query", "key"]: rows read, columns are read
 *     "shape"       [N, T, T]
 *     "characters"  N arrays of T strings; a byte that is not ASCII is written \xNN
 *     "starts"      where each window begins, in characters from the start of what was looked at
 *     "text"        name, first: which text that was, and its first character's place in it
 *     "model"       context, ..., scale, bytes; step, data, data_hash: where its training stood, and on what
 *     "version"     the program's
 *   attention.csv   report/attention_table.h
 *   attention.png   report/attention_picture.h
 *
 * Each file appears whole or not at all. */
#ifndef SOLILOQUY_REPORT_ATTENTION_FILES_H
#define SOLILOQUY_REPORT_ATTENTION_FILES_H

#include "inference/attention_map.h"
#include "text/vocabulary.h"

/* A set of them. NPY brings JSON along. */
enum { ATTENTION_NPY = 1, ATTENTION_CSV = 2, ATTENTION_JSON = 4, ATTENTION_PNG = 8, ATTENTION_ALL_FILES = 15 };

/* Where a map comes from; all borrowed. */
typedef struct AttentionOrigin {
    const ModelConfig *config;
    const Vocabulary *vocabulary;
    Ids ids;               /* what was looked at: map->starts count in it */
    const char *text;      /* its name: a path, or such as "--text" */
    uint64_t first;        /* of ids[0] in the text of that name, in characters */
    int64_t step;          /* of the model's training */
    const char *data;      /* the text it was trained on */
    uint64_t data_hash;
} AttentionOrigin;

/* Creates the directory where it is missing. Existing files of these names are replaced. */
bool attention_files_write(const char *directory, unsigned files, const AttentionMap *map,
                           const AttentionOrigin *origin, Error *error);

/* The glyphs of every cell's label, glyphs[windows, n], in one block of memory that the caller frees. NULL when
 * memory is out. */
const char **attention_glyphs(const AttentionMap *map, Ids ids, const Vocabulary *vocabulary);

#endif
