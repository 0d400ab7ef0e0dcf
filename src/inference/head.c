#include "inference/head.h"

#include "kernels/denormals.h"
#include "layers/cross_entropy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The lm_head stands last and scores are multiplied: one row then costs T H + H V, and the tables are of width H. */
static void head_layout(Head *head)
{
    tables_layout(&head->tables, &head->memory, &head->config, (TablesPlan){0}, head->config.vocabulary_size);
    pass_layout(&head->pass, &head->memory, &head->tables);
}

bool head_open(Head *head, const Parameters *parameters, Error *error)
{
    *head = (Head){.config = parameters->config};
    head_layout(head);
    if (!arena_open(&head->memory, "a head of this context and vocabulary", error))
        return false;
    head_layout(head);
    int V = head->config.vocabulary_size;
    int32_t *all = malloc((size_t)V * sizeof *all);
    if (all == NULL) {
        head_close(head);
        return error_set(error, "no memory for a vocabulary of %d symbols", V);
    }
    for (int id = 0; id < V; id++)
        all[id] = id;
    uint64_t state = denormals_flush();
    tables_number(&head->tables, V);
    tables_pack(&head->tables, parameters);
    tables_project(&head->tables, parameters, all, NULL);
    denormals_restore(state);
    free(all);
    return true;
}

void head_close(Head *head)
{
    arena_close(&head->memory);
    *head = (Head){0};
}

/* What is done with a block: rows first..first+count-1 of n, in pass->weights and pass->logits. */
typedef void BlockUse(Head *head, int first, int count, int n, void *context);

static void each_block(Head *head, const int32_t *ids, int n, BlockUse *use, void *context)
{
    assert(n >= 1 && n <= head->config.context);
    uint64_t state = denormals_flush();
    pass_gather(&head->pass, &head->tables, ids, n, false);
    for (int first = 0; first < n; first += PASS_BLOCK_ROWS) {
        int count = n - first < PASS_BLOCK_ROWS ? n - first : PASS_BLOCK_ROWS;
        pass_block_forward(&head->pass, &head->tables, first, count, n);
        use(head, first, count, n, context);
    }
    denormals_restore(state);
}

static void copy_weights(Head *head, int first, int count, int n, void *context)
{
    float *weights = context;
    for (int r = 0; r < count; r++) {
        int visible = head->config.mask == MASK_CAUSAL ? first + r + 1 : n;
        float *row = weights + (size_t)(first + r) * (size_t)n;
        memcpy(row, matrix_row(head->pass.weights, r), (size_t)visible * sizeof(float));
        memset(row + visible, 0, (size_t)(n - visible) * sizeof(float));
    }
}

void head_attention(Head *head, const int32_t *ids, int n, float *weights)
{
    _Static_assert(sizeof(real) == sizeof(float), "the attention that is shown is the float flavour's own");
    each_block(head, ids, n, copy_weights, weights);
}

typedef struct Losses {
    const int32_t *targets;
    double *losses;
} Losses;

static void take_losses(Head *head, int first, int count, int n, void *context)
{
    const Losses *to = context;
    (void)n;
    for (int r = 0; r < count; r++)
        to->losses[first + r] = cross_entropy_forward(matrix_rows(head->pass.logits, r, 1), false,
                                                       to->targets + first + r);
}

void head_losses(Head *head, const int32_t *ids, const int32_t *targets, int n, double *losses)
{
    each_block(head, ids, n, take_losses, &(Losses){targets, losses});
}

const real *head_next_logits(Head *head, const int32_t *ids, int n)
{
    assert(n >= 1 && n <= head->config.context);
    uint64_t state = denormals_flush();
    pass_gather(&head->pass, &head->tables, ids, n, false);
    pass_block_forward(&head->pass, &head->tables, n - 1, 1, n);
    denormals_restore(state);
    return matrix_row(head->pass.logits, 0);
}
