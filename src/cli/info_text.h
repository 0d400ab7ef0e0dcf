/* info_text.h -- what is in a text: its symbols, its lines, what is odd about it, and what counting predicts. */
#ifndef SOLILOQUY_CLI_INFO_TEXT_H
#define SOLILOQUY_CLI_INFO_TEXT_H

#include "base/error.h"

/* Prints to standard output. A file that is not UTF-8 is told of, and then described as bytes. */
bool info_text_print(const char *path, bool bytes, Error *error);

#endif
