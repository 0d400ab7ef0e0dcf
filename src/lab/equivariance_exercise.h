/* equivariance_exercise.h -- document 000, exercise 5(a): attention without positions, and with sinusoidal ones. */
#ifndef SOLILOQUY_LAB_EQUIVARIANCE_EXERCISE_H
#define SOLILOQUY_LAB_EQUIVARIANCE_EXERCISE_H

#include "lab/lab.h"

bool equivariance_exercise(Lab *lab, Error *error);

#endif
