/* csv.h -- a table as a file (RFC 4180): the lab's rows, and what its plots are drawn from.
 *
 * Numbers have a point in any locale and read back to the same double. Atomic: the file stands when it is complete. */
#ifndef SOLILOQUY_LAB_CSV_H
#define SOLILOQUY_LAB_CSV_H

#include "base/file.h"

#include <stdbool.h>

typedef struct Csv {
    AtomicFile file; /* owned */
    bool begun;      /* the current line has a field */
} Csv;

/* directory/name; the directory is made where it is missing. */
bool csv_open(Csv *csv, const char *directory, const char *name, Error *error);

/* The next field of the line; quoted where it must be. */
void csv_text(Csv *csv, const char *text);
void csv_number(Csv *csv, double number);
void csv_end_line(Csv *csv);

/* Puts the file in place; a failed write shows here. Closes either way. */
bool csv_commit(Csv *csv, Error *error);

/* Drops the file; accepts a zeroed or committed one. */
void csv_abandon(Csv *csv);

#endif
