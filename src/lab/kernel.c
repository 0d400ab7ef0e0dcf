/* kernel.c -- 002 section 4.5: attention as kernel smoothing along the sequence.
 *
 * Scores that depend on positions alone make the layer a smoother of Nadaraya and Watson: out_i = sum_j K(i-j) v_j /
 * sum_j K(i-j) over j <= i. W_Q = W_K = 0 is K = 1, the running mean; S_ij = -(i-j)^2 / 2 s^2 a Gaussian K. */
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "lab/kernel_trained.h"
#include "lab/picture_row.h"
#include "lab/source_head.h"

#include <math.h>
#include <string.h>

enum { WIDTHS = 4, N = 48, C = 32, H = 16 };

static const double widths[WIDTHS] = {0.5, 2, 8, INFINITY};
static const char *const titles[WIDTHS] = {"s = 0.5", "s = 2", "s = 8", "s infinite: the running mean"};
static const char *const claims[WIDTHS] = {"bandwidth 0.5 is a Gaussian smoother", "bandwidth 2", "bandwidth 8",
                                           "an infinite bandwidth is the running mean"};

typedef struct Smoother {
    float weights[N * N]; /* [N,N] */
    float output[N * H];  /* [N,H] */
} Smoother;

static void keep(Matrix weights, Matrix output, Smoother *to)
{
    for (int i = 0; i < N; i++) {
        memcpy(to->weights + i * N, matrix_row(weights, i), N * sizeof(float));
        memcpy(to->output + i * H, matrix_row(output, i), H * sizeof(float));
    }
}

static double kernel_at(double width, int distance)
{
    return exp(-(double)distance * distance / (2 * width * width));
}

/* How far an output is from the smoother of that bandwidth in double, over 1 + its size. */
static double furthest(const Smoother *s, Matrix value, double width)
{
    Moments off = {0};
    for (int i = 0; i < N; i++)
        for (int h = 0; h < H; h++) {
            double sum = 0, mass = 0;
            for (int j = 0; j <= i; j++) {
                sum += kernel_at(width, i - j) * (double)matrix_row(value, j)[h];
                mass += kernel_at(width, i - j);
            }
            moments_add(&off, fabs((double)s->output[i * H + h] - sum / mass) / (1 + fabs(sum / mass)));
        }
    return off.largest;
}

/* How far back a row reads, on average. */
static double reach(const Smoother *s)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            sum += (double)s->weights[i * N + j] * (i - j);
    return sum / N;
}

/* How many of the weights are not 1/(i+1) to the last bit, and 0 above the diagonal. */
static int unlike_mean(const Smoother *s)
{
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            count += !(s->weights[i * N + j] == (j <= i ? 1.0f / (float)(i + 1) : 0));
    return count;
}

/* A convolution: beyond six bandwidths from the start, each row is the one above it, moved by one. */
static double furthest_moved(const Smoother *s, double width)
{
    Moments off = {0};
    for (int i = (int)(6 * width) + 1; i < N; i++)
        for (int j = 1; j <= i; j++)
            moments_add(&off, fabs((double)s->weights[i * N + j] - (double)s->weights[(i - 1) * N + j - 1]));
    return off.largest;
}

/* The layer with W_Q = W_K = 0, and by its rule without any. */
static void running_mean(Lab *lab, SourceHead *head, Smoother *mean)
{
    Smoother by_rule;
    keep(head->weights, head->output, mean);
    Matrix weights = matrix_view(head->weights.data, N, N, head->weights.row_stride);
    AttentionRule rule = {.visible = 1, .uniform = true, .scale = 1};
    attention_forward(rule, head->inputs, weights, head->output);
    keep(head->weights, head->output, &by_rule);
    int unlike = unlike_mean(mean);
    double off = furthest(mean, head->inputs.value, INFINITY);
    lab_holds(lab, "W_Q = W_K = 0: each weight is 1/(i+1) to its last bit", unlike == 0, "%d of %d x %d differ", unlike,
              N, N);
    lab_holds(lab, "so that the output is the running mean of the values", off <= 1e-6, "furthest off: %.1e", off);
    lab_holds(lab, "the program's --mixing uniform is the same layer",
              memcmp(mean, &by_rule, sizeof by_rule) == 0, "weights and outputs, bit by bit");
}

static void smooth(const SourceHead *head, double width, Smoother *to)
{
    Matrix scores = matrix_view(head->weights.data, N, N, head->weights.row_stride);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix_row(scores, i)[j] = (real)(-(double)(i - j) * (i - j) / (2 * width * width));
    AttentionRule rule = {.visible = 1, .scale = 1};
    attention_mix_forward(rule, scores, head->inputs.value, head->output);
    keep(head->weights, head->output, to);
}

static void gaussians(Lab *lab, const SourceHead *head, const Smoother *mean, Smoother smoothers[WIDTHS])
{
    for (int i = 0; i < WIDTHS; i++) {
        const Smoother *s = &smoothers[i];
        smooth(head, widths[i], &smoothers[i]);
        double off = furthest(s, head->inputs.value, widths[i]);
        bool same = isfinite(widths[i]) || memcmp(s->weights, mean->weights, sizeof s->weights) == 0;
        lab_holds(lab, claims[i], off <= 1e-6 && same, "furthest off: %.1e; rows read %.1f characters back%s", off,
                  reach(s), isfinite(widths[i]) ? "" : same ? "; bit by bit that of W_Q = W_K = 0" : "; other weights");
    }
    double narrow = furthest_moved(&smoothers[0], widths[0]), wide = furthest_moved(&smoothers[1], widths[1]);
    lab_holds(lab, "that is a convolution: each row is the one above it, moved by one", narrow <= 1e-6 && wide <= 1e-6,
              "beyond 6 s from the start they differ by %.1e (s = 0.5), %.1e (s = 2)", narrow, wide);
}

static bool untrained(Lab *lab, Smoother smoothers[WIDTHS], Error *error)
{
    SourceHead head;
    Smoother mean;
    float x[N * C];
    TorchRandom random = torch_random_seed(0);
    if (!source_head_open(&head, C, H, N, true, error))
        return false;
    source_head_draw(&head, &random);
    torch_normal(&random, x, N * C);
    for (int c = 0; c < C; c++) {
        memset(matrix_row(head.query_weight, c), 0, H * sizeof(real));
        memset(matrix_row(head.key_weight, c), 0, H * sizeof(real));
    }
    source_head_forward(&head, x, N);
    running_mean(lab, &head, &mean);
    gaussians(lab, &head, &mean, smoothers);
    source_head_close(&head);
    return true;
}

bool lab_kernel(Lab *lab, Error *error)
{
    Smoother smoothers[WIDTHS];
    PictureWindow windows[WIDTHS];
    if (!untrained(lab, smoothers, error))
        return false;
    for (int i = 0; i < WIDTHS; i++)
        windows[i] = (PictureWindow){titles[i], smoothers[i].weights, N, true};
    return (lab->out == NULL || picture_row_write(windows, WIDTHS, lab->out, "kernel.png", error)) &&
           (lab->model == NULL || kernel_trained(lab, error));
}
