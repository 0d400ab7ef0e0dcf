#include "lab/equivariance_cases.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double BROKEN = 1e-3; /* the source's bound for outputs that are not the same */

bool equivariance_apart(SourceHead *head, const float *a, const float *b, const int64_t *order, double *apart,
                        double *largest, Error *error)
{
    size_t n = (size_t)head->context, H = (size_t)head->head_size;
    float *kept = malloc(n * H * sizeof *kept);
    if (kept == NULL)
        return error_set(error, "no memory for %zu outputs", n);
    source_head_forward(head, a, head->context);
    for (size_t r = 0; r < n; r++)
        for (size_t h = 0; h < H; h++)
            kept[r * H + h] = matrix_row(head->output, (int)r)[h];
    source_head_forward(head, b, head->context);
    *apart = *largest = 0;
    for (size_t r = 0; r < n; r++)
        for (size_t h = 0; h < H; h++) {
            double before = (double)kept[(size_t)order[r] * H + h];
            double gap = fabs((double)matrix_row(head->output, (int)r)[h] - before);
            *apart = isnan(gap) ? INFINITY : fmax(*apart, gap);
            *largest = fmax(*largest, fabs(before));
        }
    free(kept);
    return true;
}

/* One case: rows in order and reordered, with positions that stay where they are or travel with the rows. */
typedef struct Case {
    const char *claim;
    const float *rows, *added; /* added may be NULL */
    bool travel, broken;
} Case;

/* to[i] = rows[from[i]] + added[i], or + added[from[i]]; with from NULL nothing is reordered. */
static void arrange(const Case *c, const int64_t *from, size_t n, size_t C, float *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < C; j++) {
            size_t source = from != NULL ? (size_t)from[i] : i;
            to[i * C + j] = c->rows[source * C + j];
            if (c->added != NULL)
                to[i * C + j] += c->added[(c->travel ? source : i) * C + j];
        }
}

static bool run_case(Lab *lab, const char *prefix, SourceHead *head, const Case *c,
                     const EquivarianceInputs *inputs, float *scratch, Error *error)
{
    size_t n = (size_t)head->context, C = (size_t)head->channels;
    float *in_order = scratch, *reordered = scratch + n * C;
    char claim[160];
    double apart, largest;
    arrange(c, NULL, n, C, in_order);
    arrange(c, inputs->order, n, C, reordered);
    if (!equivariance_apart(head, in_order, reordered, inputs->order, &apart, &largest, error))
        return false;
    double unit = largest > 1 ? largest : 1;
    snprintf(claim, sizeof claim, "%s%s", prefix, c->claim);
    bool holds = c->broken ? apart > BROKEN * unit : apart <= inputs->close * unit;
    lab_holds(lab, claim, holds, "largest difference %.1e", apart);
    return true;
}

bool equivariance_cases(Lab *lab, const char *prefix, SourceHead *head, const EquivarianceInputs *in, Error *error)
{
    const Case cases[] = {
        {"(a) reordered inputs: reordered outputs", in->x, NULL, false, false},
        {"(b) with positions in the inputs, too: the trap", in->x, in->x_positions, true, false},
        {"(c) reordered tokens without positions: reordered outputs", in->tokens, NULL, false, false},
        {"(d) reordered tokens with positions: other outputs", in->tokens, in->token_positions, false, true},
    };
    assert(!head->causal);
    float *scratch = malloc(2 * (size_t)head->context * (size_t)head->channels * sizeof *scratch);
    if (scratch == NULL)
        return error_set(error, "no memory for %d inputs", head->context);
    bool done = true;
    for (size_t i = 0; done && i < sizeof cases / sizeof cases[0]; i++) {
        bool of_positions = i == 1 || i == 3;
        if (i == 3)
            lab_source(lab, "002 cor. 6.2");
        if (!of_positions || cases[i].added != NULL)
            done = run_case(lab, prefix, head, &cases[i], in, scratch, error);
    }
    free(scratch);
    return done;
}
