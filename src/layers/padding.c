#include "layers/padding.h"

int padding_of(const int32_t *ids, int count, int32_t padding_id, bool *blocked)
{
    int real_count = 0;
    for (int t = 0; t < count; t++) {
        blocked[t] = ids[t] == padding_id;
        real_count += !blocked[t];
    }
    return real_count;
}

void padding_forward(PaddingMask mask, real fill, Matrix scores)
{
    for (int r = 0; r < scores.rows; r++) {
        const bool *blocked = mask.blocked + r * mask.row_stride;
        real *row = matrix_row(scores, r);
        for (int j = 0; j < scores.columns; j++)
            row[j] = blocked[j] ? fill : row[j];
    }
}

void padding_backward(PaddingMask mask, Matrix d_scores)
{
    padding_forward(mask, 0, d_scores);
}
