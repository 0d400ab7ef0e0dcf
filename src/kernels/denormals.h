/* denormals.h -- numbers too small for a full mantissa, treated as 0.
 *
 * Sums of tiny softmax weights run several times slower where each operation on a denormal takes the processor's
 * slow path, in silence. The state belongs to a thread. On x86 and Arm; elsewhere nothing happens. */
#ifndef SOLILOQUY_KERNELS_DENORMALS_H
#define SOLILOQUY_KERNELS_DENORMALS_H

#include <stdint.h>

/* From here on this thread reads and writes 0 for denormals. Returns the state to hand to denormals_restore. */
uint64_t denormals_flush(void);
void denormals_restore(uint64_t state);

#endif
