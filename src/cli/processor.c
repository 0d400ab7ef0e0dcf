#include "cli/processor.h"

#include <stddef.h>

#if defined __x86_64__
/* Compiled for the oldest 64-bit processor, whatever the build's target. */
__attribute__((target("arch=x86-64"), noinline)) const char *processor_lacks(void)
{
    __builtin_cpu_init();
#define NEEDS(name)                     \
    if (!__builtin_cpu_supports(name)) \
        return name;
#ifdef __SSE4_2__
    NEEDS("sse4.2")
#endif
#ifdef __POPCNT__
    NEEDS("popcnt")
#endif
#ifdef __AVX__
    NEEDS("avx")
#endif
#ifdef __FMA__
    NEEDS("fma")
#endif
#ifdef __FMA4__
    NEEDS("fma4")
#endif
#ifdef __XOP__
    NEEDS("xop")
#endif
#ifdef __AVX2__
    NEEDS("avx2")
#endif
#ifdef __BMI__
    NEEDS("bmi")
#endif
#ifdef __BMI2__
    NEEDS("bmi2")
#endif
#ifdef __AVX512F__
    NEEDS("avx512f")
#endif
#ifdef __AVX512CD__
    NEEDS("avx512cd")
#endif
#ifdef __AVX512DQ__
    NEEDS("avx512dq")
#endif
#ifdef __AVX512BW__
    NEEDS("avx512bw")
#endif
#ifdef __AVX512VL__
    NEEDS("avx512vl")
#endif
#ifdef __AVX512IFMA__
    NEEDS("avx512ifma")
#endif
#ifdef __AVX512VBMI__
    NEEDS("avx512vbmi")
#endif
#ifdef __AVX512VBMI2__
    NEEDS("avx512vbmi2")
#endif
#ifdef __AVX512VNNI__
    NEEDS("avx512vnni")
#endif
#ifdef __AVX512BITALG__
    NEEDS("avx512bitalg")
#endif
#ifdef __AVX512VPOPCNTDQ__
    NEEDS("avx512vpopcntdq")
#endif
#undef NEEDS
    return NULL;
}
#else
const char *processor_lacks(void)
{
    return NULL;
}
#endif
