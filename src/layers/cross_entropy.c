#include "layers/cross_entropy.h"

#include "kernels/rows.h"

double cross_entropy_forward(Matrix logits, const int32_t *targets)
{
    return cross_entropy_rows(logits, targets);
}

double cross_entropy_backward(Matrix logits, const int32_t *targets, real weight)
{
    return cross_entropy_rows_backward(logits, targets, weight);
}
