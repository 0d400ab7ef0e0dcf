#include "cli/train_report.h"

#include "base/file.h"
#include "base/version.h"
#include "cli/format.h"
#include "cli/output.h"
#include "inference/attention_map.h"
#include "inference/sampler.h"
#include "kernels/denormals.h"
#include "kernels/vector.h"
#include "report/attention_files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void train_report_text(Progress *progress, const char *path, const Corpus *corpus, const TrainingSettings *settings)
{
    size_t split = trainer_split(corpus->ids.count, settings->validation_fraction);
    char all[FORMAT_LENGTH], train[FORMAT_LENGTH], held[FORMAT_LENGTH];
    format_count((int64_t)corpus->ids.count, all);
    format_count((int64_t)split, train);
    format_count((int64_t)(corpus->ids.count - split), held);
    progress_note(progress, "soliloquy %s: %s, %s %s, %d symbols; %s to train on, %s to validate", SOLILOQUY_VERSION,
                  path, all, corpus->vocabulary.bytes ? "bytes" : "characters", corpus->vocabulary.size, train, held);
    if (corpus->byte_order_mark)
        progress_note(progress, "a byte-order mark at its start was left out");
}

/* The model's kind in words. */
static void ablations(const ModelConfig *c, char text[128])
{
    snprintf(text, 128, "%s positions, %s %s%s", c->positions == POSITIONS_NONE ? "no" : positions_names[c->positions],
             c->mask == MASK_CAUSAL ? "causal" : "unmasked",
             c->mixing == MIXING_UNIFORM ? "uniform mixing" : "attention",
             c->scale == SCALE_NONE ? ", unscaled" : "");
}

void train_report_plan(Progress *progress, const ModelConfig *c, const TrainingSettings *s, int threads)
{
    char kind[128], parameters[FORMAT_LENGTH], tokens[FORMAT_LENGTH], steps[FORMAT_LENGTH], bytes[FORMAT_LENGTH];
    int used = trainer_threads(c, s->batch_size, threads);
    Parameters shape = parameters_shape(c);
    ablations(c, kind);
    format_count((int64_t)parameters_trained_count(&shape), parameters);
    format_count((int64_t)s->batch_size * c->context, tokens);
    format_count(s->schedule.steps, steps);
    format_bytes(trainer_bytes(c, s->batch_size, used, s->precision), bytes);
    progress_note(progress, "model: T %d, C %d, H %d, V %d: %s parameters; %s", c->context, c->channels, c->head_size,
                  c->vocabulary_size, parameters, kind);
    progress_note(progress, "%s steps of %d x %d = %s characters%s; Adam %g %s, seed %llu", steps, s->batch_size,
                  c->context, tokens, s->precision == PRECISION_BF16 ? ", products in bf16" : "", s->schedule.rate,
                  schedule_names[s->schedule.kind], (unsigned long long)s->seed);
    const char *fewer = used == 1 ? " (a step is too small to share)" : " (as many as a step has shards)";
    progress_note(progress, "%d thread%s%s, vectors of %d bytes, %s of memory", used, used == 1 ? "" : "s",
                  used < threads ? fewer : "", VECTOR_BYTES, bytes);
}

void train_report_baselines(Progress *progress, const Baselines *b)
{
    progress_note(progress, "by counting: ln V %.4f, unigram %.4f, bigram %.4f nats a character",
                  b->uniform, b->unigram, b->bigram);
}

void train_report_losses(FILE *out, const Trainer *trainer, const Baselines *baselines)
{
    const RunState *state = &trainer->state;
    const struct {
        const char *name;
        double loss;
    } rows[] = {{"ln V", baselines->uniform},
                {"unigram, counted", baselines->unigram},
                {"bigram, counted", baselines->bigram},
                {"this head", state->best_loss}};
    if (isnan(state->best_loss)) {
        fprintf(out, "no validation split: nothing to compare\n");
        return;
    }
    fprintf(out, "\n%-18s %10s %10s\n", "validation loss", "nats/char", "bits/char");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fprintf(out, "%-18s %10.4f %10.4f\n", rows[i].name, rows[i].loss, rows[i].loss / log(2));
    if (trainer->parameters.config.mask == MASK_NONE)
        fprintf(out, "without a mask each position reads its own answer: not to be compared with the counted ones\n");
}

static bool print_sample(FILE *out, Head *head, const Vocabulary *vocabulary, uint64_t seed, int length, Error *error)
{
    Sampler sampler;
    Random root = random_seed(seed), random = random_split(&root); /* the first text of `sample --seed` */
    if (!sampler_open(&sampler, head, vocabulary, (ChoiceRule){.temperature = 1, .top_p = 1}, error))
        return false;
    sampler_begin(&sampler, (Ids){.width = 1});
    fprintf(out, "\n%d characters of sample:\n", length);
    for (int i = 0; i < length; i++) {
        char bytes[4];
        int count = vocabulary_text(vocabulary, sampler_next(&sampler, &random), bytes);
        fwrite(bytes, 1, (size_t)count, out);
    }
    fprintf(out, "\n");
    sampler_close(&sampler);
    return true;
}

static bool write_maps(const char *directory, Head *head, const AttentionOrigin *origin, Error *error)
{
    AttentionMap map;
    char *path = path_join(directory, "attention");
    bool written = path != NULL && attention_map_open(&map, head, origin->ids, 0, error);
    if (path == NULL)
        error_set(error, "out of memory for a path");
    if (written) {
        written = attention_files_write(path, ATTENTION_ALL_FILES, &map, origin, error);
        attention_map_close(&map);
    }
    free(path);
    return written;
}

/* The text whose maps are written: the user's, or the start of the validation (or else of the training) text. */
static bool maps_origin(AttentionOrigin *origin, Corpus *encoded, const Trainer *trainer, const char *maps_text,
                        Error *error)
{
    if (maps_text != NULL) {
        if (!corpus_encode(encoded, "--maps-text", maps_text, strlen(maps_text), trainer->vocabulary, UNKNOWN_FORBID,
                           error))
            return false;
        if (encoded->ids.count == 0)
            return error_set(error, "--maps-text is empty; give it at least one character");
        origin->ids = encoded->ids;
        origin->text = "--maps-text";
        return true;
    }
    bool held = trainer->validation.count > 0;
    Ids ids = held ? trainer->validation : trainer->training;
    size_t context = (size_t)trainer->parameters.config.context, length = ids.count < context ? ids.count : context;
    origin->ids = ids_slice(ids, 0, length < ATTENTION_MAP_UNASKED ? length : ATTENTION_MAP_UNASKED);
    origin->text = trainer->settings.data;
    origin->first = held ? trainer->training.count : 0;
    return true;
}

bool train_report_model(FILE *out, const char *directory, const Trainer *trainer, const char *maps_text, int length,
                        Error *error)
{
    Checkpoint checkpoint;
    Corpus encoded = {0};
    Head head;
    if (!checkpoint_open(&checkpoint, directory, error))
        return false;
    uint64_t denormals = denormals_flush();
    AttentionOrigin origin = {.config = &checkpoint.parameters.config, .vocabulary = &checkpoint.vocabulary,
                              .step = checkpoint.state.step, .data = checkpoint.data,
                              .data_hash = checkpoint.data_hash};
    bool done = head_open(&head, &checkpoint.parameters, error);
    if (done) {
        done = print_sample(out, &head, &checkpoint.vocabulary, trainer->settings.seed, length, error) &&
               maps_origin(&origin, &encoded, trainer, maps_text, error) &&
               write_maps(directory, &head, &origin, error);
        head_close(&head);
    }
    denormals_restore(denormals);
    corpus_close(&encoded);
    checkpoint_close(&checkpoint);
    return done;
}

void train_report_command(FILE *out, const char *words, const char *directory)
{
    output_shell_word(out, program_invocation_name);
    fprintf(out, " %s ", words);
    output_shell_word(out, directory);
}

/* An example of an option, where the model knows all of its characters; they are ASCII. */
static void print_example(FILE *out, const Vocabulary *vocabulary, const char *option, const char *text)
{
    for (const char *letter = text; *letter != '\0'; letter++)
        if (vocabulary_find(vocabulary, (uint32_t)*letter) < 0)
            return;
    fprintf(out, " %s \"%s\"", option, text);
}

void train_report_files(FILE *out, const char *directory, const Trainer *trainer)
{
    fprintf(out, "\nfiles in %s: %slast.safetensors, log.jsonl, attention/\n", directory,
            isnan(trainer->state.best_loss) ? "" : "best.safetensors, ");
    fprintf(out, "try next:\n  ");
    train_report_command(out, "sample", directory);
    print_example(out, trainer->vocabulary, "--prompt", "ROMEO:");
    fprintf(out, "\n  ");
    train_report_command(out, "attend", directory);
    print_example(out, trainer->vocabulary, "--text", "First Citizen:");
    fputc('\n', out);
}
