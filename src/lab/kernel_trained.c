#include "lab/kernel_trained.h"

#include "kernels/denormals.h"
#include "kernels/gemm.h"
#include "lab/picture_row.h"
#include "lab/trained.h"
#include "layers/cross_entropy.h"
#include "layers/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3 };

typedef struct Study {
    Trained trained;
    int T;
    bool causal;
    size_t windows;              /* whole ones of the validation text, each with the character behind it */
    int32_t *ids, *targets;      /* [T]: of one window */
    float *weights;              /* [T,T]: of one window */
    double *sums;                /* [T,T]: over all windows */
    float *kernel, *uniform;     /* [T,T] */
    double position, content, total; /* squares: |K - U|^2, |A - K|^2, |A - U|^2 */
    double overlap;              /* mean over rows of what A and K have in common */
    double own, by_kernel, by_uniform; /* losses in nats a character */
    Arena memory;                /* owned: the arrays */
} Study;

static void layout(Study *s)
{
    size_t T = (size_t)s->T;
    s->ids = arena_take(&s->memory, T, sizeof *s->ids);
    s->targets = arena_take(&s->memory, T, sizeof *s->targets);
    s->weights = arena_take(&s->memory, T * T, sizeof *s->weights);
    s->sums = arena_take(&s->memory, T * T, sizeof *s->sums);
    s->kernel = arena_take(&s->memory, T * T, sizeof *s->kernel);
    s->uniform = arena_take(&s->memory, T * T, sizeof *s->uniform);
}

static bool study_open(Study *s, const Lab *lab, Error *error)
{
    *s = (Study){0};
    if (!trained_open(&s->trained, lab, error))
        return false;
    s->T = s->trained.head.config.context;
    s->causal = s->trained.head.config.mask == MASK_CAUSAL;
    size_t count = s->trained.validation.count;
    s->windows = count > 0 ? (count - 1) / (size_t)s->T : 0;
    layout(s);
    if (!arena_open(&s->memory, "the mean attention of a trained head", error)) {
        trained_close(&s->trained);
        return false;
    }
    layout(s);
    return true;
}

static void study_close(Study *s)
{
    arena_close(&s->memory);
    trained_close(&s->trained);
}

/* The window's characters, targets and attention. */
static void read_window(Study *s, size_t window)
{
    size_t T = (size_t)s->T, first = window * T;
    ids_copy(s->trained.validation, first, T, s->ids);
    ids_copy(s->trained.validation, first + 1, T, s->targets);
    head_attention(&s->trained.head, s->ids, s->T, s->weights);
}

static void average(Study *s)
{
    size_t T = (size_t)s->T;
    for (size_t w = 0; w < s->windows; w++) {
        read_window(s, w);
        for (size_t i = 0; i < T * T; i++)
            s->sums[i] += (double)s->weights[i];
    }
    for (size_t i = 0; i < T; i++) {
        size_t visible = s->causal ? i + 1 : T;
        for (size_t j = 0; j < T; j++) {
            s->kernel[i * T + j] = (float)(s->sums[i * T + j] / (double)s->windows);
            s->uniform[i * T + j] = j < visible ? 1.0f / (float)visible : 0;
        }
    }
}

/* Adds one window's squares and what it has in common with the kernel. */
static void compare_window(Study *s)
{
    size_t T = (size_t)s->T;
    for (size_t i = 0; i < T * T; i++) {
        double a = (double)s->weights[i], k = (double)s->kernel[i], u = (double)s->uniform[i];
        s->position += (k - u) * (k - u);
        s->content += (a - k) * (a - k);
        s->total += (a - u) * (a - u);
        s->overlap += a < k ? a : k;
    }
}

/* The window's loss when the head has these weights [T,T] in the place of its own. */
static double loss_by(Study *s, const float *weights)
{
    Head *head = &s->trained.head;
    Pass *pass = &head->pass;
    double loss = 0;
    pass_gather(pass, &head->tables, s->ids, s->T, false);
    for (int first = 0; first < s->T; first += PASS_BLOCK_ROWS) {
        int count = s->T - first < PASS_BLOCK_ROWS ? s->T - first : PASS_BLOCK_ROWS;
        int seen = s->causal ? first + count : s->T;
        Matrix rows = matrix_columns(matrix_rows(pass->weights, 0, count), 0, seen);
        Matrix mixed = matrix_rows(pass->mixed, 0, count), logits = matrix_rows(pass->logits, 0, count);
        for (int r = 0; r < count; r++)
            memcpy(matrix_row(rows, r), weights + (size_t)(first + r) * (size_t)s->T, (size_t)seen * sizeof(float));
        multiply_causal_left(rows, sequence_inputs(&pass->sequence, count, seen).value, mixed,
                             s->causal ? first + 1 : s->T, NULL);
        linear_forward(mixed, head->tables.lm_weight_transposed, head->tables.lm_bias, logits, NULL);
        loss += cross_entropy_forward(logits, false, s->targets + first);
    }
    return loss;
}

static void measure(Study *s)
{
    uint64_t state = denormals_flush();
    average(s);
    for (size_t w = 0; w < s->windows; w++) {
        read_window(s, w);
        compare_window(s);
        s->own += loss_by(s, s->weights);
        s->by_kernel += loss_by(s, s->kernel);
        s->by_uniform += loss_by(s, s->uniform);
    }
    denormals_restore(state);
    double rows = (double)s->windows * s->T;
    s->overlap /= rows;
    s->own /= rows;
    s->by_kernel /= rows;
    s->by_uniform /= rows;
}

/* How far from its own position a row reads, on average. */
static double reach(const Study *s, const float *weights)
{
    double sum = 0;
    for (int i = 0; i < s->T; i++)
        for (int j = 0; j < s->T; j++)
            sum += (double)weights[(size_t)i * (size_t)s->T + (size_t)j] * abs(i - j);
    return sum / s->T;
}

static void report(Lab *lab, const Study *s)
{
    static const char nearest[] = "trained head: its mean is the nearest kernel that is blind to content";
    double rows = (double)s->windows * s->T, apart = fabs(s->position + s->content - s->total);
    if (s->total <= 1e-9 * rows) /* W_Q = W_K = 0 */
        lab_holds(lab, nearest, apart <= 1e-9 * rows, "it is the running mean itself; %zu windows", s->windows);
    else
        lab_holds(lab, nearest, apart <= 1e-5 * s->total,
                  "of what sets it apart from a running mean, position has %.0f %%, content %.0f %%; %zu windows",
                  100 * s->position / s->total, 100 * s->content / s->total, s->windows);
    lab_holds(lab, "trained head: how much of it is that kernel", s->overlap > 0 && s->overlap <= 1 + 1e-5,
              "%.0f %% of a row's weight; it reads %.1f characters away, a running mean %.1f", 100 * s->overlap,
              reach(s, s->kernel), reach(s, s->uniform));
    lab_holds(lab, "trained head: what content adds", isfinite(s->own + s->by_kernel + s->by_uniform),
              "%.3f nats a character; %.3f by the kernel alone, %.3f by a running mean", s->own, s->by_kernel,
              s->by_uniform);
}

bool kernel_trained(Lab *lab, Error *error)
{
    Study s;
    if (!study_open(&s, lab, error))
        return false;
    bool done = true;
    if (s.windows == 0) {
        lab_skip(lab, "trained head: how much of it is a positional kernel", ROWS,
                 "its validation text has no whole window of the context");
    } else {
        measure(&s);
        report(lab, &s);
        read_window(&s, 0);
        const PictureWindow windows[] = {{"the mean of all windows", s.kernel, s.T, s.causal},
                                         {"the first window", s.weights, s.T, s.causal}};
        done = lab->out == NULL || picture_row_write(windows, 2, lab->out, "kernel_trained.png", error);
    }
    study_close(&s);
    return done;
}
