/* update_check.h -- Adam's steps against its equations, in double precision.
 *
 *   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
 *   w -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)        t = 1, 2, 3 for every tensor
 *
 * A gradient check cannot see the optimizer. The error of a tensor is its largest distance from what plain loops make
 * of the same gradients, divided by the Euclidean norm of how far those moved it. Double flavour only. */
#ifndef SOLILOQUY_TRAINING_UPDATE_CHECK_H
#define SOLILOQUY_TRAINING_UPDATE_CHECK_H

#include "model/mistakes.h"
#include "model/step.h"
#include "training/gradient_check.h"

/* Trains `parameters` by three steps, with MISTAKE_ADAM_STEP wrongly; `gradient` is scratch. Adds a row a tensor. */
bool update_check(Step *step, Parameters *parameters, Parameters *gradient, Batch batch, Mistake mistake,
                  GradientCheckResult *result, Error *error);

#endif
