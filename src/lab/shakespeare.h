/* shakespeare.h -- tiny Shakespeare in the folder of --data, the text that the lectures read. */
#ifndef SOLILOQUY_LAB_SHAKESPEARE_H
#define SOLILOQUY_LAB_SHAKESPEARE_H

#include "lab/lab.h"
#include "text/corpus.h"

/* Why rows are skipped where the file is not there, and how to get it. */
extern const char shakespeare_missing[];

/* With *there false, and true returned, there is no such file; the corpus is then closed. */
bool shakespeare_open(Corpus *corpus, const Lab *lab, bool *there, Error *error);

#endif
