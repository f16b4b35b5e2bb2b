/* SPDX-License-Identifier: Apache-2.0 */
/* The route of a kernel, and that it takes the memory that was estimated. */
#include "partition/partition.h"

#include "partition/routes_check.h"
#include "support/ask.h"
#include "support/views.h"

/* The bytes of a route in a context that counts. */
static size_t count(of_context *context, of_route_run run, of_route_work work)
{
    OF_COUNTING(counting, context);
    work.value = NULL;
    work.H.held = NULL;
    CHECK_OK(run(counting, &work));
    assert_int_equal(atomic_load(&counting->bytes), 0);
    return of_count_peak(counting);
}

/* A route allocates the bytes that are counted, except for sizes that depend on the data. */
static void check_with(int threads, const of_view *view, of_kernel_kind kind, of_route_run run,
                       size_t rows)
{
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    double *H = malloc(rows * view->samples * sizeof *H), *value = malloc(rows * sizeof *value);
    {
        OF_SCRATCH(arena, context);
        of_kernel kernel;
        CHECK_OK(of_kernel_make(context, &arena, view, kind, &kernel));
        size_t before = atomic_load(&context->bytes);
        of_partition_options options = {.dims = rows};
        of_route_work work = {.kernel = &kernel,
                              .rows = rows,
                              .tolerance = 1e-8,
                              .options = &options,
                              .H = of_share_whole(H, rows),
                              .value = value};
        size_t bytes = count(context, run, work);
        assert_int_equal(atomic_load(&context->bytes), before);
        CHECK_OK(run(context, &work));
        size_t used = ask_peak(context) - before;
        if (used > bytes || (double)bytes > 1.2 * (double)used + 1e5)
            fail_msg("%zu x %zu, kernel %s, %d threads: planned %zu bytes and took %zu",
                     view->samples, view->columns, of_kernel_name(kind), threads, bytes, used);
    }
    free(H);
    free(value);
    onefold_context_free(context);
}

static void check_bytes(const of_view *view, of_kernel_kind kind, of_route_run run, size_t rows)
{
    for (int threads = check_everything() ? 1 : 7; threads <= 7; threads += 3)
        check_with(threads, view, kind, run, rows);
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
        check_bytes(&dense, OF_KERNEL_LINEAR, of_route_gram, rows);
        check_bytes(&narrow, OF_KERNEL_COSINE, of_route_gram, rows);
        check_bytes(&sparse, OF_KERNEL_AUTO, of_route_krylov, rows);
        check_bytes(&dense, OF_KERNEL_LINEAR, of_route_krylov, rows);
        check_bytes(&dense, OF_KERNEL_RBF, of_route_dense, rows);
        check_bytes(&sparse, OF_KERNEL_AUTO, of_route_dense, rows);
        check_bytes(&given, OF_KERNEL_AUTO, of_route_dense, rows);
        check_bytes(&given, OF_KERNEL_AUTO, of_route_tiles, rows);
        check_bytes(&dense, OF_KERNEL_RBF, of_route_tiles, rows);
        check_bytes(&sparse, OF_KERNEL_RBF, of_route_tiles, rows);
        check_bytes(&dense, OF_KERNEL_RBF, of_route_nystrom, rows);
        check_bytes(&sparse, OF_KERNEL_RBF, of_route_nystrom, rows);
    }
    free(x);
}

static void the_route_is_named(void **state)
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
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, cases[c].kind, &kernel));
        of_route route;
        of_partition_size size;
        route = of_partition_route(&kernel, &options);
        CHECK_OK(of_partition_bytes(NULL, &kernel, route, &options, &size));
        assert_int_equal(route, cases[c].route);
        assert_true(size.memory > 0);
        options.base = ONEFOLD_BASE_NYSTROM;
        route = of_partition_route(&kernel, &options);
        CHECK_OK(of_partition_bytes(NULL, &kernel, route, &options, &size));
        /* only rbf needs landmarks to be linear in the samples */
        assert_int_equal(route, cases[c].kind == OF_KERNEL_RBF ? OF_ROUTE_NYSTROM : cases[c].route);
    }
}

/* Above 256 MB an rbf kernel is not formed; a plan decides this from the shape alone. */
static void large_kernels_are_not_formed(void **state)
{
    (void)state;
    of_view view = {.storage = OF_DENSE, .samples = 6000, .columns = 10, .type = OF_F64};
    of_kernel kernel = {.kind = OF_KERNEL_RBF, .view = &view, .prep = {.columns = 10}};
    of_partition_options options = {.dims = 20, .tolerance = 1e-8, .base = ONEFOLD_BASE_EXACT};
    of_route route;
    of_partition_size size;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 2)); /* each has room of its own */
    route = of_partition_route(&kernel, &options);
    CHECK_OK(of_partition_bytes(context, &kernel, route, &options, &size));
    assert_int_equal(route, OF_ROUTE_TILES);
    assert_true(size.memory < 200u << 20);
    view.samples = 5700;
    route = of_partition_route(&kernel, &options);
    CHECK_OK(of_partition_bytes(context, &kernel, route, &options, &size));
    assert_int_equal(route, OF_ROUTE_DENSE);
    assert_true(size.memory < 350u << 20);
    view.storage = OF_KERNEL;
    view.samples = view.columns = 10000; /* given: formed at any size */
    kernel.kind = OF_KERNEL_PRECOMPUTED;
    route = of_partition_route(&kernel, &options);
    CHECK_OK(of_partition_bytes(context, &kernel, route, &options, &size));
    assert_int_equal(route, OF_ROUTE_DENSE);
    assert_true(size.memory > 800000000 && size.memory < 1200000000);
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_take_the_memory_they_say),
        cmocka_unit_test(the_route_is_named),
        cmocka_unit_test(large_kernels_are_not_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
