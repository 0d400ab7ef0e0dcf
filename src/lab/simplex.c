/* simplex.c -- rows of attention are distributions: on the lecture's untrained head, and on a trained one. */
#include "kernels/denormals.h"
#include "lab/experiments.h"
#include "lab/lecture_stream.h"
#include "lab/simplex_facts.h"
#include "lab/source_head.h"
#include "lab/trained.h"

#include <math.h>
#include <stdlib.h>

static void gather_sequence(SimplexFacts *facts, const SourceHead *head)
{
    real low[LECTURE_HEAD_SIZE], high[LECTURE_HEAD_SIZE];
    for (int r = 0; r < LECTURE_CONTEXT; r++) {
        simplex_box(matrix_row(head->inputs.value, r), LECTURE_HEAD_SIZE, r == 0, low, high);
        simplex_facts_add(facts, &(SimplexRow){
            .weights = matrix_row(head->weights, r), .visible = r + 1, .columns = LECTURE_CONTEXT,
            .output = matrix_row(head->output, r), .low = low, .high = high, .head_size = LECTURE_HEAD_SIZE,
        });
    }
}

static bool untrained(Lab *lab, Error *error)
{
    SourceHead head;
    SimplexFacts facts = {0};
    enum { EACH = LECTURE_CONTEXT * LECTURE_CHANNELS };
    float x[LECTURE_BATCH * EACH];
    TorchRandom random = lecture_stream(LECTURE_HEAD);
    if (!source_head_open(&head, LECTURE_CHANNELS, LECTURE_HEAD_SIZE, LECTURE_CONTEXT, true, error))
        return false;
    source_head_draw(&head, &random);
    torch_normal(&random, x, LECTURE_BATCH * EACH);
    for (int b = 0; b < LECTURE_BATCH; b++) {
        source_head_forward(&head, x + (size_t)b * EACH, LECTURE_CONTEXT);
        gather_sequence(&facts, &head);
    }
    source_head_close(&head);
    simplex_facts_report(lab, &facts, "", true);
    return true;
}

/* The scores of one row of a trained head, made again in double where a weight is 0. */
typedef struct Scores {
    const Head *head;
    const real *query, *weights;
    int visible;
    double largest; /* NaN until it is asked for */
} Scores;

static double score(const Scores *s, int column)
{
    const real *key = matrix_row(s->head->pass.sequence.key, column);
    double sum = 0;
    for (int h = 0; h < s->head->config.head_size; h++)
        sum += (double)s->query[h] * (double)key[h];
    return model_config_scale(&s->head->config) * sum;
}

static double gap(void *context, int column)
{
    Scores *s = context;
    if (isnan(s->largest))
        s->largest = score(s, row_largest(s->weights, s->visible));
    return score(s, column) - s->largest;
}

/* One window of n characters; box is scratch [2, head_size]. */
static void gather_window(SimplexFacts *facts, Head *head, const int32_t *ids, int n, real *box)
{
    int H = head->config.head_size, boxed = 0;
    bool causal = head->config.mask == MASK_CAUSAL;
    pass_gather(&head->pass, &head->tables, ids, n, false);
    for (int first = 0; first < n; first += PASS_BLOCK_ROWS) {
        int count = n - first < PASS_BLOCK_ROWS ? n - first : PASS_BLOCK_ROWS;
        int seen = pass_block_forward(&head->pass, &head->tables, first, count, n);
        for (int r = 0; r < count; r++) {
            int visible = causal ? first + r + 1 : n;
            for (; boxed < visible; boxed++)
                simplex_box(matrix_row(head->pass.sequence.value, boxed), H, boxed == 0, box, box + H);
            const real *weights = matrix_row(head->pass.weights, r);
            Scores scores = {head, matrix_row(head->pass.sequence.query, r), weights, visible, NAN};
            simplex_facts_add(facts, &(SimplexRow){
                .weights = weights, .visible = visible, .columns = seen,
                .output = matrix_row(head->pass.mixed, r), .low = box, .high = box + H, .head_size = H,
                .gap = head->config.mixing == MIXING_ATTENTION ? gap : NULL, .context = &scores,
            });
        }
    }
}

static bool trained(Lab *lab, Error *error)
{
    Trained t;
    SimplexFacts facts = {0};
    if (!trained_open(&t, lab, error))
        return false;
    int32_t *ids = malloc((size_t)t.head.config.context * sizeof *ids);
    real *box = malloc(2 * (size_t)t.head.config.head_size * sizeof *box);
    bool allocated = ids != NULL && box != NULL;
    uint64_t state = denormals_flush();
    for (size_t w = 0; allocated && w < trained_windows(&t); w++)
        gather_window(&facts, &t.head, ids, trained_window(&t, w, ids), box);
    denormals_restore(state);
    if (allocated)
        simplex_facts_report(lab, &facts, "trained head: ", t.head.config.mask == MASK_CAUSAL);
    free(ids);
    free(box);
    trained_close(&t);
    return allocated || error_set(error, "no memory for a window of a trained head");
}

bool lab_simplex(Lab *lab, Error *error)
{
    return untrained(lab, error) && (lab->model == NULL || trained(lab, error));
}
