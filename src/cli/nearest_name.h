/* nearest_name.h -- what a mistyped command or option was probably meant to be. */
#ifndef SOLILOQUY_CLI_NEAREST_NAME_H
#define SOLILOQUY_CLI_NEAREST_NAME_H

/* The name closest to `word`, or NULL when none is close. Closeness counts letters inserted, dropped, replaced
 * or two neighbours swapped: at most a third of the word's length, at least one. Failing that, the first name
 * that begins with `word` (three letters or more). Ties go to the earlier name. */
const char *nearest_name(const char *word, const char *const *names, int count);

#endif
