#include "model/evaluation.h"

#include "text/batch.h"

#include <stdlib.h>

enum { BATCH_CHARACTERS = 8192, BATCH_MOST = 64 }; /* enough for every shard of a step, small enough to stay cached */

int evaluation_batch(int context, size_t count)
{
    int batch = BATCH_CHARACTERS / context;
    batch = batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : batch;
    size_t windows = count / (size_t)context;
    return windows < 1 ? 1 : windows < (size_t)batch ? (int)windows : batch;
}

bool evaluation_loss(Step *step, const Parameters *parameters, Ids ids, double *mean_loss, Error *error)
{
    if (ids.count < 2)
        return error_set(error, "a text of %zu character%s has nothing to predict; it takes at least 2", ids.count,
                         ids.count == 1 ? "" : "s");
    size_t T = (size_t)step->config.context, limit = (size_t)step->batch_limit, predictions = ids.count - 1;
    size_t windows = predictions / T, rest = predictions % T;
    int32_t *inputs = calloc(2 * limit * T, sizeof *inputs); /* step_open has allocated more than this */
    if (inputs == NULL)
        return error_set(error, "no memory for %zu characters of an evaluation", limit * T);
    int32_t *targets = inputs + limit * T;
    double sum = 0;
    for (size_t first = 0; first < windows; first += limit) {
        size_t count = windows - first < limit ? windows - first : limit;
        for (size_t b = 0; b < count; b++)
            batch_window(ids, (first + b) * T, (int)T, inputs + b * T, targets + b * T);
        sum += step_loss(step, parameters, (Batch){(int)count, (int)T, inputs, targets});
    }
    if (rest > 0) {
        batch_window(ids, windows * T, (int)rest, inputs, targets);
        sum += step_loss(step, parameters, (Batch){1, (int)rest, inputs, targets});
    }
    free(inputs);
    *mean_loss = sum / (double)predictions;
    return true;
}
