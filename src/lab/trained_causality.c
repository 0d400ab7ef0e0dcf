#include "lab/trained_causality.h"

#include "lab/head_gradient.h"
#include "lab/trained_layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 64 };

/* What became of the losses of the characters before a changed one, over several windows. */
typedef struct Disturbance {
    size_t windows;
    long same, moved;        /* losses before the change, by whether they kept every bit */
    size_t noticed;          /* windows in which one from the change on moved */
} Disturbance;

typedef struct Window {
    int32_t *ids, *targets; /* owned: [T] */
    double *before, *after; /* owned: [T] */
} Window;

static void window_close(Window *w)
{
    free(w->ids);
    free(w->targets);
    free(w->before);
    free(w->after);
}

static bool window_open(Window *w, int longest, Error *error)
{
    size_t count = (size_t)longest;
    *w = (Window){malloc(count * sizeof *w->ids), malloc(count * sizeof *w->targets), malloc(count * sizeof *w->before),
                  malloc(count * sizeof *w->after)};
    if (w->ids != NULL && w->targets != NULL && w->before != NULL && w->after != NULL)
        return true;
    window_close(w);
    return error_set(error, "no memory for a window of %d characters", longest);
}

/* Another symbol at five eighths of the window. The targets stay. */
static void disturb(Trained *t, Window *w, size_t index, Disturbance *d)
{
    int n = trained_window(t, index, w->ids), changed = n * 5 / 8, V = t->head.config.vocabulary_size;
    bool noticed = false;
    memset(w->targets, 0, (size_t)n * sizeof *w->targets);
    memcpy(w->targets, w->ids + 1, (size_t)(n - 1) * sizeof *w->targets);
    head_losses(&t->head, w->ids, w->targets, n, w->before);
    w->ids[changed] = (w->ids[changed] + 1) % V;
    head_losses(&t->head, w->ids, w->targets, n, w->after);
    for (int i = 0; i < n; i++) {
        bool same = memcmp(&w->before[i], &w->after[i], sizeof w->before[i]) == 0;
        if (i < changed && same)
            d->same++;
        else if (i < changed)
            d->moved++;
        noticed = noticed || (i >= changed && !same);
    }
    d->windows++;
    d->noticed += noticed;
}

static bool perturbed(Lab *lab, Trained *t, Error *error)
{
    Window w;
    Disturbance d = {0};
    size_t available = trained_windows(t), count = available < WINDOWS ? available : WINDOWS;
    if (!window_open(&w, t->head.config.context, error))
        return false;
    for (size_t i = 0; i < count; i++)
        disturb(t, &w, i * available / count, &d);
    window_close(&w);
    bool causal = t->head.config.mask == MASK_CAUSAL;
    lab_holds(lab, causal ? "trained head: a character is changed; the losses before it keep every bit"
                          : "trained head without a mask: a character is changed; losses before it move",
              causal ? d.moved == 0 : d.moved > 0, "%ld keep every bit, %ld move, in %zu windows", d.same, d.moved,
              d.windows);
    lab_holds(lab, "trained head: what follows notices", d.noticed > 0, "in %zu of %zu windows", d.noticed, d.windows);
    return true;
}

/* Of the output in the middle of a window, by every input. */
static bool gradient(Lab *lab, const Trained *t, Error *error)
{
    int32_t ids[TRAINED_LAYER_LONGEST];
    int n = trained_layer_window(t, ids), row = n / 2, reached = 0;
    const Parameters *parameters = &t->checkpoint.parameters;
    bool causal = t->head.config.mask == MASK_CAUSAL;
    SourceHead head = {0};
    HeadGradient g = {0};
    double behind = 0;
    float *x = malloc((size_t)n * (size_t)parameters->config.channels * sizeof *x);
    bool ready = (x != NULL || error_set(error, "no memory for a window of %d characters", n)) &&
                 trained_layer_open(&head, parameters, n, causal, error) && head_gradient_open(&g, &head, error);
    if (ready) {
        trained_layer_embed(parameters, ids, n, true, x);
        source_head_forward(&head, x, n);
        head_gradient_of_row(&g, &head, row);
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int c = 0; c < g.d_x.columns; c++)
                sum += fabs((double)matrix_row(g.d_x, j)[c]);
            reached += j <= row && sum > 0;
            if (j > row && !(sum <= behind))
                behind = sum;
        }
        lab_holds(lab, causal ? "trained head: d out_i / d x_j is exactly 0 for j > i"
                              : "trained head without a mask: d out_i / d x_j is not 0 for j > i",
                  (causal ? behind == 0 : behind > 0) && reached > 0,
                  "i = %d: largest %g; %d of %d inputs up to i have one", row, behind, reached, row + 1);
    }
    head_gradient_close(&g);
    source_head_close(&head);
    free(x);
    return ready;
}

bool trained_causality(Lab *lab, Error *error)
{
    Trained t;
    if (!trained_open(&t, lab, error))
        return false;
    lab_source(lab, "002 prop. 5.1");
    bool done = true;
    if (t.head.config.vocabulary_size < 2 || t.head.config.context < 2 || t.validation.count < 2)
        lab_skip(lab, "trained head: causality", 2, "one character, or a context of one: nothing comes later");
    else
        done = perturbed(lab, &t, error) && gradient(lab, &t, error);
    trained_close(&t);
    return done;
}
