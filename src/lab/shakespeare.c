#include "lab/shakespeare.h"

#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

const char shakespeare_missing[] = "no tinyshakespeare.txt in the --data folder; scripts/fetch_shakespeare.sh gets it";

bool shakespeare_open(Corpus *corpus, const Lab *lab, bool *there, Error *error)
{
    *corpus = (Corpus){0};
    char *path = path_join(lab->data, "tinyshakespeare.txt");
    if (path == NULL)
        return error_set(error, "no memory for a path");
    *there = access(path, F_OK) == 0;
    bool opened = !*there || corpus_open(corpus, path, false, error);
    free(path);
    return opened;
}
