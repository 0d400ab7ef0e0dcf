/* table_file.h -- a table as a file (RFC 4180): the lab's rows, and what its plots are drawn from.
 *
 * Numbers have a point in any locale and read back to the same double. Atomic: the file stands when it is complete. */
#ifndef SOLILOQUY_LAB_TABLE_FILE_H
#define SOLILOQUY_LAB_TABLE_FILE_H

#include "base/file.h"

#include <stdbool.h>

typedef struct TableFile {
    AtomicFile file; /* owned */
    bool begun;      /* the current line has a field */
} TableFile;

/* directory/name; the directory is made where it is missing. */
bool table_file_open(TableFile *table, const char *directory, const char *name, Error *error);

/* The next field of the line; quoted where it must be. */
void table_file_text(TableFile *table, const char *text);
void table_file_number(TableFile *table, double number);
void table_file_end_line(TableFile *table);

/* Puts the file in place; a failed write shows here. Closes either way. */
bool table_file_commit(TableFile *table, Error *error);

/* Drops the file; accepts a zeroed or committed one. */
void table_file_abandon(TableFile *table);

#endif
