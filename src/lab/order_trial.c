#include "lab/order_trial.h"

#include "kernels/denormals.h"
#include "lab/torch_random.h"

#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 64, BATCH = 32, EPOCHS = 10, SEED = 42 };

static const double LEARNING_RATE = 0.01;

void order_trial_close(OrderTrial *trial)
{
    order_model_close(&trial->model);
    free(trial->order);
    free(trial->forwards);
    free(trial->backwards);
    *trial = (OrderTrial){0};
}

bool order_trial_open(OrderTrial *trial, const Banking77 *b, OrderMixing mixing, bool disturbed, Error *error)
{
    const OrderSizes sizes = {b->vocabulary_size, CHANNELS, b->intents, BANKING77_LONGEST, BATCH};
    const size_t training = (size_t)b->training.count;
    const size_t most = (size_t)(b->test.count > b->validation.count ? b->test.count : b->validation.count);
    *trial = (OrderTrial){.disturbed = disturbed, .order = malloc(2 * training * sizeof *trial->order),
                          .forwards = malloc(most * sizeof *trial->forwards),
                          .backwards = malloc(most * sizeof *trial->backwards)};
    if (trial->order == NULL || trial->forwards == NULL || trial->backwards == NULL)
        return error_set(error, "no memory for the order of %zu queries", training);
    return order_model_open(&trial->model, sizes, mixing, error);
}

/* The layers in the order in which the source's class makes them. */
static void initialise(OrderModel *model, bool disturbed)
{
    TorchRandom random = torch_random_seed(SEED);
    OrderTensors *v = &model->values;
    torch_embedding(&random, v->embedding.data, v->embedding.rows, CHANNELS, true);
    if (model->mixing != ORDER_BAG) {
        torch_linear(&random, v->query.data, v->query_bias.data, CHANNELS, CHANNELS);
        torch_linear(&random, v->key.data, v->key_bias.data, CHANNELS, CHANNELS);
        torch_linear(&random, v->value.data, v->value_bias.data, CHANNELS, CHANNELS);
    }
    torch_linear(&random, v->head.data, v->head_bias.data, CHANNELS, v->head.rows);
    if (disturbed)
        v->head.data[0] = nextafterf(v->head.data[0], INFINITY);
}

/* The queries which[0..count) of the list, or with NULL those from `first` on. */
static void fill_batch(OrderModel *model, const Banking77Queries *list, const int64_t *which, int first, int count,
                       bool backwards)
{
    order_batch_begin(model);
    for (int i = first; i < first + count; i++) {
        const int64_t query = which != NULL ? which[i] : i;
        order_batch_add(model, list->ids[query], list->lengths[query], list->labels[query], backwards);
    }
}

static int batch_at(const Banking77Queries *list, int first)
{
    return list->count - first < BATCH ? list->count - first : BATCH;
}

/* One epoch as PyTorch's DataLoader deals it out: a seed for its workers, a permutation, and one that is dropped.
 * Returns the mean loss of the queries as they were met. */
static double train_epoch(OrderTrial *trial, const Banking77Queries *list, TorchRandom *random)
{
    double total = 0;
    torch_random_64(random);
    torch_permutation(random, trial->order, list->count);
    torch_permutation(random, trial->order + list->count, list->count);
    for (int first = 0; first < list->count; first += BATCH) {
        const int count = batch_at(list, first);
        fill_batch(&trial->model, list, trial->order, first, count, false);
        total += order_backward(&trial->model) * count;
        order_update(&trial->model, LEARNING_RATE);
    }
    return total / list->count;
}

static int32_t largest_of(const real *row, int columns)
{
    int32_t largest = 0;
    for (int32_t i = 1; i < columns; i++)
        if (row[i] > row[largest])
            largest = i;
    return largest;
}

/* The list's predicted intents. Returns how many are right. */
static int call(OrderModel *model, const Banking77Queries *list, bool backwards, int32_t *calls)
{
    int right = 0;
    for (int first = 0; first < list->count; first += BATCH) {
        fill_batch(model, list, NULL, first, batch_at(list, first), backwards);
        const Matrix logits = order_forward(model);
        for (int i = 0; i < logits.rows; i++) {
            calls[first + i] = largest_of(matrix_row(logits, i), logits.columns);
            right += calls[first + i] == list->labels[first + i];
        }
    }
    return right;
}

/* Calls the list both ways. Returns how many calls are the same; *right are right backwards. */
static int count_equal(OrderTrial *trial, const Banking77Queries *list, int *right)
{
    int equal = 0;
    call(&trial->model, list, false, trial->forwards);
    *right = call(&trial->model, list, true, trial->backwards);
    for (int i = 0; i < list->count; i++)
        equal += trial->forwards[i] == trial->backwards[i];
    return equal;
}

void order_trial_run(OrderTrial *trial, const Banking77 *b)
{
    const uint64_t state = denormals_flush();
    const Banking77Queries *validation = &b->validation;
    TorchRandom order = torch_random_seed(SEED);
    int right;
    initialise(&trial->model, trial->disturbed);
    for (int epoch = 1, report = 0; epoch <= EPOCHS; epoch++) {
        const double loss = train_epoch(trial, &b->training, &order);
        if (epoch == order_report_epochs[report]) {
            trial->losses[report] = loss;
            right = call(&trial->model, validation, false, trial->forwards);
            trial->accuracies[report++] = (double)right / validation->count;
        }
    }
    trial->equal = (double)count_equal(trial, validation, &right) / validation->count;
    trial->backward_accuracy = (double)right / validation->count;
    trial->test_equal = count_equal(trial, &b->test, &right);
    denormals_restore(state);
}
