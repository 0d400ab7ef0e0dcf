/* padding_batch.h -- the experiment `padding` on whole batches of Banking77's validation queries (document 003). */
#ifndef SOLILOQUY_LAB_PADDING_BATCH_H
#define SOLILOQUY_LAB_PADDING_BATCH_H

#include "lab/lab.h"
#include "lab/lesson_layer.h"

/* The document's words as ids, its batches of 32 and 48 with right and wrong masks, and its lab 2; skipped rows
 * without the data. `layer` has 16 dimensions. */
bool padding_batches(Lab *lab, const LessonLayer *layer, Error *error);

#endif
