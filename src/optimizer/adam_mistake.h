/* adam_mistake.h -- Adam with a mistake that no gradient check sees: t advances with each tensor.
 *
 * From the second tensor on, the corrections 1 - beta^t belong to a later step. It is here to be refused
 * (model/mistakes.h); training uses optimizer/adam.h. */
#ifndef SOLILOQUY_OPTIMIZER_ADAM_MISTAKE_H
#define SOLILOQUY_OPTIMIZER_ADAM_MISTAKE_H

#include "optimizer/adam.h"

/* As adam_update without a clip, on one thread: one update for each trained tensor, each of which counts as a step. */
void adam_update_by_tensor(Adam *adam, Parameters *parameters, const Parameters *gradient, double learning_rate);

#endif
