/* Checkpoints that are well-formed files and say what cannot be. */
#include "checkpoint_run.h"
#include "storage/checksum.h"
#include "test.h"
#include "text_files.h"

/* The good file with one thing changed, and without the checksum, which would give it away. */
typedef struct Lie {
    const char *name;
    const char *key, *value;       /* a metadata string, NULL value: left out */
    const char *tensor, *new_name; /* a tensor renamed; NULL new_name: left out */
    int shape[2];                  /* or reshaped, when not 0 */
    float number;                  /* or its first number changed, when not 0 */
    const char *message;           /* part of it */
} Lie;

#define CONFIG(T, V, POSITIONS) "{\"context\": " T ", \"channels\": 2, \"head_size\": 2, \"vocabulary_size\": " V \
    ", \"positions\": \"" POSITIONS "\", \"mask\": \"causal\", \"mixing\": \"attention\", \"scale\": \"sqrt\", " \
    "\"bytes\": false}"

static const Lie lies[] = {
    {.name = "nothing", .message = NULL},
    {.name = "no config", .key = "config", .message = "no \"config\""},
    {.name = "no vocabulary", .key = "vocabulary", .message = "no \"vocabulary\""},
    {.name = "no training", .key = "training", .message = "no \"training\""},
    {.name = "no step", .key = "step", .message = "step"},
    {.name = "no generator", .key = "random_state", .message = "random state"},
    {.name = "config is no JSON", .key = "config", .value = "{", .message = "\"config\""},
    {.name = "config is an array", .key = "config", .value = "[]", .message = "not of the right kind"},
    {.name = "config is empty", .key = "config", .value = "{}", .message = "missing or out of range"},
    {.name = "a context of 0", .key = "config", .value = CONFIG("0", "4", "learned"), .message = "out of range"},
    {.name = "a context of 3.0", .key = "config", .value = CONFIG("3.0", "4", "learned"), .message = "out of range"},
    {.name = "a huge context", .key = "config", .value = CONFIG("16777216", "4", "learned"), .message = "smaller than"},
    {.name = "a context too large", .key = "config", .value = CONFIG("16777217", "4", "learned"), .message = "range"},
    {.name = "other positions", .key = "config", .value = CONFIG("3", "4", "rotary"), .message = "out of range"},
    {.name = "a smaller context", .key = "config", .value = CONFIG("2", "4", "learned"), .message = "2 x 2"},
    {.name = "no positions", .key = "config", .value = CONFIG("3", "4", "none"), .message = "no place in a model"},
    {.name = "a smaller vocabulary", .key = "config", .value = CONFIG("3", "3", "learned"), .message = "4 symbols"},
    {.name = "a shorter vocabulary", .key = "vocabulary", .value = "[10, 11, 12]", .message = "3 symbols"},
    {.name = "a falling vocabulary", .key = "vocabulary", .value = "[10, 13, 12, 14]", .message = "vocabulary"},
    {.name = "a surrogate", .key = "vocabulary", .value = "[10, 11, 12, 55296]", .message = "55296"},
    {.name = "a negative symbol", .key = "vocabulary", .value = "[-1, 11, 12, 13]", .message = "no symbol"},
    {.name = "a symbol beyond 32 bits", .key = "vocabulary", .value = "[1, 2, 4294967296]", .message = "no symbol"},
    {.name = "a negative step", .key = "step", .value = "-1", .message = "step"},
    {.name = "a step that is no number", .key = "step", .value = "x", .message = "step"},
    {.name = "an even increment", .key = "random_state", .message = "random state",
     .value = "0000000000000001 0000000000000002"},
    {.name = "a short generator", .key = "random_state", .value = "1 1", .message = "random"},
    {.name = "an infinite loss", .key = "best_loss", .value = "1e999", .message = "losses"},
    {.name = "training without a hash", .key = "training", .value = "{\"data\": \"x\", \"validation_fraction\": 0.1}",
     .message = "hash"},
    {.name = "a fraction of 1", .key = "training", .message = "split",
     .value = "{\"data\": \"x\", \"data_hash\": \"0123456789abcdef\", \"validation_fraction\": 1}"},
    {.name = "a path with NUL", .key = "training", .message = "path",
     .value = "{\"data\": \"x\\u0000\", \"data_hash\": \"0123456789abcdef\", \"validation_fraction\": 0}"},
    {.name = "an unknown key", .key = "optimizer", .value = "adam", .message = "\"optimizer\""},
    {.name = "a wrong checksum", .key = CHECKSUM_KEY, .value = "0123456789abcdef", .message = "checksum"},
    {.name = "a tensor is missing", .tensor = "lm_head.weight", .message = "smaller than"},
    {.name = "a tensor has another name", .tensor = "lm_head.weight", .new_name = "lm_head.weights",
     .message = "lm_head.weight is missing"},
    {.name = "a moment alone", .tensor = "lm_head.bias", .new_name = "adam.m.lm_head.bias", .message = "is missing"},
    {.name = "a wrong shape", .tensor = "token_embedding_table.weight", .shape = {2, 4}, .message = "4 x 2"},
    {.name = "a wrong rank", .tensor = "token_embedding_table.weight", .shape = {8, 0}, .message = "4 x 2"},
    {.name = "a NaN", .tensor = "sa_head.value.weight", .number = NAN, .message = "sa_head.value.weight holds a NaN"},
    {.name = "an infinity", .tensor = "lm_head.bias", .number = -INFINITY, .message = "lm_head.bias holds a NaN"},
};

static int lie_in_metadata(const Lie *lie, const Safetensors *file, SafetensorsMetadata *metadata)
{
    int count = 0;
    bool placed = lie->key == NULL || lie->value == NULL;
    for (int i = 0; i < file->metadata_count; i++) {
        SafetensorsMetadata entry = file->metadata[i];
        bool meant = lie->key != NULL && strcmp(entry.key, lie->key) == 0;
        if (meant && lie->value != NULL) {
            entry.value = lie->value;
            placed = true;
        } else if (meant || strcmp(entry.key, CHECKSUM_KEY) == 0) {
            continue;
        }
        metadata[count++] = entry;
    }
    if (!placed)
        metadata[count++] = (SafetensorsMetadata){lie->key, lie->value};
    return count;
}

static int lie_in_tensors(const Lie *lie, const Safetensors *file, SafetensorsTensor *tensors, float *numbers)
{
    int count = 0;
    for (int i = 0; i < file->tensor_count; i++) {
        SafetensorsTensor tensor = file->tensors[i];
        if (lie->tensor != NULL && strcmp(tensor.name, lie->tensor) == 0) {
            if (lie->shape[0] != 0) {
                tensor.rank = lie->shape[1] == 0 ? 1 : 2;
                tensor.shape[0] = (size_t)lie->shape[0];
                tensor.shape[1] = (size_t)lie->shape[1];
            } else if (!(lie->number >= 0) || lie->number > 0) {
                memcpy(numbers, tensor.data, tensor.bytes);
                numbers[0] = lie->number;
                tensor.data = numbers;
            } else if (lie->new_name == NULL) {
                continue;
            } else {
                tensor.name = lie->new_name;
            }
        }
        tensors[count++] = tensor;
    }
    return count;
}

static void test_lies(void)
{
    ModelConfig config = {.context = 3, .channels = 2, .head_size = 2, .vocabulary_size = 4};
    Run run = run_open(config);
    Error error = {0};
    Safetensors file = {0};
    const char *good = text_path("good.safetensors"), *bad = text_path("bad.safetensors");
    test_case("a good file to change");
    bool ready = run_write(&run, good, false, &error) && safetensors_open(&file, good, &error);
    CHECK(ready, "%s", error.message);
    for (size_t i = 0; ready && i < sizeof lies / sizeof lies[0]; i++) {
        char name[128];
        SafetensorsMetadata metadata[20];
        SafetensorsTensor tensors[10];
        float numbers[64];
        Checkpoint checkpoint;
        snprintf(name, sizeof name, "refused: %s", lies[i].name);
        test_case(lies[i].message != NULL ? name : "a file without a checksum is accepted");
        error.message[0] = '\0';
        CHECK(safetensors_write(bad, metadata, lie_in_metadata(&lies[i], &file, metadata), tensors,
                                lie_in_tensors(&lies[i], &file, tensors, numbers), &error), "%s", error.message);
        bool opened = checkpoint_open(&checkpoint, bad, &error);
        CHECK(opened == (lies[i].message == NULL), "%s", opened ? "accepted" : error.message);
        CHECK(opened || lies[i].message == NULL ||
                  (strstr(error.message, lies[i].message) != NULL && strstr(error.message, bad) != NULL),
              "the message is '%s'", error.message);
        if (opened)
            checkpoint_close(&checkpoint);
    }
    safetensors_close(&file);
    run_close(&run);
}

static void test_unknown_tensor(void)
{
    test_case("refused: a tensor that no model has");
    ModelConfig config = {.context = 3, .channels = 2, .head_size = 2, .vocabulary_size = 4};
    Run run = run_open(config);
    Error error = {0};
    Safetensors file = {0};
    Checkpoint checkpoint;
    SafetensorsMetadata metadata[20];
    SafetensorsTensor tensors[24];
    static const Lie none = {0};
    static const float extra[2] = {1, 2};
    const char *good = text_path("good.safetensors"), *bad = text_path("bad.safetensors");
    for (int moments = 0; moments < 2; moments++) {
        bool ready = run_write(&run, good, moments == 1, &error) && safetensors_open(&file, good, &error);
        CHECK(ready, "%s", error.message);
        if (!ready)
            continue;
        memcpy(tensors, file.tensors, (size_t)file.tensor_count * sizeof *tensors);
        tensors[file.tensor_count] = (SafetensorsTensor){.name = "sa_head.tril", .type = SAFETENSORS_F32, .rank = 1,
                                                         .shape = {2}, .data = extra, .bytes = sizeof extra};
        CHECK(safetensors_write(bad, metadata, lie_in_metadata(&none, &file, metadata), tensors, file.tensor_count + 1,
                                &error), "%s", error.message);
        CHECK(!checkpoint_open(&checkpoint, bad, &error) && strstr(error.message, "\"sa_head.tril\"") != NULL, "%s",
              error.message);
        safetensors_close(&file);
    }
    run_close(&run);
}

int main(void)
{
    test_lies();
    test_unknown_tensor();
    return test_finish();
}
