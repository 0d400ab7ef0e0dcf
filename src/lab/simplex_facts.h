/* simplex_facts.h -- 002's propositions 3.1 and 5.1 and corollaries 3.2 and 3.3, measured on rows of attention.
 *
 * Facts gather over any number of rows. The convex hull is checked through its box: no coordinate of an output lies
 * below the least or above the greatest of the values that the row sees. */
#ifndef SOLILOQUY_LAB_SIMPLEX_FACTS_H
#define SOLILOQUY_LAB_SIMPLEX_FACTS_H

#include "lab/arrays.h"
#include "lab/lab.h"

#include <stdint.h>

typedef struct SimplexFacts {
    Moments sums;      /* of rows, summed in double */
    Moments allowed;   /* weights that a row may have */
    int64_t zeros;     /* allowed weights that are exactly 0 */
    int64_t unargued;  /* of these, whose score is not so far below the row's largest that exp underflows */
    int64_t above;     /* weights behind what a row sees that are not exactly 0 */
    Moments outside;   /* how far coordinates of outputs are beyond their box, over 1 + its largest number */
} SimplexFacts;

/* One row of attention. Weights behind `visible` up to `columns` must be 0. gap(j), how far below the largest score of
 * the row the score of column j is, is asked of each allowed weight that is 0; NULL where none may be. */
typedef struct SimplexRow {
    const real *weights;  /* [columns] */
    int visible, columns;
    const real *output;   /* [head_size] */
    const real *low, *high; /* [head_size]: the box of the values that it sees */
    int head_size;
    double (*gap)(void *context, int column);
    void *context;
} SimplexRow;

void simplex_facts_add(SimplexFacts *facts, const SimplexRow *row);

/* Widens the box by one value. Boxes begin with the first value itself. */
void simplex_box(const real *value, int head_size, bool first, real *low, real *high);

/* The rows of the lab. `subject` begins each claim ("" or "trained head: "), `causal` whether there is a mask. */
void simplex_facts_report(Lab *lab, const SimplexFacts *facts, const char *subject, bool causal);

#endif
