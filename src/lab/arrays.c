#include "lab/arrays.h"

#include <math.h>

void array_load(const float *from, Matrix m)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] = (real)*from++;
}

void array_load_doubles(const double *from, Matrix m)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] = (real)*from++;
}

void array_store(Matrix m, double *to)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            *to++ = (double)matrix_row(m, r)[c];
}

/* Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4, 1962. */
void moments_add(Moments *m, double value)
{
    double off = value - m->mean;
    m->count++;
    m->mean += off / (double)m->count;
    m->squares += off * (value - m->mean);
    if (m->count == 1 || isnan(value) || value < m->smallest)
        m->smallest = value;
    if (m->count == 1 || isnan(value) || value > m->largest)
        m->largest = value;
}

double moments_variance(const Moments *m)
{
    return m->squares / (double)m->count;
}

double moments_sample_variance(const Moments *m)
{
    return m->squares / (double)(m->count - 1);
}

double moments_distance(const Moments *m, double point)
{
    double below = fabs(m->smallest - point), above = fabs(m->largest - point);
    return below > above ? below : above; /* a NaN is in both */
}

Moments array_moments(Matrix m)
{
    Moments moments = {0};
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            moments_add(&moments, (double)matrix_row(m, r)[c]);
    return moments;
}

Moments row_sum_moments(Matrix m)
{
    Moments moments = {0};
    for (int r = 0; r < m.rows; r++) {
        double sum = 0;
        for (int c = 0; c < m.columns; c++)
            sum += (double)matrix_row(m, r)[c];
        moments_add(&moments, sum);
    }
    return moments;
}

double row_entropy(const real *weights, int columns, double tiny)
{
    double sum = 0;
    for (int c = 0; c < columns; c++)
        if (weights[c] != 0)
            sum -= (double)weights[c] * log((double)weights[c] + tiny);
    return sum;
}

int row_largest(const real *row, int columns)
{
    int largest = 0;
    for (int c = 1; c < columns; c++)
        if (row[c] > row[largest])
            largest = c;
    return largest;
}
