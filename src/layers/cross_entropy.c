#include "layers/cross_entropy.h"

#include "kernels/rows.h"

double cross_entropy_forward(Matrix logits, bool last_is_zero, const int32_t *targets)
{
    return cross_entropy_rows(logits, last_is_zero, targets);
}

double cross_entropy_backward(Matrix logits, bool last_is_zero, const int32_t *targets, real weight)
{
    return cross_entropy_rows_backward(logits, last_is_zero, targets, weight);
}
