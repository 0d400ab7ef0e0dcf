/* checkpoint.h -- a model in a safetensors file, whole enough to train on bit for bit.
 *
 * Tensors carry the names of model/parameters.h, float32, so that the lecture's PyTorch classes load them; a
 * checkpoint to resume from adds Adam's moments as adam.m.NAME and adam.v.NAME. __metadata__ holds strings:
 *   format        pt
 *   version       the program's
 *   config        JSON: context, channels, head_size, vocabulary_size, positions, mask, mixing, scale, bytes
 *   vocabulary    JSON array of code points, or of byte values
 *   training      JSON object, training/settings.h: data, data_hash, validation_fraction, and how it was trained
 *   step          steps done
 *   random_state  counter and increment of the batches' generator, hexadecimal
 *   best_loss, best_step, validation_loss, train_loss_sum, train_loss_count   of the run up to this step
 *   checksum      storage/checksum.h, of everything else; a file that another program wrote may lack it
 * There is no time, no path but the text's, and no thread count in it: the same run gives the same bytes. */
#ifndef SOLILOQUY_STORAGE_CHECKPOINT_H
#define SOLILOQUY_STORAGE_CHECKPOINT_H

#include "base/json.h"
#include "base/random.h"
#include "model/parameters.h"
#include "text/vocabulary.h"

/* Symbols of a vocabulary that surely fit the header of a safetensors file: at most 8 bytes each. */
enum { CHECKPOINT_VOCABULARY_LIMIT = 130000 };

/* Where a run stands. Losses are in nats; NaN where there is none yet. */
typedef struct RunState {
    int64_t step;           /* done */
    Random batches;         /* the generator of the next batch */
    double best_loss;       /* the lowest validation loss so far */
    int64_t best_step;
    double validation_loss; /* of the last evaluation */
    double train_loss_sum;  /* of the steps since the last log line, and how many */
    int64_t train_loss_count;
} RunState;

typedef struct Checkpoint {
    Parameters parameters;
    Vocabulary vocabulary;
    RunState state;
    JsonDocument training;      /* the object above; root is never NULL */
    const char *data;           /* the path of the text it was trained on, as it was given; borrows */
    uint64_t data_hash;         /* text/corpus.h */
    double validation_fraction;
    char version[32];           /* of the program that wrote it; empty where the file does not say */
    bool has_moments;
    Parameters m, v;            /* Adam's moments, when has_moments */
} Checkpoint;

/* Everything that a file is written from; all borrowed. m and v may be NULL. */
typedef struct CheckpointContents {
    const Parameters *parameters, *m, *v;
    const Vocabulary *vocabulary;
    const char *training; /* JSON text */
    RunState state;
} CheckpointContents;

/* Atomic: the old file stands until the new one is complete. Refuses a vocabulary beyond the format's header. */
bool checkpoint_write(const char *path, CheckpointContents contents, Error *error);

/* Strict: the checksum, shapes against config, vocabulary against its size, all numbers finite, nothing unknown.
 * MODEL may be the file, or a run directory, whose best.safetensors (or else last.safetensors) is read. On failure
 * nothing is held. */
bool checkpoint_open(Checkpoint *checkpoint, const char *model, Error *error);

void checkpoint_close(Checkpoint *checkpoint);

#endif
