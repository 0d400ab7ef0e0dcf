/* peak.h -- what the machine's multiply-add units can do at the most: the yardstick of every share of peak. */
#ifndef SOLILOQUY_KERNELS_PEAK_H
#define SOLILOQUY_KERNELS_PEAK_H

/* Floating-point operations a second of independent vector multiply-adds on all of `threads` threads, a multiply-add
 * counted as two; the best of several tries, about `seconds` in all. */
double peak_flops(int threads, double seconds);

#endif
