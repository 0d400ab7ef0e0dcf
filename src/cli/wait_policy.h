/* wait_policy.h -- threads that wait for each other soon sleep.
 *
 * GCC's OpenMP lets a waiting thread spin for milliseconds. On a machine with other work the one it waits for may need
 * that very processor: two threads then take many times longer than one. A short spin costs an idle machine nothing.
 * The runtime reads the setting when the program is loaded, so the program sets it and starts itself anew. */
#ifndef SOLILOQUY_CLI_WAIT_POLICY_H
#define SOLILOQUY_CLI_WAIT_POLICY_H

/* Does not return when it starts the program anew. Returns where there is nothing to do: the user has set
 * GOMP_SPINCOUNT or OMP_WAIT_POLICY, the runtime is another one, or the start fails. */
void wait_policy_apply(char **argv);

#endif
