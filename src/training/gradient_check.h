/* gradient_check.h -- every gradient against central differences, in double precision.
 *
 *   dL/dw ~ (8 (L(w+h) - L(w-h)) - (L(w+2h) - L(w-2h))) / (12 h)      its own error is of order h^4
 *
 * The error of a tensor is max |analytic - numeric| over the checked entries, divided by the larger of the two
 * gradients' Euclidean norms: a flipped sign, a missing factor or a dropped term cannot hide, nor can a NaN.
 *
 * The check runs in the double flavour of the very sources that train (base/real.h): this is the one function of
 * that flavour that the program sees, so no type here depends on `real`. */
#ifndef SOLILOQUY_TRAINING_GRADIENT_CHECK_H
#define SOLILOQUY_TRAINING_GRADIENT_CHECK_H

#include "base/error.h"
#include "model/config.h"
#include "model/mistakes.h"

#include <stdint.h>

enum { GRADIENT_CHECK_TENSORS = 7 };

#define GRADIENT_CHECK_LIMIT 1e-6 /* the largest relative error that passes */

typedef struct GradientCheckRequest {
    ModelConfig config;
    bool linear_first, score_table; /* where the movable products stand: TablesPlan of model/tables.h */
    int batch, length;       /* windows and their length */
    const int32_t *inputs, *targets; /* [batch, length] */
    const float *parameters; /* all tensors in the order of model/parameters.h, or NULL: initialised from seed */
    const double *gradient;  /* NULL: the program's own; otherwise the gradient to judge, in the same order */
    Mistake mistake;         /* where gradient is NULL: one that the gradient is computed with (model/plain_step.h) */
    bool update;             /* judges steps of Adam instead, with or without its mistake (training/update_check.h) */
    uint64_t seed;           /* of the initialisation and of the sample of entries */
    int entries;             /* tensors with more entries are sampled: half at random, half the largest */
    int threads;
} GradientCheckRequest;

typedef struct GradientCheckRow {
    const char *tensor;
    int64_t entries; /* checked */
    double error;    /* relative; NaN when anything was not finite */
    double norm;     /* of the analytic gradient */
    bool passed;     /* error <= GRADIENT_CHECK_LIMIT */
} GradientCheckRow;

typedef struct GradientCheckResult {
    GradientCheckRow rows[GRADIENT_CHECK_TENSORS]; /* one for each trained tensor */
    int row_count;
    double loss; /* nats */
} GradientCheckResult;

/* Fails when memory is out or the config is refused; a wrong gradient is a result, not a failure. */
bool gradient_check_double(const GradientCheckRequest *request, GradientCheckResult *result, Error *error);

#endif
