#include "layers/cross_entropy.h"

#include "kernels/rows.h"

double cross_entropy_forward(Matrix logits, const int32_t *targets)
{
    double loss = 0;
    for (int r = 0; r < logits.rows; r++)
        loss += cross_entropy_row(matrix_row(logits, r), logits.columns, targets[r]);
    return loss;
}

double cross_entropy_backward(Matrix logits, const int32_t *targets, real weight)
{
    double loss = 0;
    for (int r = 0; r < logits.rows; r++)
        loss += cross_entropy_row_backward(matrix_row(logits, r), logits.columns, targets[r], weight);
    return loss;
}
