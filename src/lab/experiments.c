#include "lab/experiments.h"

const Experiment experiments[] = {
    {"hand", "000 ex. 1", "attention on a 2 x 2 case, as one works it out by hand", lab_hand},
    {"mask", "000 ex. 2", "the causal mask: before the softmax, and zeroing after it (002 ex. 4)", lab_mask},
    {"positions", "000 ex. 3", "the table of sines and cosines, and that an offset rotates it", lab_positions},
    {"scale", "000 ex. 4", "why scores are divided by sqrt(d): three tables and a plot (002 lemma 4.5, 003)", lab_scale},
};
const int experiment_count = sizeof experiments / sizeof experiments[0];
