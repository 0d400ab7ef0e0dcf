#include "inference/sampler.h"

#include <stdlib.h>
#include <string.h>

bool sampler_open(Sampler *sampler, Head *head, const Vocabulary *vocabulary, ChoiceRule rule, Error *error)
{
    *sampler = (Sampler){.head = head, .rule = rule};
    int newline = vocabulary_find(vocabulary, '\n');
    sampler->start = newline >= 0 ? newline : 0;
    sampler->window = calloc((size_t)head->config.context, sizeof *sampler->window);
    sampler->scratch = calloc((size_t)head->config.vocabulary_size, sizeof *sampler->scratch);
    if (sampler->window == NULL || sampler->scratch == NULL) {
        sampler_close(sampler);
        return error_set(error, "no memory to sample with a context of %d", head->config.context);
    }
    sampler_begin(sampler, (Ids){0});
    return true;
}

void sampler_close(Sampler *sampler)
{
    free(sampler->window);
    free(sampler->scratch);
    *sampler = (Sampler){0};
}

static void read_symbol(Sampler *sampler, int32_t id)
{
    if (sampler->filled == sampler->head->config.context) {
        sampler->filled--;
        memmove(sampler->window, sampler->window + 1, (size_t)sampler->filled * sizeof *sampler->window);
    }
    sampler->window[sampler->filled++] = id;
}

void sampler_begin(Sampler *sampler, Ids prompt)
{
    size_t T = (size_t)sampler->head->config.context;
    sampler->filled = 0;
    for (size_t i = prompt.count > T ? prompt.count - T : 0; i < prompt.count; i++)
        read_symbol(sampler, ids_at(prompt, i));
    if (prompt.count == 0)
        read_symbol(sampler, sampler->start);
}

int32_t sampler_next(Sampler *sampler, Random *random)
{
    const real *logits = head_next_logits(sampler->head, sampler->window, sampler->filled);
    int V = sampler->head->config.vocabulary_size;
    int32_t id = choice_draw(sampler->rule, logits, V, sampler->scratch, random);
    read_symbol(sampler, id);
    return id;
}
