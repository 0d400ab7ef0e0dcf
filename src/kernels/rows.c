#include "kernels/rows.h"

#include "kernels/exponential.h"
#include "kernels/vector.h"

#include <math.h>

/* The whole vectors of a row, and the lanes of the last, partial one. */
KERNEL int whole_columns(int count)
{
    return count - count % VECTOR_LANES;
}

/* The partial vector at `whole`, with `filler` in the lanes beyond count. */
KERNEL Vector load_last(const real *row, int whole, int count, Vector filler)
{
    return vector_select(vector_below(whole, count), vector_load(row + whole), filler);
}

KERNEL real row_largest(const real *row, int count)
{
    Vector first = vector_set(row[0]), largest = first;
    int whole = whole_columns(count);
    for (int j = 0; j < whole; j += VECTOR_LANES)
        largest = vector_maximum(largest, vector_load(row + j));
    if (whole < count)
        largest = vector_maximum(largest, load_last(row, whole, count, first));
    return vector_largest(largest);
}

/* out[j] = exp(scale (row[j] - largest)), 0 in the lanes beyond count; returns their sum. */
KERNEL real row_exponentials(real *out, const real *row, int count, real largest, real scale)
{
    Vector sum = vector_set(0);
    int whole = whole_columns(count);
    for (int j = 0; j < whole; j += VECTOR_LANES) {
        Vector e = exponential((vector_load(row + j) - largest) * scale);
        vector_store(out + j, e);
        sum += e;
    }
    if (whole < count) {
        Vector e = exponential((vector_load(row + whole) - largest) * scale);
        e = vector_select(vector_below(whole, count), e, vector_set(0));
        vector_store(out + whole, e);
        sum += e;
    }
    return vector_sum(sum);
}

KERNEL void row_scale(real *row, int count, real factor)
{
    for (int j = 0; j < count; j += VECTOR_LANES)
        vector_store(row + j, vector_load(row + j) * factor);
}

/* Zeroes the vectors behind the one that holds column count - 1. */
KERNEL void row_clear_after(real *row, int count, int end)
{
    for (int j = whole_columns(count + VECTOR_LANES - 1); j < end; j += VECTOR_LANES)
        vector_store(row + j, vector_set(0));
}

void softmax_row(real *row, int count, int end, real scale)
{
    real sum = row_exponentials(row, row, count, row_largest(row, count), scale);
    row_scale(row, count, 1 / sum);
    row_clear_after(row, count, end);
}

void softmax_row_backward(const real *weights, real *d_row, int count, int end, real scale)
{
    Vector products = vector_set(0);
    for (int j = 0; j < whole_columns(count); j += VECTOR_LANES)
        products += vector_load(weights + j) * vector_load(d_row + j);
    int whole = whole_columns(count);
    if (whole < count)
        products += vector_load(weights + whole) * load_last(d_row, whole, count, vector_set(0));
    real mean = vector_sum(products);
    for (int j = 0; j < whole; j += VECTOR_LANES)
        vector_store(d_row + j, vector_load(weights + j) * (vector_load(d_row + j) - mean) * scale);
    if (whole < count) {
        Vector d = vector_load(weights + whole) * (vector_load(d_row + whole) - mean) * scale;
        vector_store(d_row + whole, vector_select(vector_below(whole, count), d, vector_set(0)));
    }
    row_clear_after(d_row, count, end);
}

double cross_entropy_row(const real *logits, int count, int target)
{
    real largest = row_largest(logits, count);
    Vector sum = vector_set(0);
    int whole = whole_columns(count);
    for (int v = 0; v < whole; v += VECTOR_LANES)
        sum += exponential(vector_load(logits + v) - largest);
    if (whole < count)
        sum += vector_select(vector_below(whole, count), exponential(vector_load(logits + whole) - largest),
                             vector_set(0));
    return log((double)vector_sum(sum)) + (double)(largest - logits[target]);
}

double cross_entropy_row_backward(real *logits, int count, int target, real weight)
{
    real largest = row_largest(logits, count), of_target = logits[target];
    real sum = row_exponentials(logits, logits, count, largest, 1);
    row_scale(logits, count, weight / sum);
    logits[target] -= weight;
    row_clear_after(logits, count, padded(count));
    return log((double)sum) + (double)(largest - of_target);
}

void row_add(real *destination, const real *source, int columns)
{
    for (int j = 0; j < columns; j += VECTOR_LANES)
        vector_store(destination + j, vector_load(destination + j) + vector_load(source + j));
}

void row_sum(real *destination, const real *a, const real *b, int columns)
{
    for (int j = 0; j < columns; j += VECTOR_LANES)
        vector_store(destination + j, vector_load(a + j) + vector_load(b + j));
}

void row_look_up(real *restrict out, const real *restrict row, const int32_t *restrict index, int count)
{
    for (int j = 0; j < count; j++)
        out[j] = row[index[j]];
}

void row_look_up_add(real *restrict out, const real *restrict row, const int32_t *restrict index,
                     const real *restrict addend, int count)
{
    for (int j = 0; j < count; j++)
        out[j] = row[index[j]] + addend[j];
}

void row_collect(real *restrict row, const int32_t *restrict index, const real *restrict values, int count)
{
    for (int j = 0; j < count; j++)
        row[index[j]] += values[j];
}
