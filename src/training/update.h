/* update.h -- one training step: a batch is drawn, its gradient taken, and the weights follow it.
 *
 *   batch -> loss and gradient -> norm -> Adam
 *
 * All of it in one parallel region, in which nothing is allocated; the same bits on any number of threads. */
#ifndef SOLILOQUY_TRAINING_UPDATE_H
#define SOLILOQUY_TRAINING_UPDATE_H

#include "model/step.h"
#include "optimizer/adam.h"
#include "text/ids.h"

/* All that a step needs beside the weights and the text. */
typedef struct Update {
    Parameters gradient; /* of the last step */
    Adam adam;
    Step step;
    int batch_size;            /* B */
    int32_t *inputs, *targets; /* [B,T] */
    Arena memory;              /* owned: inputs and targets */
} Update;

/* What a step did. */
typedef struct StepReport {
    double loss;          /* nats a character, before the update */
    double gradient_norm; /* before any clip */
    double learning_rate;
} StepReport;

/* The memory that update_open would take, in bytes; SIZE_MAX where it overflows. */
size_t update_bytes(const ModelConfig *config, int batch_size, int threads, Precision precision);

bool update_open(Update *update, const ModelConfig *config, AdamSettings settings, int batch_size, int threads,
                 Precision precision, Error *error);
void update_close(Update *update);

/* One step on windows of the text, whose starts the stream `batches` draws, at report->learning_rate; fills the rest
 * of the report. False when the loss or the norm is not finite: then the weights and the moments are as they were. */
bool update_run(Update *update, Parameters *parameters, Ids text, Random *batches, StepReport *report);

#endif
