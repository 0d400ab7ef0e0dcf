/* clock.h -- elapsed time. */
#ifndef SOLILOQUY_BASE_CLOCK_H
#define SOLILOQUY_BASE_CLOCK_H

/* Seconds on the monotonic clock, from an arbitrary start. */
double clock_seconds(void);

#endif
