/* lesson_queries.h -- Banking77's part in the experiments of document 003, where the data is there.
 *
 * Its batches are the first validation queries, each padded to 48 ids. */
#ifndef SOLILOQUY_LAB_LESSON_QUERIES_H
#define SOLILOQUY_LAB_LESSON_QUERIES_H

#include "lab/banking77.h"
#include "lab/lab.h"

/* Why a row is skipped without it. */
#define LESSON_QUERIES_MISSING "needs Banking77: scripts/fetch_banking77.sh fetches it"

/* Opens lab->data/banking77. Where train.csv or test.csv is missing, *present becomes false and nothing is open; a file
 * that is there and cannot be read is an error. */
bool lesson_queries_open(Banking77 *b, const Lab *lab, bool *present, Error *error);

#endif
