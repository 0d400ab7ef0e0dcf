#include "lab/experiments.h"

const Experiment experiments[] = {
    {"hand", "000 ex. 1", "attention on a 2 x 2 case, as one works it out by hand", lab_hand},
    {"mask", "000 ex. 2", "the causal mask: before the softmax, and zeroing after it (002 ex. 4)", lab_mask},
    {"positions", "000 ex. 3", "the table of sines and cosines, and that an offset rotates it", lab_positions},
    {"scale", "000 ex. 4", "why scores are divided by sqrt(d): three tables and a plot (002 lemma 4.5, 003)",
     lab_scale},
    {"simplex", "002 prop. 3.1", "rows are distributions, outputs lie in the values' hull (cor. 3.2, 3.3, prop. 5.1)",
     lab_simplex},
    {"causality", "002 prop. 5.1", "a head does not see what comes later: by changing it, and by the gradient (003)",
     lab_causality},
    {"equivariance", "002 thm. 6.1", "reordered inputs, reordered outputs, and what positions break (000 ex. 5, 003)",
     lab_equivariance},
    {"leak", "000 ex. 5b", "the same model trained without the mask: a great loss, and gibberish", lab_leak},
    {"patterns", "002 sec. 4.4", "five untrained heads on 48 characters, and a trained one beside them", lab_patterns},
    {"kernel", "002 sec. 4.5", "attention by position alone: a running mean, Gaussian smoothers, and a trained head's share",
     lab_kernel},
    {"rank", "002 ex. 7", "the rank of a head's scores is at most its width", lab_rank},
    {"roles", "003", "embeddings as queries, keys and values at once; then three projections", lab_roles},
    {"loops", "003 lab 1", "one row of attention by loops, and by the products", lab_loops},
    {"padding", "003", "pads unmasked, masked, filled with 0; on the right, on the left, and in whole batches (lab 2)",
     lab_padding},
    {"reference", "003", "attention against PyTorch's own, with its masks and with one the wrong way round",
     lab_reference},
    {"order", "003 assignment", "can a bag, a head and a causal head tell a query from its reverse? (Banking77)",
     lab_order},
};
const int experiment_count = sizeof experiments / sizeof experiments[0];
