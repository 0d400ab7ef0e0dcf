#include "lab/experiments.h"

const Experiment experiments[] = {
    {"hand", "000 ex. 1", "attention on a 2 x 2 case, as one works it out by hand", lab_hand},
};
const int experiment_count = sizeof experiments / sizeof experiments[0];
