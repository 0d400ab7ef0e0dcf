#include "kernels/rows.h"

#include "kernels/exponential.h"
#include "kernels/square.h"
#include "kernels/vector.h"

#include <math.h>
#include <string.h>

/* Rows go through each stage (largest, exponentials, scaling) VECTOR_LANES at a time: their latencies overlap, and lane
 * r of one vector holds what belongs to row r. In every loop the last vector alone is masked, also when it is full, so
 * that the number of iterations is the same for many rows and their branches are predicted. */
enum { STAGE_ROWS = VECTOR_LANES };

/* A number for each row of a stage, where a row can broadcast its own. */
typedef struct Stage {
    real of_row[STAGE_ROWS];
} Stage;

KERNEL Stage stage_of(Vector x)
{
    Stage stage;
    vector_store(stage.of_row, x);
    return stage;
}

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

/* Lane by lane, the largest of a row's vectors. */
KERNEL Vector row_largest(const real *row, int count)
{
    int last = last_vector(count);
    Vector largest = load_last(row, last, count, vector_set(row[0]));
    for (int j = 0; j < last; j += VECTOR_LANES)
        largest = vector_maximum(largest, vector_load(row + j));
    return largest;
}

/* row[j] = exp(scale (row[j] - largest)), 0 in the lanes beyond count; returns their sums, lane by lane. */
KERNEL Vector row_exponentials(real *row, int count, real largest, real scale)
{
    int last = last_vector(count);
    Vector sum = exponential((vector_load(row + last) - largest) * scale);
    sum = vector_clear(~vector_below(last, count), sum);
    vector_store(row + last, sum);
    for (int j = 0; j < last; j += VECTOR_LANES) {
        Vector e = exponential((vector_load(row + j) - largest) * scale);
        vector_store(row + j, e);
        sum += e;
    }
    return sum;
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

/* Rows that a stage does not have count as zeros. */
KERNEL void clear_missing(Vector square[STAGE_ROWS], int rows)
{
    for (int r = rows; r < STAGE_ROWS; r++)
        square[r] = vector_set(0);
}

static void softmax_stage(Matrix rows, int visible, real scale)
{
    Vector square[STAGE_ROWS];
    clear_missing(square, rows.rows);
    for (int r = 0; r < rows.rows; r++)
        square[r] = row_largest(matrix_row(rows, r), smaller(rows.columns, visible + r));
    Stage largest = stage_of(square_largest(square));
    clear_missing(square, rows.rows);
    for (int r = 0; r < rows.rows; r++)
        square[r] = row_exponentials(matrix_row(rows, r), smaller(rows.columns, visible + r), largest.of_row[r], scale);
    Stage factor = stage_of(1 / square_sums(square));
    for (int r = 0; r < rows.rows; r++)
        row_scale(matrix_row(rows, r), smaller(rows.columns, visible + r), rows.columns, factor.of_row[r]);
}

void softmax_rows(Matrix rows, int visible, real scale)
{
    for (int r = 0; r < rows.rows; r += STAGE_ROWS)
        softmax_stage(matrix_rows(rows, r, smaller(rows.rows - r, STAGE_ROWS)), visible + r, scale);
}

/* Lane by lane, the sum of weights[j] d[j] over a row's vectors. */
KERNEL Vector row_products(const real *weights, const real *d, int count)
{
    int last = last_vector(count);
    Vector products = vector_load(weights + last) * load_last(d, last, count, vector_set(0));
    for (int j = 0; j < last; j += VECTOR_LANES)
        products += vector_load(weights + j) * vector_load(d + j);
    return products;
}

KERNEL void row_softmax_backward(const real *weights, real *d, int count, int end, real mean, real scale)
{
    int last = last_vector(count);
    for (int j = 0; j < last; j += VECTOR_LANES)
        vector_store(d + j, vector_load(weights + j) * (vector_load(d + j) - mean) * scale);
    Vector d_last = vector_load(weights + last) * (vector_load(d + last) - mean) * scale;
    vector_store(d + last, vector_select(vector_below(last, count), d_last, vector_set(0)));
    for (int j = last + VECTOR_LANES; j < end; j += VECTOR_LANES)
        vector_store(d + j, vector_set(0));
}

void softmax_rows_backward(Matrix weights, Matrix d_rows, int visible, real scale)
{
    for (int first = 0; first < d_rows.rows; first += STAGE_ROWS) {
        int count = smaller(d_rows.rows - first, STAGE_ROWS);
        Vector square[STAGE_ROWS];
        clear_missing(square, count);
        for (int r = 0; r < count; r++)
            square[r] = row_products(matrix_row(weights, first + r), matrix_row(d_rows, first + r),
                                     smaller(d_rows.columns, visible + first + r));
        Stage mean = stage_of(square_sums(square));
        for (int r = 0; r < count; r++)
            row_softmax_backward(matrix_row(weights, first + r), matrix_row(d_rows, first + r),
                                 smaller(d_rows.columns, visible + first + r), d_rows.columns, mean.of_row[r], scale);
    }
}

/* The largest logit of each row, and in *missing the sum of what the targets lack of it. */
KERNEL Stage largest_logits(Matrix logits, bool last_is_zero, const int32_t *targets, double *missing)
{
    Vector square[STAGE_ROWS];
    clear_missing(square, logits.rows);
    for (int r = 0; r < logits.rows; r++)
        square[r] = row_largest(matrix_row(logits, r), logits.columns);
    Vector largest = square_largest(square);
    Stage stage = stage_of(last_is_zero ? vector_maximum(vector_set(0), largest) : largest);
    double sum = 0;
    for (int r = 0; r < logits.rows; r++) {
        real target = targets[r] < logits.columns ? matrix_row(logits, r)[targets[r]] : 0;
        sum += (double)(stage.of_row[r] - target);
    }
    *missing = sum;
    return stage;
}

/* Adds the last logit's exponential where it is not stored; returns the sums, and in *loss their logarithms' sum. */
KERNEL Vector finish_sums(Vector square[STAGE_ROWS], bool last_is_zero, Stage largest, int rows, double *loss)
{
    clear_missing(square, rows);
    Vector sums = square_sums(square);
    if (last_is_zero)
        sums += exponential(-vector_load(largest.of_row));
    Stage sum = stage_of(sums);
    double product = 1; /* each factor is between 1 and the number of symbols: too few to overflow */
    for (int r = 0; r < rows; r++)
        product *= (double)sum.of_row[r];
    *loss += log(product);
    return sums;
}

static double loss_of_stage(Matrix logits, bool last_is_zero, const int32_t *targets)
{
    double loss;
    int columns = logits.columns, last = last_vector(columns);
    Stage largest = largest_logits(logits, last_is_zero, targets, &loss);
    Vector square[STAGE_ROWS];
    for (int r = 0; r < logits.rows; r++) {
        const real *row = matrix_row(logits, r);
        Vector sum = exponential(vector_load(row + last) - largest.of_row[r]);
        sum = vector_select(vector_below(last, columns), sum, vector_set(0));
        for (int v = 0; v < last; v += VECTOR_LANES)
            sum += exponential(vector_load(row + v) - largest.of_row[r]);
        square[r] = sum;
    }
    finish_sums(square, last_is_zero, largest, logits.rows, &loss);
    return loss;
}

double cross_entropy_rows(Matrix logits, bool last_is_zero, const int32_t *targets)
{
    double loss = 0;
    for (int r = 0; r < logits.rows; r += STAGE_ROWS)
        loss += loss_of_stage(matrix_rows(logits, r, smaller(logits.rows - r, STAGE_ROWS)), last_is_zero, targets + r);
    return loss;
}

static double gradient_of_stage(Matrix logits, bool last_is_zero, const int32_t *targets, real weight)
{
    double loss;
    int columns = logits.columns;
    Stage largest = largest_logits(logits, last_is_zero, targets, &loss);
    Vector square[STAGE_ROWS];
    for (int r = 0; r < logits.rows; r++)
        square[r] = row_exponentials(matrix_row(logits, r), columns, largest.of_row[r], 1);
    Stage factor = stage_of(weight / finish_sums(square, last_is_zero, largest, logits.rows, &loss));
    for (int r = 0; r < logits.rows; r++) {
        real *row = matrix_row(logits, r);
        row_scale(row, columns, padded(columns), factor.of_row[r]);
        if (targets[r] < columns)
            row[targets[r]] -= weight;
    }
    return loss;
}

double cross_entropy_rows_backward(Matrix logits, bool last_is_zero, const int32_t *targets, real weight)
{
    double loss = 0;
    for (int r = 0; r < logits.rows; r += STAGE_ROWS)
        loss += gradient_of_stage(matrix_rows(logits, r, smaller(logits.rows - r, STAGE_ROWS)), last_is_zero,
                                  targets + r, weight);
    return loss;
}

real row_total(const real *row, int columns)
{
    int last = last_vector(columns);
    Vector square[STAGE_ROWS] = {load_last(row, last, columns, vector_set(0))};
    for (int j = 0; j < last; j += VECTOR_LANES)
        square[0] += vector_load(row + j);
    return square_sums(square)[0];
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
