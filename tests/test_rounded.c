/* Figures rounded as a source rounds them, and the largest difference of two matrices. */
#include "lab/rounded.h"

#include "real_matrix.h"
#include "test.h"

int main(void)
{
    test_case("rounded: to the nearest, ties to the even digit, in the value's precision");
    CHECK(rounded((real)0.69871, 2) == (double)(real)0.7, "%.9g", rounded((real)0.69871, 2));
    CHECK(rounded((real)-1.234, 1) == (double)(real)-1.2, "%.9g", rounded((real)-1.234, 1));
    CHECK(rounded((real)0.125, 2) == (double)(real)0.12 && rounded((real)0.375, 2) == (double)(real)0.38, "ties");
    CHECK(rounded((real)2.5, 0) == 2 && rounded((real)3.5, 0) == 4, "ties without decimals");
    CHECK(isnan(rounded((real)NAN, 2)), "NaN");

    test_case("rounded: matrices of any strides, row after row");
    Matrix m = test_matrix_from(2, 3, (const double[]){0.111, 0.222, 0.333, 0.444, 0.555, 0.666});
    double figures[6];
    CHECK(rounded_matrix(matrix_transpose(m), 1, figures) == figures + 6, "the end");
    const double expected[] = {0.1, 0.4, 0.2, 0.6, 0.3, 0.7};
    for (int i = 0; i < 6; i++)
        CHECK(figures[i] == (double)(real)expected[i], "%d: %g", i, figures[i]);

    test_case("rounded: the largest difference, and a NaN is one");
    Matrix other = test_matrix_copy(m);
    CHECK(largest_difference(m, other) == 0, "the same");
    matrix_row(other, 1)[2] = (real)3.666;
    matrix_row(other, 0)[0] = (real)-0.889;
    CHECK(fabs(largest_difference(m, other) - 3) <= 1e-6, "%g", largest_difference(m, other));
    matrix_row(other, 0)[1] = (real)NAN;
    CHECK(isnan(largest_difference(m, other)), "%g", largest_difference(m, other));
    test_matrix_free(other);
    test_matrix_free(m);
    return test_finish();
}
