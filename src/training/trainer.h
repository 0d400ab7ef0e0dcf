/* trainer.h -- a model being trained: its numbers, its optimizer, its text, and one step at a time.
 *
 * The streams of a seed, in this order: the initialisation's, the batches'. */
#ifndef SOLILOQUY_TRAINING_TRAINER_H
#define SOLILOQUY_TRAINING_TRAINER_H

#include "storage/checkpoint.h"
#include "text/corpus.h"
#include "training/settings.h"
#include "training/update.h"

typedef struct Trainer {
    TrainingSettings settings;
    const Vocabulary *vocabulary; /* borrowed */
    Ids training, validation;     /* views of the corpus; validation may be empty */
    Parameters parameters;
    Update update;
    RunState state;
    int threads; /* in use */
} Trainer;

/* The first symbol of the validation split: the training text is (1 - fraction) of the whole, rounded down. */
size_t trainer_split(size_t count, double validation_fraction);

/* How many of `threads` a step of this size uses: one where sharing it would cost more time than it saves, and never
 * more than a step has shards: each takes memory of its own. */
int trainer_threads(const ModelConfig *config, int batch_size, int threads);

/* The memory that trainer_open would take, in bytes. */
size_t trainer_bytes(const ModelConfig *config, int batch_size, int threads, Precision precision);

/* Refuses what the machine's memory cannot hold, naming both sizes and the options to change. */
bool trainer_check_memory(const ModelConfig *config, int batch_size, int threads, Precision precision, Error *error);

/* A new model, initialised from the settings' seed. Refuses sizes beyond the machine's memory, and a text whose
 * splits are too short for the context, saying the sizes and which option to change. Borrows corpus and the settings'
 * strings until trainer_close. */
bool trainer_open(Trainer *trainer, const ModelConfig *config, const TrainingSettings *settings, const Corpus *corpus,
                  int threads, Error *error);

/* Takes over weights, moments and state of a checkpoint that trainer_save wrote with moments, of the same config. */
bool trainer_restore(Trainer *trainer, const Checkpoint *checkpoint, Error *error);

void trainer_close(Trainer *trainer);

/* One step. A loss or gradient that is not finite is refused before it reaches the weights; the message names the
 * step and the first bad tensor. */
bool trainer_step(Trainer *trainer, StepReport *report, Error *error);

/* The mean loss over the whole validation split, in nats a character, into state.validation_loss; notes a new best.
 * *best says whether it is one. Fails when the loss is not finite. Without a validation split it stays NaN. */
bool trainer_validate(Trainer *trainer, bool *best, Error *error);

/* Writes a checkpoint, with Adam's moments where it shall be resumed from. Refuses numbers that are not finite. */
bool trainer_save(const Trainer *trainer, const char *path, bool with_moments, Error *error);

#endif
