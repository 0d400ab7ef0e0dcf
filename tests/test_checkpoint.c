/* Checkpoints: what is written is read, and nothing else. */
#include "checkpoint_run.h"
#include "test.h"
#include "text_files.h"

#include <sys/stat.h>
#include <unistd.h>

/* --- what is written is read ------------------------------------------------------------------------ */

static bool same_tensors(const Parameters *a, const Parameters *b, bool trained_alone)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Matrix x = a->tensors[i].values, y = b->tensors[i].values;
        if (x.rows != y.rows || x.columns != y.columns)
            return false;
        size_t bytes = (size_t)x.rows * (size_t)x.columns * sizeof(real);
        if ((a->tensors[i].trained || !trained_alone) && bytes > 0 && memcmp(x.data, y.data, bytes) != 0)
            return false;
    }
    return true;
}

static void check_contents(const Checkpoint *c, const Run *run, bool moments)
{
    RunState state = make_state();
    char difference[64];
    CHECK(memcmp(&c->parameters.config, &run->model.parameters.config, sizeof(ModelConfig)) == 0, "the config differs");
    CHECK(same_tensors(&c->parameters, &run->model.parameters, false), "a weight differs");
    CHECK(vocabulary_compare(&c->vocabulary, &run->vocabulary, difference, sizeof difference), "%s", difference);
    CHECK(c->has_moments == moments, "moments: %d", c->has_moments);
    CHECK(!moments || (same_tensors(&c->m, &run->m.parameters, true) && same_tensors(&c->v, &run->v.parameters, true)),
          "a moment differs");
    CHECK(c->state.step == state.step && c->state.batches.counter == state.batches.counter &&
              c->state.batches.increment == state.batches.increment && c->state.best_step == 77 &&
              c->state.train_loss_count == 3, "a whole number differs");
    CHECK(c->state.best_loss == 0.1 && isnan(c->state.validation_loss) && c->state.train_loss_sum == 1e300,
          "a loss differs");
    CHECK(strcmp(c->data, "d\xC3\xA9\"x.txt") == 0 && c->data_hash == 0x00ff10abcdef0123 &&
              c->validation_fraction == 0.125, "the training differs: %s", c->data);
    CHECK(json_member(c->training.root, "note") != NULL && c->version[0] != '\0', "a member is lost");
}

static void test_round_trip(void)
{
    test_case("every kind of model comes back, bit for bit, with moments and without");
    for (int i = 0; i < 2 * SMALL_CONFIGS; i++) {
        Run run = run_open(small_config(i / 2));
        Checkpoint checkpoint;
        Error error = {0};
        const char *path = text_path("round.safetensors");
        CHECK(run_write(&run, path, i % 2 == 1, &error) && checkpoint_open(&checkpoint, path, &error), "%s",
              error.message);
        if (error.message[0] == '\0') {
            check_contents(&checkpoint, &run, i % 2 == 1);
            checkpoint_close(&checkpoint);
        }
        run_close(&run);
    }
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
    struct stat status;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fstat(fileno(stream), &status) != 0)
        abort();
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size + 1);
    if (bytes == NULL || fread(bytes, 1, *size, stream) != *size)
        abort();
    fclose(stream);
    return bytes;
}

static bool same_files(const char *a, const char *b)
{
    size_t a_size, b_size;
    unsigned char *a_bytes = read_bytes(a, &a_size), *b_bytes = read_bytes(b, &b_size);
    bool same = a_size == b_size && memcmp(a_bytes, b_bytes, a_size) == 0;
    free(a_bytes);
    free(b_bytes);
    return same;
}

static void test_same_bytes(void)
{
    test_case("two writes, and a write of what was read, are equal byte for byte");
    Run run = run_open(small_config(2));
    Checkpoint c;
    Error error = {0};
    const char *first = text_path("first"), *second = text_path("second"), *third = text_path("third");
    CHECK(run_write(&run, first, true, &error) && run_write(&run, second, true, &error), "%s", error.message);
    CHECK(same_files(first, second), "two writes differ");
    CHECK(checkpoint_open(&c, first, &error), "%s", error.message);
    CheckpointContents again = {&c.parameters, &c.m, &c.v, &c.vocabulary, training, c.state};
    CHECK(checkpoint_write(third, again, &error) && same_files(first, third), "what was read is written otherwise %s",
          error.message);
    checkpoint_close(&c);
    run_close(&run);
}

/* --- damage ----------------------------------------------------------------------------------------- */

static void check_refusal(const char *path, const char *what, size_t place)
{
    Checkpoint checkpoint;
    Error error = {0};
    bool opened = checkpoint_open(&checkpoint, path, &error);
    CHECK(!opened, "%s at %zu is accepted", what, place);
    CHECK(opened || (strstr(error.message, path) != NULL && strchr(error.message, '\n') == NULL),
          "%s at %zu: the message is '%s'", what, place, error.message);
    CHECK(opened || (checkpoint.parameters.memory.base == NULL && checkpoint.training.root == NULL),
          "something is held");
    if (opened)
        checkpoint_close(&checkpoint);
}

/* Whether reading the file and writing it to `again` gives `expected`: then the change said nothing else. */
static bool is_same_model(const char *path, const char *expected, const char *again)
{
    Checkpoint c;
    Error error = {0};
    if (!checkpoint_open(&c, path, &error))
        return false;
    CheckpointContents contents = {&c.parameters, NULL, NULL, &c.vocabulary, training, c.state};
    bool same = checkpoint_write(again, contents, &error) && same_files(again, expected);
    checkpoint_close(&c);
    return same;
}

static void put_byte(FILE *stream, size_t place, unsigned char byte)
{
    if (fseek(stream, (long)place, SEEK_SET) != 0 || fputc(byte, stream) == EOF || fflush(stream) != 0)
        abort();
}

static void test_damage(void)
{
    ModelConfig config = {.context = 3, .channels = 2, .head_size = 2, .vocabulary_size = 4};
    Run run = run_open(config);
    Error error = {0};
    const char *good = text_path("good.safetensors"), *bad = text_path("bad.safetensors");
    const char *again = text_path("again.safetensors");
    size_t size;
    test_case("every cut is refused, and so are bytes after the end");
    CHECK(run_write(&run, good, false, &error) && run_write(&run, bad, false, &error), "%s", error.message);
    unsigned char *bytes = read_bytes(good, &size);
    FILE *stream = fopen(bad, "r+b");
    if (stream == NULL)
        abort();
    put_byte(stream, size, 0);
    check_refusal(bad, "a byte more", size);
    for (size_t length = size; length-- > 0;) {
        CHECK(ftruncate(fileno(stream), (off_t)length) == 0, "cannot cut");
        check_refusal(bad, "a cut", length);
    }

    test_case("every flipped bit is refused, or changes nothing that counts");
    CHECK(fwrite(bytes, 1, 0, stream) == 0 && run_write(&run, bad, false, &error), "%s", error.message);
    fclose(stream);
    stream = fopen(bad, "r+b");
    if (stream == NULL)
        abort();
    size_t harmless = 0;
    for (size_t place = 0; place < size; place++)
        for (int bit = 0; bit < 8; bit++) {
            Checkpoint checkpoint;
            put_byte(stream, place, (unsigned char)(bytes[place] ^ 1u << bit));
            if (checkpoint_open(&checkpoint, bad, &error)) {
                checkpoint_close(&checkpoint);
                harmless++;
                CHECK(is_same_model(bad, good, again), "bit %d of byte %zu went unseen", bit, place);
            }
            put_byte(stream, place, bytes[place]);
        }
    CHECK(harmless < size / 100, "%zu flips are accepted", harmless);
    CHECK(is_same_model(bad, good, again), "the repaired file is not the good one");
    fclose(stream);
    free(bytes);
    run_close(&run);
}

/* --- places ----------------------------------------------------------------------------------------- */

static double best_loss_of(const char *model)
{
    Checkpoint checkpoint;
    Error error = {0};
    CHECK(checkpoint_open(&checkpoint, model, &error), "%s", error.message);
    if (error.message[0] != '\0')
        return NAN;
    double loss = checkpoint.state.best_loss;
    checkpoint_close(&checkpoint);
    return loss;
}

static void write_with_loss(const Run *run, const char *path, double loss)
{
    Error error = {0};
    CheckpointContents contents = {.parameters = &run->model.parameters, .vocabulary = &run->vocabulary,
                                   .training = training, .state = make_state()};
    contents.state.best_loss = loss;
    CHECK(checkpoint_write(path, contents, &error), "%s", error.message);
}

static void test_directory(void)
{
    ModelConfig config = {.context = 3, .channels = 2, .head_size = 2, .vocabulary_size = 4};
    Run run = run_open(config);
    Checkpoint checkpoint;
    Error error = {0};
    char directory[600], best[700], last[700];
    snprintf(directory, sizeof directory, "%s", text_path("run"));
    snprintf(best, sizeof best, "%s/best.safetensors", directory);
    snprintf(last, sizeof last, "%s/last.safetensors", directory);
    mkdir(directory, 0777);
    test_case("a directory without a run is refused");
    CHECK(!checkpoint_open(&checkpoint, directory, &error) && strstr(error.message, "no best.safetensors") != NULL,
          "%s", error.message);
    test_case("a run directory means its last model, or the best where there is one");
    write_with_loss(&run, last, 2);
    CHECK(best_loss_of(directory) == 2, "not the last one");
    write_with_loss(&run, best, 1);
    CHECK(best_loss_of(directory) == 1, "not the best one");
    CHECK(best_loss_of(last) == 2, "not the file that was named");
    test_case("a missing file, and a place that cannot be written, are named");
    CHECK(!checkpoint_open(&checkpoint, "/no/such/model", &error) && strstr(error.message, "/no/such/model") != NULL,
          "%s", error.message);
    CHECK(!run_write(&run, "/no/such/place/model", false, &error) && strstr(error.message, "/no/such/place") != NULL,
          "%s", error.message);
    run_close(&run);
}

int main(void)
{
    test_round_trip();
    test_same_bytes();
    test_damage();
    test_directory();
    return test_finish();
}
