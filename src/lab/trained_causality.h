/* trained_causality.h -- that a trained head does not see what comes later, on the validation text. */
#ifndef SOLILOQUY_LAB_TRAINED_CAUSALITY_H
#define SOLILOQUY_LAB_TRAINED_CAUSALITY_H

#include "lab/lab.h"

/* lab->model is not NULL. Of a model without a mask it asserts the opposite. */
bool trained_causality(Lab *lab, Error *error);

#endif
