#include "lab/rounded.h"

#include <assert.h>
#include <math.h>

double rounded(real value, int decimals)
{
    real power = (real)pow(10, decimals);
    return (double)((real)nearbyint((double)(value * power)) / power);
}

static real element(Matrix m, int row, int column)
{
    return matrix_row(m, row)[column * m.column_stride];
}

double *rounded_matrix(Matrix m, int decimals, double *figures)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            *figures++ = rounded(element(m, r, c), decimals);
    return figures;
}

double largest_difference(Matrix a, Matrix b)
{
    assert(a.rows == b.rows && a.columns == b.columns);
    double largest = 0;
    for (int r = 0; r < a.rows; r++)
        for (int c = 0; c < a.columns; c++) {
            double difference = fabs((double)(element(a, r, c) - element(b, r, c)));
            if (!(difference <= largest))
                largest = difference;
            if (isnan(largest))
                return largest;
        }
    return largest;
}
