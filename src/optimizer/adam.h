/* adam.h -- Adam with bias correction, decoupled weight decay, and a limit on the gradient's norm.
 *
 *   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
 *   w -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) + rate decay w        t = 1, 2, ...
 *
 * Source: Kingma and Ba, "Adam", 2015; decay as in Loshchilov and Hutter, "Decoupled weight decay", 2019. t
 * advances once a step, for all tensors. Constant tensors are left alone. */
#ifndef SOLILOQUY_OPTIMIZER_ADAM_H
#define SOLILOQUY_OPTIMIZER_ADAM_H

#include "model/parameters.h"

#include <stdint.h>

typedef struct AdamSettings {
    double beta1, beta2, epsilon;
    double weight_decay; /* 0: off */
    double clip;         /* the largest allowed norm of the whole gradient; 0: no limit */
} AdamSettings;

typedef struct Adam {
    AdamSettings settings;
    Parameters m, v; /* owned */
    double *squares; /* owned; of each chunk of the gradient, the sum */
    int64_t step;    /* t of the last update; 0 before the first */
} Adam;

bool adam_open(Adam *adam, const ModelConfig *config, AdamSettings settings, Error *error);
void adam_close(Adam *adam);

/* The Euclidean norm of all trained gradients, summed in double in a fixed order. NaN or infinite exactly when
 * some gradient is, or when the squares of floats overflow a double, which they cannot. */
double adam_gradient_norm(const Parameters *gradient);

/* One update; gradient_norm as above (used for the clip). Same bits on any number of threads. */
void adam_update(Adam *adam, Parameters *parameters, const Parameters *gradient, double gradient_norm,
                 double learning_rate, int threads);

/* Both for a parallel region that does more (training/update.h), with the same bits: all threads of a team call them.
 * The norm's return together, each with the norm. The update's do not wait for each other, and leave adam->step to
 * whoever knows that all are done. */
double adam_gradient_norm_team(Adam *adam, const Parameters *gradient);
void adam_update_team(const Adam *adam, Parameters *parameters, const Parameters *gradient, double gradient_norm,
                      double learning_rate);

/* The same update, without a clip, of numbers that are nobody's Parameters: w[0..count) at step t = 1, 2, ... */
void adam_update_numbers(const AdamSettings *settings, int64_t t, double learning_rate, size_t count, real *w,
                         const real *gradient, real *m, real *v);

#endif
