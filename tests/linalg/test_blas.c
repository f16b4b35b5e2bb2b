/* SPDX-License-Identifier: Apache-2.0 */
/* Products against loops. */
#include "linalg/blas.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

static double entry(char op, const double *a, size_t lda, size_t i, size_t j)
{
    return op == 'T' ? a[j + i * lda] : a[i + j * lda];
}

static void products_are_those_of_the_definition(void **state)
{
    (void)state;
    enum { LD = 13 };
    static const size_t sizes[][3] = {{1, 1, 1}, {5, 7, 3}, {13, 2, 11}, {4, 13, 13}, {6, 5, 0}};
    double a[LD * LD], b[LD * LD], before[LD * LD], c[LD * LD];
    check_random(1, 0, LD, LD, a);
    check_random(1, 1, LD, LD, b);
    check_random(1, 2, LD, LD, before);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int ops = 0; ops < 4; ops++) {
            char op_a = ops & 1 ? 'T' : 'N', op_b = ops & 2 ? 'T' : 'N';
            size_t rows = sizes[s][0], columns = sizes[s][1], inner = sizes[s][2];
            memcpy(c, before, sizeof c);
            of_gemm(op_a, op_b, rows, columns, inner, 1.5, a, LD, b, LD, -0.5, c, LD);
            for (size_t j = 0; j < LD; j++)
                for (size_t i = 0; i < LD; i++) {
                    double expected = before[i + j * LD];
                    if (i < rows && j < columns) {
                        expected *= -0.5;
                        for (size_t k = 0; k < inner; k++)
                            expected += 1.5 * entry(op_a, a, LD, i, k) * entry(op_b, b, LD, k, j);
                    }
                    CHECK_CLOSE(c[i + j * LD], expected, 1e-13, 1e-13);
                }
        }
}

/* beta = 0 overwrites C, even where it is NaN. */
static void nothing_is_kept_of_what_is_written_over(void **state)
{
    (void)state;
    double a[1] = {2}, b[1] = {3}, c[1] = {NAN};
    of_gemm('N', 'N', 1, 1, 1, 1, a, 1, b, 1, 0, c, 1);
    assert_true(c[0] == 6);
}

static void dots_are_sums_of_products(void **state)
{
    (void)state;
    enum { MOST = 9 };
    double a[MOST * MOST], b[MOST * MOST];
    check_random(2, 0, MOST, MOST, a);
    check_random(2, 1, MOST, MOST, b);
    for (size_t rows = 0; rows <= MOST; rows++)
        for (size_t columns = 0; columns <= MOST; columns++) {
            double expected = 0;
            for (size_t j = 0; j < columns; j++)
                for (size_t i = 0; i < rows; i++)
                    expected += a[i + j * rows] * b[i + j * rows];
            CHECK_CLOSE(of_dot(rows, columns, a, b), expected, 1e-13, 1e-13);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_definition),
        cmocka_unit_test(nothing_is_kept_of_what_is_written_over),
        cmocka_unit_test(dots_are_sums_of_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
