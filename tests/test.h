/* test.h -- the test programs' few words.
 *
 * A program runs its cases one after another: test_case("name"), then any number of CHECKs. Each case prints
 * one line, `pass NAME`, `fail NAME: why` or `skip NAME: why`, which tests/run.sh counts. Comparisons are
 * written so that NaN fails: CHECK(difference <= tolerance). */
#ifndef SOLILOQUY_TESTS_TEST_H
#define SOLILOQUY_TESTS_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct TestState {
    char name[128];
    bool failed;
    int failures;
} TestState;

static TestState test_state;

static inline void test_close_case(void)
{
    if (test_state.name[0] != '\0' && !test_state.failed)
        printf("pass %s\n", test_state.name);
    fflush(stdout);
    test_state.name[0] = '\0';
}

static inline void test_case(const char *name)
{
    test_close_case();
    snprintf(test_state.name, sizeof test_state.name, "%s", name);
    test_state.failed = false;
}

/* Only the first failure of a case is printed. */
#define CHECK(condition, ...)                                                        \
    do {                                                                             \
        if (!(condition) && !test_state.failed) {                                    \
            test_state.failed = true;                                                \
            test_state.failures++;                                                   \
            printf("fail %s: %s:%d: %s:", test_state.name, __FILE__, __LINE__, #condition); \
            printf(" " __VA_ARGS__);                                                 \
            printf("\n");                                                            \
        }                                                                            \
    } while (0)

static inline void test_skip(const char *name, const char *why)
{
    test_close_case();
    printf("skip %s: %s\n", name, why);
}

/* The exit status of the program. */
static inline int test_finish(void)
{
    test_close_case();
    return test_state.failures == 0 ? 0 : 1;
}

#endif
