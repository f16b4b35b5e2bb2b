/* SPDX-License-Identifier: Apache-2.0 */
/* The Nystrom route: exact when every sample is a landmark, near the exact subspace when few are,
 * as its estimate of the error shows. */
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "oracle/literal_kernel.h"
#include "partition/routes.h"
#include "support/views.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 430, D = 7, ROWS = 6 };

/* Five clusters in D columns, a sample contiguous. */
static void blobs(size_t n, double *x)
{
    check_random(3, 0, D, n, x);
    for (size_t j = 0; j < n; j++)
        x[j * D + j % 5] += 4;
}

static of_route_work solve(of_context *context, const of_kernel *kernel, size_t landmarks,
                           double *H, double *value)
{
    of_partition_options options = {.dims = ROWS, .landmarks = landmarks};
    of_route_work work = {.kernel = kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .options = &options,
                          .H = of_share_whole(H, ROWS),
                          .value = value};
    CHECK_OK(of_route_nystrom(context, &work));
    work.options = NULL;
    return work;
}

/* sum of squared cosines between two sets of ROWS orthonormal rows, over ROWS: 1 when they agree */
static double agreement(size_t n, const double *A, const double *B)
{
    double inner[ROWS * ROWS];
    of_gemm('N', 'T', ROWS, ROWS, n, 1, A, ROWS, B, ROWS, 0, inner, ROWS);
    return of_dot(ROWS, ROWS, inner, inner) / ROWS;
}

static void every_sample_a_landmark_is_the_exact_kernel(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D], H[ROWS * N], exact[ROWS * N], value[ROWS], want[ROWS];
    double *finished = malloc(N * N * sizeof *finished);
    blobs(N, x);
    literal_rbf(N, D, x, finished);
    literal_finish(N, 1e-12, finished);
    of_view view = views_dense(N, D, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    of_route_work work = solve(arena.context, &kernel, N, H, value);
    of_route_work dense = {.kernel = &kernel,
                           .rows = ROWS,
                           .tolerance = 1e-8,
                           .H = of_share_whole(exact, ROWS),
                           .value = want};
    CHECK_OK(of_eigen_matrix(arena.context, N, finished, &dense));
    assert_int_equal(work.rank, ROWS);
    assert_true(work.residual < 1e-6);
    for (size_t r = 0; r < ROWS; r++)
        CHECK_CLOSE(value[r], want[r], 1e-7, 0);
    CHECK_CLOSE(agreement(N, H, exact), 1, 0, 1e-7);
    free(finished);
}

static void few_landmarks_come_close_and_say_how_close(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    OF_SCRATCH(arena, NULL);
    static double x[MANY * D], H[ROWS * MANY], exact[ROWS * MANY], value[ROWS];
    blobs(MANY, x);
    of_view view = views_dense(MANY, D, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    of_route_work dense = {.kernel = &kernel,
                           .rows = ROWS,
                           .tolerance = 1e-8,
                           .H = of_share_whole(exact, ROWS),
                           .value = value};
    CHECK_OK(of_route_dense(arena.context, &dense));
    double error[3], agrees[3];
    static const size_t landmarks[] = {12, 60, 300};
    for (int i = 0; i < 3; i++) {
        of_route_work work = solve(arena.context, &kernel, landmarks[i], H, value);
        double inner[ROWS * ROWS];
        of_gemm('N', 'T', ROWS, ROWS, MANY, 1, H, ROWS, H, ROWS, 0, inner, ROWS);
        for (size_t r = 0; r < ROWS * ROWS; r++)
            CHECK_CLOSE(inner[r], r % (ROWS + 1) == 0, 0, 1e-12);
        error[i] = work.residual;
        agrees[i] = agreement(MANY, H, exact);
    }
    assert_true(error[0] > error[1] && error[1] > error[2] && error[2] < 0.02);
    assert_true(agrees[1] > 0.98 && agrees[2] > 0.9999);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static double x[MANY * D], H[4][ROWS * MANY], value[4][ROWS];
    static const int threads[] = {1, 2, 3, 8};
    blobs(MANY, x);
    of_view view = views_dense(MANY, D, x);
    for (int t = 0; t < 4; t++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        {
            OF_SCRATCH(arena, context);
            of_kernel kernel;
            CHECK_OK(of_kernel_make(context, &arena, &view, OF_KERNEL_RBF, &kernel));
            solve(context, &kernel, 100, H[t], value[t]);
        }
        assert_memory_equal(H[t], H[0], sizeof H[0]);
        assert_memory_equal(value[t], value[0], sizeof value[0]);
        onefold_context_free(context);
    }
}

static void odd_views_have_sound_answers(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D], H[ROWS * N], value[ROWS];
    of_kernel kernel;
    for (int kind = 0; kind < 2; kind++) { /* constants; three distinct samples */
        for (size_t i = 0; i < N * D; i++)
            x[i] = kind ? (double)((i / D) % 3) * (double)(i % D) : 7.5;
        of_view view = views_dense(N, D, x);
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
        of_route_work work = solve(arena.context, &kernel, 40, H, value);
        assert_int_equal(work.rank, kind ? 2 : 0);
        for (size_t i = 0; i < ROWS * N; i++)
            assert_true(isfinite(H[i]) && (i % ROWS < work.rank || H[i] == 0));
    }
}

static void landmarks_that_cannot_be_are_refused(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D];
    blobs(N, x);
    of_view view = views_dense(N, D, x);
    of_kernel kernel;
    of_route route;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    of_partition_options options = {.dims = ROWS, .tolerance = 1e-8, .base = ONEFOLD_BASE_NYSTROM};
    route = of_partition_route(&kernel, &options);
    assert_int_equal(route, OF_ROUTE_NYSTROM);
    options.landmarks = N + 1;
    CHECK_FAILS(of_partition_check(&kernel, &options), ONEFOLD_USAGE,
                "431 landmarks cannot be chosen from 430 samples");
    of_view many = view;
    many.samples = 2 * OF_EIGH_MOST;
    kernel.view = &many;
    options.landmarks = OF_EIGH_MOST + 1;
    CHECK_FAILS(of_partition_check(&kernel, &options), ONEFOLD_UNSUPPORTED,
                "32767 landmarks are more than LAPACK can count");
    kernel.view = &view;
    options.landmarks = ROWS - 1;
    CHECK_FAILS(of_partition_check(&kernel, &options), ONEFOLD_USAGE,
                "5 landmarks span fewer than 6 dimensions");
    options.landmarks = 0;
    kernel.kind = OF_KERNEL_LAPLACIAN;
    CHECK_FAILS(of_partition_check(&kernel, &options), ONEFOLD_UNSUPPORTED,
                "the kernel laplacian has no landmarks");
}

static const double nothing;

/* An rbf kernel of dense features, of which only the shape is set. */
static of_kernel shaped(of_view *view, size_t n, size_t d)
{
    *view = (of_view){.samples = n, .columns = d, .data = &nothing};
    return (of_kernel){
        .kind = OF_KERNEL_RBF, .view = view, .prep = {.columns = d}, .width = 2 * (double)d};
}

/* `auto` chooses landmarks by n and columns alone. */
static void auto_takes_landmarks_where_exact_takes_more(void **state)
{
    (void)state;
    static const struct {
        size_t n, d;
        of_route route;
    } cases[] = {{2000, 50, OF_ROUTE_DENSE},
                 {3000, 6000, OF_ROUTE_DENSE}, /* wide: landmarks would take as much */
                 {2200, 50, OF_ROUTE_NYSTROM},
                 {20000, 50, OF_ROUTE_NYSTROM},
                 {100000, 50, OF_ROUTE_NYSTROM}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        of_view view;
        of_kernel kernel = shaped(&view, cases[i].n, cases[i].d);
        of_partition_options options = {.dims = 20, .tolerance = 1e-8};
        of_route route;
        route = of_partition_route(&kernel, &options);
        assert_int_equal(route, cases[i].route);
        options.base = ONEFOLD_BASE_EXACT;
        route = of_partition_route(&kernel, &options);
        assert_true(route != OF_ROUTE_NYSTROM);
    }
}

/* ... and counts all views of a fit together: one that is wide enough keeps the others exact;
 * kernels that need no landmarks count for nothing, and what is asked for stands. */
static void auto_counts_all_views(void **state)
{
    (void)state;
    of_view view[2];
    of_kernel kernel[2];
    of_partition_options options = {.dims = 60, .tolerance = 1e-8};
    kernel[0] = shaped(&view[0], 3100, 50);
    kernel[1] = shaped(&view[1], 3100, 6000);
    assert_int_equal(of_partition_base(kernel, 1, &options), ONEFOLD_BASE_NYSTROM);
    assert_int_equal(of_partition_base(kernel + 1, 1, &options), ONEFOLD_BASE_EXACT);
    assert_int_equal(of_partition_base(kernel, 2, &options), ONEFOLD_BASE_EXACT);
    kernel[1].kind = OF_KERNEL_LINEAR;
    assert_int_equal(of_partition_base(kernel, 2, &options), ONEFOLD_BASE_NYSTROM);
    options.base = ONEFOLD_BASE_EXACT;
    assert_int_equal(of_partition_base(kernel, 2, &options), ONEFOLD_BASE_EXACT);
    options.base = ONEFOLD_BASE_NYSTROM;
    assert_int_equal(of_partition_base(kernel + 1, 1, &options), ONEFOLD_BASE_NYSTROM);
}

/* Landmarks are not left again where samples are more, and kernel matrices stay formed. */
static void auto_changes_once(void **state)
{
    (void)state;
    static const size_t columns[] = {2, 10, 64, 300, 2000}, rows[] = {4, 20, 60, 200};
    for (size_t c = 0; c < 5; c++)
        for (size_t r = 0; r < 4; r++) {
            of_route before = OF_ROUTE_DENSE;
            for (size_t n = 500; n < 500000; n += n / 7) {
                of_view view;
                of_kernel kernel = shaped(&view, n, columns[c]);
                of_partition_options options = {.dims = rows[r], .tolerance = 1e-8};
                of_route route = of_partition_route(&kernel, &options);
                assert_true(route == OF_ROUTE_NYSTROM || before == OF_ROUTE_DENSE);
                assert_true(route == OF_ROUTE_NYSTROM || route == OF_ROUTE_DENSE);
                before = route;
            }
            assert_int_equal(before, OF_ROUTE_NYSTROM);
        }
}

/* Fewer of many samples, but never so few that n times their number falls; all samples where they
 * are fewer, and ten for each row. */
static void landmarks_fall_slower_than_samples_grow(void **state)
{
    (void)state;
    enum { K = 20 };
    of_view view;
    of_kernel kernel = shaped(&view, 600, 30);
    size_t before = 0;
    assert_int_equal(of_nystrom_landmarks(&kernel, K, 0), 600);
    for (size_t n = 2000; n <= 2048000; n += n / 4) {
        kernel = shaped(&view, n, 30);
        size_t count = of_nystrom_landmarks(&kernel, K, 0);
        assert_true(count == 640 || (n > 32768 && count >= 400 && count < 640));
        assert_true(n < 84000 || count == 400);
        assert_true(n * count > before);
        assert_int_equal(of_nystrom_landmarks(&kernel, K, 77), 77);
        before = n * count;
    }
    assert_int_equal(of_nystrom_landmarks(&kernel, 70, 0), 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_a_landmark_is_the_exact_kernel),
        cmocka_unit_test(few_landmarks_come_close_and_say_how_close),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(odd_views_have_sound_answers),
        cmocka_unit_test(landmarks_that_cannot_be_are_refused),
        cmocka_unit_test(auto_takes_landmarks_where_exact_takes_more),
        cmocka_unit_test(auto_counts_all_views),
        cmocka_unit_test(auto_changes_once),
        cmocka_unit_test(landmarks_fall_slower_than_samples_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
