/* info_model.h -- what is in a model: its shape, its tensors, and what it was trained on. */
#ifndef SOLILOQUY_CLI_INFO_MODEL_H
#define SOLILOQUY_CLI_INFO_MODEL_H

#include "base/error.h"

/* Prints to standard output. */
bool info_model_print(const char *model, Error *error);

#endif
