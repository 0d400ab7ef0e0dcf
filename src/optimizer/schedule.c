#include "optimizer/schedule.h"

#include <math.h>
#include <stddef.h>

const char *const schedule_names[] = {"cosine", "constant", NULL};

double schedule_rate(const Schedule *schedule, int64_t step)
{
    const double pi = 3.14159265358979323846;
    int64_t last = schedule->steps > 0 ? schedule->steps - 1 : 0;
    int64_t warmup = schedule->warmup < schedule->steps ? schedule->warmup : schedule->steps;
    if (step > last)
        step = last;
    if (step < warmup)
        return schedule->rate * (double)(step + 1) / (double)warmup;
    if (schedule->kind == SCHEDULE_CONSTANT || schedule->steps <= warmup)
        return schedule->rate;
    double progress = (double)(step - warmup) / (double)(schedule->steps - warmup);
    return schedule->minimum + (schedule->rate - schedule->minimum) * (1 + cos(pi * progress)) / 2;
}
