#include "layers/positions.h"

#include <math.h>

void positions_sinusoidal(Matrix table)
{
    for (int p = 0; p < table.rows; p++)
        for (int c = 0; c < table.columns; c++) {
            double pair = c / 2 * 2; /* 2i, for both members of a pair */
            double angle = p / pow(10000, pair / table.columns);
            matrix_row(table, p)[c] = (real)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
}
