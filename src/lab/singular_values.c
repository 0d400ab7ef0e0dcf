#include "lab/singular_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_SWEEPS = 60 };

static double dot(const double *a, const double *b, int m)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Turns two columns in their plane until they are orthogonal; says whether they were not before. */
static bool turn(double *a, double *b, int m)
{
    double aa = dot(a, a, m), bb = dot(b, b, m), ab = dot(a, b, m);
    if (fabs(ab) <= m * DBL_EPSILON * sqrt(aa) * sqrt(bb))
        return false;
    double zeta = (bb - aa) / (2 * ab);
    double tangent = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (int i = 0; i < m; i++) {
        double old = a[i];
        a[i] = cosine * old - sine * b[i];
        b[i] = sine * old + cosine * b[i];
    }
    return true;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

bool singular_values(double *columns, int n, int m, double *values)
{
    bool turned = true;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                turned |= turn(columns + (long)i * m, columns + (long)j * m, m);
    }
    bool finite = true;
    for (int i = 0; i < n; i++) {
        values[i] = sqrt(dot(columns + (long)i * m, columns + (long)i * m, m));
        finite = finite && isfinite(values[i]);
    }
    qsort(values, (size_t)n, sizeof *values, descending);
    return finite && !turned;
}

int singular_rank(const double *values, int n, int larger_side)
{
    int rank = 0;
    while (rank < n && values[rank] > values[0] * larger_side * (double)FLT_EPSILON)
        rank++;
    return rank;
}
