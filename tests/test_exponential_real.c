/* The vector exponential against libm, transposition at ragged sizes, and the flushing of denormals. */
#include "kernels/denormals.h"
#include "kernels/exponential.h"
#include "kernels/transpose.h"

#include "real_matrix.h"
#include "test.h"

static const real smallest = sizeof(real) == sizeof(double) ? (real)DBL_MIN : (real)FLT_MIN; /* normal number */

/* Collects arguments and checks a whole vector of them at a time. */
typedef struct Sweep {
    real x[VECTOR_LANES];
    int filled;
    long checked;
} Sweep;

/* The place of a number among all positive ones, so that a difference counts units of the last place. */
static int64_t place_of(real x)
{
    Lane bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static real expected_of(real x)
{
#ifdef REAL_IS_DOUBLE
    return (real)expl((long double)x);
#else
    return expf(x);
#endif
}

static void sweep_check(Sweep *sweep)
{
    real y[VECTOR_LANES];
    vector_store(y, exponential(vector_load(sweep->x)));
    for (int l = 0; l < sweep->filled; l++) {
        real x = sweep->x[l], expected = expected_of(x);
        int64_t apart = llabs(place_of(y[l]) - place_of(expected));
        int64_t allowed = real_is_double() ? 4 : 2;
        bool below = x < EXPONENTIAL_LOWEST;
        CHECK(y[l] == 0 || y[l] >= smallest, "exp(%.17g) is denormal: %g", (double)x, (double)y[l]);
        CHECK(below ? y[l] == 0 : apart <= allowed, "exp(%.17g) is %.17g, not %.17g", (double)x, (double)y[l],
              (double)expected);
    }
    sweep->checked += sweep->filled;
    sweep->filled = 0;
}

static void sweep_add(Sweep *sweep, real x)
{
    sweep->x[sweep->filled++] = x;
    if (sweep->filled == VECTOR_LANES)
        sweep_check(sweep);
}

static void sweep_finish(Sweep *sweep, long expected)
{
    for (int l = sweep->filled; l < VECTOR_LANES; l++)
        sweep->x[l] = -1;
    sweep_check(sweep);
    CHECK(sweep->checked >= expected, "only %ld numbers were checked", sweep->checked);
}

static real neighbour(real x, int steps)
{
    for (int i = 0; i < abs(steps); i++)
#ifdef REAL_IS_DOUBLE
        x = nextafter(x, steps * (double)INFINITY);
#else
        x = nextafterf(x, (float)steps * INFINITY);
#endif
    return x;
}

static void test_exponential(void)
{
    Sweep sweep = {0};
    test_case("exponential: a dense sweep of its range against libm");
#ifdef REAL_IS_DOUBLE
    Random random = random_seed(1);
    for (int i = 0; i < 400000; i++) {
        sweep_add(&sweep, -708.39 * random_uniform(&random));
        sweep_add(&sweep, -exp2(-60 * random_uniform(&random)));
    }
    sweep_finish(&sweep, 800000);
#else
    const int32_t step = 211; /* of the bit pattern: all of [-87.33, 0], dense where floats are */
    for (int32_t bits = 0; bits <= place_of(87.33f); bits += step) {
        float magnitude;
        memcpy(&magnitude, &bits, sizeof magnitude);
        sweep_add(&sweep, -magnitude);
    }
    sweep_finish(&sweep, 5000000);
#endif

    test_case("exponential: on both sides of every rounding border, and at the ends");
    sweep = (Sweep){0};
    for (int n = 0; n < 2 * (real_is_double() ? 1022 : 126); n++)
        for (int steps = -3; steps <= 3; steps++) {
            real x = neighbour((real)(-0.5 * n * 0.69314718055994530942), steps);
            if (x <= 0)
                sweep_add(&sweep, x);
        }
    for (int steps = -5; steps <= 5; steps++)
        sweep_add(&sweep, neighbour((real)EXPONENTIAL_LOWEST, steps));
    const double edges[] = {0, -0.0, -1e-45, -1e-40, -1e-20, -1, -87, -88, -100, -708, -709, -745, -1e4, -1e30,
                            -3.4e38};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        sweep_add(&sweep, (real)edges[i]);
    sweep_add(&sweep, (real)-INFINITY);
    sweep_finish(&sweep, 1000);

    test_case("exponential: exp(0) is exactly 1, and NaN stays NaN beside other lanes");
    for (int at = 0; at < VECTOR_LANES; at++) {
        real x[VECTOR_LANES] = {0}, y[VECTOR_LANES];
        x[at] = (real)(at % 2 ? -NAN : NAN);
        vector_store(y, exponential(vector_load(x)));
        for (int l = 0; l < VECTOR_LANES; l++)
            CHECK(l == at ? isnan(y[l]) : y[l] == 1, "lane %d: %g", l, (double)y[l]);
    }
}

static void test_transpose(void)
{
    test_case("transpose_copy: every ragged size; padding becomes 0, nothing beyond is touched");
    Random random = random_seed(2);
    for (int rows = 1; rows <= 40; rows++)
        for (int columns = 1; columns <= 40; columns++) {
            Matrix from = test_matrix_random(rows, columns, &random);
            ptrdiff_t stride = padded(rows) + ROW_ALIGNMENT;
            real *room = test_reals((size_t)columns * (size_t)stride - ROW_ALIGNMENT);
            Matrix to = matrix_view(room, columns, rows, stride);
            transpose_copy(from, to);
            for (int c = 0; c < columns; c++)
                for (int r = 0; r < (c + 1 < columns ? stride : padded(rows)); r++) {
                    real found = matrix_row(to, c)[r];
                    bool padding = r < padded(rows) ? found == 0 : isnan(found);
                    CHECK(r < rows ? found == matrix_row(from, r)[c] : padding, "%d x %d: [%d,%d] is %g", rows, columns,
                          c, r, (double)found);
                }
            test_matrix_free(from);
            test_matrix_free(to);
        }
}

static void test_denormals(void)
{
#if (defined __x86_64__ && defined __SSE__) || defined __aarch64__
    test_case("denormals: flushed between flush and restore, whole again after, also nested");
    /* Volatile results: the compiler may not move a product out of the stretch it belongs to. */
    volatile real normal = smallest, half = (real)0.5, denormal = smallest / 4, large = 1 / smallest;
    volatile real result, operand, nested;
    CHECK(normal * half > 0 && denormal * large > 0, "denormals were already flushed");
    uint64_t outer = denormals_flush();
    result = normal * half;
    operand = denormal * large;
    uint64_t inner = denormals_flush();
    denormals_restore(inner);
    nested = normal * half;
    denormals_restore(outer);
    CHECK(result == 0, "a result of %g", (double)result);
    CHECK(operand == 0, "an operand counted: %g", (double)operand);
    CHECK(nested == 0, "the inner restore ended the outer flush: %g", (double)nested);
    CHECK(normal * half > 0 && denormal * large > 0, "still flushed after restore");
#else
    test_skip("denormals: flushed and restored", "this processor has no such state here");
#endif
}

int main(void)
{
    test_exponential();
    test_transpose();
    test_denormals();
    return test_finish();
}
