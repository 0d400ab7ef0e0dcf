#include "cli/signals.h"

#include "cli/commands.h"

#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void handle(int signal)
{
    (void)signal;
    if (stop)
        _exit(EXIT_INTERRUPTED);
    stop = 1;
}

void signals_catch(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction inherited;
    if (sigaction(SIGHUP, NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) /* as nohup leaves it */
        sigaction(SIGHUP, &action, NULL);
}

volatile sig_atomic_t *signals_stop(void)
{
    return &stop;
}
