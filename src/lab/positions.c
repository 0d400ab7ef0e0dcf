/* positions.c -- sinusoidal positions: the printed table, its bounds, and the rotation that an offset is. */
#include "lab/arrays.h"
#include "lab/experiments.h"
#include "layers/positions.h"

#include <math.h>

enum { POSITIONS = 8, WIDTH = 4, LONG = 512, WIDE = 64, OFFSET = 3 };

static const char *const printed[POSITIONS] = {
    "0. 1. 0. 1.",
    "0.841471 0.540302 0.01 0.99995",
    "0.909297 -0.416147 0.019999 0.9998",
    "0.14112 -0.989992 0.029996 0.99955",
    "-0.756802 -0.653644 0.039989 0.9992",
    "-0.958924 0.283662 0.049979 0.99875",
    "-0.279415 0.96017 0.059964 0.998201",
    "0.656987 0.753902 0.069943 0.997551",
};

static const char *const claims[POSITIONS] = {"PE (8 x 4), position 0", "position 1", "position 2", "position 3",
                                              "position 4", "position 5", "position 6", "position 7"};

/* How far PE(p + k) is from the rotation by k omega of PE(p), for one pair of columns and all p. */
static void rotate(Matrix table, int pair, int k, Moments *apart)
{
    double angle = k / pow(10000, 2.0 * pair / table.columns);
    for (int p = 0; p + k < table.rows; p++) {
        const real *from = matrix_row(table, p) + 2 * pair, *to = matrix_row(table, p + k) + 2 * pair;
        double sine = (double)from[0], cosine = (double)from[1];
        moments_add(apart, cos(angle) * sine + sin(angle) * cosine - (double)to[0]);
        moments_add(apart, -sin(angle) * sine + cos(angle) * cosine - (double)to[1]);
    }
}

static void rotations(Lab *lab, Matrix table, Matrix large)
{
    Moments low = {0}, all = {0};
    rotate(table, 1, OFFSET, &low);
    for (int pair = 0; pair < WIDE / 2; pair++)
        rotate(large, pair, OFFSET, &all);
    double worst = moments_distance(&low, 0), worst_of_all = moments_distance(&all, 0);
    lab_holds(lab, "an offset of k = 3 rotates the low-frequency pair by 3/100", worst <= 2e-7,
              "furthest off: %.1e (half a step of float: 6.0e-08)", worst);
    lab_holds(lab, "and every pair of a 512 x 64 table by its own angle", worst_of_all <= 2e-7, "furthest off: %.1e",
              worst_of_all);
}

bool lab_positions(Lab *lab, Error *error)
{
    Arena arena = {0};
    matrix_take(&arena, POSITIONS, WIDTH);
    matrix_take(&arena, LONG, WIDE);
    if (!arena_open(&arena, "two tables of positions", error))
        return false;
    Matrix table = matrix_take(&arena, POSITIONS, WIDTH), large = matrix_take(&arena, LONG, WIDE);
    double values[POSITIONS * WIDTH];
    positions_sinusoidal(table);
    positions_sinusoidal(large);
    array_store(table, values);
    for (int p = 0; p < POSITIONS; p++)
        lab_exact_trimmed(lab, claims[p], printed[p], 6, values + (size_t)p * WIDTH);
    lab_exact_all(lab, "spot checks: PE(1,0) PE(1,1) PE(5,2) PE(5,3)", "0.841471 0.540302 0.049979 0.998750",
                  (const double[]){values[4], values[5], values[22], values[23]});
    Moments of_table = array_moments(table), of_large = array_moments(large);
    double bound = moments_distance(&of_table, 0), large_bound = moments_distance(&of_large, 0);
    lab_holds(lab, "entries lie in [-1, 1]", bound <= 1 && large_bound <= 1,
              "largest in 8 x 4: %.6f, in 512 x 64: %.6f", bound, large_bound);
    rotations(lab, table, large);
    arena_close(&arena);
    return true;
}
