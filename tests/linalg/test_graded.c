/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices that are hard for doubles, at scales from 1e-150 to 1e150, against restatements in
 * numbers of 113 bits: graded ones, Hilbert's, eigenvalues that nearly coincide. The block
 * eigensolver says what it did not reach.
 */
#include "linalg/eigen_block.h"
#include "linalg/factor.h"
#include "oracle/wide.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 14 };
#define BAR (100 * N * DBL_EPSILON) /* LAPACK's own tests allow 50 of the norm */
static const double scales[] = {1, 1e-150, 1e-100, 1e-20, 1e20, 1e100, 1e150};
enum { SCALES = sizeof scales / sizeof *scales };

/* ---- the matrices ---- */

static double graded(size_t i, size_t j)
{
    return pow(10, -(double)(i + j) / 2) * (i == j ? 2 : 1);
}

static double hilbert(size_t i, size_t j)
{
    return 1.0 / (double)(i + j + 1);
}

/* Eigenvalues 2 and 1, each often, but for differences of a few last digits. */
static double clustered(size_t i, size_t j)
{
    double sign = ((i * j) % 3 == 1 ? 1e-15 : -1e-15) * (i != j);
    return i == j ? (i < N / 2 ? 2 : 1) + 1e-14 * (double)(i % 3) : sign;
}

/* One large, the others rounding beside it. */
static double rank_one(size_t i, size_t j)
{
    return (double)((i + 1) * (j + 1)) + (i == j ? 1e-13 : 0);
}

/* The second difference: a known spectrum, eigenvalues close at one end. */
static double difference(size_t i, size_t j)
{
    return i == j ? 2 : i + 1 == j || j + 1 == i ? -1 : 0;
}

static const struct {
    const char *name;
    double (*entry)(size_t i, size_t j);
} matrices[] = {{"graded", graded},
                {"hilbert", hilbert},
                {"clustered", clustered},
                {"rank one", rank_one},
                {"difference", difference}};
enum { MATRICES = sizeof matrices / sizeof *matrices };

/* The matrix in other units, and the same numbers in wider ones. */
static void make(size_t m, double scale, double *a, wide_number *wide)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            a[i + j * N] = matrices[m].entry(i < j ? i : j, i < j ? j : i) * scale;
            wide[i + j * N] = a[i + j * N];
        }
}

/* Columns of V (N x count) are orthonormal, and A V = V diag(value) to the precision of doubles. */
static void check_pairs(const char *what, const wide_number *a, size_t count, const double *value,
                        const double *vector, const wide_number *exact)
{
    double largest = (double)(exact[0] > -exact[N - 1] ? exact[0] : -exact[N - 1]);
    for (size_t e = 0; e < count; e++) {
        if (!(fabs((double)(value[e] - exact[e])) <= BAR * largest))
            fail_msg("%s: eigenvalue %zu is %.17g, not %.17g", what, e, value[e], (double)exact[e]);
        for (size_t i = 0; i < N; i++) {
            wide_number sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += a[i + j * N] * vector[j + e * N];
            sum -= (wide_number)value[e] * vector[i + e * N];
            if (!(fabs((double)sum) <= BAR * largest))
                fail_msg("%s of %g: pair %zu of %zu is off by %g", what, largest, e, count,
                         (double)sum / largest);
        }
        for (size_t f = 0; f <= e; f++) {
            wide_number dot = e == f ? -1 : 0;
            for (size_t i = 0; i < N; i++)
                dot += (wide_number)vector[i + e * N] * vector[i + f * N];
            assert_true(fabs((double)dot) <= BAR);
        }
    }
}

static void eigenpairs_are_those_of_wider_numbers(void **state)
{
    (void)state;
    double a[N * N], copy[N * N], value[N], vector[N * N];
    wide_number wide[N * N], exact[N], unused[N * N];
    for (size_t m = 0; m < MATRICES; m++)
        for (size_t s = 0; s < SCALES; s++) {
            make(m, scales[s], a, wide);
            wide_eigen(N, wide, exact, unused);
            memcpy(copy, a, sizeof a);
            CHECK_OK(of_eigh(NULL, N, copy, value));
            check_pairs(matrices[m].name, wide, N, value, copy, exact);
            for (size_t count = 1; count <= N; count += 4) {
                memcpy(copy, a, sizeof a);
                CHECK_OK(of_eigh_top(NULL, N, count, copy, value, vector));
                check_pairs(matrices[m].name, wide, count, value, vector, exact);
            }
        }
}

/* Singular values of A are the roots of the eigenvalues of A'A, which wider numbers can square. */
static void singular_values_are_those_of_wider_numbers(void **state)
{
    (void)state;
    double a[N * N], value[N], u[N * N], vt[N * N];
    wide_number wide[N * N], gram[N * N], exact[N], unused[N * N];
    for (size_t m = 0; m < MATRICES; m++)
        for (size_t s = 0; s < SCALES; s++) {
            make(m, scales[s], a, wide);
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                    gram[i + j * N] = 0;
                    for (size_t k = 0; k < N; k++)
                        gram[i + j * N] += wide[k + i * N] * wide[k + j * N];
                }
            wide_eigen(N, gram, exact, unused);
            CHECK_OK(of_svd(NULL, N, N, a, value, u, vt));
            for (size_t e = 0; e < N; e++)
                CHECK_CLOSE(value[e] / value[0],
                            (double)(wide_root(exact[e]) / wide_root(exact[0])), 0, BAR);
            CHECK_CLOSE(value[0], (double)wide_root(exact[0]), 1e-13, 0);
        }
}

/* The polar factor of a matrix whose condition is 1e4: lost digits are four of sixteen. */
static void polar_factors_are_those_of_wider_numbers(void **state)
{
    (void)state;
    enum { COLUMNS = 5 };
    double a[N * COLUMNS], w[N * COLUMNS];
    wide_number wide[N * COLUMNS], exact[N * COLUMNS];
    for (size_t s = 0; s < SCALES; s++) {
        check_random(11, s, N, COLUMNS, a);
        for (size_t j = 0; j < COLUMNS; j++)
            for (size_t i = 0; i < N; i++) {
                a[i + j * N] *= scales[s] * pow(10, -(double)j);
                wide[i + j * N] = a[i + j * N];
            }
        wide_polar(N, COLUMNS, wide, exact);
        CHECK_OK(of_polar(NULL, N, COLUMNS, a, OF_POLAR_ANY, w));
        for (size_t e = 0; e < N * COLUMNS; e++)
            CHECK_CLOSE(w[e], (double)exact[e], 0, 1e-11);
        CHECK_OK(of_polar(NULL, N, COLUMNS, a, OF_POLAR_NEAR, w));
        for (size_t e = 0; e < N * COLUMNS; e++)
            CHECK_CLOSE(w[e], (double)exact[e], 0, 1e-11);
    }
}

/* ---- the block eigensolver ---- */

typedef struct wide_task {
    const double *a;
    size_t n;
} wide_task;

static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    const wide_task *task = opaque;
    for (size_t j = 0; j < task->n; j++)
        for (size_t r = 0; r < depth; r++) {
            double sum = 0;
            for (size_t i = 0; i < task->n; i++)
                sum += task->a[i + j * task->n] * x[r + i * depth];
            y[r + j * depth] = sum;
        }
    return ONEFOLD_OK;
}

static void the_block_solver_agrees_at_every_scale(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    double a[N * N], value[COUNT], rows[COUNT * N];
    wide_number wide[N * N], exact[N], unused[N * N];
    for (size_t m = 0; m < MATRICES; m++)
        for (size_t s = 0; s < SCALES; s++) {
            make(m, scales[s], a, wide);
            wide_eigen(N, wide, exact, unused);
            wide_task task = {a, N};
            of_eigen_options options = {
                .count = COUNT, .block = 2, .tolerance = 1e-10, .aim = 1e-12};
            of_eigen_result result;
            CHECK_OK(of_eigen_block(of_context_or_default(NULL), N, apply, &task, &options, value,
                                    of_share_whole(rows, COUNT), &result));
            if (!result.converged)
                fail_msg("%s at %g: residual %g", matrices[m].name, scales[s], result.residual);
            for (size_t e = 0; e < COUNT; e++)
                CHECK_CLOSE(value[e] / (double)exact[0],
                            e < result.rank ? (double)(exact[e] / exact[0]) : 0, 0, 2e-10);
        }
}

/* Eigenvalues of a long second difference lie close together: a few products are not enough. What
 * comes back says so, and its residual is the one that its vectors have. */
static void what_was_not_reached_is_said(void **state)
{
    (void)state;
    enum { SIDE = 300, COUNT = 3 };
    double *a = calloc(SIDE * SIDE, sizeof *a), value[COUNT], rows[COUNT * SIDE];
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = i ? i - 1 : 0; j < SIDE && j <= i + 1; j++)
            a[i + j * SIDE] = difference(i, j);
    wide_task task = {a, SIDE};
    int reached = 0, missed = 0;
    for (size_t most = 1; most <= 400; most = most * 3 + 1) {
        of_eigen_options options = {.count = COUNT,
                                    .block = 2,
                                    .most = 60,
                                    .tolerance = 1e-10,
                                    .aim = 1e-11,
                                    .most_applications = most};
        of_eigen_result result;
        CHECK_OK(of_eigen_block(of_context_or_default(NULL), SIDE, apply, &task, &options, value,
                                of_share_whole(rows, COUNT), &result));
        double worst = 0;
        for (size_t e = 0; e < COUNT; e++) {
            double square = 0;
            for (size_t i = 0; i < SIDE; i++) {
                double sum = -value[e] * rows[e + i * COUNT];
                for (size_t j = i ? i - 1 : 0; j < SIDE && j <= i + 1; j++)
                    sum += a[i + j * SIDE] * rows[e + j * COUNT];
                square += sum * sum;
            }
            worst = fmax(worst, sqrt(square) / value[0]);
        }
        CHECK_CLOSE(result.residual, worst, 1e-3, 1e-14);
        assert_int_equal(result.converged, result.residual <= options.tolerance);
        *(result.converged ? &reached : &missed) += 1;
    }
    assert_true(missed > 0 && reached > 0);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenpairs_are_those_of_wider_numbers),
        cmocka_unit_test(singular_values_are_those_of_wider_numbers),
        cmocka_unit_test(polar_factors_are_those_of_wider_numbers),
        cmocka_unit_test(the_block_solver_agrees_at_every_scale),
        cmocka_unit_test(what_was_not_reached_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
