#include "cli/info_model.h"

#include "cli/format.h"
#include "storage/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GLYPHS_SHOWN = 128, DECIMALS = 4 };

static void print_vocabulary(const Vocabulary *vocabulary)
{
    printf("  %-18s %d %s:", "vocabulary V", vocabulary->size, vocabulary->bytes ? "bytes" : "characters");
    for (int id = 0; id < vocabulary->size && id < GLYPHS_SHOWN; id++) {
        char glyph[SYMBOL_NAME_LENGTH];
        vocabulary_glyph(vocabulary, id, glyph);
        printf(" %s", glyph);
    }
    puts(vocabulary->size > GLYPHS_SHOWN ? " ..." : "");
}

static void print_config(const ModelConfig *config, const Vocabulary *vocabulary)
{
    puts("model");
    printf("  %-18s %d\n  %-18s %d\n  %-18s %d\n", "context T", config->context, "channels C", config->channels,
           "head size H", config->head_size);
    print_vocabulary(vocabulary);
    printf("  %-18s %s\n  %-18s %s\n  %-18s %s\n  %-18s %s\n", "positions", positions_names[config->positions], "mask",
           mask_names[config->mask], "mixing", mixing_names[config->mixing], "scale", scale_names[config->scale]);
}

static void print_tensors(const Checkpoint *checkpoint)
{
    const Parameters *parameters = &checkpoint->parameters;
    char count[FORMAT_LENGTH], trained[FORMAT_LENGTH], shape[FORMAT_LENGTH];
    puts("tensors");
    for (int i = 0; i < TENSOR_COUNT; i++) {
        Tensor tensor = parameters->tensors[i];
        if (tensor.values.rows == 0)
            continue;
        format_count((int64_t)tensor.values.rows * tensor.values.columns, count);
        if (tensor.rank == 1)
            snprintf(shape, sizeof shape, "%d", tensor.values.columns);
        else
            snprintf(shape, sizeof shape, "%d x %d", tensor.values.rows, tensor.values.columns);
        printf("  %-33s %-16s %14s%s\n", tensor.name, shape, count, tensor.trained ? "" : "  constant");
    }
    format_count((int64_t)parameters->count, count);
    format_count((int64_t)parameters_trained_count(parameters), trained);
    printf("  %-33s %-16s %14s  of which %s are trained\n", "together", "", count, trained);
    if (checkpoint->has_moments)
        puts("  and Adam's moments of each: training can go on from this file");
}

static void print_loss(const char *name, double loss, int64_t step)
{
    char nats[FORMAT_LENGTH], bits[FORMAT_LENGTH], at[FORMAT_LENGTH];
    if (isnan(loss))
        return;
    format_decimal(loss, DECIMALS, nats);
    format_decimal(loss / log(2), DECIMALS, bits);
    format_count(step, at);
    printf("  %-18s %s nats/char, %s bits/char", name, nats, bits);
    if (step >= 0)
        printf(", at step %s", at);
    putchar('\n');
}

/* A member of the training settings: a word or a number as it is spelled. */
static void print_setting(const JsonValue *value)
{
    char key[JSON_QUOTE_SIZE], text[JSON_QUOTE_SIZE];
    if (value->kind != JSON_STRING && value->kind != JSON_NUMBER)
        return;
    json_quote(value->key, key);
    json_quote(value->string, text);
    size_t key_length = strlen(key) - 2, length = strlen(text) - 2;
    printf("  %-18.*s %.*s\n", (int)key_length, key + 1, (int)length, text + 1);
}

static void print_training(const Checkpoint *checkpoint)
{
    char step[FORMAT_LENGTH];
    format_count(checkpoint->state.step, step);
    puts("training");
    printf("  %-18s %s\n", "steps done", step);
    print_loss("validation loss", checkpoint->state.validation_loss, -1);
    print_loss("best loss", checkpoint->state.best_loss, checkpoint->state.best_step);
    for (const JsonValue *value = checkpoint->training.root->first; value != NULL; value = value->next)
        print_setting(value);
    if (checkpoint->version[0] != '\0')
        printf("  %-18s soliloquy %s\n", "written by", checkpoint->version);
}

bool info_model_print(const char *model, Error *error)
{
    Checkpoint checkpoint;
    if (!checkpoint_open(&checkpoint, model, error))
        return false;
    printf("%s: a model\n", model);
    print_config(&checkpoint.parameters.config, &checkpoint.vocabulary);
    print_tensors(&checkpoint);
    print_training(&checkpoint);
    checkpoint_close(&checkpoint);
    return true;
}
