/* experiments.h -- the experiments, one function each, in a file of its name. The list is in experiments.c.
 *
 * Each hands its rows to the lab and returns false with the error when it could not run (lab/lab.h). */
#ifndef SOLILOQUY_LAB_EXPERIMENTS_H
#define SOLILOQUY_LAB_EXPERIMENTS_H

#include "lab/lab.h"

bool lab_hand(Lab *lab, Error *error);
bool lab_mask(Lab *lab, Error *error);
bool lab_positions(Lab *lab, Error *error);
bool lab_scale(Lab *lab, Error *error);
bool lab_simplex(Lab *lab, Error *error);
bool lab_causality(Lab *lab, Error *error);
bool lab_equivariance(Lab *lab, Error *error);
bool lab_leak(Lab *lab, Error *error);
bool lab_patterns(Lab *lab, Error *error);
bool lab_kernel(Lab *lab, Error *error);
bool lab_rank(Lab *lab, Error *error);
bool lab_roles(Lab *lab, Error *error);
bool lab_loops(Lab *lab, Error *error);
bool lab_padding(Lab *lab, Error *error);
bool lab_reference(Lab *lab, Error *error);
bool lab_cost(Lab *lab, Error *error);
bool lab_order(Lab *lab, Error *error);
bool lab_mistakes(Lab *lab, Error *error);

#endif
