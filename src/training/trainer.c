#include "training/trainer.h"

#include "model/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t trainer_split(size_t count, double validation_fraction)
{
    return (size_t)((1 - validation_fraction) * (double)count);
}

int trainer_threads(const ModelConfig *config, int batch_size, int threads)
{
    /* Two threads meet several times a step, which takes tens of microseconds, and far more on a machine that has
     * other work; one thread does this many multiply-additions in about 200. */
    const double worth_sharing = 4e6;
    double T = config->context, H = config->head_size, V = config->vocabulary_size;
    double work = 3 * batch_size * T * (T * H + H * V + 3 * H);
    if (work < worth_sharing)
        return 1;
    int shards = step_shard_count(config, batch_size, tables_plan(config, batch_size, PRECISION_FLOAT));
    return threads < shards ? threads : shards;
}

size_t trainer_bytes(const ModelConfig *config, int batch_size, int threads, Precision precision)
{
    double bytes = (double)parameters_shape(config).count * sizeof(real) +
                   (double)update_bytes(config, batch_size, threads, precision);
    return bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* A system that promises more memory than it has would end the program in the middle of a step. */
bool trainer_check_memory(const ModelConfig *config, int batch_size, int threads, Precision precision, Error *error)
{
    double needed = (double)trainer_bytes(config, batch_size, threads, precision);
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (machine > 0 && needed > machine)
        return error_set(error, "training needs %.1f GB of memory and this machine has %.1f GB; choose a smaller "
                                "--batch-size, --context, --channels or --head-size",
                         needed / 1e9, machine / 1e9);
    return true;
}

static bool check_lengths(const Trainer *t, size_t count, int context, Error *error)
{
    size_t needed = (size_t)context + 1;
    if (t->training.count < needed)
        return error_set(error, "%s: %zu of its %zu characters are for training, and a context of %d needs at least "
                                "%zu; choose a smaller --context, a smaller --validation-fraction, or a longer text",
                         t->settings.data, t->training.count, count, context, needed);
    if (t->settings.validation_fraction > 0 && t->validation.count < needed)
        return error_set(error, "%s: %zu of its %zu characters are for validation, and a context of %d needs at least "
                                "%zu; choose a smaller --context, a larger --validation-fraction (0: none), or a "
                                "longer text",
                         t->settings.data, t->validation.count, count, context, needed);
    return true;
}

bool trainer_open(Trainer *t, const ModelConfig *config, const TrainingSettings *settings, const Corpus *corpus,
                  int threads, Error *error)
{
    *t = (Trainer){.settings = *settings, .vocabulary = &corpus->vocabulary};
    t->threads = trainer_threads(config, settings->batch_size, threads);
    size_t split = trainer_split(corpus->ids.count, settings->validation_fraction);
    t->training = ids_slice(corpus->ids, 0, split);
    t->validation = ids_slice(corpus->ids, split, corpus->ids.count - split);
    if (!trainer_check_memory(config, settings->batch_size, t->threads, settings->precision, error) ||
        !check_lengths(t, corpus->ids.count, config->context, error) ||
        !parameters_open(&t->parameters, config, error) ||
        !update_open(&t->update, config, settings->adam, settings->batch_size, t->threads, settings->precision,
                     error)) {
        trainer_close(t);
        return false;
    }
    Random root = random_seed(settings->seed), initialisation = random_split(&root);
    parameters_initialise(&t->parameters, initialisation);
    t->state = (RunState){.batches = random_split(&root), .best_loss = NAN, .validation_loss = NAN};
    return true;
}

void trainer_close(Trainer *t)
{
    parameters_close(&t->parameters);
    update_close(&t->update);
    *t = (Trainer){0};
}

static void copy_parameters(Parameters *to, const Parameters *from)
{
    memcpy(to->tensors[0].values.data, from->tensors[0].values.data, from->count * sizeof(real));
}

bool trainer_restore(Trainer *t, const Checkpoint *checkpoint, Error *error)
{
    if (!checkpoint->has_moments)
        return error_set(error, "this checkpoint holds no Adam moments; resume from a run's last.safetensors");
    copy_parameters(&t->parameters, &checkpoint->parameters);
    copy_parameters(&t->update.adam.m, &checkpoint->m);
    copy_parameters(&t->update.adam.v, &checkpoint->v);
    t->update.adam.step = checkpoint->state.step;
    t->state = checkpoint->state;
    return true;
}

/* Which tensor to blame for a loss or norm that is not finite. */
static bool refuse_nonfinite(const Trainer *t, const char *what, Error *error)
{
    const Tensor *weights = parameters_find_nonfinite(&t->parameters);
    const Tensor *gradient = parameters_find_nonfinite(&t->update.gradient);
    return error_set(error, "step %lld: the %s is not finite; first bad tensor: %s%s. Checkpoints on disk are "
                            "untouched; try a lower --learning-rate, a longer --warmup or --clip 1",
                     (long long)t->state.step + 1, what, weights == NULL && gradient != NULL ? "the gradient of " : "",
                     weights != NULL ? weights->name
                     : gradient != NULL ? gradient->name : "none (the logits overflow)");
}

bool trainer_step(Trainer *t, StepReport *report, Error *error)
{
    report->learning_rate = schedule_rate(&t->settings.schedule, t->state.step);
    if (!update_run(&t->update, &t->parameters, t->training, &t->state.batches, report))
        return refuse_nonfinite(t, isfinite(report->loss) ? "gradient" : "loss", error);
    t->state.step++;
    t->state.train_loss_sum += report->loss;
    t->state.train_loss_count++;
    return true;
}

bool trainer_validate(Trainer *t, bool *best, Error *error)
{
    *best = false;
    if (t->validation.count < 2)
        return true;
    double loss;
    if (!evaluation_loss(&t->update.step, &t->parameters, t->validation, &loss, error))
        return false;
    if (!isfinite(loss))
        return refuse_nonfinite(t, "validation loss", error);
    t->state.validation_loss = loss;
    *best = !(t->state.best_loss <= loss);
    if (*best) {
        t->state.best_loss = loss;
        t->state.best_step = t->state.step;
    }
    return true;
}

/* A file with a NaN in it could not be read again, and would stand where a good one stood. */
static bool check_finite(const Trainer *t, const char *path, bool with_moments, Error *error)
{
    const struct {
        const Parameters *list;
        const char *what;
    } kinds[] = {{&t->parameters, ""},
                 {&t->update.adam.m, "Adam's mean of "},
                 {&t->update.adam.v, "Adam's mean of squares of "}};
    for (int i = 0; i < (with_moments ? 3 : 1); i++) {
        const Tensor *bad = parameters_find_nonfinite(kinds[i].list);
        if (bad != NULL)
            return error_set(error, "%s is not written: after step %lld %s%s is not finite. Checkpoints on disk are "
                                    "untouched; try a lower --learning-rate, a longer --warmup or --clip 1",
                             path, (long long)t->state.step, kinds[i].what, bad->name);
    }
    return true;
}

bool trainer_save(const Trainer *t, const char *path, bool with_moments, Error *error)
{
    if (!check_finite(t, path, with_moments, error))
        return false;
    char *training = NULL;
    size_t size;
    FILE *text = open_memstream(&training, &size);
    if (text == NULL)
        return error_set(error, "cannot write %s: out of memory", path);
    settings_write(text, &t->settings);
    if (fclose(text) != 0) {
        free(training);
        return error_set(error, "cannot write %s: out of memory", path);
    }
    CheckpointContents contents = {
        .parameters = &t->parameters,
        .m = with_moments ? &t->update.adam.m : NULL,
        .v = with_moments ? &t->update.adam.v : NULL,
        .vocabulary = t->vocabulary,
        .training = training,
        .state = t->state,
    };
    bool saved = checkpoint_write(path, contents, error);
    free(training);
    return saved;
}
