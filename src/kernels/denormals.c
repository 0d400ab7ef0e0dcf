#include "kernels/denormals.h"

#if defined __x86_64__ && defined __SSE__
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 }; /* bits of MXCSR */

uint64_t denormals_flush(void)
{
    unsigned state = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(state | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return state;
}

void denormals_restore(uint64_t state)
{
    __builtin_ia32_ldmxcsr((unsigned)state);
}
#elif defined __aarch64__
uint64_t denormals_flush(void)
{
    uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    __asm__ volatile("msr fpcr, %0" : : "r"(state | (1u << 24))); /* FZ */
    return state;
}

void denormals_restore(uint64_t state)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
}
#else
uint64_t denormals_flush(void)
{
    return 0;
}

void denormals_restore(uint64_t state)
{
    (void)state;
}
#endif
