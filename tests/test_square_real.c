/* Squares of vectors: transposition, and the sum and the largest of each row, against plain loops to the bit. */
#include "kernels/square.h"

#include "real_matrix.h"
#include "test.h"

enum { L = VECTOR_LANES, ROUNDS = 50 };

static bool same(real a, real b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void fill(real rows[L][L], Random *random)
{
    for (int i = 0; i < L; i++)
        for (int l = 0; l < L; l++)
            rows[i][l] = (real)(random_normal(random) * pow(10, 6 * random_normal(random)));
}

static void load(Vector square[L], real rows[L][L])
{
    for (int i = 0; i < L; i++)
        square[i] = vector_load(rows[i]);
}

static void run_transpose(real rows[L][L], real out[L][L])
{
    Vector square[L];
    load(square, rows);
    square_transpose(square);
    for (int i = 0; i < L; i++)
        vector_store(out[i], square[i]);
}

static void run_sums(real rows[L][L], real out[L])
{
    Vector square[L];
    load(square, rows);
    vector_store(out, square_sums(square));
}

static void run_largest(real rows[L][L], real out[L])
{
    Vector square[L];
    load(square, rows);
    vector_store(out, square_largest(square));
}

static real plus(real a, real b)
{
    return a + b;
}

/* b where either is NaN, as kernels/vector.h says. */
static real larger(real a, real b)
{
    return a > b ? a : b;
}

/* Lanes that are so far apart are combined, distance after distance. */
static real halved(const real *row, real (*combine)(real, real))
{
    static const int few[] = {1, 2, 4}, sixteen[] = {2, 1, 8, 4};
    real x[L];
    memcpy(x, row, sizeof x);
    for (int i = 0, gone = 0; gone < L - 1; i++) {
        int d = L == 16 ? sixteen[i] : few[i];
        gone |= d;
        for (int l = 0; l < L; l++)
            if ((l & gone) == 0)
                x[l] = combine(x[l], x[l + d]);
    }
    return x[0];
}

static void test_transpose(void)
{
    test_case("square_transpose: every number at its place, and back again, to the bit");
    Random random = random_seed(1);
    real rows[L][L], turned[L][L], back[L][L];
    for (int i = 0; i < L; i++)
        for (int l = 0; l < L; l++)
            rows[i][l] = (real)(100 * i + l);
    run_transpose(rows, turned);
    for (int i = 0; i < L; i++)
        for (int l = 0; l < L; l++)
            CHECK(turned[i][l] == 100 * l + i, "[%d,%d] is %g", i, l, (double)turned[i][l]);
    fill(rows, &random);
    rows[0][1] = (real)NAN;
    rows[1][1] = (real)-0.0;
    rows[1][0] = (real)-INFINITY;
    run_transpose(rows, turned);
    run_transpose(turned, back);
    CHECK(memcmp(rows, back, sizeof rows) == 0, "twice is not where it was");
}

static void test_reductions(void)
{
    test_case("square_sums, square_largest: each row's own, in a fixed order");
    Random random = random_seed(2);
    real rows[L][L], sums[L], largest[L];
    for (int round = 0; round < ROUNDS; round++) {
        fill(rows, &random);
        run_sums(rows, sums);
        run_largest(rows, largest);
        for (int i = 0; i < L; i++) {
            real most = rows[i][0];
            for (int l = 1; l < L; l++)
                most = rows[i][l] > most ? rows[i][l] : most;
            CHECK(same(sums[i], halved(rows[i], plus)), "row %d: %.9g, not %.9g", i, (double)sums[i],
                  (double)halved(rows[i], plus));
            CHECK(same(largest[i], most), "row %d: %.9g, not %.9g", i, (double)largest[i], (double)most);
        }
    }

    test_case("square_sums, square_largest: the same bits in every place, whatever the other rows hold");
    static const double others[] = {0, 1e30, -1e30, INFINITY, -INFINITY, NAN};
    for (int round = 0; round < ROUNDS; round++) {
        real row[L];
        fill(rows, &random);
        memcpy(row, rows[0], sizeof row);
        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            for (int place = 0; place < L; place++) {
                for (int i = 0; i < L; i++)
                    for (int l = 0; l < L; l++)
                        rows[i][l] = i == place ? row[l] : (real)others[o];
                run_sums(rows, sums);
                run_largest(rows, largest);
                CHECK(same(sums[place], halved(row, plus)) && same(largest[place], halved(row, larger)),
                      "place %d beside %g: %.9g, %.9g", place, others[o], (double)sums[place], (double)largest[place]);
            }
    }
}

static void test_nonfinite(void)
{
    test_case("square_sums: a NaN in any lane is kept, in its own row alone; opposite infinities make one");
    real rows[L][L], sums[L], largest[L];
    for (int at = 0; at < L * L; at++)
        for (int kind = 0; kind < 2; kind++) {
            for (int i = 0; i < L * L; i++)
                rows[i / L][i % L] = (real)(i % 7);
            rows[at / L][at % L] = (real)(kind ? INFINITY : NAN);
            if (kind)
                rows[at / L][(at + 1) % L] = (real)-INFINITY;
            run_sums(rows, sums);
            for (int i = 0; i < L; i++)
                CHECK(isnan(sums[i]) == (i == at / L), "[%d,%d]: row %d is %g", at / L, at % L, i, (double)sums[i]);
        }

    test_case("square_largest: infinities in any lane, and of a comparison with NaN the later one");
    for (int at = 0; at < L * L; at++)
        for (int kind = 0; kind < 3; kind++) {
            static const double values[] = {INFINITY, -INFINITY, NAN};
            for (int i = 0; i < L * L; i++)
                rows[i / L][i % L] = (real)(i % 7 - 20);
            rows[at / L][at % L] = (real)values[kind];
            run_largest(rows, largest);
            for (int i = 0; i < L; i++) {
                real expected = halved(rows[i], larger);
                CHECK(isnan(expected) ? isnan(largest[i]) : largest[i] == expected, "[%d,%d] %g: row %d is %g, not %g",
                      at / L, at % L, values[kind], i, (double)largest[i], (double)expected);
                CHECK(kind != 0 || i != at / L || largest[i] == (real)INFINITY, "[%d,%d]: infinity lost", at / L,
                      at % L);
            }
        }
}

int main(void)
{
    test_transpose();
    test_reductions();
    test_nonfinite();
    return test_finish();
}
