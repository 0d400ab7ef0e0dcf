/* scale.h -- the three parts of the experiment `scale`, one a source: why scores are divided by sqrt(d).
 *
 * Each hands its rows to the lab and returns false with the error when it could not run. */
#ifndef SOLILOQUY_LAB_SCALE_H
#define SOLILOQUY_LAB_SCALE_H

#include "lab/lab.h"

bool scale_entropies(Lab *lab, Error *error); /* 000 ex. 4, its plot with --out, too */
bool scale_lemma(Lab *lab, Error *error);     /* 002 lemma 4.5 */
bool scale_batches(Lab *lab, Error *error);   /* 003, "Scaling by the Square Root of d" */

#endif
