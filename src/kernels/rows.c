#include "kernels/rows.h"

#include "kernels/exponential.h"
#include "kernels/vector.h"

#include <math.h>

/* Rows go through each stage (largest, exponentials, scaling) one after another, so that the stages' latencies overlap
 * between rows: a row's own stages depend on each other. In every loop the last vector alone is masked, also when it is
 * full, so that the number of iterations is the same for many rows and their branches are predicted. */
enum { STAGE_ROWS = 16 };

/* The first column of the vector that holds column count - 1. */
KERNEL int last_vector(int count)
{
    return (count - 1) / VECTOR_LANES * VECTOR_LANES;
}

/* The last vector, with `filler` in the lanes beyond count. */
KERNEL Vector load_last(const real *row, int last, int count, Vector filler)
{
    return vector_select(vector_below(last, count), vector_load(row + last), filler);
}

KERNEL real row_largest(const real *row, int count)
{
    int last = last_vector(count);
    Vector largest = load_last(row, last, count, vector_set(row[0]));
    for (int j = 0; j < last; j += VECTOR_LANES)
        largest = vector_maximum(largest, vector_load(row + j));
    return vector_largest(largest);
}

/* row[j] = exp(scale (row[j] - largest)), 0 in the lanes beyond count; returns their sum. */
KERNEL real row_exponentials(real *row, int count, real largest, real scale)
{
    int last = last_vector(count);
    Vector sum = exponential((vector_load(row + last) - largest) * scale);
    sum = vector_select(vector_below(last, count), sum, vector_set(0));
    vector_store(row + last, sum);
    for (int j = 0; j < last; j += VECTOR_LANES) {
        Vector e = exponential((vector_load(row + j) - largest) * scale);
        vector_store(row + j, e);
        sum += e;
    }
    return vector_sum(sum);
}

/* Scales the vectors that hold count columns and zeroes those behind them. */
KERNEL void row_scale(real *row, int count, int end, real factor)
{
    int last = last_vector(count);
    for (int j = 0; j <= last; j += VECTOR_LANES)
        vector_store(row + j, vector_load(row + j) * factor);
    for (int j = last + VECTOR_LANES; j < end; j += VECTOR_LANES)
        vector_store(row + j, vector_set(0));
}

void softmax_rows(Matrix rows, int visible, real scale)
{
    for (int first = 0; first < rows.rows; first += STAGE_ROWS) {
        real stage[STAGE_ROWS];
        int end = smaller(rows.rows, first + STAGE_ROWS);
        for (int r = first; r < end; r++)
            stage[r - first] = row_largest(matrix_row(rows, r), smaller(rows.columns, visible + r));
        for (int r = first; r < end; r++)
            stage[r - first] = row_exponentials(matrix_row(rows, r), smaller(rows.columns, visible + r),
                                                stage[r - first], scale);
        for (int r = first; r < end; r++)
            row_scale(matrix_row(rows, r), smaller(rows.columns, visible + r), rows.columns, 1 / stage[r - first]);
    }
}

void softmax_rows_backward(Matrix weights, Matrix d_rows, int visible, real scale)
{
    for (int r = 0; r < d_rows.rows; r++) {
        const real *w = matrix_row(weights, r);
        real *d = matrix_row(d_rows, r);
        int count = smaller(d_rows.columns, visible + r), last = last_vector(count);
        Vector d_last = load_last(d, last, count, vector_set(0)), products = vector_load(w + last) * d_last;
        for (int j = 0; j < last; j += VECTOR_LANES)
            products += vector_load(w + j) * vector_load(d + j);
        real mean = vector_sum(products);
        for (int j = 0; j < last; j += VECTOR_LANES)
            vector_store(d + j, vector_load(w + j) * (vector_load(d + j) - mean) * scale);
        d_last = vector_load(w + last) * (d_last - mean) * scale;
        vector_store(d + last, vector_select(vector_below(last, count), d_last, vector_set(0)));
        for (int j = last + VECTOR_LANES; j < d_rows.columns; j += VECTOR_LANES)
            vector_store(d + j, vector_set(0));
    }
}

/* ln of a product of STAGE_ROWS sums: each is between 1 and the number of columns, so that none can overflow. */
KERNEL double log_of_product(const real sums[STAGE_ROWS], int count)
{
    double product = 1;
    for (int r = 0; r < count; r++)
        product *= (double)sums[r];
    return log(product);
}

/* The largest logit of each row, and the sum of what the targets lack of it. */
KERNEL double stage_largest(Matrix logits, const int32_t *targets, real largest[STAGE_ROWS])
{
    double missing = 0;
    for (int r = 0; r < logits.rows; r++) {
        const real *row = matrix_row(logits, r);
        largest[r] = row_largest(row, logits.columns);
        missing += (double)(largest[r] - row[targets[r]]);
    }
    return missing;
}

double cross_entropy_rows(Matrix logits, const int32_t *targets)
{
    double loss = 0;
    int columns = logits.columns, last = last_vector(columns);
    for (int first = 0; first < logits.rows; first += STAGE_ROWS) {
        real stage[STAGE_ROWS];
        int count = smaller(logits.rows - first, STAGE_ROWS);
        loss += stage_largest(matrix_rows(logits, first, count), targets + first, stage);
        for (int r = 0; r < count; r++) {
            const real *row = matrix_row(logits, first + r);
            Vector sum = exponential(vector_load(row + last) - stage[r]);
            sum = vector_select(vector_below(last, columns), sum, vector_set(0));
            for (int v = 0; v < last; v += VECTOR_LANES)
                sum += exponential(vector_load(row + v) - stage[r]);
            stage[r] = vector_sum(sum);
        }
        loss += log_of_product(stage, count);
    }
    return loss;
}

double cross_entropy_rows_backward(Matrix logits, const int32_t *targets, real weight)
{
    double loss = 0;
    int columns = logits.columns;
    for (int first = 0; first < logits.rows; first += STAGE_ROWS) {
        real stage[STAGE_ROWS];
        int count = smaller(logits.rows - first, STAGE_ROWS);
        loss += stage_largest(matrix_rows(logits, first, count), targets + first, stage);
        for (int r = 0; r < count; r++)
            stage[r] = row_exponentials(matrix_row(logits, first + r), columns, stage[r], 1);
        loss += log_of_product(stage, count);
        for (int r = 0; r < count; r++) {
            real *row = matrix_row(logits, first + r);
            row_scale(row, columns, padded(columns), weight / stage[r]);
            row[targets[first + r]] -= weight;
        }
    }
    return loss;
}

void row_add(real *destination, const real *source, int columns)
{
    for (int j = 0; j < columns; j += VECTOR_LANES)
        vector_store(destination + j, vector_load(destination + j) + vector_load(source + j));
}

void row_add_both(real *first, real *second, const real *source, int columns)
{
    for (int j = 0; j < columns; j += VECTOR_LANES) {
        Vector x = vector_load(source + j);
        vector_store(first + j, vector_load(first + j) + x);
        vector_store(second + j, vector_load(second + j) + x);
    }
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
