#include "inference/choice.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static bool is_likelier(Candidate a, Candidate b)
{
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/* Restores the heap below `place`: a parent is likelier than its children. */
static void sift_down(Candidate *heap, int count, int place)
{
    Candidate moved = heap[place];
    for (int child = 2 * place + 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && is_likelier(heap[child + 1], heap[child]))
            child++;
        if (is_likelier(moved, heap[child]))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

/* Takes the likeliest out of heap[0..count) and puts it at heap[count - 1]. */
static void pop(Candidate *heap, int count)
{
    Candidate first = heap[0];
    heap[0] = heap[count - 1];
    heap[count - 1] = first;
    sift_down(heap, count - 1, 0);
}

static int32_t most_likely(const real *logits, int count)
{
    int best = 0;
    for (int id = 1; id < count; id++)
        if (logits[id] > logits[best])
            best = id;
    return best;
}

/* A symbol's share against the most likely one's, which is 1: finite at any temperature. */
static double share(real logit, real largest, double temperature)
{
    return exp(((double)logit - (double)largest) / temperature);
}

/* Walks candidates until `draw` of their mass is used up: from the first to the last one, `step` apart. */
static int32_t walk(const Candidate *first, int count, int step, double draw, real largest, double temperature)
{
    int32_t id = first->id;
    for (int i = 0; i < count; i++) {
        const Candidate *candidate = first + (ptrdiff_t)i * step;
        double part = share(candidate->logit, largest, temperature);
        if (part > 0)
            id = candidate->id;
        if (draw < part)
            break;
        draw -= part;
    }
    return id; /* rounding may leave some of `draw`: then the last one that had any share */
}

int32_t choice_draw(ChoiceRule rule, const real *logits, int count, Candidate *scratch, Random *random)
{
    int32_t best = most_likely(logits, count);
    if (!(rule.temperature >= DBL_MIN)) /* a denormal temperature may count as 0 */
        return best;
    real largest = logits[best];
    double uniform = random_uniform(random), mass = 0, kept = 0;
    for (int id = 0; id < count; id++) {
        scratch[id] = (Candidate){logits[id], id};
        mass += share(logits[id], largest, rule.temperature);
    }
    bool cuts_count = rule.top_k > 0 && rule.top_k < count;
    if (!cuts_count && !(rule.top_p < 1))
        return walk(scratch, count, 1, uniform * mass, largest, rule.temperature);
    int limit = cuts_count ? (int)rule.top_k : count, taken = 0;
    for (int i = count / 2 - 1; i >= 0; i--)
        sift_down(scratch, count, i);
    if (cuts_count) { /* top_p is of the mass of these */
        mass = 0;
        for (; taken < limit; taken++) {
            pop(scratch, count - taken);
            mass += share(scratch[count - 1 - taken].logit, largest, rule.temperature);
        }
    }
    int number = 0;
    while (number < limit && (number == 0 || kept < rule.top_p * mass)) {
        if (number == taken)
            pop(scratch, count - taken++);
        kept += share(scratch[count - 1 - number++].logit, largest, rule.temperature);
    }
    return walk(scratch + count - 1, number, -1, uniform * kept, largest, rule.temperature);
}
