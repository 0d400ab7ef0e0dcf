/* evaluation.h -- the loss of a whole text, over the same windows every time: what `train` and `score` report.
 *
 *   window w: inputs ids[wT .. wT+T), targets ids[wT+1 .. wT+T+1); the last window may be shorter
 *
 * Windows do not overlap, so that each character but the first is predicted exactly once; nothing is drawn. */
#ifndef SOLILOQUY_MODEL_EVALUATION_H
#define SOLILOQUY_MODEL_EVALUATION_H

#include "model/step.h"
#include "text/ids.h"

/* A batch limit of a step that keeps all threads busy on a text of `count` characters. */
int evaluation_batch(int context, size_t count);

/* *mean_loss is in nats a prediction, of which there are ids.count - 1. Takes step->batch_limit windows at a time; the
 * same bits on any number of threads. Fails on a text of fewer than two characters and when memory is out. */
bool evaluation_loss(Step *step, const Parameters *parameters, Ids ids, double *mean_loss, Error *error);

#endif
