/* leak.c -- 000 ex. 5b: a model that was trained without the mask reads its answers in the future, until there is none.
 *
 * The same model twice, from the same numbers and over the same batches, with the mask and without. Teacher-forced, a
 * window stands there whole, as in training; with the future absent, each prediction has what comes before it alone. */
#include "inference/sampler.h"
#include "lab/experiments.h"
#include "lab/line_plot.h"
#include "lab/shakespeare.h"
#include "lab/table_file.h"
#include "lab/triples.h"
#include "layers/cross_entropy.h"
#include "training/trainer.h"

#include <math.h>
#include <stdlib.h>

enum { CONTEXT = 16, CHANNELS = 32, HEAD_SIZE = 32, BATCH_SIZE = 64, STEPS = 1000, POINTS = 10, ROWS = 5 };
enum { WINDOWS = 256, SAMPLE = 400, SHOWN = 64 }; /* of the validation text; characters drawn, and in a row */

static const TrainingSettings settings = {
    .batch_size = BATCH_SIZE,
    .schedule = {.kind = SCHEDULE_CONSTANT, .rate = 1e-2, .steps = STEPS},
    .adam = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8},
    .seed = 42,
    .validation_fraction = 0.1,
    .eval_every = STEPS,
    .data = "tinyshakespeare.txt",
};

typedef struct Subject {
    double forced[POINTS], alone[POINTS]; /* losses in nats a character after STEPS/POINTS, ..., STEPS steps */
    double apart;                         /* the largest distance of the two at one position, at the end */
    int32_t sample[SAMPLE];
    double known;                         /* share of the sample's triples of characters that the training text has */
} Subject;

/* The loss of the character behind ids[0..count) when these are all there is. */
static double loss_alone(Head *head, const int32_t *ids, int count, const int32_t *target)
{
    head_next_logits(head, ids, count);
    return cross_entropy_forward(matrix_rows(head->pass.logits, 0, 1), false, target);
}

static void measure(Head *head, Ids validation, int point, Subject *subject)
{
    int32_t inputs[CONTEXT], targets[CONTEXT];
    double forced[CONTEXT], forced_sum = 0, alone_sum = 0;
    size_t windows = (validation.count - 1) / CONTEXT;
    windows = windows < WINDOWS ? windows : WINDOWS;
    subject->apart = 0;
    for (size_t w = 0; w < windows; w++) {
        ids_copy(validation, w * CONTEXT, CONTEXT, inputs);
        ids_copy(validation, w * CONTEXT + 1, CONTEXT, targets);
        head_losses(head, inputs, targets, CONTEXT, forced);
        for (int i = 0; i < CONTEXT; i++) {
            double alone = loss_alone(head, inputs, i + 1, targets + i), apart = fabs(forced[i] - alone);
            forced_sum += forced[i];
            alone_sum += alone;
            subject->apart = apart <= subject->apart ? subject->apart : apart;
        }
    }
    subject->forced[point] = forced_sum / (double)(windows * CONTEXT);
    subject->alone[point] = alone_sum / (double)(windows * CONTEXT);
}

static bool draw_sample(Head *head, const Trainer *trainer, Subject *subject, Error *error)
{
    Sampler sampler;
    Triples triples;
    Random random = random_seed(settings.seed);
    const ChoiceRule rule = {.temperature = 1, .top_p = 1};
    if (!triples_open(&triples, trainer->training, head->config.vocabulary_size, error))
        return false;
    bool opened = sampler_open(&sampler, head, trainer->vocabulary, rule, error);
    for (int i = 0; opened && i < SAMPLE; i++)
        subject->sample[i] = sampler_next(&sampler, &random);
    if (opened)
        sampler_close(&sampler);
    subject->known = triples_known(&triples, subject->sample, SAMPLE);
    triples_close(&triples);
    return opened;
}

static bool train(Trainer *trainer, Subject *subject, Error *error)
{
    StepReport report;
    for (int step = 1; step <= STEPS; step++) {
        Head head;
        if (!trainer_step(trainer, &report, error))
            return false;
        if (step % (STEPS / POINTS) != 0)
            continue;
        if (!head_open(&head, &trainer->parameters, error))
            return false;
        measure(&head, trainer->validation, step / (STEPS / POINTS) - 1, subject);
        bool drawn = step < STEPS || draw_sample(&head, trainer, subject, error);
        head_close(&head);
        if (!drawn)
            return false;
    }
    return true;
}

static bool run(const Lab *lab, const Corpus *corpus, Mask mask, Subject *subject, Error *error)
{
    Trainer trainer;
    const ModelConfig config = {.context = CONTEXT, .channels = CHANNELS, .head_size = HEAD_SIZE,
                                .vocabulary_size = corpus->vocabulary.size, .mask = mask};
    if (!trainer_open(&trainer, &config, &settings, corpus, lab->threads, error))
        return false;
    bool trained = train(&trainer, subject, error);
    trainer_close(&trainer);
    return trained;
}

/* The sample's beginning on one line. */
static void show(const Vocabulary *vocabulary, const int32_t *sample, char text[4 * SHOWN + 1])
{
    size_t used = 0;
    for (int i = 0; i < SHOWN; i++) {
        char *bytes = text + used;
        int count = vocabulary_text(vocabulary, sample[i], bytes);
        bytes[0] = bytes[0] == '\n' ? '/' : bytes[0];
        used += (size_t)count;
    }
    text[used] = '\0';
}

static void compare(Lab *lab, const Vocabulary *vocabulary, const Subject *with, const Subject *without)
{
    enum { LAST = POINTS - 1 };
    char text[4 * SHOWN + 1];
    double guess = log(vocabulary->size);
    lab_holds(lab, "without the mask, the teacher-forced loss looks great", without->forced[LAST] < with->forced[LAST],
              "%.3f nats a character, %.3f with the mask", without->forced[LAST], with->forced[LAST]);
    lab_holds(lab, "with the mask, an absent future changes nothing", with->apart <= 1e-4,
              "%.3f nats; no prediction further off than %.1e", with->alone[LAST], with->apart);
    lab_holds(lab, "without it, the loss when the future is absent is the worse one",
              without->alone[LAST] > with->alone[LAST] && without->alone[LAST] > without->forced[LAST],
              "%.3f nats; guessing among %d symbols: %.3f", without->alone[LAST], vocabulary->size, guess);
    show(vocabulary, with->sample, text);
    lab_holds(lab, "with the mask, samples are made of what the text has", with->known > without->known,
              "%.0f %% of their triples of characters: %s", 100 * with->known, text);
    show(vocabulary, without->sample, text);
    lab_holds(lab, "without it, they are gibberish", without->known < 0.5 * with->known, "%.0f %%: %s",
              100 * without->known, text);
}

static bool write_files(const Lab *lab, const Subject *with, const Subject *without, Error *error)
{
    double steps[POINTS];
    for (int i = 0; i < POINTS; i++)
        steps[i] = (i + 1) * (STEPS / POINTS);
    const PlotCurve curves[] = {
        {"no mask, future absent", "crimson", without->alone, false},
        {"mask", "steelblue", with->alone, false},
        {"no mask, teacher-forced", "gray", without->forced, false},
    };
    const LinePlot plot = {"Without the mask, training looks great", "steps", "validation loss (nats a character)",
                           steps, POINTS, false, curves, 3};
    TableFile table;
    if (!line_plot_write(&plot, lab->out, "leak.svg", error) || !table_file_open(&table, lab->out, "leak.csv", error))
        return false;
    static const char *const titles[] = {"step", "masked_forced", "masked_alone", "unmasked_forced", "unmasked_alone"};
    for (int c = 0; c < 5; c++)
        table_file_text(&table, titles[c]);
    table_file_end_line(&table);
    for (int i = 0; i < POINTS; i++) {
        const double line[] = {steps[i], with->forced[i], with->alone[i], without->forced[i], without->alone[i]};
        for (int c = 0; c < 5; c++)
            table_file_number(&table, line[c]);
        table_file_end_line(&table);
    }
    return table_file_commit(&table, error);
}

bool lab_leak(Lab *lab, Error *error)
{
    Corpus corpus;
    Subject with, without;
    bool there;
    if (!shakespeare_open(&corpus, lab, &there, error))
        return false;
    if (!there) {
        lab_skip(lab, "a model trained without the mask, and the same with it", ROWS, shakespeare_missing);
        return true;
    }
    bool done = run(lab, &corpus, MASK_CAUSAL, &with, error) && run(lab, &corpus, MASK_NONE, &without, error);
    if (done)
        compare(lab, &corpus.vocabulary, &with, &without);
    corpus_close(&corpus);
    return done && (lab->out == NULL || write_files(lab, &with, &without, error));
}
