#include "model/shards.h"

#include <math.h>
#include <stdint.h>

/* The row where part `part` of `parts` begins. */
static int part_row(int part, int parts, int length, Mask mask)
{
    double share = (double)part / parts;
    if (mask == MASK_CAUSAL)
        share = sqrt(share); /* the triangle above row r has area r^2 / 2 */
    return (int)lround(share * length);
}

int shards_plan(int batch, int length, Mask mask, int limit, Shard shards[SHARD_LIMIT])
{
    int64_t wanted = (int64_t)batch * length / SHARD_TOKENS;
    int count = wanted < 1 ? 1 : wanted > limit ? limit : (int)wanted;
    if (batch >= count) {
        for (int s = 0; s < count; s++) {
            int first = (int)((int64_t)s * batch / count), end = (int)((int64_t)(s + 1) * batch / count);
            shards[s] = (Shard){first, end - first, 0, length};
        }
        return count;
    }
    int parts = count / batch;
    for (int b = 0; b < batch; b++)
        for (int p = 0; p < parts; p++)
            shards[b * parts + p] =
                (Shard){b, 1, part_row(p, parts, length, mask), part_row(p + 1, parts, length, mask)};
    return batch * parts;
}
