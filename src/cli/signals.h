/* signals.h -- Ctrl-C, SIGTERM and a closed terminal as a wish to stop.
 *
 * The first sets *signals_stop(), and the run saves and ends; a second ends the process at once with status 130:
 * files are replaced atomically, so that the old ones are whole. */
#ifndef SOLILOQUY_CLI_SIGNALS_H
#define SOLILOQUY_CLI_SIGNALS_H

#include <signal.h>

void signals_catch(void);

/* Points at 0, or at 1 after a signal. A handler can reach nothing but a static: this is the program's only one. */
volatile sig_atomic_t *signals_stop(void);

#endif
