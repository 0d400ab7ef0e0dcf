/* trained.h -- the trained model that --model names, with the validation text it has never learned from.
 *
 * The text is the one the model was trained on, known by its hash: DATA/tinyshakespeare.txt, or else the path that the
 * model remembers. Its validation part is the model's own, or the whole text where none was held back. */
#ifndef SOLILOQUY_LAB_TRAINED_H
#define SOLILOQUY_LAB_TRAINED_H

#include "inference/head.h"
#include "lab/lab.h"
#include "storage/checkpoint.h"
#include "text/corpus.h"

typedef struct Trained {
    Checkpoint checkpoint;
    Corpus corpus;
    Ids validation; /* a view of the corpus */
    Head head;
} Trained;

/* lab->model must not be NULL. The message of a text that is not there says where it was looked for. */
bool trained_open(Trained *trained, const Lab *lab, Error *error);

/* Accepts a zeroed one. */
void trained_close(Trained *trained);

/* Windows of the context's length that the validation text has, the last shorter one with them. */
size_t trained_windows(const Trained *trained);

/* The ids of window number `index` into ids[T]; returns how many, 1 to T. */
int trained_window(const Trained *trained, size_t index, int32_t *ids);

#endif
