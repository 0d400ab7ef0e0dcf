/* kernel_trained.h -- how much of a trained head is a positional kernel (002 section 4.5).
 *
 * Of all kernels K[i,j] that are blind to content, the mean of the attention over windows is the nearest in squares:
 *   sum_w |A_w - U|^2 = sum_w |K - U|^2 + sum_w |A_w - K|^2        U: the running mean
 * where the first part is position's and the second content's. */
#ifndef SOLILOQUY_LAB_KERNEL_TRAINED_H
#define SOLILOQUY_LAB_KERNEL_TRAINED_H

#include "lab/lab.h"

/* The rows of the model lab->model over its validation text; with lab->out the kernel as kernel_trained.png, beside
 * the attention of the first window. */
bool kernel_trained(Lab *lab, Error *error);

#endif
