/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions as their callers see them: edge cases, signs, calls inside a team. */
#include "partition/partition.h"

#include "base/team.h"
#include "oracle/literal_kernel.h"
#include "partition/routes_check.h"
#include "support/views.h"

typedef void (*literal_kernel)(size_t n, size_t columns, const double *x, double *k);
static const of_kernel_kind kinds[] = {OF_KERNEL_LINEAR, OF_KERNEL_COSINE, OF_KERNEL_RBF};
static const literal_kernel literal[] = {literal_linear, literal_cosine, literal_rbf};

static of_partition partition_of(of_context *context, of_arena *arena, const of_view *view,
                                 of_kernel_kind kind, size_t dims, double *H)
{
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = dims, .tolerance = 1e-8};
    CHECK_OK(of_kernel_make(context, arena, view, kind, &kernel));
    CHECK_OK(of_partition_make(context, arena, &kernel, of_partition_route(&kernel, &options),
                               &options, of_share_whole(H, dims), &partition));
    assert_true(partition.converged && partition.residual <= 1e-8);
    return partition;
}

/* Views without any difference between samples: no rows at all, and never NaN. */
static void views_that_say_nothing_have_rank_zero(void **state)
{
    (void)state;
    enum { SMALL = 20, LARGE = 300 };
    static double x[LARGE * 5], H[LARGE * 4];
    const double constant[] = {0, 1, 0.1, -1e5};
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 3; k++)
            for (size_t n = SMALL; n <= LARGE; n += LARGE - SMALL)
                for (int v = 0; v < 2; v++) {
                    OF_SCRATCH(arena, NULL);
                    for (size_t i = 0; i < n * 5; i++)
                        x[i] = constant[c] * (1 + (double)(i % 5));
                    of_view view = v ? views_sparse(&arena, n, 5, x) : views_dense(n, 5, x);
                    of_partition partition =
                        partition_of(arena.context, &arena, &view, kinds[k], 4, H);
                    assert_int_equal(partition.rank, 0);
                    for (size_t i = 0; i < n * 4; i++)
                        assert_true(H[i] == 0);
                }
}

static void one_column_and_repeated_samples_have_their_rank(void **state)
{
    (void)state;
    enum { M = 60 };
    double x[M], H[M * 6];
    OF_SCRATCH(arena, NULL);
    for (int j = 0; j < M; j++)
        x[j] = 1 - 2 * (j % 2); /* two distinct samples */
    of_view view = views_dense(M, 1, x);
    for (int k = 0; k < 3; k++) {
        of_partition partition = partition_of(arena.context, &arena, &view, kinds[k], 6, H);
        assert_int_equal(partition.rank, 1);
        for (int j = 0; j < M; j++) {
            CHECK_CLOSE(fabs(H[j * 6]), 1 / sqrt(M), 1e-12, 0);
            assert_true(H[j * 6] * H[0] * x[j] > 0);
            for (int r = 1; r < 6; r++)
                assert_true(H[j * 6 + r] == 0);
        }
    }
}

/* dims = n, dims > n, one sample, two samples. */
static void as_many_rows_as_samples_and_more(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 9; n += n < 3 ? 1 : 6) {
        OF_SCRATCH(arena, NULL);
        double x[9 * 12], H[12 * 9], finished[81];
        check_random(5, n, 12, n, x);
        of_view view = views_dense(n, 12, x);
        for (int k = 0; k < 3; k++)
            for (size_t dims = n; dims <= 12; dims += 12 - n) {
                of_partition partition =
                    partition_of(arena.context, &arena, &view, kinds[k], dims, H);
                literal[k](n, 12, x, finished);
                literal_finish(n, 1e-12, finished);
                assert_int_equal(partition.rank, n - 1); /* centring takes one away */
                check_partition(n, finished, dims, partition.rank, partition.values, H, 1e-8);
            }
    }
}

static void values_that_cannot_be_squared_are_refused(void **state)
{
    (void)state;
    double x[20 * 3], H[20 * 2];
    check_random(15, 0, 3, 20, x);
    x[4 * 3 + 1] = 1e200;
    OF_SCRATCH(arena, NULL);
    of_view view[2] = {views_dense(20, 3, x), views_sparse(&arena, 20, 3, x)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        of_partition partition;
        of_partition_options options = {.dims = 2, .tolerance = 1e-8};
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], OF_KERNEL_LINEAR, &kernel));
        CHECK_FAILS(of_partition_make(arena.context, &arena, &kernel,
                                      of_partition_route(&kernel, &options), &options,
                                      of_share_whole(H, 2), &partition),
                    ONEFOLD_BAD_DATA, "sample 5");
    }
}

/* H may be rows of a taller matrix, whose other rows are left alone. */
static void the_rows_around_a_partition_are_left_alone(void **state)
{
    (void)state;
    enum { M = 300, D = 12, K = 5, ABOVE = 2, TALL = 9 };
    double *x = clustered(M, D, 0, 14), *H = malloc(M * K * sizeof *H),
           *tall = malloc(M * TALL * sizeof *tall);
    OF_SCRATCH(arena, NULL);
    of_view view[2] = {views_dense(M, D, x), views_sparse(&arena, M, D, x)};
    for (int v = 0; v < 2; v++)
        for (int k = 0; k < 3; k++) {
            of_kernel kernel;
            of_partition partition;
            of_partition_options options = {.dims = K, .tolerance = 1e-8};
            partition_of(arena.context, &arena, &view[v], kinds[k], K, H);
            for (size_t i = 0; i < M * TALL; i++)
                tall[i] = 77;
            CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], kinds[k], &kernel));
            CHECK_OK(of_partition_make(arena.context, &arena, &kernel,
                                       of_partition_route(&kernel, &options), &options,
                                       of_share_whole(tall + ABOVE, TALL), &partition));
            for (size_t j = 0; j < M; j++)
                for (size_t i = 0; i < TALL; i++)
                    if (i < ABOVE || i >= ABOVE + K)
                        assert_true(tall[j * TALL + i] == 77);
                    else
                        CHECK_CLOSE(tall[j * TALL + i], H[j * K + i - ABOVE], 0, 1e-12);
        }
    free(x);
    free(H);
    free(tall);
}

/* Every third sample has no entries. */
static void zero_samples_stay_finite(void **state)
{
    (void)state;
    enum { N = 430, D = 300 };
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N, D, 1, 6), *finished = malloc(N * N * sizeof *finished),
           *H = malloc(6 * N * sizeof *H);
    for (size_t j = 0; j < N; j += 3)
        memset(x + j * D, 0, D * sizeof *x);
    literal_tfidf_cosine(N, D, x, finished);
    literal_finish(N, 1e-12, finished);
    of_view view = views_sparse(&arena, N, D, x);
    of_partition partition = partition_of(arena.context, &arena, &view, OF_KERNEL_AUTO, 6, H);
    assert_int_equal(partition.route, OF_ROUTE_KRYLOV);
    check_partition(N, finished, 6, partition.rank, partition.values, H, 1e-8);
    free(x);
    free(finished);
    free(H);
}

/* A sample that lies where the mean lies has a row of zeros in K and a column of zeros in H. */
static void a_sample_in_the_middle_is_zero(void **state)
{
    (void)state;
    enum { M = 41, D = 3 };
    double x[M * D], H[3 * M];
    check_random(11, 0, D, M, x);
    for (size_t j = 0; j + 1 < M; j += 2) /* pairs around (5, 6, 7), all sums exact */
        for (size_t i = 0; i < D; i++) {
            double off = floor(8 * x[j * D + i]) / 8;
            x[j * D + i] = 5 + (double)i + off;
            x[(j + 1) * D + i] = 5 + (double)i - off;
            x[(M - 1) * D + i] = 5 + (double)i;
        }
    OF_SCRATCH(arena, NULL);
    of_view view[2] = {views_dense(M, D, x), views_sparse(&arena, M, D, x)};
    for (int v = 0; v < 2; v++) {
        of_partition partition =
            partition_of(arena.context, &arena, &view[v], OF_KERNEL_LINEAR, 3, H);
        assert_int_equal(partition.rank, 3);
        for (size_t r = 0; r < 3; r++)
            CHECK_CLOSE(H[(M - 1) * 3 + r], 0, 0, 0);
    }
}

/* Views in parallel, each on one thread: the same bits as on all threads. */
typedef struct nested {
    of_view view[6];
    of_context *context;
    double *H[6];
    size_t dims;
} nested;

static onefold_status work_view(void *task, size_t index)
{
    nested *all = task;
    OF_SCRATCH(arena, all->context);
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = all->dims, .tolerance = 1e-8};
    OF_TRY(of_kernel_make(all->context, &arena, &all->view[index], kinds[index % 3], &kernel));
    return of_partition_make(all->context, &arena, &kernel, of_partition_route(&kernel, &options),
                             &options, of_share_whole(all->H[index], all->dims), &partition);
}

static void views_can_be_worked_inside_a_team(void **state)
{
    (void)state;
    enum { M = 900, D = 40, K = 7 };
    nested all = {.dims = K};
    double *x[6], *alone = malloc(M * K * sizeof *alone);
    CHECK_OK(onefold_context_create(&all.context, NULL));
    CHECK_OK(onefold_context_set_threads(all.context, 3));
    for (int v = 0; v < 6; v++) {
        x[v] = clustered(M, D, 0, (uint64_t)v);
        all.view[v] = views_dense(M, D, x[v]);
        all.H[v] = malloc(M * K * sizeof *alone);
    }
    CHECK_OK(of_team_run(all.context, 6, work_view, &all));
    for (int v = 0; v < 6; v++) {
        OF_SCRATCH(arena, all.context);
        partition_of(all.context, &arena, &all.view[v], kinds[v % 3], K, alone);
        assert_memory_equal(alone, all.H[v], M * K * sizeof *alone);
        free(x[v]);
        free(all.H[v]);
    }
    free(alone);
    onefold_context_free(all.context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_that_say_nothing_have_rank_zero),
        cmocka_unit_test(one_column_and_repeated_samples_have_their_rank),
        cmocka_unit_test(as_many_rows_as_samples_and_more),
        cmocka_unit_test(values_that_cannot_be_squared_are_refused),
        cmocka_unit_test(the_rows_around_a_partition_are_left_alone),
        cmocka_unit_test(zero_samples_stay_finite),
        cmocka_unit_test(a_sample_in_the_middle_is_zero),
        cmocka_unit_test(views_can_be_worked_inside_a_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
