/* patterns.c -- 002 section 4.4: five untrained heads on the first 48 characters of tiny Shakespeare, and a trained
 * head beside them.
 *
 * The embeddings go on with the lecture's stream; each head has its own seed, 0 to 4. */
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "lab/lecture_stream.h"
#include "lab/picture_row.h"
#include "lab/shakespeare.h"
#include "lab/source_head.h"
#include "lab/trained.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 5, N = 48, C = LECTURE_CHANNELS, H = LECTURE_HEAD_SIZE, ROWS = 6 };

/* One head's attention on the first n characters of a text, at most N. */
typedef struct Pattern {
    float weights[N * N]; /* [n,n] */
    int n;
    bool causal;
} Pattern;

/* What is measured of any number of patterns. */
typedef struct Facts {
    Moments sums;            /* of rows */
    int above;               /* weights above a causal diagonal that are not exactly 0 */
    int firsts_of_one;       /* patterns with A_11 = 1, exactly */
    Moments first_of_two;    /* A_21 */
    Moments second_of_two;   /* A_22 */
    Moments early, late;     /* the share of all weight that the first and the last quarter of the columns get */
    Moments entropy;         /* of rows */
} Facts;

static double columns_share(const Pattern *p, int first, int end)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = first; j < end; j++)
            sum += (double)p->weights[i * p->n + j];
    return sum / p->n;
}

static void gather(Facts *facts, const Pattern *p)
{
    const float *w = p->weights;
    int n = p->n;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            sum += (double)w[i * n + j];
            facts->above += p->causal && j > i && !(w[i * n + j] == 0);
        }
        moments_add(&facts->sums, sum);
        moments_add(&facts->entropy, row_entropy(w + i * n, n, 0));
    }
    facts->firsts_of_one += w[0] == 1;
    if (n >= 2) {
        moments_add(&facts->first_of_two, (double)w[n]);
        moments_add(&facts->second_of_two, (double)w[n + 1]);
    }
    moments_add(&facts->early, columns_share(p, 0, n / 4));
    moments_add(&facts->late, columns_share(p, n - n / 4, n));
}

/* x[t] = the embedding of character t, plus that of position t. */
static bool embed(const Corpus *corpus, int n, float x[N * C], Error *error)
{
    Arena arena = {0};
    int V = corpus->vocabulary.size;
    float *characters = arena_take(&arena, (size_t)V * C, sizeof *characters);
    if (!arena_open(&arena, "the embeddings of a text", error))
        return false;
    characters = arena_take(&arena, (size_t)V * C, sizeof *characters);
    TorchRandom random = lecture_stream(LECTURE_PATTERNS);
    torch_embedding(&random, characters, V, C, false);
    torch_embedding(&random, x, N, C, false);
    for (int t = 0; t < n; t++)
        for (int c = 0; c < C; c++)
            x[t * C + c] += characters[(size_t)ids_at(corpus->ids, (size_t)t) * C + (size_t)c];
    arena_close(&arena);
    return true;
}

static bool attend(const Corpus *corpus, Pattern patterns[SEEDS], Error *error)
{
    SourceHead head;
    float x[N * C];
    int n = corpus->ids.count < N ? (int)corpus->ids.count : N;
    if (!embed(corpus, n, x, error) || !source_head_open(&head, C, H, N, true, error))
        return false;
    for (int seed = 0; seed < SEEDS; seed++) {
        TorchRandom random = torch_random_seed((uint64_t)seed);
        source_head_draw(&head, &random);
        source_head_forward(&head, x, n);
        patterns[seed].n = n;
        patterns[seed].causal = true;
        for (int i = 0; i < n; i++)
            memcpy(patterns[seed].weights + i * n, matrix_row(head.weights, i), (size_t)n * sizeof(float));
    }
    source_head_close(&head);
    return true;
}

/* The least of the largest differences between two of them. */
static double least_apart(const Pattern patterns[SEEDS])
{
    double least = INFINITY;
    for (int a = 0; a < SEEDS; a++)
        for (int b = 0; b < a; b++) {
            double most = 0;
            for (int i = 0; i < patterns[a].n * patterns[a].n; i++)
                most = fmax(most, fabs((double)patterns[a].weights[i] - (double)patterns[b].weights[i]));
            least = fmin(least, most);
        }
    return least;
}

static bool rows_are_right(const Facts *facts)
{
    return facts->above == 0 && moments_distance(&facts->sums, 1) <= 1e-6;
}

static void report(Lab *lab, const Corpus *corpus, const Pattern patterns[SEEDS])
{
    Facts facts = {0};
    for (int seed = 0; seed < SEEDS; seed++)
        gather(&facts, &patterns[seed]);
    double apart = least_apart(patterns), splits = facts.first_of_two.mean + facts.second_of_two.mean;
    double least = fmin(facts.first_of_two.smallest, facts.second_of_two.smallest);
    lab_exact_all(lab, "characters of the text, and of its vocabulary", "1,115,394 65",
                  (const double[]){(double)corpus->ids.count, corpus->vocabulary.size});
    lab_holds(lab, "five untrained heads: lower triangular, rows sum to 1", rows_are_right(&facts),
              "%d weights above the diagonal; largest |row sum - 1| = %.1e", facts.above,
              moments_distance(&facts.sums, 1));
    lab_holds(lab, "row 1 has one position, so that A_11 = 1", facts.firsts_of_one == SEEDS,
              "exactly, in %d of %d", facts.firsts_of_one, SEEDS);
    lab_holds(lab, "row 2 splits between two", least > 0 && fabs(splits - 1) <= 1e-6, "the first gets %.2f to %.2f",
              facts.first_of_two.smallest, facts.first_of_two.largest);
    lab_holds(lab, "the mask alone forces early positions to carry weight", facts.early.smallest > facts.late.largest,
              "first quarter: %.0f to %.0f %% of all weight, last: %.0f to %.0f %%", 100 * facts.early.smallest,
              100 * facts.early.largest, 100 * facts.late.smallest, 100 * facts.late.largest);
    lab_holds(lab, "five seeds, five patterns", apart > 0.05,
              "some weight differs by %.2f or more between any two; mean entropy of a row %.2f nats", apart,
              facts.entropy.mean);
}

static bool untrained(Lab *lab, Pattern patterns[SEEDS], bool *there, Error *error)
{
    Corpus corpus;
    if (!shakespeare_open(&corpus, lab, there, error))
        return false;
    if (!*there) {
        lab_skip(lab, "five untrained heads on the first 48 characters", ROWS + 1, shakespeare_missing);
        return true;
    }
    bool done = attend(&corpus, patterns, error);
    if (done)
        report(lab, &corpus, patterns);
    corpus_close(&corpus);
    return done;
}

static bool trained(Lab *lab, Pattern *pattern, Error *error)
{
    Trained t;
    Facts facts = {0};
    double uniform = 0;
    int32_t ids[N];
    if (!trained_open(&t, lab, error))
        return false;
    size_t n = (size_t)t.head.config.context < N ? (size_t)t.head.config.context : N;
    n = t.corpus.ids.count < n ? t.corpus.ids.count : n;
    ids_copy(t.corpus.ids, 0, n, ids);
    pattern->n = (int)n;
    pattern->causal = t.head.config.mask == MASK_CAUSAL;
    head_attention(&t.head, ids, pattern->n, pattern->weights);
    trained_close(&t);
    gather(&facts, pattern);
    for (int i = 0; i < pattern->n; i++)
        uniform += log(pattern->causal ? i + 1 : pattern->n) / pattern->n;
    lab_holds(lab, pattern->causal ? "trained head: lower triangular, rows sum to 1" : "trained head: rows sum to 1",
              rows_are_right(&facts), "%d characters; largest |row sum - 1| = %.1e", pattern->n,
              moments_distance(&facts.sums, 1));
    lab_holds(lab, "trained head: its rows are no more even than plain means", facts.entropy.mean <= uniform + 1e-6,
              "mean entropy of a row %.2f nats, of a plain mean %.2f", facts.entropy.mean, uniform);
    return true;
}

bool lab_patterns(Lab *lab, Error *error)
{
    static const char *const titles[SEEDS + 1] = {"seed 0", "seed 1", "seed 2", "seed 3", "seed 4", "trained"};
    Pattern patterns[SEEDS + 1]; /* the trained one last */
    PictureWindow windows[SEEDS + 1];
    bool there;
    if (!untrained(lab, patterns, &there, error) || (lab->model != NULL && !trained(lab, &patterns[SEEDS], error)))
        return false;
    int first = there ? 0 : SEEDS, end = lab->model != NULL ? SEEDS + 1 : SEEDS;
    for (int i = first; i < end; i++)
        windows[i] = (PictureWindow){titles[i], patterns[i].weights, patterns[i].n, patterns[i].causal};
    return lab->out == NULL || first == end ||
           picture_row_write(windows + first, end - first, lab->out, "patterns.png", error);
}
