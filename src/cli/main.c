/* main.c -- finds the command and runs it. */
#include "base/version.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/output.h"
#include "cli/processor.h"
#include "cli/wait_policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *help;
    bool shares; /* its work among threads */
} Command;

static const Command commands[] = {
    {"train", command_train, "train", "train a model on a text, and write it, its log and its attention maps", true},
    {"sample", command_sample, "sample MODEL", "write text from a model, as it is drawn", false},
    {"score", command_score, "score MODEL FILE", "loss, perplexity and bits per character of any text", true},
    {"attend", command_attend, "attend MODEL", "what the head attends to: in the terminal, or as files", false},
    {"gradcheck", command_gradcheck, "gradcheck [MODEL]", "every gradient against central differences", false},
    {"lab", command_lab, "lab [NAME...]", "the sources' experiments, each printed figure beside ours", true},
    {"bench", command_bench, "bench [NAME...]", "how fast this machine trains, validates, samples and loads", true},
    {"info", command_info, "info FILE", "what is in a model, or in a text", false},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const Command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static void print_usage(FILE *out)
{
    fputs("usage: soliloquy COMMAND [options]\n\n"
          "A character-level language model of one causal self-attention head: trains it, samples from it, and shows\n"
          "exactly what it attends to.\n\ncommands:\n", out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-19s%s\n", commands[i].usage, commands[i].help);
    fputs("\nMODEL is a .safetensors file or the directory of a run. `soliloquy COMMAND --help` lists the options of\n"
          "a command; `soliloquy --version` prints the version.\n"
          "Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.\n", out);
}

static int refuse(const char *name)
{
    const char *names[COMMANDS];
    char quoted[QUOTED_LENGTH];
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    format_quoted(name, quoted);
    const char *nearest = nearest_name(name, names, COMMANDS);
    fprintf(stderr, "soliloquy: unknown command %s; ", quoted);
    if (nearest != NULL)
        fprintf(stderr, "did you mean '%s'?\n", nearest);
    else
        fprintf(stderr, "`soliloquy --help` lists the commands\n");
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        puts("soliloquy " SOLILOQUY_VERSION);
        return EXIT_DONE;
    }
    bool helps = strcmp(word, "help") == 0, asked = helps || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (asked && (!helps || argc == 2)) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    const Command *command = find(helps ? argv[2] : word);
    if (command == NULL)
        return refuse(helps ? argv[2] : word);
    if (command->shares && !helps)
        wait_policy_apply(argv);
    static char help[] = "--help";
    char *only_help[] = {help, NULL};
    return helps ? command->run(1, only_help) : command->run(argc - 2, argv + 2);
}

/* Kept out of main, whose code must run on any processor. */
__attribute__((noinline)) static int run(int argc, char **argv)
{
    output_prepare();
    return output_finish(dispatch(argc, argv));
}

int main(int argc, char **argv)
{
    const char *missing = processor_lacks();
    if (missing == NULL)
        return run(argc, argv);
    fputs("soliloquy: this program was built for a newer processor, with ", stderr);
    fputs(missing, stderr);
    fputs("; build it here, or with `make ARCH=x86-64`\n", stderr);
    return EXIT_FAILED;
}
