/* commands.h -- the commands: each takes the words after its name and returns the exit status.
 *
 * 0 done, 1 failed, 2 usage, 130 interrupted. Results go to standard output, notes and errors to standard error. */
#ifndef SOLILOQUY_CLI_COMMANDS_H
#define SOLILOQUY_CLI_COMMANDS_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

int command_train(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_score(int argc, char **argv);
int command_attend(int argc, char **argv);
int command_gradcheck(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_lab(int argc, char **argv);
int command_info(int argc, char **argv);

#endif
