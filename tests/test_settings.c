/* How a model is trained, written and read back. */
#include "test.h"

#include "training/settings.h"

static const TrainingSettings odd_settings = {
    .batch_size = 7,
    .schedule = {SCHEDULE_CONSTANT, 0.1, 1e-300, 11, 12345678901},
    .adam = {0.875, 0.99, 1e-8, 0.3, 2.5},
    .precision = PRECISION_BF16,
    .seed = UINT64_MAX,
    .validation_fraction = 0.1,
    .eval_every = 3,
    .data = "a \"text\" \\ of \xC3\xA9\n<b>",
    .data_hash = 0xFEDCBA9876543210,
};

enum { TEXT_SIZE = 2048 };

static void settings_text(const TrainingSettings *settings, char text[TEXT_SIZE])
{
    FILE *stream = fmemopen(text, TEXT_SIZE, "w");
    settings_write(stream, settings);
    fclose(stream);
}

static bool read_settings(const char *text, TrainingSettings *settings, JsonDocument *document, Error *error)
{
    if (!json_parse(document, text, strlen(text), error))
        return false;
    return settings_read(settings, document->root, error);
}

static void check_settings(const TrainingSettings *a, const TrainingSettings *b)
{
    CHECK(a->batch_size == b->batch_size && a->eval_every == b->eval_every && a->seed == b->seed, "whole numbers");
    CHECK(a->schedule.kind == b->schedule.kind && a->schedule.rate == b->schedule.rate, "schedule");
    CHECK(a->schedule.minimum == b->schedule.minimum, "%g", a->schedule.minimum);
    CHECK(a->schedule.warmup == b->schedule.warmup && a->schedule.steps == b->schedule.steps, "schedule's steps");
    CHECK(a->precision == b->precision, "precision %d", (int)a->precision);
    CHECK(a->adam.beta1 == b->adam.beta1 && a->adam.beta2 == b->adam.beta2, "betas");
    CHECK(a->adam.epsilon == b->adam.epsilon && a->adam.weight_decay == b->adam.weight_decay, "epsilon, decay");
    CHECK(a->adam.clip == b->adam.clip && a->validation_fraction == b->validation_fraction, "clip, fraction");
    CHECK(strcmp(a->data, b->data) == 0 && a->data_hash == b->data_hash, "'%s' %llx", a->data,
          (unsigned long long)a->data_hash);
}

static void test_settings(void)
{
    static const char *const names[] = {
        "data", "data_hash", "schedule", "validation_fraction", "batch_size", "steps", "learning_rate",
        "min_learning_rate", "warmup", "beta1", "beta2", "epsilon", "weight_decay", "clip", "seed", "eval_every",
    };
    TrainingSettings settings;
    JsonDocument document;
    Error error = {0};
    char text[TEXT_SIZE];
    settings_text(&odd_settings, text);

    test_case("settings: every field survives writing and reading, on one line");
    CHECK(strchr(text, '\n') == NULL, "%s", text);
    bool read = read_settings(text, &settings, &document, &error);
    CHECK(read, "%s", error.message);
    if (read)
        check_settings(&settings, &odd_settings);
    json_close(&document);

    test_case("settings: a missing field is refused and named");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char copy[TEXT_SIZE], key[64];
        memcpy(copy, text, sizeof copy);
        snprintf(key, sizeof key, "\"%s\":", names[i]);
        char *place = strstr(copy, key);
        CHECK(place != NULL, "%s is not written", names[i]);
        if (place != NULL)
            place[1] = '#';
        CHECK(!read_settings(copy, &settings, &document, &error), "without %s", names[i]);
        const char *named = i == 0 ? "path" : i == 1 ? "hash" : names[i];
        CHECK(strstr(error.message, named) != NULL, "without %s: %s", names[i], error.message);
        json_close(&document);
    }
}

static void test_settings_range(void)
{
    static const struct {
        const char *name, *value;
    } refused[] = {
        {"batch_size", "0"}, {"batch_size", "-1"}, {"batch_size", "2147483648"}, {"batch_size", "1.5"},
        {"batch_size", "\"8\""}, {"steps", "-1"}, {"learning_rate", "0"}, {"learning_rate", "-1"},
        {"learning_rate", "null"}, {"validation_fraction", "1"}, {"validation_fraction", "-0.1"}, {"eval_every", "0"},
        {"seed", "-1"}, {"seed", "18446744073709551616"}, {"schedule", "\"linear\""}, {"schedule", "0"},
        {"weight_decay", "1e999"}, {"data", "1"}, {"precision", "\"half\""}, {"precision", "\"BF16\""},
        {"precision", "\"\""}, {"precision", "1"}, {"precision", "null"},
    };
    test_case("settings: a field out of range is refused");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        TrainingSettings settings;
        JsonDocument document;
        Error error = {0};
        char text[TEXT_SIZE], changed[TEXT_SIZE + 64], key[64];
        settings_text(&odd_settings, text);
        snprintf(key, sizeof key, "\"%s\": ", refused[i].name);
        char *value = strstr(text, key) + strlen(key);
        size_t length = value[0] == '"' ? 1 + strcspn(value + 1, "\"") + 1 : strcspn(value, ",}");
        if (strcmp(refused[i].name, "data") == 0) /* has escaped quotes in it */
            length = (size_t)(strstr(value, ", \"data_hash\"") - value);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(value - text), text, refused[i].value, value + length);
        CHECK(!read_settings(changed, &settings, &document, &error), "%s", changed);
        CHECK(error.message[0] != '\0', "%s: no message", changed);
        json_close(&document);
    }
}

/* Checkpoints from before the setting lack it. */
static void test_precision(void)
{
    TrainingSettings settings = odd_settings, read = odd_settings;
    JsonDocument document;
    Error error = {0};
    char text[TEXT_SIZE], key[] = "\"precision\": \"bf16\", ";

    test_case("settings: the precision is written by name and read back");
    for (int precision = PRECISION_FLOAT; precision <= PRECISION_BF16; precision++) {
        char written[64];
        settings.precision = (Precision)precision;
        settings_text(&settings, text);
        snprintf(written, sizeof written, "\"precision\": \"%s\"", precision == PRECISION_BF16 ? "bf16" : "float");
        CHECK(strstr(text, written) != NULL, "%s", text);
        CHECK(read_settings(text, &read, &document, &error) && (int)read.precision == precision, "%d: %s", precision,
              error.message);
        json_close(&document);
    }

    test_case("settings: without a precision it is float");
    char *place = strstr(text, key);
    CHECK(place != NULL, "%s", text);
    if (place != NULL)
        memmove(place, place + strlen(key), strlen(place + strlen(key)) + 1);
    read.precision = PRECISION_BF16;
    CHECK(read_settings(text, &read, &document, &error) && read.precision == PRECISION_FLOAT, "%s", error.message);
    json_close(&document);

    test_case("settings: an unknown precision is refused by name");
    settings_text(&odd_settings, text);
    place = strstr(text, "bf16");
    if (place != NULL)
        memcpy(place, "fp16", 4);
    CHECK(!read_settings(text, &read, &document, &error) && strstr(error.message, "\"precision\" is unknown") != NULL,
          "%s", error.message);
    json_close(&document);
}

int main(void)
{
    test_settings();
    test_precision();
    test_settings_range();
    return test_finish();
}
