/* cost.c -- 003, "The Cost of a Square Matrix": one matrix of n x n weights, and the same layer by blocks of rows.
 *
 * Bytes are exact. Times are another machine's: ours stand beside them and no verdict hangs on them, but on how they
 * grow. Both ways run on one thread. */
#include "base/clock.h"
#include "kernels/transpose.h"
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "lab/table_file.h"
#include "lab/torch_random.h"
#include "layers/attention.h"
#include "model/pass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LENGTHS = 6, D = 64, BLOCK = PASS_BLOCK_ROWS, MOST_CALLS = 5, FEWEST_CALLS = 2 };

static const double patience = 0.5; /* seconds, after which no further call of a kind is made */

static const struct {
    int length;
    const char *printed, *milliseconds;
} rows[LENGTHS] = {
    {48, "(1, 48, 48) 9216 12288", "1.3"},
    {512, "(1, 512, 512) 1048576 131072", "2.0"},
    {1024, "(1, 1024, 1024) 4194304 262144", "4.5"},
    {2048, "(1, 2048, 2048) 16777216 524288", "9.2"},
    {4096, "(1, 4096, 4096) 67108864 1048576", "49.7"},
    {8192, "(1, 8192, 8192) 268435456 2097152", "203.7"},
};

/* One way to run the layer at one length: all rows at once, or a block of them at a time. */
typedef struct Way {
    int block;                        /* rows of weights that are held */
    Matrix x, x_transposed;           /* [n,D], [D,n] */
    Matrix weights, output;           /* [block,n], [n,D] */
    Arena memory;                     /* owned: everything above */
    double seconds;                   /* of the fastest call, on the clock */
    double processor;                 /* and in processor time, which other programs do not lengthen */
} Way;

static void layout(Way *way, int n)
{
    way->x = matrix_take(&way->memory, n, D);
    way->x_transposed = matrix_take(&way->memory, D, n);
    way->weights = matrix_take(&way->memory, way->block, n);
    way->output = matrix_take(&way->memory, n, D);
}

static bool way_open(Way *way, int n, int block, const float *x, Error *error)
{
    *way = (Way){.block = block < n ? block : n};
    layout(way, n);
    if (!arena_open(&way->memory, "attention over a long sequence", error))
        return false;
    layout(way, n);
    array_load(x, way->x);
    transpose_copy(way->x, way->x_transposed);
    return true;
}

/* The source's attention(x, x, x). */
static void way_call(Way *way)
{
    int n = way->x.rows;
    AttentionRule rule = {.visible = n, .scale = (real)(1 / sqrt(D))};
    for (int first = 0; first < n; first += way->block) {
        int count = n - first < way->block ? n - first : way->block;
        AttentionInputs inputs = {.query = matrix_rows(way->x, first, count), .key = way->x,
                                  .key_transposed = way->x_transposed, .value = way->x};
        attention_forward(rule, inputs, matrix_rows(way->weights, 0, count), matrix_rows(way->output, first, count));
    }
}

static void way_time(Way *way)
{
    double spent = 0;
    way->seconds = way->processor = INFINITY;
    for (int i = 0; i < FEWEST_CALLS || (i < MOST_CALLS && spent < patience); i++) {
        double start = clock_seconds();
        clock_t processor = clock();
        way_call(way);
        double seconds = clock_seconds() - start;
        way->processor = fmin(way->processor, (double)(clock() - processor) / CLOCKS_PER_SEC);
        way->seconds = fmin(way->seconds, seconds);
        spent += seconds;
    }
}

static size_t bytes(Matrix m)
{
    return (size_t)m.rows * (size_t)m.columns * sizeof(real);
}

static bool same_bits(Matrix a, Matrix b)
{
    for (int r = 0; r < a.rows; r++)
        if (memcmp(matrix_row(a, r), matrix_row(b, r), (size_t)a.columns * sizeof(real)) != 0)
            return false;
    return true;
}

/* What the lengths before have shown, to compare the next one with. */
typedef struct Growth {
    size_t weights, output;
    bool quadruples, doubles; /* with each doubling of the length */
    double processor[LENGTHS];
} Growth;

static void grow(Growth *g, int i, const Way *whole)
{
    if (i > 0 && rows[i].length == 2 * rows[i - 1].length) {
        g->quadruples = g->quadruples && bytes(whole->weights) == 4 * g->weights;
        g->doubles = g->doubles && bytes(whole->output) == 2 * g->output;
    }
    g->weights = bytes(whole->weights);
    g->output = bytes(whole->output);
    g->processor[i] = whole->processor;
}

static void report(Lab *lab, int i, const Way *whole, const Way *blocks)
{
    char ours[LAB_TEXT], claim[LAB_TEXT];
    snprintf(ours, sizeof ours, "(1, %d, %d) %zu %zu", whole->weights.rows, whole->weights.columns,
             bytes(whole->weights), bytes(whole->output));
    snprintf(claim, sizeof claim, "n = %d: the weights' shape, their bytes, the output's bytes", rows[i].length);
    lab_exact_text(lab, claim, rows[i].printed, ours, 5);
    snprintf(claim, sizeof claim, "n = %d by blocks of %d rows: the same bits, at most %d n weights held",
             rows[i].length, BLOCK, BLOCK);
    lab_holds(lab, claim,
              same_bits(whole->output, blocks->output) &&
                  bytes(blocks->weights) <= (size_t)BLOCK * (size_t)rows[i].length * sizeof(real),
              "%zu bytes of weights, %zu in all; not judged: %s ms there, here %.1f, by blocks %.1f",
              bytes(blocks->weights), blocks->memory.used, rows[i].milliseconds, 1e3 * whole->seconds,
              1e3 * blocks->seconds);
}

static void write_line(TableFile *table, const Way *whole, const Way *blocks)
{
    const double numbers[] = {whole->x.rows, (double)bytes(whole->weights), (double)bytes(blocks->weights),
                              (double)bytes(whole->output), (double)whole->memory.used, (double)blocks->memory.used,
                              1e3 * whole->seconds, 1e3 * blocks->seconds};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        table_file_number(table, numbers[i]);
    table_file_end_line(table);
}

static bool open_table(TableFile *table, const char *directory, Error *error)
{
    static const char *const titles[] = {"n", "weights_bytes", "block_weights_bytes", "output_bytes",
                                         "memory_bytes", "block_memory_bytes", "milliseconds", "block_milliseconds"};
    if (!table_file_open(table, directory, "cost.csv", error))
        return false;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        table_file_text(table, titles[i]);
    table_file_end_line(table);
    return true;
}

/* Both ways at one length. x [n,D] is drawn here, from the stream that goes on. */
static bool measure(Lab *lab, int i, TorchRandom *random, float *x, Growth *growth, TableFile *table, Error *error)
{
    int n = rows[i].length;
    Way whole = {0}, blocks = {0};
    torch_normal(random, x, (size_t)n * D);
    bool opened = way_open(&whole, n, n, x, error) && way_open(&blocks, n, BLOCK, x, error);
    if (opened) {
        way_time(&whole);
        way_time(&blocks);
        grow(growth, i, &whole);
        report(lab, i, &whole, &blocks);
        if (lab->out != NULL)
            write_line(table, &whole, &blocks);
    }
    arena_close(&whole.memory);
    arena_close(&blocks.memory);
    return opened;
}

static void conclude(Lab *lab, const Growth *g, size_t smallest)
{
    double ratio = g->processor[LENGTHS - 1] / g->processor[LENGTHS - 3];
    lab_exact_all(lab, "the weights' bytes, from 48 tokens to 8,192", "9,216 268,435,456",
                  (const double[]){(double)smallest, (double)g->weights});
    lab_holds(lab, "each doubling of the length makes the weights four times as large, the output twice",
              g->quadruples && g->doubles, "weights %s, output %s", g->quadruples ? "x 4" : "not x 4",
              g->doubles ? "x 2" : "not x 2");
    lab_holds(lab, "time grows faster than the length: four times 2,048 tokens take more than four times as long",
              ratio > 4, "x %.1f in processor time from 2,048 to 8,192, in one matrix", ratio);
}

bool lab_cost(Lab *lab, Error *error)
{
    Arena arena = {0};
    TableFile table = {0};
    Growth growth = {.quadruples = true, .doubles = true};
    size_t count = (size_t)rows[LENGTHS - 1].length * D, smallest = 0;
    arena_take(&arena, count, sizeof(float));
    if (!arena_open(&arena, "a long sequence", error))
        return false;
    float *x = arena_take(&arena, count, sizeof *x);
    TorchRandom random = torch_random_seed(42);
    bool done = lab->out == NULL || open_table(&table, lab->out, error);
    lab_source(lab, "003 cost");
    for (int i = 0; done && i < LENGTHS; i++) {
        done = measure(lab, i, &random, x, &growth, &table, error);
        smallest = i == 0 ? growth.weights : smallest;
    }
    if (done) {
        conclude(lab, &growth, smallest);
        done = lab->out == NULL || table_file_commit(&table, error);
    }
    table_file_abandon(&table);
    arena_close(&arena);
    return done;
}
