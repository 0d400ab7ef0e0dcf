/* command_info.c -- `soliloquy info`: what is in a model or in a text. */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/info_model.h"
#include "cli/info_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "storage/safetensors.h"

#include <string.h>
#include <sys/stat.h>

static const char usage[] = "soliloquy info FILE [options]";
static const char description[] =
    "What is in a file. Of a model (a .safetensors file or the directory of a run): its shape, its tensors, what it "
    "was trained on and how. Of a text: characters and bytes, rare and odd symbols, line ends, and the losses that "
    "counting alone reaches on its last tenth. FILE - is a text on standard input.";

/* A directory, a name that ends in .safetensors, or a file that begins like one: a small length, then '{'. */
static bool is_model(const char *path)
{
    static const char suffix[] = ".safetensors";
    struct stat status;
    size_t length = strlen(path);
    if (length >= sizeof suffix - 1 && strcmp(path + length - (sizeof suffix - 1), suffix) == 0)
        return true;
    if (stat(path, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        return true;
    Error ignored;
    FILE *stream = S_ISREG(status.st_mode) ? file_open(path, &ignored) : NULL;
    if (stream == NULL)
        return false;
    unsigned char start[9];
    size_t got = fread(start, 1, sizeof start, stream);
    fclose(stream);
    uint64_t header = 0;
    for (int i = 0; got == sizeof start && i < 8; i++)
        header |= (uint64_t)start[i] << (8 * i);
    return header > 0 && header <= SAFETENSORS_HEADER && start[8] == '{';
}

int command_info(int argc, char **argv)
{
    bool bytes = false;
    const char *file = NULL;
    Option rows[] = {
        {.name = "bytes", .kind = OPTION_FLAG, .value.flag = &bytes, .help = "read a text as bytes, not as UTF-8"},
    };
    OptionTable table = {rows, 1};
    Positionals positionals = {.words = &file, .limit = 1};
    Error error = {0};
    if (!options_parse(table, argc, argv, &positionals, &error))
        return report_usage("info", &error);
    if (positionals.help) {
        options_print_help(stdout, usage, description, table);
        return EXIT_DONE;
    }
    if (file == NULL) {
        error_set(&error, "name a FILE: a text, a .safetensors file or the directory of a run");
        return report_usage("info", &error);
    }
    bool model = is_model(file);
    if (model && bytes) {
        error_set(&error, "--bytes is for texts, and %s is a model; leave it out", file);
        return report_usage("info", &error);
    }
    bool done = model ? info_model_print(file, &error) : info_text_print(file, bytes, &error);
    return done ? EXIT_DONE : report_failure("info", &error);
}
