/* text_input.h -- a text of the command line or of a file, in a model's symbols. */
#ifndef SOLILOQUY_CLI_TEXT_INPUT_H
#define SOLILOQUY_CLI_TEXT_INPUT_H

#include "text/corpus.h"

/* The words of --unknown, in the order of Unknown. */
extern const char *const unknown_names[];

/* What follows from a text's name: where it came from decides the exit status. */
typedef struct TextInput {
    const char *option; /* what messages call `text`, such as "--prompt" */
    const char *text;   /* or NULL */
    const char *path;   /* or NULL: a file, "-" for standard input; read when `text` is NULL */
    Unknown unknown;
} TextInput;

/* Encodes it; neither text nor path is an empty text. Returns an exit status: EXIT_USAGE for symbols that the model
 * does not have, EXIT_FAILED for a file that cannot be read. The caller closes the corpus after EXIT_DONE. */
int text_input_open(Corpus *corpus, TextInput input, const Vocabulary *vocabulary, Error *error);

/* Tells what --unknown left out or replaced, if anything. */
void text_input_note(const char *command, const Corpus *corpus, Unknown unknown);

#endif
