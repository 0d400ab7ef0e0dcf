#include "lab/lesson_queries.h"

#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

static bool is_there(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool there = path == NULL || access(path, F_OK) == 0; /* without memory the reader will say so */
    free(path);
    return there;
}

bool lesson_queries_open(Banking77 *b, const Lab *lab, bool *present, Error *error)
{
    *b = (Banking77){0};
    *present = false;
    char *folder = path_join(lab->data, "banking77");
    if (folder == NULL)
        return error_set(error, "no memory for the name of a folder in %.800s", lab->data);
    *present = is_there(folder, "train.csv") && is_there(folder, "test.csv");
    bool opened = !*present || banking77_open(b, folder, error);
    free(folder);
    return opened;
}
