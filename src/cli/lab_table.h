/* lab_table.h -- the rows of the lab as a table in the terminal.
 *
 * experiment, source, claim, published, ours, verdict: what is too long for its column goes on in the lines below,
 * word by word, so that published and ours keep standing side by side. A row that publishes nothing lets ours have
 * both columns. The reason of a verdict is a line of its own below the row. */
#ifndef SOLILOQUY_CLI_LAB_TABLE_H
#define SOLILOQUY_CLI_LAB_TABLE_H

#include "lab/lab.h"

#include <stdio.h>

typedef struct LabTable {
    FILE *out;  /* borrowed */
    int width;  /* columns in all; narrower than 80 is taken as 80 */
    bool color;
} LabTable;

void lab_table_header(const LabTable *table);
void lab_table_row(const LabTable *table, const LabRow *row);

/* `lab list`: name, source and what it shows. */
void lab_table_list(const LabTable *table);

#endif
