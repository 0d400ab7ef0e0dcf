#include "cli/wait_policy.h"

#include <stdlib.h>
#include <unistd.h>

void wait_policy_apply(char **argv)
{
#if defined _OPENMP && !defined __clang__
    if (getenv("GOMP_SPINCOUNT") != NULL || getenv("OMP_WAIT_POLICY") != NULL)
        return;
    if (setenv("GOMP_SPINCOUNT", "1000", 0) == 0)
        execv("/proc/self/exe", argv);
#else
    (void)argv;
#endif
}
