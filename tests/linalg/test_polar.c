/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A (rows x columns) = U diag(value) V' with random orthonormal U, V; also their product U V'. */
static void make(size_t rows, size_t columns, const double *value, uint64_t index, double *A,
                 double *UV)
{
    size_t r = rows < columns ? rows : columns;
    double *U = malloc(rows * r * 8), *V = malloc(columns * r * 8), *scaled = malloc(rows * r * 8);
    check_random(31, 2 * index, rows, r, U);
    check_random(31, 2 * index + 1, columns, r, V);
    CHECK_OK(of_qr(NULL, rows, r, U, NULL));
    CHECK_OK(of_qr(NULL, columns, r, V, NULL));
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < rows; i++)
            scaled[i + j * rows] = U[i + j * rows] * value[j];
    of_gemm('N', 'T', rows, columns, r, 1, scaled, rows, V, columns, 0, A, rows);
    of_gemm('N', 'T', rows, columns, r, 1, U, rows, V, columns, 0, UV, rows);
    free(U);
    free(V);
    free(scaled);
}

/* The polar factor straight from the definition. */
static void by_svd(size_t rows, size_t columns, const double *A, size_t kept, double *W)
{
    size_t r = rows < columns ? rows : columns;
    double *copy = malloc(rows * columns * 8), *U = malloc(rows * r * 8),
           *Vt = malloc(r * columns * 8);
    double *value = malloc(r * 8);
    memcpy(copy, A, rows * columns * 8);
    CHECK_OK(of_svd(NULL, rows, columns, copy, value, U, Vt));
    of_gemm('N', 'N', rows, columns, kept < r ? kept : r, 1, U, rows, Vt, r, 0, W, rows);
    free(copy);
    free(U);
    free(Vt);
    free(value);
}

static double largest_difference(size_t count, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(isfinite(a[i]) && isfinite(b[i]));
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

/* ||W'W - I|| (or of W W', whichever is smaller) and ||W'A - A'W||: both are 0 for the factor. */
static void is_polar_factor(size_t rows, size_t columns, const double *A, const double *W,
                            double tolerance)
{
    size_t r = rows < columns ? rows : columns;
    double *Z = malloc(r * r * 8), *S = malloc(columns * columns * 8);
    if (rows >= columns)
        of_gemm('T', 'N', r, r, rows, 1, W, rows, W, rows, 0, Z, r);
    else
        of_gemm('N', 'T', r, r, columns, 1, W, rows, W, rows, 0, Z, r);
    of_gemm('T', 'N', columns, columns, rows, 1, W, rows, A, rows, 0, S, columns);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < r; i++)
            CHECK_CLOSE(Z[i + j * r], i == j, 0, tolerance);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < j; i++)
            CHECK_CLOSE(S[i + j * columns], S[j + i * columns], 0, tolerance);
    free(Z);
    free(S);
}

/* Over shapes, and conditions for which the iteration or the SVD is used. */
static void equals_the_svd_at_any_condition(void **state)
{
    (void)state;
    const size_t shape[][2] = {{1, 1}, {2, 2},  {5, 5},  {20, 20}, {54, 54}, {9, 4},
                               {4, 9}, {40, 3}, {3, 40}, {30, 60}, {60, 30}};
    const double exponent[] = {0, 1, 2, 3, 4, 4.5, 5, 6, 8, 10};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (size_t e = 0; e < sizeof exponent / sizeof *exponent; e++) {
            size_t rows = shape[s][0], columns = shape[s][1], size = rows * columns,
                   r = rows < columns ? rows : columns;
            double *A = malloc(size * 8), *UV = malloc(size * 8), *W = malloc(size * 8),
                   *Z = malloc(size * 8), value[64];
            for (size_t i = 0; i < r; i++)
                value[i] = pow(10, r > 1 ? -exponent[e] * (double)i / (double)(r - 1) : 0);
            make(rows, columns, value, 100 * s + e, A, UV);
            by_svd(rows, columns, A, r, Z);
            double condition = 1 / value[r - 1];
            for (int drop = 0; drop < 2; drop++) {
                CHECK_OK(of_polar(NULL, rows, columns, A, drop ? OF_POLAR_DROP : OF_POLAR_ANY, W));
                is_polar_factor(rows, columns, A, W, 1e-14 * (double)(rows + columns));
                /* the factor itself is no better determined than this */
                assert_true(largest_difference(size, W, Z) < 1e-14 + 1e-15 * condition);
                assert_true(largest_difference(size, W, UV) < 1e-14 + 1e-15 * condition);
            }
            if (rows >= columns) {
                memset(W, 0, size * 8); /* has no effect where nothing is missing */
                CHECK_OK(of_polar(NULL, rows, columns, A, OF_POLAR_NEAR, W));
                assert_true(largest_difference(size, W, Z) < 1e-14 + 1e-15 * condition);
            }
            free(A);
            free(UV);
            free(W);
            free(Z);
        }
}

static void scale_does_not_matter(void **state)
{
    (void)state;
    enum { K = 12 };
    double A[K * K], B[K * K], V[K * K], W[K * K];
    check_random(5, 5, K, K, A);
    CHECK_OK(of_polar(NULL, K, K, A, OF_POLAR_DROP, V));
    const double scale[] = {1e-140, 1e-30, 1e30, 1e140};
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < K * K; i++)
            B[i] = scale[s] * A[i];
        CHECK_OK(of_polar(NULL, K, K, B, OF_POLAR_DROP, W));
        assert_true(largest_difference(K * K, V, W) < 1e-13);
    }
}

static void drops_what_has_no_rank(void **state)
{
    (void)state;
    enum { R = 8, C = 6 };
    const double value[C] = {3, 2, 1, 1e-14, 1e-15, 0};
    double A[R * C], UV[R * C], W[R * C], Z[R * C];
    make(R, C, value, 900, A, UV);
    by_svd(R, C, A, 3, Z);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_DROP, W));
    assert_true(largest_difference(R * C, W, Z) < 1e-14);
    memset(A, 0, sizeof A);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_DROP, W));
    for (size_t i = 0; i < R * C; i++)
        assert_true(W[i] == 0);
}

/* Of all isometries that maximise <A, W> the result is the one of largest <near, W>: no rotation of
 * the null spaces against each other does better. */
static void completes_nearest_to_what_is_given(void **state)
{
    (void)state;
    enum { R = 9, C = 5, RANK = 3 };
    const double value[C] = {3, 2, 1, 0, 0};
    double A[R * C], UV[R * C], W[R * C], near[R * C], S[C * C];
    make(R, C, value, 901, A, UV);
    check_random(8, 1, R, C, near);
    CHECK_OK(of_qr(NULL, R, C, near, NULL));
    memcpy(W, near, sizeof W);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_NEAR, W));
    is_polar_factor(R, C, A, W, 1e-13);
    CHECK_CLOSE(of_dot(R, C, A, W), 6, 1e-13, 0);
    /* with U1 V1' = the part that A decides, W - U1 V1' must be a polar factor of near's part
     * between the null spaces: W2' near is symmetric and positive semidefinite there */
    double W1[R * C], W2[R * C], value2[C];
    by_svd(R, C, A, RANK, W1);
    for (size_t i = 0; i < R * C; i++)
        W2[i] = W[i] - W1[i];
    of_gemm('T', 'N', C, C, R, 1, W2, R, W1, R, 0, S, C);
    for (size_t i = 0; i < C * C; i++)
        CHECK_CLOSE(S[i], 0, 0, 1e-13); /* the two parts have nothing in common */
    double D[R * C], P[R * R], Q[C * C];
    of_gemm('N', 'T', R, R, C, 1, W1, R, W1, R, 0, P, R); /* projections onto what A decides */
    of_gemm('T', 'N', C, C, R, 1, W1, R, W1, R, 0, Q, C);
    memcpy(D, near, sizeof D);
    of_gemm('N', 'N', R, C, R, -1, P, R, near, R, 1, D, R);
    double DQ[R * C];
    of_gemm('N', 'N', R, C, C, 1, D, R, Q, C, 0, DQ, R);
    for (size_t i = 0; i < R * C; i++)
        D[i] -= DQ[i];
    of_gemm('T', 'N', C, C, R, 1, W2, R, D, R, 0, S, C);
    for (size_t j = 0; j < C; j++)
        for (size_t i = 0; i < j; i++)
            CHECK_CLOSE(S[i + j * C], S[j + i * C], 0, 1e-13);
    CHECK_OK(of_eigh(NULL, C, S, value2));
    for (size_t i = 0; i < C; i++)
        assert_true(value2[i] > -1e-13);
    assert_true(value2[1] > 1e-3); /* both missing directions come from `near` */

    memset(A, 0, sizeof A); /* A decides nothing: W keeps its value, also in place */
    memcpy(W, near, sizeof W);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_NEAR, W));
    assert_true(largest_difference(R * C, W, near) < 1e-14);
}

/* Rotations carry over: (O A, O near) gives O W, rank or no rank. */
static void completion_turns_with_its_input(void **state)
{
    (void)state;
    enum { R = 7, C = 7 };
    const double value[C] = {5, 4, 1, 0.5, 0, 0, 0};
    double A[R * C], UV[R * C], near[R * C], O[R * R], W[R * C], OA[R * C], On[R * C], OW[R * C],
        Z[R * C];
    make(R, C, value, 902, A, UV);
    check_random(8, 2, R, C, near);
    check_random(8, 3, R, R, O);
    CHECK_OK(of_qr(NULL, R, C, near, NULL));
    CHECK_OK(of_qr(NULL, R, R, O, NULL));
    memcpy(W, near, sizeof W);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_NEAR, W));
    of_gemm('N', 'N', R, C, R, 1, O, R, A, R, 0, OA, R);
    of_gemm('N', 'N', R, C, R, 1, O, R, near, R, 0, On, R);
    of_gemm('N', 'N', R, C, R, 1, O, R, W, R, 0, OW, R);
    memcpy(Z, On, sizeof Z);
    CHECK_OK(of_polar(NULL, R, C, OA, OF_POLAR_NEAR, Z));
    assert_true(largest_difference(R * C, OW, Z) < 1e-11);
}

static void completes_even_against_a_useless_neighbour(void **state)
{
    (void)state;
    enum { R = 6, C = 4 };
    const double value[C] = {2, 1, 0, 0};
    double A[R * C], UV[R * C], W[R * C], near[R * C];
    make(R, C, value, 903, A, UV);
    by_svd(R, C, A, 2, near); /* has no part between the null spaces */
    memcpy(W, near, sizeof W);
    CHECK_OK(of_polar(NULL, R, C, A, OF_POLAR_NEAR, W));
    is_polar_factor(R, C, A, W, 1e-13);
    CHECK_FAILS(of_polar(NULL, 2, 3, A, OF_POLAR_NEAR, W), ONEFOLD_FAULT, "no isometry");
}

/* NaN is refused by the decomposition, not looped over by the iteration. */
static void refuses_nan(void **state)
{
    (void)state;
    double A[4] = {1, NAN, 0, 1}, W[4];
    assert_int_equal(of_polar(NULL, 2, 2, A, OF_POLAR_DROP, W), ONEFOLD_FAULT);
}

static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    enum { R = 6, C = 4 };
    const double value[C] = {2, 1, 0, 0};
    double A[R * C], UV[R * C], W[R * C];
    make(R, C, value, 904, A, UV);
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_status status = ONEFOLD_NO_MEMORY;
    long failed = 0;
    for (; status != ONEFOLD_OK; failed++) {
        atomic_store(&context->allocations_until_failure, failed);
        memcpy(W, UV, sizeof W);
        status = of_polar(context, R, C, A, OF_POLAR_NEAR, W);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    assert_true(failed > 8);
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_svd_at_any_condition),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(drops_what_has_no_rank),
        cmocka_unit_test(completes_nearest_to_what_is_given),
        cmocka_unit_test(completion_turns_with_its_input),
        cmocka_unit_test(completes_even_against_a_useless_neighbour),
        cmocka_unit_test(refuses_nan),
        cmocka_unit_test(fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
