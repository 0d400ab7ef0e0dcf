#include "storage/checkpoint.h"

#include "base/version.h"
#include "storage/checksum.h"
#include "storage/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 13, NUMBER_LENGTH = 48 };

static void write_vocabulary(FILE *out, const Vocabulary *vocabulary)
{
    fputc('[', out);
    for (int i = 0; i < vocabulary->size; i++)
        fprintf(out, "%s%" PRIu32, i > 0 ? "," : "", vocabulary->symbols[i]);
    fputc(']', out);
}

/* A metadata value under construction in memory. */
typedef struct Text {
    FILE *stream;
    char *data;
    size_t size;
} Text;

static char *text_finish(Text *text)
{
    if (text->stream == NULL || fclose(text->stream) != 0) {
        free(text->data);
        return NULL;
    }
    return text->data;
}

static char *number_text(double number)
{
    Text text = {0};
    text.stream = open_memstream(&text.data, &text.size);
    if (text.stream != NULL)
        json_write_double(text.stream, number);
    return text_finish(&text);
}

static char *integer_text(int64_t number)
{
    char *text = malloc(NUMBER_LENGTH);
    if (text != NULL)
        snprintf(text, NUMBER_LENGTH, "%" PRId64, number);
    return text;
}

static char *random_text(Random random)
{
    char *text = malloc(NUMBER_LENGTH);
    if (text != NULL)
        snprintf(text, NUMBER_LENGTH, "%016" PRIx64 " %016" PRIx64, random.counter, random.increment);
    return text;
}

static char *config_text(const ModelConfig *config, bool bytes)
{
    Text text = {0};
    text.stream = open_memstream(&text.data, &text.size);
    if (text.stream != NULL) {
        fputc('{', text.stream);
        model_config_write(text.stream, config, bytes);
        fputc('}', text.stream);
    }
    return text_finish(&text);
}

static char *vocabulary_text_of(const Vocabulary *vocabulary)
{
    Text text = {0};
    text.stream = open_memstream(&text.data, &text.size);
    if (text.stream != NULL)
        write_vocabulary(text.stream, vocabulary);
    return text_finish(&text);
}

/* Adds the tensors of one list under prefix NAME; names[] owns the prefixed ones. */
static bool add_tensors(const Parameters *list, const char *prefix, SafetensorsTensor *tensors, char **names,
                        int *count)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Tensor tensor = list->tensors[i];
        size_t rows = (size_t)tensor.values.rows, columns = (size_t)tensor.values.columns;
        if (rows == 0 || (prefix[0] != '\0' && !tensor.trained))
            continue;
        if (asprintf(&names[*count], "%s%s", prefix, tensor.name) < 0) {
            names[*count] = NULL;
            return false;
        }
        SafetensorsTensor entry = {.name = names[*count], .type = SAFETENSORS_F32, .rank = tensor.rank,
                                   .data = tensor.values.data, .bytes = rows * columns * sizeof(float)};
        entry.shape[0] = tensor.rank == 1 ? columns : rows;
        entry.shape[1] = tensor.rank == 1 ? 0 : columns;
        tensors[(*count)++] = entry;
    }
    return true;
}

bool checkpoint_write(const char *path, CheckpointContents c, Error *error)
{
    _Static_assert(sizeof(real) == sizeof(float), "checkpoints hold the float flavour's numbers");
    SafetensorsTensor tensors[3 * TENSOR_COUNT];
    char *names[3 * TENSOR_COUNT] = {0};
    int tensor_count = 0;
    struct {
        const char *key;
        char *value;
    } owned[] = {
        {"config", config_text(&c.parameters->config, c.vocabulary->bytes)},
        {"vocabulary", vocabulary_text_of(c.vocabulary)},
        {"step", integer_text(c.state.step)},
        {"random_state", random_text(c.state.batches)},
        {"best_loss", number_text(c.state.best_loss)},
        {"best_step", integer_text(c.state.best_step)},
        {"validation_loss", number_text(c.state.validation_loss)},
        {"train_loss_sum", number_text(c.state.train_loss_sum)},
        {"train_loss_count", integer_text(c.state.train_loss_count)},
    };
    enum { OWNED = sizeof owned / sizeof owned[0] };
    _Static_assert(KEYS == 3 + OWNED + 1, "the checksum is the last of them");
    SafetensorsMetadata metadata[KEYS] = {{"format", "pt"}, {"version", SOLILOQUY_VERSION}, {"training", c.training}};
    bool complete = true;
    for (int i = 0; i < OWNED; i++) {
        metadata[3 + i] = (SafetensorsMetadata){owned[i].key, owned[i].value};
        complete = complete && owned[i].value != NULL;
    }
    complete = complete && add_tensors(c.parameters, "", tensors, names, &tensor_count) &&
               (c.m == NULL || (add_tensors(c.m, "adam.m.", tensors, names, &tensor_count) &&
                                add_tensors(c.v, "adam.v.", tensors, names, &tensor_count)));
    char checksum[CHECKSUM_LENGTH];
    if (complete)
        checksum_text(metadata, KEYS - 1, tensors, tensor_count, checksum);
    metadata[KEYS - 1] = (SafetensorsMetadata){CHECKSUM_KEY, checksum};
    bool written = complete ? safetensors_write(path, metadata, KEYS, tensors, tensor_count, error)
                            : error_set(error, "cannot write %s: out of memory", path);
    for (int i = 0; i < OWNED; i++)
        free(owned[i].value);
    for (int i = 0; i < tensor_count; i++)
        free(names[i]);
    return written;
}
