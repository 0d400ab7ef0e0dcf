#include "layers/embedding.h"

#include "kernels/lookup.h"

void embedding_forward(Matrix tokens, Matrix positions, const int32_t *row_of, Matrix y)
{
    gather_rows(tokens, row_of, positions, y);
}

void embedding_backward(Matrix d_y, const int32_t *row_of, Matrix d_tokens, Matrix d_positions)
{
    scatter_rows(d_y, row_of, d_tokens, d_positions);
}
