#include "lab/trained.h"

#include "base/file.h"
#include "training/trainer.h"

#include <stdlib.h>

/* True when it is the model's own text; the corpus is then open. */
static bool try_text(Trained *trained, const char *path, Error *error)
{
    if (!corpus_open_with(&trained->corpus, path, &trained->checkpoint.vocabulary, UNKNOWN_SKIP, error))
        return false;
    if (trained->corpus.hash == trained->checkpoint.data_hash)
        return true;
    corpus_close(&trained->corpus);
    return error_set(error, "%.800s is not the text the model was trained on", path);
}

static bool open_text(Trained *trained, const Lab *lab, Error *error)
{
    const char *remembered = trained->checkpoint.data;
    Error first = {0}, second = {0};
    char *path = path_join(lab->data, "tinyshakespeare.txt");
    if (path == NULL)
        return error_set(error, "no memory for a path");
    bool opened = try_text(trained, path, &first) || try_text(trained, remembered, &second);
    free(path);
    if (!opened)
        return error_set(error, "the model's text is not there: %.400s; %.400s", first.message, second.message);
    size_t count = trained->corpus.ids.count;
    size_t split = trainer_split(count, trained->checkpoint.validation_fraction);
    split = split < count ? split : 0;
    trained->validation = ids_slice(trained->corpus.ids, split, count - split);
    return true;
}

bool trained_open(Trained *trained, const Lab *lab, Error *error)
{
    *trained = (Trained){0};
    if (!checkpoint_open(&trained->checkpoint, lab->model, error))
        return false;
    if (open_text(trained, lab, error)) {
        if (head_open(&trained->head, &trained->checkpoint.parameters, error))
            return true;
        corpus_close(&trained->corpus);
    }
    checkpoint_close(&trained->checkpoint);
    *trained = (Trained){0};
    return false;
}

void trained_close(Trained *trained)
{
    head_close(&trained->head);
    corpus_close(&trained->corpus);
    checkpoint_close(&trained->checkpoint);
    *trained = (Trained){0};
}

size_t trained_windows(const Trained *trained)
{
    size_t T = (size_t)trained->head.config.context;
    return (trained->validation.count + T - 1) / T;
}

int trained_window(const Trained *trained, size_t index, int32_t *ids)
{
    size_t T = (size_t)trained->head.config.context, first = index * T, left = trained->validation.count - first;
    int n = (int)(left < T ? left : T);
    ids_copy(trained->validation, first, (size_t)n, ids);
    return n;
}
