/* schedule.h -- the learning rate of each step.
 *
 *   warm-up:  rate (s + 1) / W                                               s < W
 *   constant: rate                                                           s >= W
 *   cosine:   minimum + (rate - minimum) (1 + cos(pi p)) / 2,   p = (s - W) / (S - W)
 *
 * with W = min(warm-up, S) and S the number of steps. Finite and positive at every step. */
#ifndef SOLILOQUY_OPTIMIZER_SCHEDULE_H
#define SOLILOQUY_OPTIMIZER_SCHEDULE_H

#include <stdint.h>

typedef enum ScheduleKind { SCHEDULE_COSINE, SCHEDULE_CONSTANT } ScheduleKind;

extern const char *const schedule_names[]; /* in the order of the enum, ended by NULL */

typedef struct Schedule {
    ScheduleKind kind;
    double rate;    /* > 0: the largest */
    double minimum; /* >= 0, <= rate: where the cosine ends */
    int64_t warmup, steps;
} Schedule;

/* The rate of step `step`, 0 <= step; steps beyond the schedule's have the last one's rate. */
double schedule_rate(const Schedule *schedule, int64_t step);

#endif
