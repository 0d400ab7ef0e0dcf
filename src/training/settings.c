#include "training/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Every number of the settings, once: writing and reading walk this list. */
typedef struct Field {
    const char *name;
    size_t offset;
    enum { FIELD_INT, FIELD_INT64, FIELD_UINT64, FIELD_DOUBLE } kind;
} Field;

#define FIELD(name, member, kind) {name, offsetof(TrainingSettings, member), kind}

static const Field fields[] = {
    FIELD("validation_fraction", validation_fraction, FIELD_DOUBLE),
    FIELD("batch_size", batch_size, FIELD_INT),
    FIELD("steps", schedule.steps, FIELD_INT64),
    FIELD("learning_rate", schedule.rate, FIELD_DOUBLE),
    FIELD("min_learning_rate", schedule.minimum, FIELD_DOUBLE),
    FIELD("warmup", schedule.warmup, FIELD_INT64),
    FIELD("beta1", adam.beta1, FIELD_DOUBLE),
    FIELD("beta2", adam.beta2, FIELD_DOUBLE),
    FIELD("epsilon", adam.epsilon, FIELD_DOUBLE),
    FIELD("weight_decay", adam.weight_decay, FIELD_DOUBLE),
    FIELD("clip", adam.clip, FIELD_DOUBLE),
    FIELD("seed", seed, FIELD_UINT64),
    FIELD("eval_every", eval_every, FIELD_INT64),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

void settings_write(FILE *stream, const TrainingSettings *settings)
{
    fprintf(stream, "{\"data\": ");
    json_write_string(stream, settings->data, strlen(settings->data));
    fprintf(stream, ", \"data_hash\": \"%016" PRIx64 "\", \"schedule\": \"%s\", \"precision\": \"%s\"",
            settings->data_hash, schedule_names[settings->schedule.kind], precision_names[settings->precision]);
    for (int i = 0; i < FIELDS; i++) {
        const char *place = (const char *)settings + fields[i].offset;
        fprintf(stream, ", \"%s\": ", fields[i].name);
        switch (fields[i].kind) {
        case FIELD_INT: fprintf(stream, "%d", *(const int *)place); break;
        case FIELD_INT64: fprintf(stream, "%" PRId64, *(const int64_t *)place); break;
        case FIELD_UINT64: fprintf(stream, "%" PRIu64, *(const uint64_t *)place); break;
        case FIELD_DOUBLE: json_write_double(stream, *(const double *)place); break;
        }
    }
    fputc('}', stream);
}

static bool read_field(Field field, const JsonValue *value, char *place)
{
    int64_t whole;
    switch (field.kind) {
    case FIELD_INT:
        if (!json_integer(value, &whole) || whole < 1 || whole > INT32_MAX)
            return false;
        *(int *)place = (int)whole;
        return true;
    case FIELD_INT64: return json_integer(value, (int64_t *)place) && *(int64_t *)place >= 0;
    case FIELD_UINT64: return json_unsigned(value, (uint64_t *)place);
    default: return json_double(value, (double *)place) && *(double *)place >= 0;
    }
}

/* The place of a string among names, or -1. */
static int read_choice(const char *const names[], const JsonValue *value)
{
    for (int i = 0; value != NULL && value->kind == JSON_STRING && names[i] != NULL; i++)
        if (strcmp(names[i], value->string) == 0)
            return i;
    return -1;
}

bool settings_read(TrainingSettings *settings, const JsonValue *object, Error *error)
{
    const JsonValue *data = json_member(object, "data"), *hash = json_member(object, "data_hash");
    *settings = (TrainingSettings){0};
    if (data == NULL || data->kind != JSON_STRING || hash == NULL || hash->kind != JSON_STRING)
        return error_set(error, "the training settings lack the text's path or hash");
    settings->data = data->string;
    settings->data_hash = strtoull(hash->string, NULL, 16);
    int schedule = read_choice(schedule_names, json_member(object, "schedule"));
    if (schedule < 0)
        return error_set(error, "the training setting \"schedule\" is missing or unknown");
    settings->schedule.kind = (ScheduleKind)schedule;
    const JsonValue *rounded = json_member(object, "precision"); /* absent: float */
    int precision = rounded == NULL ? PRECISION_FLOAT : read_choice(precision_names, rounded);
    if (precision < 0)
        return error_set(error, "the training setting \"precision\" is unknown");
    settings->precision = (Precision)precision;
    for (int i = 0; i < FIELDS; i++)
        if (!read_field(fields[i], json_member(object, fields[i].name), (char *)settings + fields[i].offset))
            return error_set(error, "the training setting \"%s\" is missing or out of range", fields[i].name);
    if (!(settings->schedule.rate > 0) || settings->eval_every < 1 || !(settings->validation_fraction < 1))
        return error_set(error, "a training setting is out of range");
    return true;
}
