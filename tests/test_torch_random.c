/* PyTorch's random numbers: each stream of tests/golden/streams/torch.txt, bit for bit. The calls are those of
 * scripts/streams.py. */
#include "lab/torch_random.h"
#include "streams.h"

#define TORCH "tests/golden/streams/torch.txt"

enum { MANY = 1000000 };

static void test_twister(void)
{
    test_case("mersenne twister: the 10,000th output of seed 5489");
    /* The C++ standard demands this value of its mt19937. */
    MersenneTwister twister = mersenne_twister_seed(5489);
    uint32_t last = 0;
    for (int i = 0; i < 10000; i++)
        last = mersenne_twister_next(&twister);
    CHECK(last == 4123659995u, "%u", last);
}

static void test_uniform(void)
{
    test_case("torch: uniform numbers in [0, 1) and in a range");
    TorchRandom random = torch_random_seed(1);
    Drawn drawn = drawn_open(sizeof(float), 1000);
    torch_uniform(&random, 0, 1, drawn_more(&drawn, 1000), 1000);
    check_stream(TORCH, "uniform", &drawn);
    drawn = drawn_open(sizeof(float), 1000);
    random = torch_random_seed((uint64_t)7 << 32 | 2); /* the high bits of a seed do not count */
    torch_uniform(&random, -0.3, 0.25, drawn_more(&drawn, 1000), 1000);
    check_stream(TORCH, "uniform_range", &drawn);
}

static void draw_normal(TorchRandom *random, Drawn *drawn, size_t count)
{
    torch_normal(random, drawn_more(drawn, count), count);
}

static void test_normal(void)
{
    test_case("torch: normal numbers in blocks of 16, and where 16 does not divide the count");
    TorchRandom random = torch_random_seed(3);
    Drawn drawn = drawn_open(sizeof(float), 1008);
    draw_normal(&random, &drawn, 1008);
    check_stream(TORCH, "normal", &drawn);
    drawn = drawn_open(sizeof(float), 1000);
    random = torch_random_seed(4);
    draw_normal(&random, &drawn, 16);
    draw_normal(&random, &drawn, 17);
    draw_normal(&random, &drawn, 31);
    draw_normal(&random, &drawn, 936);
    check_stream(TORCH, "normal_ragged", &drawn);
    test_case("torch: a million normal numbers");
    drawn = drawn_open(sizeof(float), MANY);
    random = torch_random_seed(16);
    draw_normal(&random, &drawn, MANY);
    drawn = drawn_sum(&drawn);
    check_stream(TORCH, "normal_sum", &drawn);
}

static void test_small_normal(void)
{
    test_case("torch: normal numbers of fewer than 16, the second of a pair waiting");
    TorchRandom random = torch_random_seed(5);
    Drawn drawn = drawn_open(sizeof(float), 1005);
    for (size_t i = 0; i < 125; i++)
        draw_normal(&random, &drawn, 1 + 7 * i % 15);
    check_stream(TORCH, "normal_small", &drawn);
    test_case("torch: the value that waits is left alone by every other draw");
    drawn = drawn_open(sizeof(float), 1000);
    random = torch_random_seed(6);
    for (int i = 0; i < 40; i++) {
        draw_normal(&random, &drawn, 3);
        draw_normal(&random, &drawn, 20);
        torch_uniform(&random, 0, 1, drawn_more(&drawn, 2), 2);
    }
    check_stream(TORCH, "normal_mixed", &drawn);
}

static void test_integers(void)
{
    test_case("torch: integers below a limit, numbers of 64 bits");
    TorchRandom random = torch_random_seed(9);
    Drawn drawn = drawn_open(sizeof(int64_t), 1000);
    torch_integers(&random, 65, drawn_more(&drawn, 900), 900);
    torch_integers(&random, UINT32_MAX, drawn_more(&drawn, 100), 100);
    check_stream(TORCH, "integers", &drawn);
    drawn = drawn_open(sizeof(uint64_t), 1000);
    random = torch_random_seed(10);
    for (int i = 0; i < 1000; i++) {
        const uint64_t value = torch_random_64(&random);
        memcpy(drawn_more(&drawn, 1), &value, sizeof value);
    }
    check_stream(TORCH, "bits_64", &drawn);
}

static void draw_permutation(TorchRandom *random, Drawn *drawn, int64_t count)
{
    torch_permutation(random, drawn_more(drawn, (size_t)count), count);
}

static void test_permutation(void)
{
    test_case("torch: permutations of 1,000 and of 0 to 44");
    TorchRandom random = torch_random_seed(7);
    Drawn drawn = drawn_open(sizeof(int64_t), 1000);
    draw_permutation(&random, &drawn, 1000);
    check_stream(TORCH, "permutation", &drawn);
    drawn = drawn_open(sizeof(int64_t), 990);
    random = torch_random_seed(8);
    for (int64_t count = 0; count < 45; count++)
        draw_permutation(&random, &drawn, count);
    check_stream(TORCH, "permutation_small", &drawn);
    test_case("torch: two epochs of a shuffling loader: a seed, the order, an order that is dropped");
    drawn = drawn_open(sizeof(int64_t), 2000);
    random = torch_random_seed(15);
    for (int epoch = 0; epoch < 2; epoch++) {
        int64_t dropped[1000];
        torch_random_64(&random);
        draw_permutation(&random, &drawn, 1000);
        torch_permutation(&random, dropped, 1000);
    }
    check_stream(TORCH, "loader", &drawn);
}

static void draw_embedding(TorchRandom *random, Drawn *drawn, int rows, int columns, bool padding)
{
    torch_embedding(random, drawn_more(drawn, (size_t)rows * (size_t)columns), rows, columns, padding);
}

static void draw_linear(TorchRandom *random, Drawn *drawn, int inputs, int outputs, bool with_bias)
{
    float *weight = drawn_more(drawn, (size_t)inputs * (size_t)outputs);
    float *bias = with_bias ? drawn_more(drawn, (size_t)outputs) : NULL;
    torch_linear(random, weight, bias, inputs, outputs);
}

static void test_layers(void)
{
    test_case("torch: embeddings of both paths, with and without padding");
    TorchRandom random = torch_random_seed(11);
    Drawn drawn = drawn_open(sizeof(float), 1000);
    draw_embedding(&random, &drawn, 50, 19, false);
    draw_embedding(&random, &drawn, 10, 5, true);
    check_stream(TORCH, "embedding", &drawn);
    drawn = drawn_open(sizeof(float), 30);
    random = torch_random_seed(12);
    draw_embedding(&random, &drawn, 3, 5, false);
    draw_embedding(&random, &drawn, 5, 3, true);
    check_stream(TORCH, "embedding_small", &drawn);
    test_case("torch: linear layers, with and without bias, of 1 to 44 inputs");
    drawn = drawn_open(sizeof(float), 1081);
    random = torch_random_seed(13);
    draw_linear(&random, &drawn, 19, 50, true);
    draw_linear(&random, &drawn, 7, 9, false);
    draw_linear(&random, &drawn, 5, 3, true);
    check_stream(TORCH, "linear", &drawn);
    drawn = drawn_open(sizeof(float), 1034);
    random = torch_random_seed(14);
    for (int inputs = 1; inputs < 45; inputs++)
        draw_linear(&random, &drawn, inputs, 1, true);
    check_stream(TORCH, "linear_widths", &drawn);
}

/* A uniform number is 0 once in 16 million: a generator that gives nothing else shows what becomes of it. */
static void test_zero(void)
{
    test_case("torch: no normal number is minus zero");
    TorchRandom random = {0};
    float values[32];
    uint32_t bits = 0;
    torch_normal(&random, values, 32);
    for (int i = 0; i < 32; i++) {
        uint32_t one;
        memcpy(&one, values + i, sizeof one);
        bits |= one;
    }
    CHECK(bits == 0, "%08x", bits);
}

int main(void)
{
    test_twister();
    test_uniform();
    test_normal();
    test_small_normal();
    test_integers();
    test_permutation();
    test_layers();
    test_zero();
    return test_finish();
}
