/* settings.h -- how a model is trained: everything that decides its numbers, kept in the checkpoint.
 *
 * Two runs of equal settings, model and text give the same bits. Threads, time limits and places of files are not
 * settings. */
#ifndef SOLILOQUY_TRAINING_SETTINGS_H
#define SOLILOQUY_TRAINING_SETTINGS_H

#include "base/json.h"
#include "model/tables.h"
#include "optimizer/adam.h"
#include "optimizer/schedule.h"

typedef struct TrainingSettings {
    int batch_size;             /* B: windows a step */
    Schedule schedule;          /* its steps are the run's */
    AdamSettings adam;
    Precision precision;        /* of the step's products */
    uint64_t seed;              /* of initialisation and batches */
    double validation_fraction; /* of the text, at its end; 0: none */
    int64_t eval_every;         /* steps between evaluations */
    const char *data;           /* the text's path as given; borrowed */
    uint64_t data_hash;         /* text/corpus.h */
} TrainingSettings;

/* One JSON object on one line. */
void settings_write(FILE *stream, const TrainingSettings *settings);

/* Reads what settings_write wrote; strings borrow from `object`. */
bool settings_read(TrainingSettings *settings, const JsonValue *object, Error *error);

#endif
