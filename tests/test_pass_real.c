/* The pass over blocks of rows: logits and attention against the naive model, causality to the last bit, and how a step
 * is cut into shards. */
#include "model/step.h"

#include "real_model.h"
#include "test.h"

enum { T = 75, V = 21, CHANGES = 8 };

static const ModelConfig config = {.context = T, .channels = 13, .head_size = 10, .vocabulary_size = V};

/* A model, one text, and what the pass makes of it. */
typedef struct Reader {
    Parameters parameters;
    Step step;
    int32_t text[T];
    Matrix logits, attention; /* [T,D] as the pass leaves them, [T,T]: 0 where nothing is seen */
} Reader;

static Reader reader_open(const ModelConfig *of, int plan)
{
    Reader reader = {.parameters = test_parameters(of, 1), .step = test_step(of, 1, 1, plan),
                     .attention = test_matrix(T, T)};
    reader.logits = test_matrix(T, reader.step.passes[0].logits.columns);
    Random random = random_seed(2);
    for (int t = 0; t < T; t++)
        reader.text[t] = (int32_t)random_below(&random, V - 1); /* the last character is kept for changes */
    return reader;
}

static void reader_close(Reader *reader)
{
    parameters_close(&reader->parameters);
    step_close(&reader->step);
    test_matrix_free(reader->logits);
    test_matrix_free(reader->attention);
}

/* The first `length` characters, in blocks of so many rows. */
static void reader_run(Reader *reader, int length, int block)
{
    Step *step = &reader->step;
    Pass *pass = &step->passes[0];
    step_loss(step, &reader->parameters, (Batch){1, length, reader->text, reader->text});
    pass_gather(pass, &step->tables, step->row_of, length, false);
    for (int first = 0, count; first < length; first += count) {
        count = length - first < block ? length - first : block;
        int seen = pass_block_forward(pass, &step->tables, first, count, length);
        for (int r = 0; r < count; r++) {
            memset(matrix_row(reader->attention, first + r), 0, T * sizeof(real));
            memcpy(matrix_row(reader->attention, first + r), matrix_row(pass->weights, r), (size_t)seen * sizeof(real));
            memcpy(matrix_row(reader->logits, first + r), matrix_row(pass->logits, r),
                   (size_t)reader->logits.columns * sizeof(real));
        }
    }
}

static bool same_rows(Matrix a, Matrix b, int first, int end)
{
    return matrix_same_bits(matrix_rows(a, first, end - first), matrix_rows(b, first, end - first));
}

static void test_against_naive(int plan)
{
    char name[128];
    snprintf(name, sizeof name, "pass: logits and attention equal the naive model's, %s", test_plan_name(plan));
    test_case(name);
    for (int mask = MASK_CAUSAL; mask <= MASK_NONE; mask++)
        for (int mixing = MIXING_ATTENTION; mixing <= MIXING_UNIFORM; mixing++) {
            ModelConfig ablated = config;
            ablated.mask = (Mask)mask;
            ablated.mixing = (Mixing)mixing;
            Reader reader = reader_open(&ablated, plan);
            NaiveModel naive = naive_open(&reader.parameters);
            double attention[T * T], logits[T * V];
            naive_forward(&naive, reader.text, T, attention, logits);
            reader_run(&reader, T, 64);
            int columns = test_logits_of_plan(plan, logits, T, V);
            CHECK(reader.logits.columns == columns, "%d logits in a row, not %d", reader.logits.columns, columns);
            double of_logits = columns == reader.logits.columns ? matrix_difference(reader.logits, logits) : NAN;
            double of_attention = matrix_difference(reader.attention, attention);
            CHECK(of_logits <= tolerance(2e-6, 1e-13) && of_attention <= tolerance(2e-6, 1e-13),
                  "mask %s, %s: %.3g, %.3g", mask_names[mask], mixing_names[mixing], of_logits, of_attention);
            for (int i = 0; i < T; i++) {
                double sum = 0;
                for (int j = 0; j < T; j++)
                    sum += (double)matrix_row(reader.attention, i)[j];
                CHECK(fabs(sum - 1) <= tolerance(1e-6, 1e-14), "row %d sums to 1 + %g", i, sum - 1);
            }
            CHECK(mask != MASK_CAUSAL || matrix_row(reader.attention, 0)[0] == 1, "the first row reads itself with %g",
                  (double)matrix_row(reader.attention, 0)[0]);
            naive_close(&naive);
            reader_close(&reader);
        }
}

static void test_causality(int plan, Positions positions)
{
    static const int changed[CHANGES] = {1, 7, 8, 31, 63, 64, 65, T - 1}, blocks[] = {64, 1, 5, 16};
    char name[128];
    snprintf(name, sizeof name, "pass: a later character leaves earlier rows bit-identical, positions %s, %s",
             positions_names[positions], test_plan_name(plan));
    test_case(name);
    ModelConfig ablated = config;
    ablated.positions = positions;
    Reader reader = reader_open(&ablated, plan);
    reader_run(&reader, T, 64);
    Matrix logits = test_matrix_copy(reader.logits), attention = test_matrix_copy(reader.attention);
    CHECK(parameters_find_nonfinite(&reader.parameters) == NULL, "not finite");
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        reader_run(&reader, T, blocks[b]);
        CHECK(same_rows(reader.logits, logits, 0, T) && same_rows(reader.attention, attention, 0, T),
              "other bits in blocks of %d", blocks[b]);
        for (int i = 0; i < CHANGES; i++) {
            int j = changed[i];
            int32_t kept = reader.text[j];
            reader.text[j] = V - 1; /* and one more character occurs: the tables' rows move */
            reader_run(&reader, T, blocks[b]);
            CHECK(same_rows(reader.logits, logits, 0, j) && same_rows(reader.attention, attention, 0, j),
                  "character %d reached an earlier row, in blocks of %d", j, blocks[b]);
            CHECK(!same_rows(reader.logits, logits, j, j + 1), "character %d does nothing to its own row", j);
            reader.text[j] = kept;
            reader_run(&reader, j, blocks[b]);
            CHECK(same_rows(reader.logits, logits, 0, j), "the first %d characters alone give other bits", j);
        }
    }
    test_matrix_free(logits);
    test_matrix_free(attention);
    reader_close(&reader);
}

/* Shards must cover each row of each sequence once, in order. */
static void check_plan(int batch, int length, Mask mask, int limit)
{
    Shard shards[SHARD_LIMIT];
    int count = shards_plan(batch, length, mask, limit, shards), sequence = 0, row = 0;
    CHECK(count >= 1 && count <= limit, "B %d length %d limit %d: %d shards", batch, length, limit, count);
    for (int s = 0; s < count; s++) {
        Shard shard = shards[s];
        CHECK(shard.first_sequence == sequence && shard.first_row == row,
              "B %d length %d limit %d: shard %d starts at %d, %d", batch, length, limit, s, shard.first_sequence,
              shard.first_row);
        CHECK(shard.sequence_count >= 1 && shard.end_row > shard.first_row && shard.end_row <= length,
              "shard %d is empty", s);
        CHECK(shard.sequence_count == 1 || (shard.first_row == 0 && shard.end_row == length), "shard %d is ragged", s);
        row = shard.end_row == length ? 0 : shard.end_row;
        sequence += row == 0 ? shard.sequence_count : 0;
        /* One sequence's rows: equal areas of the triangle, or equal heights. */
        double parts = (double)(count / batch), first = shard.first_row, end = shard.end_row;
        double area = end * end - first * first, whole = (double)length * length;
        bool even = mask == MASK_CAUSAL ? fabs(area - whole / parts) <= 2.0 * length
                                        : fabs(end - first - length / parts) <= 1;
        CHECK(shard.sequence_count > 1 || count <= batch || even, "B %d length %d: rows %d to %d of %g parts", batch,
              length, shard.first_row, shard.end_row, parts);
    }
    CHECK(sequence == batch && row == 0, "B %d length %d limit %d: ends at %d, %d", batch, length, limit, sequence,
          row);
    int64_t tokens = (int64_t)batch * length;
    CHECK(count == 1 || tokens / count >= SHARD_TOKENS, "B %d length %d: %d shards are too many", batch, length, count);
}

static void test_shards(void)
{
    test_case("shards: cover each row of each sequence exactly once, evenly, within the limit");
    for (int batch = 1; batch <= 70; batch++)
        for (int length = 1; length <= 3000; length += 1 + length / 7)
            for (int limit = 1; limit <= SHARD_LIMIT; limit++)
                for (int mask = MASK_CAUSAL; mask <= MASK_NONE; mask++)
                    check_plan(batch, length, (Mask)mask, limit);
    check_plan(1, MODEL_SIZE_LIMIT, MASK_CAUSAL, SHARD_LIMIT);
    check_plan(MODEL_SIZE_LIMIT, MODEL_SIZE_LIMIT, MASK_NONE, SHARD_LIMIT);

    test_case("shards: one long sequence, and many short ones, are shared out");
    Shard shards[SHARD_LIMIT];
    CHECK(shards_plan(1, 8192, MASK_CAUSAL, SHARD_LIMIT, shards) == SHARD_LIMIT, "one long sequence");
    CHECK(shards_plan(128, 64, MASK_CAUSAL, SHARD_LIMIT, shards) == SHARD_LIMIT, "many short ones");
    CHECK(shards_plan(64, 64, MASK_CAUSAL, SHARD_LIMIT, shards) == SHARD_LIMIT, "the default size");
    CHECK(shards_plan(32, 8, MASK_CAUSAL, SHARD_LIMIT, shards) == 2, "the lecture's size");
    CHECK(shards_plan(2, 9, MASK_CAUSAL, SHARD_LIMIT, shards) == 1, "a little work is cut up");
}

/* The sum over any cut of the rows is the loss of the whole: rows and columns are what the shards say. */
static void test_rows(void)
{
    test_case("pass_rows: ranges of rows add up to the whole sequence, in any cut");
    for (int plan = 0; plan < TEST_PLANS; plan++) {
        Reader reader = reader_open(&config, plan);
        Step *step = &reader.step;
        double whole = step_loss(step, &reader.parameters, (Batch){1, T, reader.text, reader.text});
        for (int cut = 1; cut < T; cut++) {
            double loss = pass_rows(&step->passes[0], &step->tables, step->row_of, reader.text, 0, cut, T, 1, NULL) +
                          pass_rows(&step->passes[0], &step->tables, step->row_of, reader.text, cut, T, T, 1, NULL);
            CHECK(fabs(loss - whole) <= tolerance(1e-6, 1e-14) * whole, "%s, cut at %d: %.12g, not %.12g",
                  test_plan_name(plan), cut, loss, whole);
        }
        reader_close(&reader);
    }
}

int main(void)
{
    for (int plan = 0; plan < TEST_PLANS; plan++) {
        test_against_naive(plan);
        for (int positions = POSITIONS_LEARNED; positions <= POSITIONS_NONE; positions++)
            test_causality(plan, (Positions)positions);
    }
    test_rows();
    test_shards();
    return test_finish();
}
