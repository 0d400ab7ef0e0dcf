#include "layers/pooling.h"

#include "kernels/rows.h"

#include <assert.h>
#include <string.h>

static bool is_real(const bool *blocked, int token)
{
    return blocked == NULL || !blocked[token];
}

/* 1/n of the sequence whose first token is `first`. */
static real share(const bool *blocked, int first, int tokens)
{
    int count = 0;
    for (int t = first; t < first + tokens; t++)
        count += is_real(blocked, t);
    assert(count > 0);
    return (real)1 / (real)count;
}

void pooling_forward(Matrix x, const bool *blocked, Matrix y)
{
    assert(y.rows > 0 && x.rows % y.rows == 0);
    int tokens = x.rows / y.rows;
    for (int b = 0; b < y.rows; b++) {
        real *mean = matrix_row(y, b), factor = share(blocked, b * tokens, tokens);
        memset(mean, 0, (size_t)y.columns * sizeof(real));
        for (int t = b * tokens; t < (b + 1) * tokens; t++)
            if (is_real(blocked, t))
                row_add(mean, matrix_row(x, t), y.columns);
        for (int c = 0; c < y.columns; c++)
            mean[c] *= factor;
    }
}

void pooling_backward(Matrix d_y, const bool *blocked, Matrix d_x)
{
    assert(d_y.rows > 0 && d_x.rows % d_y.rows == 0);
    int tokens = d_x.rows / d_y.rows;
    for (int b = 0; b < d_y.rows; b++) {
        const real *d_mean = matrix_row(d_y, b);
        real factor = share(blocked, b * tokens, tokens);
        for (int t = b * tokens; t < (b + 1) * tokens; t++) {
            real *d_token = matrix_row(d_x, t), weight = is_real(blocked, t) ? factor : 0;
            for (int c = 0; c < d_y.columns; c++)
                d_token[c] = weight * d_mean[c];
        }
    }
}
