#include "cli/text_input.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1 << 30 }; /* bytes */

const char *const unknown_names[] = {"refuse", "skip", "replace", NULL};

int text_input_open(Corpus *corpus, TextInput input, const Vocabulary *vocabulary, Error *error)
{
    const char *name = input.option, *text = input.text != NULL ? input.text : "";
    size_t size = strlen(text);
    unsigned char *content = NULL;
    if (input.text == NULL && input.path != NULL) {
        if (!file_read(input.path, TEXT_LIMIT, &content, &size, error))
            return EXIT_FAILED;
        name = strcmp(input.path, "-") == 0 ? "standard input" : input.path;
        text = (const char *)content;
    }
    bool encoded = corpus_encode(corpus, name, text, size, vocabulary, input.unknown, error);
    free(content);
    return encoded ? EXIT_DONE : EXIT_USAGE;
}

void text_input_note(const char *command, const Corpus *corpus, Unknown unknown)
{
    char count[FORMAT_LENGTH];
    format_count((int64_t)corpus->skipped, count);
    if (corpus->skipped > 0)
        report_note(command, "%s character%s that the model does not know %s %s", count,
                    corpus->skipped == 1 ? "" : "s", corpus->skipped == 1 ? "was" : "were",
                    unknown == UNKNOWN_SKIP ? "left out" : "replaced by a space, or by its first symbol");
    if (corpus->byte_order_mark)
        report_note(command, "a byte-order mark at the start was dropped");
}
