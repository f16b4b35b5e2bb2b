/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factorisations against their definitions: the factors multiply back to the matrix, are
 * orthonormal and ordered; and eigenvalues against Jacobi's rotations.
 */
#include "linalg/factor.h"

#include "linalg/blas.h"
#include "support/check.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60, ROOM = (MOST + 3) * (MOST + 3) };

static double *square(void)
{
    double *matrix = malloc(ROOM * sizeof *matrix);
    assert_non_null(matrix);
    for (size_t e = 0; e < ROOM; e++)
        matrix[e] = NAN; /* nothing behind the matrix may be read */
    return matrix;
}

/* Fills a rows x columns matrix. */
static void fill(double *matrix, size_t rows, size_t columns, uint64_t index)
{
    double column[MOST];
    for (size_t j = 0; j < columns; j++) {
        check_random(7, 1000 * index + j, rows, 1, column);
        memcpy(matrix + j * rows, column, rows * sizeof *column);
    }
}

/* The largest entry of A'A - I for a rows x columns matrix. */
static double off_orthonormal(const double *a, size_t rows, size_t columns)
{
    double most = 0;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++) {
            double dot = of_dot(rows, 1, a + i * rows, a + j * rows);
            most = fmax(most, fabs(dot - (i == j)));
        }
    return most;
}

static double norm(const double *a, size_t rows, size_t columns)
{
    return sqrt(of_dot(rows, columns, a, a));
}

/* ||A - U diag(value) V'|| with V' given as vt, or U itself transposed when vt is NULL. */
static double misfit(const double *a, size_t rows, size_t columns, const double *u,
                     const double *value, size_t rank, const double *vt)
{
    double total = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (size_t k = 0; k < rank; k++)
                sum += u[i + k * rows] * value[k] * (vt ? vt[k + j * rank] : u[j + k * rows]);
            total += pow(a[i + j * rows] - sum, 2);
        }
    return sqrt(total);
}

/* X + X': eigenvalues of both signs. */
static void fill_symmetric(double *a, size_t n, uint64_t index)
{
    double *x = square();
    fill(x, n, n, index);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i + j * n] = x[i + j * n] + x[j + i * n];
    free(x);
}

/* Eigenvalues by Jacobi's rotations, descending: slow, simple and accurate. */
static void jacobi(const double *given, size_t n, double *value)
{
    double *a = square();
    memcpy(a, given, ROOM * sizeof *a);
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double off = a[p + q * n];
                if (off == 0)
                    continue;
                double theta = (a[q + q * n] - a[p + p * n]) / (2 * off),
                       t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)),
                       c = 1 / hypot(t, 1), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    double x = a[k + p * n], y = a[k + q * n];
                    a[k + p * n] = c * x - s * y;
                    a[k + q * n] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    double x = a[p + k * n], y = a[q + k * n];
                    a[p + k * n] = c * x - s * y;
                    a[q + k * n] = s * x + c * y;
                }
            }
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        double here = a[i + i * n];
        for (; at > 0 && value[at - 1] < here; at--)
            value[at] = value[at - 1];
        value[at] = here;
    }
    free(a);
}

static const size_t orders[] = {1, 2, 3, 5, 17, MOST};

static void eigenpairs_are_those_of_the_matrix(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof orders / sizeof *orders; s++) {
        size_t n = orders[s];
        double *a = square(), *v = square(), value[MOST], expected[MOST];
        fill_symmetric(a, n, s);
        double size = norm(a, n, n);
        for (size_t j = 0; j < n; j++)
            for (size_t i = j; i < n; i++)
                v[i + j * n] = a[i + j * n]; /* the lower triangle is all that is read */
        CHECK_OK(of_eigh(NULL, n, v, value));
        jacobi(a, n, expected);
        assert_true(off_orthonormal(v, n, n) < 1e-13);
        assert_true(misfit(a, n, n, v, value, n, NULL) < 1e-13 * size);
        for (size_t i = 0; i < n; i++)
            CHECK_CLOSE(value[i], expected[i], 0, 1e-13 * size);

        for (size_t count = 0; count <= n; count += count < 3 ? 1 : n / 3 + 1) {
            double *copy = square(), *top = square(), some[MOST];
            memcpy(copy, a, ROOM * sizeof *a);
            CHECK_OK(of_eigh_top(NULL, n, count, copy, some, top));
            assert_true(off_orthonormal(top, n, count) < 1e-13);
            for (size_t i = 0; i < count; i++) {
                CHECK_CLOSE(some[i], expected[i], 0, 1e-13 * size);
                double residual = 0; /* || A v - lambda v || */
                for (size_t r = 0; r < n; r++) {
                    double sum = -some[i] * top[r + i * n];
                    for (size_t k = 0; k < n; k++)
                        sum += a[r + k * n] * top[k + i * n];
                    residual += sum * sum;
                }
                assert_true(sqrt(residual) < 1e-13 * size);
            }
            free(copy);
            free(top);
        }
        free(a);
        free(v);
    }
    CHECK_OK(of_eigh(NULL, 0, NULL, NULL));
}

/* Equal eigenvalues, all of them 0 even: any orthonormal vectors of their space will do. */
static void equal_eigenvalues_are_no_trouble(void **state)
{
    (void)state;
    double *a = square(), *v = square(), value[MOST];
    for (int scale = 0; scale < 2; scale++) {
        for (size_t j = 0; j < 20; j++)
            for (size_t i = 0; i < 20; i++)
                v[i + j * 20] = a[i + j * 20] = scale * ((i == j) * 2 - 0.1);
        CHECK_OK(of_eigh(NULL, 20, v, value));
        assert_true(off_orthonormal(v, 20, 20) < 1e-13);
        assert_true(misfit(a, 20, 20, v, value, 20, NULL) < 1e-13);
        for (int i = 0; i < 19; i++)
            CHECK_CLOSE(value[i], scale * 2, 0, 1e-13);
        CHECK_CLOSE(value[19], 0, 0, 1e-13);
    }
    free(a);
    free(v);
}

/* x x' + c I of zeros and ones: one large eigenvalue, all the others equal, which LAPACK's way to a
 * few of them gives up on for some sizes. */
static void one_large_eigenvalue_is_found(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 40; n++)
        for (int form = 0; form < 4; form++) {
            double *a = square(), *v = square(), value[MOST], square_sum = 0;
            double low = form & 1 ? -0.5 : 0, high = form & 1 ? 0.5 : 1, rest = form & 2 ? 1 : 0;
            for (size_t j = 0; j < n; j++)
                square_sum += j % 2 ? high * high : low * low;
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < n; i++)
                    a[i + j * n] =
                        (i % 2 ? high : low) * (j % 2 ? high : low) / square_sum + rest * (i == j);
            size_t count = n < 4 ? n : 4;
            CHECK_OK(of_eigh_top(NULL, n, count, a, value, v));
            assert_true(off_orthonormal(v, n, count) < 1e-13);
            CHECK_CLOSE(value[0], 1 + rest, 1e-13, 0);
            for (size_t i = 1; i < count; i++)
                CHECK_CLOSE(value[i], rest, 0, 1e-13);
            for (size_t i = 0; i < n; i++)
                CHECK_CLOSE(fabs(v[i]), fabs(i % 2 ? high : low) / sqrt(square_sum), 0, 1e-13);
            free(a);
            free(v);
        }
}

static void singular_values_and_vectors_are_those_of_the_matrix(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof orders / sizeof *orders; s++)
        for (size_t t = 0; t < sizeof orders / sizeof *orders; t++) {
            size_t rows = orders[s], columns = orders[t], r = rows < columns ? rows : columns;
            double *a = square(), *copy = square(), *u = square(), *vt = square(), value[MOST];
            fill(a, rows, columns, 10 * s + t);
            memcpy(copy, a, ROOM * sizeof *a);
            CHECK_OK(of_svd(NULL, rows, columns, copy, value, u, vt));
            double size = norm(a, rows, columns), *v = square(), squares = 0;
            for (size_t k = 0; k < r; k++)
                for (size_t j = 0; j < columns; j++)
                    v[j + k * columns] = vt[k + j * r];
            assert_true(off_orthonormal(u, rows, r) < 1e-13);
            assert_true(off_orthonormal(v, columns, r) < 1e-13);
            assert_true(misfit(a, rows, columns, u, value, r, vt) < 1e-13 * size);
            for (size_t k = 0; k < r; k++) {
                assert_true(value[k] >= 0 && (k == 0 || value[k] <= value[k - 1]));
                squares += value[k] * value[k];
            }
            CHECK_CLOSE(squares, size * size, 1e-13, 0);
            free(a);
            free(copy);
            free(u);
            free(vt);
            free(v);
        }
}

static void qr_has_orthonormal_columns_and_a_positive_diagonal(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof orders / sizeof *orders; s++)
        for (size_t t = 0; t <= s; t++) {
            size_t rows = orders[s], columns = orders[t];
            double *a = square(), *q = square(), *again = square(), *r = square();
            fill(a, rows, columns, 100 + 10 * s + t);
            memcpy(q, a, ROOM * sizeof *a);
            memcpy(again, a, ROOM * sizeof *a);
            CHECK_OK(of_qr(NULL, rows, columns, q, r));
            CHECK_OK(of_qr(NULL, rows, columns, again, NULL));
            assert_true(off_orthonormal(q, rows, columns) < 1e-13);
            double total = 0;
            for (size_t j = 0; j < columns; j++) {
                assert_true(r[j + j * columns] > 0);
                for (size_t i = j + 1; i < columns; i++)
                    assert_true(r[i + j * columns] == 0);
                assert_memory_equal(q + j * rows, again + j * rows, rows * sizeof *q);
                for (size_t i = 0; i < rows; i++) {
                    double sum = 0;
                    for (size_t k = 0; k <= j; k++)
                        sum += q[i + k * rows] * r[k + j * columns];
                    total += pow(a[i + j * rows] - sum, 2);
                }
            }
            assert_true(sqrt(total) < 1e-13 * norm(a, rows, columns));
            free(a);
            free(q);
            free(again);
            free(r);
        }
}

/* Q - U U'Q with orthogonal Q (n x n) and n/4 orthonormal columns U: three quarters of the singular
 * values are 1 and the rest is rounding, as between the null spaces of a rank-deficient W-step. */
static void many_equal_values_do_not_defeat_it(void **state)
{
    (void)state;
    enum { N = 108, GONE = 27 };
    static double q[N * N], u[N * GONE], part[GONE * N], a[N * N], left[N * N], right[N * N],
        value[N];
    for (uint64_t draw = 0; draw < 40; draw++) {
        check_random(71, 2 * draw, N, N, q);
        check_random(71, 2 * draw + 1, N, GONE, u);
        CHECK_OK(of_qr(NULL, N, N, q, NULL));
        CHECK_OK(of_qr(NULL, N, GONE, u, NULL));
        of_gemm('T', 'N', GONE, N, N, 1, u, N, q, N, 0, part, GONE);
        of_gemm('N', 'N', N, N, GONE, -1, u, N, part, GONE, 1, q, N);
        memcpy(a, q, sizeof a);
        CHECK_OK(of_svd(NULL, N, N, a, value, left, right));
        for (size_t i = 0; i < N; i++) {
            assert_true(fabs(value[i] - (i < N - GONE)) < 1e-13);
            for (size_t j = 0; j < N; j++)
                left[j + i * N] *= value[i];
        }
        of_gemm('N', 'N', N, N, N, 1, left, N, right, N, -1, q, N);
        for (size_t i = 0; i < N * N; i++)
            assert_true(fabs(q[i]) < 1e-13);
    }
}

/* NaN is a fault with a sentence, not a crash or a silent result. */
static void not_a_number_is_refused(void **state)
{
    (void)state;
    double a[4] = {1, NAN, NAN, 1}, value[2], u[4], vt[4];
    CHECK_FAILS(of_eigh(NULL, 2, a, value), ONEFOLD_FAULT, "2 x 2");
    CHECK_FAILS(of_svd(NULL, 2, 2, a, value, u, vt), ONEFOLD_FAULT, "2 x 2");
}

static void more_than_lapack_can_count_is_refused(void **state)
{
    (void)state;
    const size_t large = (size_t)INT_MAX + 1;
    double one[1] = {1};
    CHECK_FAILS(of_eigh(NULL, large, one, one), ONEFOLD_UNSUPPORTED, "2147483648");
    CHECK_FAILS(of_eigh_top(NULL, large, 1, one, one, one), ONEFOLD_UNSUPPORTED, "2147483648");
    CHECK_FAILS(of_svd(NULL, large, 1, one, one, one, one), ONEFOLD_UNSUPPORTED, "2147483648");
    CHECK_FAILS(of_qr(NULL, large, 1, one, NULL), ONEFOLD_UNSUPPORTED, "2147483648");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenpairs_are_those_of_the_matrix),
        cmocka_unit_test(equal_eigenvalues_are_no_trouble),
        cmocka_unit_test(one_large_eigenvalue_is_found),
        cmocka_unit_test(singular_values_and_vectors_are_those_of_the_matrix),
        cmocka_unit_test(qr_has_orthonormal_columns_and_a_positive_diagonal),
        cmocka_unit_test(many_equal_values_do_not_defeat_it),
        cmocka_unit_test(not_a_number_is_refused),
        cmocka_unit_test(more_than_lapack_can_count_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
