/* mistakes.c -- ours: the classic mistakes of a way back. Each still lowers the loss, and each is refused.
 *
 * A falling loss shows that a gradient points somewhere useful, not that it is right. A small model learns a text by
 * heart, once for each mistake; then the check of model/mistakes.h's gradient, or of Adam's steps, judges it there. */
#include "lab/experiments.h"
#include "model/plain_step.h"
#include "optimizer/adam_mistake.h"
#include "training/gradient_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "a loss that falls is no proof that the gradient is right the optimizer goes downhill on any vector that points "
    "roughly the right way a missing factor is hidden by a step that is normalised a dropped term leaves the others "
    "and a wrong sign in one tensor is outvoted by the rest so compare each number with a difference of losses";

enum { WINDOWS = 19, LENGTH = 16, STEPS = 150, ALPHABET = 27, ENTRIES = 48, SEED = 1337 };

_Static_assert(sizeof text > WINDOWS * LENGTH + 1, "the text has a character behind its last window");

static const double learning_rate = 1e-2, fall = 0.5; /* nats that a loss that fell has lost, at least */
static const ModelConfig config = {.context = LENGTH, .channels = 12, .head_size = 8, .vocabulary_size = ALPHABET};

/* The text as windows one behind the other, and what learns it. */
typedef struct Pupil {
    int32_t ids[WINDOWS * LENGTH + 1];
    Batch batch;
    Parameters parameters, gradient;
    PlainStep step;
    Adam adam;
    double first, last; /* the loss in nats before and after */
} Pupil;

static bool pupil_open(Pupil *p, Error *error)
{
    const AdamSettings settings = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    *p = (Pupil){0};
    for (int i = 0; i <= WINDOWS * LENGTH; i++)
        p->ids[i] = text[i] == ' ' ? 0 : text[i] - 'a' + 1;
    p->batch = (Batch){WINDOWS, LENGTH, p->ids, p->ids + 1};
    return parameters_open(&p->parameters, &config, error) && parameters_open(&p->gradient, &config, error) &&
           plain_step_open(&p->step, &config, error) && adam_open(&p->adam, &config, settings, error);
}

static void pupil_close(Pupil *p)
{
    adam_close(&p->adam);
    plain_step_close(&p->step);
    parameters_close(&p->gradient);
    parameters_close(&p->parameters);
}

static double loss_and_gradient(Pupil *p, Mistake mistake)
{
    return plain_step_gradient(&p->step, &p->parameters, p->batch, mistake, &p->gradient);
}

static void learn(Pupil *p, Mistake mistake)
{
    parameters_initialise(&p->parameters, random_seed(SEED));
    for (int i = 0; i < STEPS; i++) {
        double loss = loss_and_gradient(p, mistake);
        p->first = i == 0 ? loss : p->first;
        if (mistake == MISTAKE_ADAM_STEP)
            adam_update_by_tensor(&p->adam, &p->parameters, &p->gradient, learning_rate);
        else
            adam_update(&p->adam, &p->parameters, &p->gradient, 0, learning_rate, 1);
    }
    p->last = loss_and_gradient(p, mistake);
}

/* What the checker says of the weights that were learned. */
static bool judge(const Pupil *p, Mistake mistake, bool update, GradientCheckResult *result, Error *error)
{
    const GradientCheckRequest request = {
        .config = config, .batch = 2, .length = LENGTH, .inputs = p->batch.inputs, .targets = p->batch.targets,
        .parameters = p->parameters.tensors[0].values.data, .mistake = mistake, .update = update, .seed = SEED,
        .entries = ENTRIES, .threads = 1,
    };
    return gradient_check_double(&request, result, error);
}

/* The refused tensors with their errors, as many as fit. Returns how many were refused. */
static int list_refused(const GradientCheckResult *result, char words[LAB_TEXT])
{
    int refused = 0;
    words[0] = '\0';
    for (int i = 0; i < result->row_count; i++) {
        size_t used = strlen(words);
        if (result->rows[i].passed)
            continue;
        snprintf(words + used, LAB_TEXT - used, "%s%s", refused == 0 ? "" : ", ", result->rows[i].tensor);
        refused++;
    }
    return refused;
}

/* NaN where there is one. */
static double largest_error(const GradientCheckResult *result)
{
    double largest = 0;
    for (int i = 0; i < result->row_count; i++)
        if (!(result->rows[i].error <= largest) && !isnan(largest))
            largest = result->rows[i].error;
    return largest;
}

static bool accepted(Lab *lab, const Pupil *p, bool update, const char *claim, Error *error)
{
    GradientCheckResult result;
    char refused[LAB_TEXT];
    if (!judge(p, MISTAKE_NONE, update, &result, error))
        return false;
    lab_holds(lab, claim, list_refused(&result, refused) == 0 && result.row_count == TENSOR_COUNT,
              "largest relative error %.1e over %d tensors", largest_error(&result), result.row_count);
    return true;
}

/* One mistake: its loss, beside the one of the right way back, and its verdict. */
static bool make(Lab *lab, Mistake mistake, double right, Error *error)
{
    Pupil p;
    GradientCheckResult result;
    char claim[LAB_TEXT], refused[LAB_TEXT];
    bool done = pupil_open(&p, error);
    if (done) {
        learn(&p, mistake);
        done = judge(&p, mistake, mistake == MISTAKE_ADAM_STEP, &result, error);
    }
    if (done) {
        snprintf(claim, sizeof claim, "%s (%s): the loss falls", mistake_names[mistake], mistake_meanings[mistake]);
        lab_holds(lab, claim, p.last <= p.first - fall, "%.3f to %.3f nats in %d steps; done right, to %.3f", p.first,
                  p.last, STEPS, right);
        snprintf(claim, sizeof claim, "%s: the check of %s refuses it", mistake_names[mistake],
                 mistake == MISTAKE_ADAM_STEP ? "Adam's steps" : "gradients");
        lab_holds(lab, claim, list_refused(&result, refused) > 0, "error %.1e, limit %.0e: %s", largest_error(&result),
                  GRADIENT_CHECK_LIMIT, refused);
    }
    pupil_close(&p);
    return done;
}

bool lab_mistakes(Lab *lab, Error *error)
{
    Pupil p;
    bool done = pupil_open(&p, error);
    lab_source(lab, "ours");
    if (done) {
        learn(&p, MISTAKE_NONE);
        lab_holds(lab, "without a mistake the loss falls", p.last <= p.first - fall, "%.3f to %.3f nats in %d steps",
                  p.first, p.last, STEPS);
        done = accepted(lab, &p, false, "and every gradient is accepted", error) &&
               accepted(lab, &p, true, "and so are Adam's steps", error);
    }
    for (int i = MISTAKE_NONE + 1; done && i < MISTAKE_COUNT; i++)
        done = make(lab, (Mistake)i, p.last, error);
    pupil_close(&p);
    return done;
}
