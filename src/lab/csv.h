/* csv.h -- rows of comma-separated values, RFC 4180 read strictly.
 *
 * A field may stand in double quotes, and then hold commas, line ends, and quotes written twice; a line ends with LF
 * or CRLF, the last one may also end with the text. Refused, with the file's name and the line: a quote inside an
 * unquoted field, anything behind a closing quote, a quote never closed, another number of fields, a CR alone, NUL,
 * and bytes that are not UTF-8. */
#ifndef SOLILOQUY_LAB_CSV_H
#define SOLILOQUY_LAB_CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Csv {
    const char *name; /* for messages; borrows */
    char *at, *end;   /* what is left; borrows */
    int line;         /* of `at`, from 1 */
    int row_line;     /* where the last row read began */
} Csv;

/* text[0..size) has a NUL byte behind it (base/file.h), is changed while it is read, and outlives what is read. */
bool csv_open(Csv *csv, const char *name, char *text, size_t size, Error *error);

static inline bool csv_ended(const Csv *csv)
{
    return csv->at == csv->end;
}

/* The next row, which must have `count` fields. They lie in the text, without their quotes, NUL behind each. */
bool csv_row(Csv *csv, char **fields, int count, Error *error);

#endif
