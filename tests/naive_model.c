#include "naive_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sequence {
    int n;
    const int *inputs;  /* [n] */
    const int *targets; /* [n]; not read forward */
} Sequence;

/* What one sequence computes on its way to the logits; backward, a second one holds the gradients. */
typedef struct Pass {
    double *x;         /* [n,C] */
    double *q, *k, *v; /* [n,H] */
    double *attention; /* [n,n] */
    double *out;       /* [n,H] */
    double *logits;    /* [n,V] */
} Pass;

static double *zeros(int rows, int columns)
{
    double *array = calloc((size_t)rows * (size_t)columns, sizeof *array);
    if (array == NULL)
        abort();
    return array;
}

static Pass pass_open(const NaiveModel *model, int n)
{
    return (Pass){
        .x = zeros(n, model->C),
        .q = zeros(n, model->H), .k = zeros(n, model->H), .v = zeros(n, model->H),
        .attention = zeros(n, n),
        .out = zeros(n, model->H),
        .logits = zeros(n, model->V),
    };
}

static void pass_close(Pass *pass)
{
    free(pass->x);
    free(pass->q);
    free(pass->k);
    free(pass->v);
    free(pass->attention);
    free(pass->out);
    free(pass->logits);
}

static double position_value(const NaiveModel *model, int p, int c)
{
    if (model->positions == NAIVE_POSITIONS_NONE)
        return 0.0;
    if (model->positions == NAIVE_POSITIONS_LEARNED)
        return model->position[p * model->C + c];
    double angle = p / pow(10000.0, (double)(c - c % 2) / model->C);
    return c % 2 == 0 ? sin(angle) : cos(angle);
}

static double score_scale(const NaiveModel *model)
{
    return model->scale == NAIVE_SCALE_SQRT ? 1.0 / sqrt(model->H) : 1.0;
}

/* How many keys query i reads: 0 up to, not including, this one. */
static int key_count(const NaiveModel *model, int i, int n)
{
    return model->mask == NAIVE_MASK_CAUSAL ? i + 1 : n;
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The softmax of z[count] into p[count], which may be z; returns ln sum exp z. */
static double softmax(const double *z, int count, double *p)
{
    double largest = z[0], sum = 0.0;
    for (int i = 1; i < count; i++)
        largest = fmax(largest, z[i]);
    for (int i = 0; i < count; i++) {
        p[i] = exp(z[i] - largest);
        sum += p[i];
    }
    for (int i = 0; i < count; i++)
        p[i] /= sum;
    return largest + log(sum);
}

typedef struct Shape {
    int rows, inputs, outputs;
} Shape;

/* y[R,O] = x[R,I] weight[O,I]^T */
static void linear(Shape shape, const double *x, const double *weight, double *y)
{
    for (int r = 0; r < shape.rows; r++)
        for (int o = 0; o < shape.outputs; o++)
            y[r * shape.outputs + o] = dot(x + r * shape.inputs, weight + o * shape.inputs, shape.inputs);
}

/* d_x += d_y weight;   d_weight += d_y^T x */
static void linear_adjoint(Shape shape, const double *x, const double *weight, const double *d_y, double *d_x,
                           double *d_weight)
{
    for (int r = 0; r < shape.rows; r++)
        for (int o = 0; o < shape.outputs; o++)
            for (int i = 0; i < shape.inputs; i++) {
                d_x[r * shape.inputs + i] += d_y[r * shape.outputs + o] * weight[o * shape.inputs + i];
                d_weight[o * shape.inputs + i] += d_y[r * shape.outputs + o] * x[r * shape.inputs + i];
            }
}

static void forward(const NaiveModel *model, Sequence sequence, Pass *pass)
{
    int C = model->C, H = model->H, V = model->V, n = sequence.n;
    for (int t = 0; t < n; t++)
        for (int c = 0; c < C; c++)
            pass->x[t * C + c] = model->token[sequence.inputs[t] * C + c] + position_value(model, t, c);

    /* With uniform mixing q and k stay zero, and so do all scores. */
    Shape projection = {.rows = n, .inputs = C, .outputs = H};
    if (model->mixing == NAIVE_MIXING_ATTENTION) {
        linear(projection, pass->x, model->query, pass->q);
        linear(projection, pass->x, model->key, pass->k);
    }
    linear(projection, pass->x, model->value, pass->v);

    for (int i = 0; i < n; i++) {
        double *row = pass->attention + i * n;
        int keys = key_count(model, i, n);
        for (int j = 0; j < keys; j++)
            row[j] = score_scale(model) * dot(pass->q + i * H, pass->k + j * H, H);
        softmax(row, keys, row);
        for (int j = 0; j < keys; j++)
            for (int h = 0; h < H; h++)
                pass->out[i * H + h] += row[j] * pass->v[j * H + h];
    }

    linear((Shape){.rows = n, .inputs = H, .outputs = V}, pass->out, model->lm_weight, pass->logits);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < V; s++)
            pass->logits[i * V + s] += model->lm_bias[s];
}

/* The sum of the losses of one sequence; d_logits[n,V] = (softmax(logits) - one at the target) * weight. */
static double cross_entropy(const double *logits, int V, Sequence sequence, double weight, double *d_logits)
{
    double loss = 0.0;
    for (int i = 0; i < sequence.n; i++) {
        const double *z = logits + i * V;
        double *d_z = d_logits + i * V;
        loss += softmax(z, V, d_z) - z[sequence.targets[i]];
        d_z[sequence.targets[i]] -= 1.0;
        for (int s = 0; s < V; s++)
            d_z[s] *= weight;
    }
    return loss;
}

/* From d->out to d->q, d->k and d->v:
 *   d_A_ij = d_out_i . v_j;   d_S_ij = A_ij (d_A_ij - sum_l A_il d_A_il)
 *   d_q_i = sum_j s d_S_ij k_j;   d_k_j = sum_i s d_S_ij q_i;   d_v_j = sum_i A_ij d_out_i,   s = 1/sqrt(H) */
static void attention_adjoint(const NaiveModel *model, int n, const Pass *pass, NaiveFault fault, Pass *d)
{
    int H = model->H;
    double scale = fault == NAIVE_MISSING_SCALE ? 1.0 : score_scale(model);
    if (fault == NAIVE_CHANNELS && model->scale == NAIVE_SCALE_SQRT)
        scale = 1.0 / sqrt(model->C);
    for (int i = 0; i < n; i++) {
        const double *a = pass->attention + i * n;
        double *d_a = d->attention + i * n;
        int keys = key_count(model, i, n);
        for (int j = 0; j < keys; j++)
            d_a[j] = dot(d->out + i * H, pass->v + j * H, H);
        double mean = dot(a, d_a, keys);
        for (int j = 0; j < keys; j++) {
            double d_score = scale * a[j] * (d_a[j] - (fault == NAIVE_DIAGONAL_SOFTMAX ? a[j] * d_a[j] : mean));
            for (int h = 0; h < H; h++) {
                d->q[i * H + h] += d_score * pass->k[j * H + h];
                if (fault == NAIVE_DROPPED_KEY && i != j)
                    continue;
                d->k[j * H + h] += d_score * pass->q[i * H + h];
                d->v[j * H + h] += a[j] * d->out[i * H + h];
            }
        }
    }
    for (int i = 0; i < n * H; i++) {
        if (fault == NAIVE_FLIPPED_SIGN)
            d->q[i] = -d->q[i];
        if (fault == NAIVE_ZERO)
            d->q[i] = 0.0;
    }
}

/* Adds one sequence's share to the gradient, from d->logits down. */
static void backward(const NaiveModel *model, Sequence sequence, const Pass *pass, NaiveFault fault, Pass *d,
                     const NaiveModel *gradient)
{
    int C = model->C, H = model->H, V = model->V, n = sequence.n;
    linear_adjoint((Shape){.rows = n, .inputs = H, .outputs = V}, pass->out, model->lm_weight, d->logits, d->out,
                   gradient->lm_weight);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < V; s++)
            gradient->lm_bias[s] += d->logits[i * V + s];

    attention_adjoint(model, n, pass, fault, d);

    Shape projection = {.rows = n, .inputs = C, .outputs = H};
    if (model->mixing == NAIVE_MIXING_ATTENTION) {
        linear_adjoint(projection, pass->x, model->query, d->q, d->x, gradient->query);
        linear_adjoint(projection, pass->x, model->key, d->k, d->x, gradient->key);
    }
    linear_adjoint(projection, pass->x, model->value, d->v, d->x, gradient->value);

    for (int t = 0; t < n; t++)
        for (int c = 0; c < C; c++) {
            gradient->token[sequence.inputs[t] * C + c] += d->x[t * C + c];
            if (model->positions == NAIVE_POSITIONS_LEARNED)
                gradient->position[t * C + c] += d->x[t * C + c];
        }
}

static void clear(double *array, int rows, int columns)
{
    if (array != NULL)
        memset(array, 0, (size_t)rows * (size_t)columns * sizeof *array);
}

static void clear_gradient(const NaiveModel *model, const NaiveModel *gradient)
{
    clear(gradient->token, model->V, model->C);
    clear(gradient->position, model->T, model->C);
    clear(gradient->query, model->H, model->C);
    clear(gradient->key, model->H, model->C);
    clear(gradient->value, model->H, model->C);
    clear(gradient->lm_weight, model->V, model->H);
    clear(gradient->lm_bias, model->V, 1);
}

void naive_forward(const NaiveModel *model, const int *inputs, int n, double *attention, double *logits)
{
    Pass pass = pass_open(model, n);
    forward(model, (Sequence){.n = n, .inputs = inputs}, &pass);
    memcpy(attention, pass.attention, (size_t)(n * n) * sizeof *attention);
    memcpy(logits, pass.logits, (size_t)(n * model->V) * sizeof *logits);
    pass_close(&pass);
}

double naive_loss_and_gradient(const NaiveModel *model, int B, int n, const int *inputs, const int *targets,
                               const NaiveModel *gradient, NaiveFault fault)
{
    double loss = 0.0;
    if (gradient != NULL)
        clear_gradient(model, gradient);
    for (int b = 0; b < B; b++) {
        Sequence sequence = {.n = n, .inputs = inputs + b * n, .targets = targets + b * n};
        Pass pass = pass_open(model, n), d = pass_open(model, n);
        forward(model, sequence, &pass);
        loss += cross_entropy(pass.logits, model->V, sequence, 1.0 / (B * n), d.logits);
        if (gradient != NULL)
            backward(model, sequence, &pass, fault, &d, gradient);
        pass_close(&pass);
        pass_close(&d);
    }
    if (gradient != NULL && fault == NAIVE_NAN)
        gradient->value[0] = NAN;
    return loss / (B * n);
}

void naive_adam_step(NaiveAdam adam, size_t count, const double *gradient, double *m, double *v, double *weights)
{
    for (size_t i = 0; i < count; i++) {
        double g = gradient[i];
        m[i] = adam.beta1 * m[i] + (1.0 - adam.beta1) * g;
        v[i] = adam.beta2 * v[i] + (1.0 - adam.beta2) * g * g;
        double m_hat = m[i] / (1.0 - pow(adam.beta1, adam.step));
        double v_hat = v[i] / (1.0 - pow(adam.beta2, adam.step));
        weights[i] -= adam.learning_rate * m_hat / (sqrt(v_hat) + adam.epsilon);
    }
}
