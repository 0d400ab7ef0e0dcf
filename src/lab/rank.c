/* rank.c -- scores factor through R^d_k: their rank is at most d_k, however many tokens there are. */
#include "kernels/gemm.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "lab/singular_values.h"
#include "lab/source_head.h"
#include "lab/trained.h"

#include <stdlib.h>

enum { N = 32, CHANNELS = 64, HEAD_SIZE = 8, LECTURE_HEADS = 5, MOST_ROWS = 128 };

/* The singular values of a square matrix; the caller frees them. NULL with the error. */
static double *values_of(Matrix scores, Error *error)
{
    int n = scores.rows;
    double *columns = malloc(((size_t)n + 1) * (size_t)n * sizeof *columns), *values = NULL;
    if (columns != NULL)
        values = malloc((size_t)n * sizeof *values);
    bool done = values != NULL;
    if (!done)
        error_set(error, "no memory for the singular values of %d x %d scores", n, n);
    else {
        array_store(scores, columns); /* rows: a transpose has the same singular values */
        done = singular_values(columns, n, n, values);
        if (!done)
            error_set(error, "the singular values of %d x %d scores do not settle: they are not finite", n, n);
    }
    free(columns);
    if (done)
        return values;
    free(values);
    return NULL;
}

/* The stream of exercise 7: seeds 0 to 4 draw a head of 3 x 16 x 32 each in section 4.4, and the last goes on. */
static TorchRandom exercise_stream(void)
{
    TorchRandom random = torch_random_seed(LECTURE_HEADS - 1);
    float weight[16 * 32];
    for (int i = 0; i < 3; i++)
        torch_linear(&random, weight, NULL, 32, 16);
    return random;
}

static bool untrained(Lab *lab, Error *error)
{
    SourceHead head;
    float x[N * CHANNELS];
    TorchRandom random = exercise_stream();
    if (!source_head_open(&head, CHANNELS, HEAD_SIZE, N, false, error))
        return false;
    source_head_draw(&head, &random);
    torch_normal(&random, x, N * CHANNELS);
    source_head_forward(&head, x, N);
    Matrix scores = head.weights; /* the scores in their place, as the softmax takes them */
    multiply(head.inputs.query, head.inputs.key_transposed, scores, NULL);
    double *values = values_of(scores, error);
    source_head_close(&head);
    if (values == NULL)
        return false;
    int rank = singular_rank(values, N, N);
    lab_holds(lab, "the rank of 32 x 32 scores with d_k = 8 is at most 8", rank >= 1 && rank <= HEAD_SIZE,
              "rank = %d; singular values 1, 8, 9: %.2f, %.2f, %.1e", rank, values[0], values[HEAD_SIZE - 1],
              values[HEAD_SIZE]);
    free(values);
    return true;
}

/* All scores that a trained head can give its first characters at its first positions. */
static Matrix score_table(const Trained *trained, Arena *arena)
{
    const Tables *tables = &trained->head.tables;
    HeadTables head = tables_head(tables);
    Matrix parts[2] = {tables_token_part(tables, head.query), tables_position_part(tables, head.query)};
    Matrix keys[2] = {tables_token_part(tables, head.key), tables_position_part(tables, head.key)};
    int rows = 0, H = trained->head.config.head_size;
    for (int i = 0; i < 2; i++) {
        parts[i].rows = keys[i].rows = parts[i].rows < MOST_ROWS ? parts[i].rows : MOST_ROWS;
        rows += parts[i].rows;
    }
    Matrix query = matrix_take(arena, rows, H), key = matrix_take(arena, rows, H);
    Matrix key_transposed = matrix_take(arena, H, rows), scores = matrix_take(arena, rows, rows);
    if (arena->base == NULL)
        return scores;
    for (int i = 0, row = 0; i < 2; row += parts[i++].rows)
        for (int r = 0; r < parts[i].rows; r++)
            for (int h = 0; h < H; h++) {
                matrix_row(query, row + r)[h] = matrix_row(parts[i], r)[h];
                matrix_row(key, row + r)[h] = matrix_row(keys[i], r)[h];
            }
    transpose_copy(key, key_transposed);
    multiply(query, key_transposed, scores, NULL);
    return scores;
}

/* How many of the largest hold nine tenths of the sum of squares. */
static int most_of(const double *values, int n)
{
    double all = 0, sum = 0;
    for (int i = 0; i < n; i++)
        all += values[i] * values[i];
    int count = 0;
    while (count < n && sum < 0.9 * all) {
        sum += values[count] * values[count];
        count++;
    }
    return count;
}

static bool trained_rank(Lab *lab, Error *error)
{
    Trained trained;
    Arena arena = {0};
    if (!trained_open(&trained, lab, error))
        return false;
    double *values = NULL;
    int H = trained.head.config.head_size, n = 0;
    score_table(&trained, &arena);
    if (arena_open(&arena, "the scores of a trained head", error)) {
        Matrix scores = score_table(&trained, &arena);
        n = scores.rows;
        values = values_of(scores, error);
    }
    arena_close(&arena);
    trained_close(&trained);
    if (values == NULL)
        return false;
    int rank = singular_rank(values, n, n);
    lab_holds(lab, "trained head: the scores of its characters and positions have rank at most H", rank <= H,
              "rank = %d of %d x %d scores, H = %d; %d singular values hold nine tenths of the squares", rank, n, n, H,
              most_of(values, n));
    free(values);
    return true;
}

bool lab_rank(Lab *lab, Error *error)
{
    return untrained(lab, error) && (lab->model == NULL || trained_rank(lab, error));
}
