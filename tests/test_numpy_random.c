/* NumPy's random numbers: each stream of tests/golden/streams/numpy.txt, bit for bit. The calls are those of
 * scripts/streams.py. */
#include "lab/numpy_random.h"
#include "streams.h"

#define NUMPY "tests/golden/streams/numpy.txt"

enum { MANY = 1000000, LONG_PERMUTATION = 100000 };

static void test_normal(void)
{
    test_case("numpy: normal numbers, in one call and in several");
    NumpyRandom random = numpy_random_seed(42);
    Drawn drawn = drawn_open(sizeof(double), 1000);
    for (size_t i = 0; i < 4; i++) {
        static const size_t counts[] = {0, 1, 700, 299};
        numpy_normal(&random, drawn_more(&drawn, counts[i]), counts[i]);
    }
    check_stream(NUMPY, "normal", &drawn);
    test_case("numpy: normal numbers with both tails and with points refused");
    drawn = drawn_open(sizeof(double), 1000);
    random = numpy_random_seed(3938);
    numpy_normal(&random, drawn_more(&drawn, 1000), 1000);
    check_stream(NUMPY, "normal_tails", &drawn);
}

static void test_seeds(void)
{
    static const uint64_t seeds[] = {0, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX};
    test_case("numpy: seeds of one and of two words");
    Drawn drawn = drawn_open(sizeof(double), 40);
    for (int i = 0; i < 4; i++) {
        NumpyRandom random = numpy_random_seed(seeds[i]);
        numpy_normal(&random, drawn_more(&drawn, 10), 10);
    }
    check_stream(NUMPY, "normal_seeds", &drawn);
}

static void test_many(void)
{
    test_case("numpy: a million normal numbers");
    NumpyRandom random = numpy_random_seed(1);
    Drawn drawn = drawn_open(sizeof(double), MANY);
    numpy_normal(&random, drawn_more(&drawn, MANY), MANY);
    drawn = drawn_sum(&drawn);
    check_stream(NUMPY, "normal_sum", &drawn);
}

static void draw_permutation(uint32_t seed, Drawn *drawn, int64_t count)
{
    numpy_legacy_permutation(seed, drawn_more(drawn, (size_t)count), count);
}

static void test_permutation(void)
{
    static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 255, 256, 257};
    test_case("numpy: legacy permutations of 1,000, about powers of two, and of 100,000");
    Drawn drawn = drawn_open(sizeof(int64_t), 1000);
    draw_permutation(42, &drawn, 1000);
    check_stream(NUMPY, "permutation", &drawn);
    drawn = drawn_open(sizeof(int64_t), 833);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        draw_permutation(7, &drawn, counts[i]);
    check_stream(NUMPY, "permutation_small", &drawn);
    drawn = drawn_open(sizeof(int64_t), LONG_PERMUTATION);
    draw_permutation(UINT32_MAX, &drawn, LONG_PERMUTATION);
    drawn = drawn_sum(&drawn);
    check_stream(NUMPY, "permutation_sum", &drawn);
}

int main(void)
{
    test_normal();
    test_seeds();
    test_many();
    test_permutation();
    return test_finish();
}
