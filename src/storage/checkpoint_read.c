#include "storage/checkpoint.h"

#include "base/file.h"
#include "storage/checksum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool parse_metadata(JsonDocument *document, const Safetensors *file, const char *path, const char *key,
                           JsonKind kind, Error *error)
{
    const char *text = safetensors_metadata(file, key);
    if (text == NULL)
        return error_set(error, "%s: no \"%s\" in its metadata; it is not a soliloquy checkpoint", path, key);
    Error inner = {0};
    if (!json_parse(document, text, strlen(text), &inner))
        return error_set(error, "%s: its metadata \"%s\": %.400s; the file is damaged", path, key, inner.message);
    if (document->root->kind != kind) {
        json_close(document);
        return error_set(error, "%s: its metadata \"%s\" is not of the right kind; the file is damaged", path, key);
    }
    return true;
}

static bool read_size(const JsonValue *config, const char *key, int *size)
{
    int64_t value;
    if (!json_integer(json_member(config, key), &value) || value < 1 || value > MODEL_SIZE_LIMIT)
        return false;
    *size = (int)value;
    return true;
}

static bool read_choice(const JsonValue *config, const char *key, const char *const *names, int *choice)
{
    const JsonValue *value = json_member(config, key);
    for (int i = 0; value != NULL && value->kind == JSON_STRING && names[i] != NULL; i++)
        if (strcmp(names[i], value->string) == 0) {
            *choice = i;
            return true;
        }
    return false;
}

static bool read_config(ModelConfig *config, bool *bytes, const Safetensors *file, const char *path, Error *error)
{
    JsonDocument document;
    if (!parse_metadata(&document, file, path, "config", JSON_OBJECT, error))
        return false;
    const JsonValue *root = document.root, *is_bytes = json_member(root, "bytes");
    int positions, mask, mixing, scale;
    bool understood = read_size(root, "context", &config->context) && read_size(root, "channels", &config->channels) &&
                      read_size(root, "head_size", &config->head_size) &&
                      read_size(root, "vocabulary_size", &config->vocabulary_size) &&
                      read_choice(root, "positions", positions_names, &positions) &&
                      read_choice(root, "mask", mask_names, &mask) &&
                      read_choice(root, "mixing", mixing_names, &mixing) &&
                      read_choice(root, "scale", scale_names, &scale) && is_bytes != NULL &&
                      (is_bytes->kind == JSON_TRUE || is_bytes->kind == JSON_FALSE);
    if (understood) {
        config->positions = (Positions)positions;
        config->mask = (Mask)mask;
        config->mixing = (Mixing)mixing;
        config->scale = (Scale)scale;
        *bytes = is_bytes->kind == JSON_TRUE;
    }
    json_close(&document);
    return understood || error_set(error, "%s: a member of its metadata \"config\" is missing or out of range; the "
                                          "file is damaged or from another version", path);
}

static bool read_vocabulary(Vocabulary *vocabulary, int size, bool bytes, const Safetensors *file, const char *path,
                            Error *error)
{
    JsonDocument document;
    if (!parse_metadata(&document, file, path, "vocabulary", JSON_ARRAY, error))
        return false;
    bool done = false;
    uint32_t *symbols = malloc((document.root->count + 1) * sizeof *symbols);
    size_t count = 0;
    for (const JsonValue *child = document.root->first; symbols != NULL && child != NULL; child = child->next) {
        uint64_t value;
        if (!json_unsigned(child, &value) || value > UINT32_MAX)
            break;
        symbols[count++] = (uint32_t)value;
    }
    Error inner = {0};
    if (symbols == NULL)
        error_set(error, "%s: out of memory for its vocabulary", path);
    else if (count != document.root->count)
        error_set(error, "%s: entry %zu of its vocabulary is no symbol; the file is damaged", path, count);
    else if (count != (size_t)size)
        error_set(error, "%s: its vocabulary has %zu symbols, its config says %d; the file is damaged", path, count,
                  size);
    else if (!vocabulary_open(vocabulary, symbols, size, bytes, &inner))
        error_set(error, "%s: its vocabulary: %.400s; the file is damaged", path, inner.message);
    else
        done = true;
    free(symbols);
    json_close(&document);
    return done;
}

static bool read_number(const Safetensors *file, const char *key, double *number)
{
    const char *text = safetensors_metadata(file, key);
    JsonDocument document;
    Error ignored;
    if (text == NULL || !json_parse(&document, text, strlen(text), &ignored))
        return false;
    bool is_null = document.root->kind == JSON_NULL;
    bool understood = is_null || json_double(document.root, number);
    if (is_null)
        *number = NAN;
    json_close(&document);
    return understood;
}

static bool read_count(const Safetensors *file, const char *key, int64_t *count)
{
    const char *text = safetensors_metadata(file, key);
    JsonDocument document;
    Error ignored;
    if (text == NULL || !json_parse(&document, text, strlen(text), &ignored))
        return false;
    bool understood = json_integer(document.root, count) && *count >= 0;
    json_close(&document);
    return understood;
}

static bool read_random(const Safetensors *file, Random *random)
{
    const char *text = safetensors_metadata(file, "random_state");
    if (text == NULL || strlen(text) != 33 || text[16] != ' ' ||
        strspn(text, "0123456789abcdef") != 16 || strspn(text + 17, "0123456789abcdef") != 16)
        return false;
    random->counter = strtoull(text, NULL, 16);
    random->increment = strtoull(text + 17, NULL, 16);
    return random->increment % 2 == 1;
}

static bool read_state(RunState *state, const Safetensors *file, const char *path, Error *error)
{
    if (read_count(file, "step", &state->step) && read_random(file, &state->batches) &&
        read_number(file, "best_loss", &state->best_loss) && read_count(file, "best_step", &state->best_step) &&
        read_number(file, "validation_loss", &state->validation_loss) &&
        read_number(file, "train_loss_sum", &state->train_loss_sum) &&
        read_count(file, "train_loss_count", &state->train_loss_count))
        return true;
    return error_set(error, "%s: its step, random state or losses are missing or malformed; the file is damaged", path);
}

static bool read_training(Checkpoint *checkpoint, const Safetensors *file, const char *path, Error *error)
{
    if (!parse_metadata(&checkpoint->training, file, path, "training", JSON_OBJECT, error))
        return false;
    const JsonValue *root = checkpoint->training.root, *data = json_member(root, "data");
    const JsonValue *hash = json_member(root, "data_hash");
    if (data == NULL || data->kind != JSON_STRING || strlen(data->string) != data->length || hash == NULL ||
        hash->kind != JSON_STRING || hash->length != 16 || strspn(hash->string, "0123456789abcdef") != 16 ||
        !json_double(json_member(root, "validation_fraction"), &checkpoint->validation_fraction) ||
        !(checkpoint->validation_fraction >= 0 && checkpoint->validation_fraction < 1))
        return error_set(error, "%s: its metadata \"training\" lacks the text's path, hash or split; the file is "
                                "damaged", path);
    checkpoint->data = data->string;
    checkpoint->data_hash = strtoull(hash->string, NULL, 16);
    return true;
}

/* Copies the tensors of one list from under the prefix. */
static bool read_tensors(Parameters *list, const char *prefix, const Safetensors *file, const char *path,
                         Error *error)
{
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Tensor tensor = list->tensors[i];
        size_t rows = (size_t)tensor.values.rows, columns = (size_t)tensor.values.columns;
        if (rows == 0 || (prefix[0] != '\0' && !tensor.trained))
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, tensor.name);
        const SafetensorsTensor *found = safetensors_find(file, name);
        if (found == NULL)
            return error_set(error, "%s: the tensor %s is missing; the file is damaged", path, name);
        bool fits = found->type == SAFETENSORS_F32 && found->rank == tensor.rank &&
                    (tensor.rank == 1 ? found->shape[0] == columns
                                      : found->shape[0] == rows && found->shape[1] == columns);
        if (!fits)
            return error_set(error, "%s: the tensor %s has not the shape of its config (%zu x %zu, F32); the file is "
                                    "damaged", path, name, rows, columns);
        memcpy(tensor.values.data, found->data, found->bytes);
    }
    const Tensor *bad = parameters_find_nonfinite(list);
    if (bad != NULL)
        return error_set(error, "%s: the tensor %s%s holds a NaN or an infinity; use an earlier checkpoint", path,
                         prefix, bad->name);
    return true;
}

/* The smallest file that could hold this model: refuses a config that promises more than the file has, before any
 * memory is taken for it. */
static bool check_size(const ModelConfig *config, const Safetensors *file, const char *path, Error *error)
{
    double T = config->context, C = config->channels, H = config->head_size, V = config->vocabulary_size;
    double needed = V * C + (config->positions == POSITIONS_NONE ? 0 : T * C) + 3 * H * C + V * H + V, held = 0;
    for (int i = 0; i < file->tensor_count; i++)
        held += (double)file->tensors[i].bytes;
    if (needed * (double)sizeof(float) <= held)
        return true;
    return error_set(error, "%s: its tensors are smaller than its config says; the file is damaged", path);
}

/* The file as a whole: nothing that this program would not have written, nothing changed since. */
static bool check_metadata(const Safetensors *file, const char *path, Error *error)
{
    static const char *const known[] = {"format", "version", "config", "vocabulary", "training", "step",
                                        "random_state", "best_loss", "best_step", "validation_loss",
                                        "train_loss_sum", "train_loss_count", CHECKSUM_KEY};
    for (int i = 0; i < file->metadata_count; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] && strcmp(known[k], file->metadata[i].key) != 0)
            k++;
        char key[JSON_QUOTE_SIZE];
        if (k == sizeof known / sizeof known[0])
            return error_set(error, "%s: its metadata has a key %s that this program does not know; it is no soliloquy "
                                    "checkpoint, damaged, or from another version", path,
                             json_quote(file->metadata[i].key, key));
    }
    const char *expected = safetensors_metadata(file, CHECKSUM_KEY);
    char found[CHECKSUM_LENGTH];
    checksum_text(file->metadata, file->metadata_count, file->tensors, file->tensor_count, found);
    if (expected != NULL && strcmp(expected, found) != 0)
        return error_set(error, "%s: its checksum does not fit its content; the file is damaged, use an earlier one "
                                "(or, where another program changed it, drop the checksum)", path);
    return true;
}

static bool is_known_tensor(const Checkpoint *c, const char *name)
{
    bool moment = c->has_moments && (strncmp(name, "adam.m.", 7) == 0 || strncmp(name, "adam.v.", 7) == 0);
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Tensor tensor = c->parameters.tensors[i];
        if (strcmp(name + (moment ? 7 : 0), tensor.name) == 0 && (moment ? tensor.trained : tensor.values.rows > 0))
            return true;
    }
    return false;
}

static bool check_tensors(const Checkpoint *c, const Safetensors *file, const char *path, Error *error)
{
    char name[JSON_QUOTE_SIZE];
    for (int i = 0; i < file->tensor_count; i++)
        if (!is_known_tensor(c, file->tensors[i].name))
            return error_set(error, "%s: it holds a tensor %s that has no place in a model of its config; it is "
                                    "damaged or from another version", path, json_quote(file->tensors[i].name, name));
    return true;
}

static bool read_all(Checkpoint *c, const Safetensors *file, const char *path, Error *error)
{
    ModelConfig config;
    bool bytes = false;
    if (!check_metadata(file, path, error) || !read_config(&config, &bytes, file, path, error) ||
        !check_size(&config, file, path, error) ||
        !read_vocabulary(&c->vocabulary, config.vocabulary_size, bytes, file, path, error) ||
        !read_state(&c->state, file, path, error) || !read_training(c, file, path, error) ||
        !parameters_open(&c->parameters, &config, error) ||
        !read_tensors(&c->parameters, "", file, path, error))
        return false;
    const char *version = safetensors_metadata(file, "version");
    snprintf(c->version, sizeof c->version, "%s", version != NULL ? version : "");
    c->has_moments = safetensors_find(file, "adam.m.lm_head.bias") != NULL;
    if (c->has_moments && (!parameters_open(&c->m, &config, error) || !parameters_open(&c->v, &config, error) ||
                           !read_tensors(&c->m, "adam.m.", file, path, error) ||
                           !read_tensors(&c->v, "adam.v.", file, path, error)))
        return false;
    return check_tensors(c, file, path, error);
}

/* The file that MODEL stands for, allocated. */
static char *model_path(const char *model, Error *error)
{
    struct stat status;
    if (stat(model, &status) != 0 || !S_ISDIR(status.st_mode)) {
        char *copy = strdup(model);
        if (copy == NULL)
            error_set(error, "out of memory for a path");
        return copy;
    }
    static const char *const names[] = {"best.safetensors", "last.safetensors"};
    for (int i = 0; i < 2; i++) {
        char *path = path_join(model, names[i]);
        if (path != NULL && access(path, F_OK) == 0)
            return path;
        free(path);
    }
    error_set(error, "%s: no best.safetensors or last.safetensors in this directory; name a run that `train` wrote",
              model);
    return NULL;
}

bool checkpoint_open(Checkpoint *checkpoint, const char *model, Error *error)
{
    *checkpoint = (Checkpoint){0};
    char *path = model_path(model, error);
    if (path == NULL)
        return false;
    Safetensors file;
    bool opened = safetensors_open(&file, path, error);
    bool read = opened && read_all(checkpoint, &file, path, error);
    if (opened)
        safetensors_close(&file);
    if (!read)
        checkpoint_close(checkpoint);
    free(path);
    return read;
}

void checkpoint_close(Checkpoint *checkpoint)
{
    parameters_close(&checkpoint->parameters);
    parameters_close(&checkpoint->m);
    parameters_close(&checkpoint->v);
    vocabulary_close(&checkpoint->vocabulary);
    json_close(&checkpoint->training);
    *checkpoint = (Checkpoint){0};
}
