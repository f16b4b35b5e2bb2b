/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions as their callers see them: edge cases, signs, plans, calls inside a team. */
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
    CHECK_OK(of_kernel_make(context, arena, view, kind, 0, &kernel));
    CHECK_OK(of_partition_make(context, arena, &kernel, &options, H, dims, &partition));
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
            CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], kinds[k], 0, &kernel));
            CHECK_OK(of_partition_make(arena.context, &arena, &kernel, &options, tall + ABOVE, TALL,
                                       &partition));
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

/* Every third sample has not a word in it. */
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

/* What a route takes is what its plan says, within a few percent and some fixed room. */
static void check_bytes(const of_view *view, of_kernel_kind kind, of_route_run run,
                        size_t (*bytes_of)(const of_kernel *kernel, size_t rows), size_t rows)
{
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    double *H = malloc(rows * view->samples * sizeof *H), *value = malloc(rows * sizeof *value);
    {
        OF_SCRATCH(arena, context);
        of_kernel kernel;
        CHECK_OK(of_kernel_make(context, &arena, view, kind, 0, &kernel));
        size_t bytes = bytes_of(&kernel, rows), before = atomic_load(&context->bytes);
        of_route_work work = {.kernel = &kernel,
                              .rows = rows,
                              .tolerance = 1e-8,
                              .H = H,
                              .ldh = rows,
                              .value = value};
        CHECK_OK(run(context, &work));
        size_t used = onefold_context_peak_bytes(context) - before;
        if ((double)used > 1.03 * (double)bytes + 1e5 || (double)bytes > 1.5 * (double)used + 1e6)
            fail_msg("%zu x %zu, kernel %s: planned %zu bytes and took %zu", view->samples,
                     view->columns, of_kernel_name(kind), bytes, used);
    }
    free(H);
    free(value);
    onefold_context_free(context);
}

static void routes_take_the_memory_they_say(void **state)
{
    (void)state;
    enum { N = 1100, D = 400 };
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N, N, 1, 12);
    of_view dense = views_dense(N, D, x), sparse = views_sparse(&arena, N, D, x),
            given = views_dense(N, N, x), narrow = views_dense(N, 20, x);
    given.storage = OF_KERNEL;
    for (size_t rows = 5; rows <= 45; rows += 40) {
        check_bytes(&dense, OF_KERNEL_LINEAR, of_route_gram, of_route_gram_bytes, rows);
        check_bytes(&narrow, OF_KERNEL_COSINE, of_route_gram, of_route_gram_bytes, rows);
        check_bytes(&sparse, OF_KERNEL_AUTO, of_route_krylov, of_route_krylov_bytes, rows);
        check_bytes(&dense, OF_KERNEL_LINEAR, of_route_krylov, of_route_krylov_bytes, rows);
        check_bytes(&dense, OF_KERNEL_RBF, of_route_dense, of_route_dense_bytes, rows);
        check_bytes(&sparse, OF_KERNEL_AUTO, of_route_dense, of_route_dense_bytes, rows);
        check_bytes(&given, OF_KERNEL_AUTO, of_route_dense, of_route_dense_bytes, rows);
        check_bytes(&given, OF_KERNEL_AUTO, of_route_tiles, of_route_tiles_bytes, rows);
        check_bytes(&dense, OF_KERNEL_RBF, of_route_tiles, of_route_tiles_bytes, rows);
        check_bytes(&sparse, OF_KERNEL_RBF, of_route_tiles, of_route_tiles_bytes, rows);
    }
    free(x);
}

static void the_plan_names_the_route(void **state)
{
    (void)state;
    static double x[600 * 1500];
    check_random(8, 0, 1500, 600, x);
    const struct {
        size_t n, d, dims;
        of_kernel_kind kind;
        int sparse;
        of_route route;
    } cases[] = {
        {600, 20, 8, OF_KERNEL_LINEAR, 0, OF_ROUTE_GRAM},
        {600, 20, 8, OF_KERNEL_COSINE, 1, OF_ROUTE_GRAM},
        {600, 1500, 8, OF_KERNEL_COSINE, 1, OF_ROUTE_KRYLOV},
        {600, 1500, 8, OF_KERNEL_LINEAR, 0, OF_ROUTE_KRYLOV},
        {600, 1500, 30, OF_KERNEL_LINEAR, 0, OF_ROUTE_DENSE},
        {600, 30, 8, OF_KERNEL_RBF, 0, OF_ROUTE_DENSE},
        {200, 1500, 8, OF_KERNEL_COSINE, 1, OF_ROUTE_DENSE},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OF_SCRATCH(arena, NULL);
        of_view view = cases[c].sparse ? views_sparse(&arena, cases[c].n, cases[c].d, x)
                                       : views_dense(cases[c].n, cases[c].d, x);
        of_kernel kernel;
        of_partition_options options = {.dims = cases[c].dims, .tolerance = 1e-8};
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, cases[c].kind, 0, &kernel));
        of_route route;
        size_t bytes;
        CHECK_OK(of_partition_plan(&kernel, &options, &route, &bytes));
        assert_int_equal(route, cases[c].route);
        assert_true(bytes > 0);
        options.base = ONEFOLD_BASE_NYSTROM;
        CHECK_FAILS(of_partition_plan(&kernel, &options, &route, &bytes), ONEFOLD_UNSUPPORTED,
                    "Nystrom");
    }
}

/* Above 256 MB an rbf kernel is not formed, and a plan says so from the shape alone. */
static void large_kernels_are_not_formed(void **state)
{
    (void)state;
    of_view view = {.storage = OF_DENSE, .samples = 6000, .columns = 10, .type = OF_F64};
    of_kernel kernel = {.kind = OF_KERNEL_RBF, .view = &view, .prep = {.columns = 10}};
    of_partition_options options = {.dims = 20, .tolerance = 1e-8};
    of_route route;
    size_t bytes;
    CHECK_OK(of_partition_plan(&kernel, &options, &route, &bytes));
    assert_int_equal(route, OF_ROUTE_TILES);
    assert_true(bytes < 200u << 20);
    view.samples = 5700;
    CHECK_OK(of_partition_plan(&kernel, &options, &route, &bytes));
    assert_int_equal(route, OF_ROUTE_DENSE);
    assert_true(bytes < 350u << 20);
    view.storage = OF_KERNEL;
    view.samples = view.columns = 100000; /* given: read in strips */
    kernel.kind = OF_KERNEL_PRECOMPUTED;
    CHECK_OK(of_partition_plan(&kernel, &options, &route, &bytes));
    assert_int_equal(route, OF_ROUTE_DENSE);
    assert_true(bytes < 800u << 20);
}

/* Views worked side by side: each on one thread, with the same bits as on all of them. */
typedef struct nested {
    of_view view[6];
    of_context *context;
    double *H[6];
    size_t dims;
} nested;

static onefold_status work_view(void *task, size_t index, int worker)
{
    (void)worker;
    nested *all = task;
    OF_SCRATCH(arena, all->context);
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = all->dims, .tolerance = 1e-8};
    OF_TRY(of_kernel_make(all->context, &arena, &all->view[index], kinds[index % 3], 0, &kernel));
    return of_partition_make(all->context, &arena, &kernel, &options, all->H[index], all->dims,
                             &partition);
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
        cmocka_unit_test(the_rows_around_a_partition_are_left_alone),
        cmocka_unit_test(zero_samples_stay_finite),
        cmocka_unit_test(a_sample_in_the_middle_is_zero),
        cmocka_unit_test(routes_take_the_memory_they_say),
        cmocka_unit_test(the_plan_names_the_route),
        cmocka_unit_test(large_kernels_are_not_formed),
        cmocka_unit_test(views_can_be_worked_inside_a_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
