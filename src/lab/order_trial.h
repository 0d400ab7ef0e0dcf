/* order_trial.h -- one training of document 003's assignment on Banking77, and what it is asked.
 *
 * As the source trains it: 64 channels, seed 42 for the weights and for the order of the queries, ten epochs in batches
 * of 32, the last partial one kept, Adam at a rate of 0.01. */
#ifndef SOLILOQUY_LAB_ORDER_TRIAL_H
#define SOLILOQUY_LAB_ORDER_TRIAL_H

#include "lab/banking77.h"
#include "lab/order_model.h"

enum { ORDER_REPORTS = 3 };

static const int order_report_epochs[ORDER_REPORTS] = {1, 5, 10};

typedef struct OrderTrial {
    OrderModel model;
    bool disturbed;                /* one initial weight is the next larger float */
    int64_t *order;                /* owned; [2, training]: an epoch's queries, and the order that is dropped */
    int32_t *forwards, *backwards; /* owned; a list's predicted intents, read either way */
    double losses[ORDER_REPORTS], accuracies[ORDER_REPORTS]; /* mean training loss; share of the validation set */
    double equal, backward_accuracy; /* shares of the validation set: calls that stay the same backwards, right ones */
    int test_equal;                /* queries of the test set whose call stays the same backwards */
} OrderTrial;

bool order_trial_open(OrderTrial *trial, const Banking77 *b, OrderMixing mixing, bool disturbed, Error *error);

/* Accepts a zeroed trial. */
void order_trial_close(OrderTrial *trial);

/* Trains, and fills in what the struct's last members say. On one thread; several trials may run at once. */
void order_trial_run(OrderTrial *trial, const Banking77 *b);

#endif
