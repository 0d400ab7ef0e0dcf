#include "lab/simplex_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* exp(x) is 0 in float below -87.33 (kernels/exponential.h), and so is its quotient by a sum of up to n terms below
 * -87.33 + ln n; a tenth for the rounding of scores. */
static bool underflows(double gap, int n)
{
    return gap <= -87.33 + log(n) + 0.1;
}

static void add_weights(SimplexFacts *facts, const SimplexRow *row)
{
    double sum = 0;
    for (int c = 0; c < row->visible; c++) {
        double weight = (double)row->weights[c];
        moments_add(&facts->allowed, weight);
        sum += weight;
        if (weight != 0)
            continue;
        facts->zeros++;
        if (row->gap == NULL || !underflows(row->gap(row->context, c), row->visible))
            facts->unargued++;
    }
    moments_add(&facts->sums, sum);
    for (int c = row->visible; c < row->columns; c++)
        facts->above += !(row->weights[c] == 0);
}

void simplex_facts_add(SimplexFacts *facts, const SimplexRow *row)
{
    add_weights(facts, row);
    for (int h = 0; h < row->head_size; h++) {
        double low = (double)row->low[h], high = (double)row->high[h], output = (double)row->output[h];
        double beyond = output < low ? low - output : output > high ? output - high : output - output;
        moments_add(&facts->outside, beyond / (1 + fmax(fabs(low), fabs(high))));
    }
}

void simplex_box(const real *value, int head_size, bool first, real *low, real *high)
{
    for (int h = 0; h < head_size; h++) {
        if (first || value[h] < low[h])
            low[h] = value[h];
        if (first || value[h] > high[h])
            high[h] = value[h];
    }
}

/* The claims below, in the order of the document. */
static const char *claim_of(char text[LAB_TEXT], const char *subject, const char *claim)
{
    snprintf(text, LAB_TEXT, "%s%s", subject, claim);
    return text;
}

static void report_positive(Lab *lab, const SimplexFacts *f, const char *subject)
{
    char claim[LAB_TEXT];
    claim_of(claim, subject, "every allowed weight is positive");
    if (f->zeros == 0)
        lab_holds(lab, claim, f->allowed.smallest > 0, "smallest of %zu: %.2e", f->allowed.count, f->allowed.smallest);
    else
        lab_holds(lab, claim, f->unargued == 0,
                  "as reals; in float %" PRId64 " of %zu (%.2g %%) underflow to 0, their scores too far below their "
                  "row's largest for exp; zeros of another cause: %" PRId64, f->zeros, f->allowed.count,
                  100 * (double)f->zeros / (double)f->allowed.count, f->unargued);
}

void simplex_facts_report(Lab *lab, const SimplexFacts *f, const char *subject, bool causal)
{
    char claim[LAB_TEXT];
    double off = moments_distance(&f->sums, 1), outside = moments_distance(&f->outside, 0);
    lab_source(lab, "002 prop. 3.1");
    lab_holds(lab, claim_of(claim, subject, "rows lie in the simplex: no weight is negative, each sums to 1"),
              f->allowed.smallest >= 0 && off <= 1e-6, "of %zu rows furthest from 1: %.1e; smallest weight %.2e",
              f->sums.count, off, f->allowed.smallest);
    lab_source(lab, "002 cor. 3.2");
    lab_holds(lab, claim_of(claim, subject, "outputs lie in the hull of the values that the row sees"),
              outside <= 1e-6, "of %zu coordinates furthest outside: %.1e of the box's largest number",
              f->outside.count, outside);
    lab_source(lab, "002 cor. 3.3");
    report_positive(lab, f, subject);
    if (!causal)
        return;
    lab_source(lab, "002 prop. 5.1");
    lab_holds(lab, claim_of(claim, subject, "A is lower triangular: exactly 0 above its diagonal"), f->above == 0,
              "%" PRId64 " weights above it are not 0", f->above);
}
