#include "model/mistakes.h"

#include <stddef.h>

const char *const mistake_names[] = {
    "none", "no-scale", "diagonal-softmax", "later-queries", "sum", "channels", "adam-step", NULL,
};

const char *const mistake_meanings[] = {
    "nothing is wrong",
    "the gradient of the scores lacks 1/sqrt(H)",
    "the softmax's Jacobian is its diagonal alone: A (1 - A) d_A",
    "keys and values learn from their own query alone, not from later ones",
    "the gradient of the sum of the losses, not of their mean",
    "the gradient of the scores has 1/sqrt(C) for 1/sqrt(H)",
    "Adam's step is counted with each tensor, not once for all",
    NULL,
};
