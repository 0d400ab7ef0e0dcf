/* Pairs of halves: rounding to the bit against an independent one, places of the lanes, and sums of products. */
#include "kernels/pair.h"

#include "real_pair.h"
#include "test.h"

enum { L = VECTOR_LANES, ROUNDS = 20000 };

static real number(Number bits)
{
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static Number bits_of(real x)
{
    Number bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Through both conversions, so that every number stands in a low and in a high half. */
static void check_numbers(const real numbers[2 * L])
{
    real rows[2][L];
    Vector first = vector_load(numbers), second = vector_load(numbers + L);
    vector_store(rows[0], pair_of(first, second));
    vector_store(rows[1], pair_of_neighbours(first, second));
    for (int i = 0; i < 2 * L; i++) {
        Half of = half_at(rows[0], i), neighbours = half_at(rows[1], i);
        real x = numbers[i % 2 * L + i / 2];
        CHECK(half_is_rounded(of, x), "pair_of: half %d: %a became %a, not %a", i, (double)x, (double)half_value(of),
              half_rounded((double)x));
        x = numbers[i];
        CHECK(half_is_rounded(neighbours, x), "pair_of_neighbours: half %d: %a became %a, not %a", i, (double)x,
              (double)half_value(neighbours), half_rounded((double)x));
    }
}

/* Numbers one by one into check_numbers; those before stay beside it. */
typedef struct Stream {
    real numbers[2 * L];
    int count;
} Stream;

static void stream_put(Stream *stream, real x)
{
    stream->numbers[stream->count++] = x;
    if (stream->count == 2 * L) {
        check_numbers(stream->numbers);
        stream->count = 0;
    }
}

static void stream_end(Stream *stream)
{
    check_numbers(stream->numbers);
}

/* Both signs of a number and of the numbers beside it. */
static void stream_put_around(Stream *stream, real x)
{
    const Number sign = bits_of((real)-0.0);
    for (int step = -1; step <= 1; step++) {
        Number bits = bits_of(x) + (Number)step;
        stream_put(stream, number(bits));
        stream_put(stream, number(bits | sign));
    }
}

static void test_special_numbers(void)
{
    test_case("pair: signed zeros, infinities, NaN of every kind, and what rounds to infinity");
    const Number infinite = bits_of((real)INFINITY), tie = (Number)1 << (DROPPED_BITS - 1);
    const real largest = (real)ldexp(2 - ldexp(1, 1 - HALF_PRECISION), 127); /* of a half */
    Stream stream = {0};
    const real plain[] = {0, (real)-0.0, (real)INFINITY, (real)-INFINITY, 1, -1, (real)(1 / 3.0)};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        stream_put(&stream, plain[i]);
    for (int bit = 0; bit < (real_is_double() ? 52 : 23); bit++) { /* a signalling NaN's bits may all be dropped */
        stream_put(&stream, number(infinite | (Number)1 << bit));
        stream_put(&stream, number(infinite | (Number)1 << bit | bits_of((real)-0.0)));
    }
    stream_put(&stream, number(bits_of((real)INFINITY) - 1)); /* the largest finite real */
    stream_put(&stream, -number(bits_of((real)INFINITY) - 1));
    stream_put_around(&stream, largest);
    stream_put_around(&stream, number(bits_of(largest) + tie)); /* halfway to 2^128: even is infinity */
    stream_put_around(&stream, (real)ldexp(1, SMALLEST_EXPONENT));
    stream_end(&stream);
    CHECK(isinf(half_rounded((double)largest * 1.5)) && half_rounded((double)largest) == (double)largest,
          "the test's own rounding");
}

/* Kept bits and exponents from all over the halves' range, dropped bits around the tie. */
static void test_ties(void)
{
    test_case("pair: to nearest, ties to even, at every exponent");
    const Number tie = (Number)1 << (DROPPED_BITS - 1);
    const Number dropped[] = {0, 1, tie - 1, tie, tie + 1, 2 * tie - 1};
    Random random = random_seed(1);
    Stream stream = {0};
    for (int exponent = SMALLEST_EXPONENT; exponent < 128; exponent++)
        for (int i = 0; i < 130; i++) {
            /* 1.xxx with every x of a bfloat16, of a float a random one, and the last before the next power of two */
            double kept = 1 + ldexp((double)random_below(&random, (uint64_t)1 << (HALF_PRECISION - 1)),
                                    1 - HALF_PRECISION);
            if (i < 128 && !real_is_double())
                kept = 1 + i / 128.0;
            else if (i >= 128)
                kept = i == 128 ? 1 : 2 - ldexp(1, 1 - HALF_PRECISION);
            Number bits = bits_of((real)ldexp(i % 3 == 0 ? -kept : kept, exponent));
            for (size_t d = 0; d < sizeof dropped / sizeof *dropped; d++)
                stream_put(&stream, number(bits | dropped[d]));
        }
    stream_end(&stream);
}

static void test_random_bits(void)
{
    test_case("pair: random bits, any denormal rounded or 0");
    Random random = random_seed(2);
    Stream stream = {0};
    for (int i = 0; i < ROUNDS; i++)
        stream_put(&stream, number((Number)random_bits(&random)));
    for (int i = 0; i < ROUNDS; i++) { /* in the range of a half, and below */
        double size = 300 * random_uniform(&random) - 160;
        stream_put(&stream, (real)(random_normal(&random) * exp2(size)));
    }
    stream_end(&stream);
}

static void test_lanes(void)
{
    test_case("pair: lane l of pair_of is (low[l], high[l]), of pair_of_neighbours (x[2l], x[2l+1])");
    real numbers[2 * L], of[L], neighbours[L];
    for (int i = 0; i < 2 * L; i++)
        numbers[i] = (real)(i + 1);
    vector_store(of, pair_of(vector_load(numbers), vector_load(numbers + L)));
    vector_store(neighbours, pair_of_neighbours(vector_load(numbers), vector_load(numbers + L)));
    for (int i = 0; i < 2 * L; i++) {
        real ours = half_value(half_at(of, i)), beside = half_value(half_at(neighbours, i));
        CHECK(ours == numbers[i % 2 * L + i / 2], "pair_of: half %d is %g", i, (double)ours);
        CHECK(beside == numbers[i], "pair_of_neighbours: half %d is %g", i, (double)beside);
    }
}

/* Of halves, so that rounding plays no part: a product of two is exact in a real. */
static void test_products(void)
{
    test_case("pair_multiply_add: sum + x0 y0 + x1 y1 in each lane, within two roundings");
    Random random = random_seed(3);
    for (int round = 0; round < ROUNDS / L; round++) {
        real factors[4][L], sum[L], ours[L]; /* x0, x1, y0, y1 */
        for (int l = 0; l < L; l++) {
            sum[l] = (real)(random_normal(&random) * exp2(40 * random_uniform(&random) - 20));
            for (int f = 0; f < 4; f++)
                factors[f][l] = (real)half_rounded(random_normal(&random) * exp2(20 * random_uniform(&random) - 10));
            if (round % 3 == 0) /* all but cancels */
                sum[l] = -factors[0][l] * factors[2][l] - factors[1][l] * factors[3][l];
        }
        Vector x = pair_of(vector_load(factors[0]), vector_load(factors[1]));
        Vector y = pair_of(vector_load(factors[2]), vector_load(factors[3]));
        vector_store(ours, pair_multiply_add(vector_load(sum), x, y));
        for (int l = 0; l < L; l++) {
            long double low = (long double)factors[0][l] * (long double)factors[2][l];
            long double high = (long double)factors[1][l] * (long double)factors[3][l], start = (long double)sum[l];
            long double difference = fabsl((long double)ours[l] - (start + low + high));
            /* each rounds a number of at most this size by half an epsilon */
            long double size = (fabsl(start) + fabsl(low) + fabsl(high)) * (1 + (long double)REAL_EPSILON);
            CHECK(difference <= size * (long double)REAL_EPSILON, "lane %d: off by %Lg of %Lg", l, difference, size);
        }
    }
}

/* A factor of 0 keeps what it meets out of the sum; NaN and infinity are not kept out. */
static void test_hostile_products(void)
{
    test_case("pair_multiply_add: zeros add nothing, NaN and infinity show");
    static const struct {
        double x0, x1, y0, y1, sum;
    } cases[] = {
        {0, 0, 5, 7, 3}, {5, 7, 0, 0, 3}, {0, 1, 5, 7, 10}, {1, 0, 5, 7, 8}, {-0.0, 0, 5, -7, 3},
        {NAN, 0, 0, 0, NAN}, {0, 0, 0, NAN, NAN}, {INFINITY, 0, 1, 1, INFINITY}, {0, INFINITY, 1, -1, -INFINITY},
        {INFINITY, 0, 0, 0, NAN}, {INFINITY, INFINITY, 1, -1, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        real ours[L];
        Vector x = pair_of(vector_set((real)cases[i].x0), vector_set((real)cases[i].x1));
        Vector y = pair_of(vector_set((real)cases[i].y0), vector_set((real)cases[i].y1));
        vector_store(ours, pair_multiply_add(vector_set(3), x, y));
        for (int l = 0; l < L; l++)
            CHECK(isnan(cases[i].sum) ? isnan(ours[l]) : (double)ours[l] == cases[i].sum, "case %zu: %g, not %g", i,
                  (double)ours[l], cases[i].sum);
    }
}

int main(void)
{
    test_special_numbers();
    test_ties();
    test_random_bits();
    test_lanes();
    test_products();
    test_hostile_products();
    return test_finish();
}
