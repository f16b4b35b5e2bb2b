/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of time: they grow with the work of every route, and name the route that is taken; the
 * machine's rates are of the right order. bench measures their error. */
#include "partition/partition.h"

#include "linalg/blas.h"
#include "support/check.h"
#include "support/rates.h"

#include <math.h>
#include <stdlib.h>

static of_work measured(int threads)
{
    of_work rates, gpu;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    CHECK_OK(of_rates_measure(context, ONEFOLD_DOUBLE, &rates, &gpu));
    onefold_context_free(context);
    return rates;
}

static void rates_are_those_of_a_machine(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        of_work rates = measured(threads);
        const double all[] = {rates.product, rates.memory, rates.factor};
        for (size_t i = 0; i < 3; i++)
            assert_true(isfinite(all[i]) && all[i] > 1e6 && all[i] < 1e14);
    }
}

static void short_of_memory_they_are_measured_all_the_same(void **state)
{
    (void)state;
    of_work rates, gpu;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 2));
    CHECK_OK(onefold_context_set_memory_limit(context, 1 << 10));
    CHECK_OK(of_rates_measure(context, ONEFOLD_DOUBLE, &rates, &gpu));
    assert_true(rates.memory > 0 && gpu.factor == rates.factor);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

/* Clusters in noise, dense. */
static of_view made(size_t n, size_t d)
{
    double *x = malloc(n * d * sizeof *x);
    check_random(17, n + d, d, n, x);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < d; i++)
            x[j * d + i] += 3 * (double)((j % 5) * (i + 1) % 7);
    return (of_view){.name = "made",
                     .samples = n,
                     .columns = d,
                     .data = x,
                     .type = OF_F64,
                     .sample_step = d,
                     .column_step = 1};
}

typedef struct route_case {
    of_route route;
    of_kernel_kind kind;
    onefold_base base;
    size_t n, d;
} route_case;

static const route_case cases[] = {
    {OF_ROUTE_GRAM, OF_KERNEL_LINEAR, ONEFOLD_BASE_AUTO, 30000, 40},
    {OF_ROUTE_KRYLOV, OF_KERNEL_LINEAR, ONEFOLD_BASE_AUTO, 2500, 1200},
    {OF_ROUTE_DENSE, OF_KERNEL_RBF, ONEFOLD_BASE_AUTO, 1500, 30},
    {OF_ROUTE_TILES, OF_KERNEL_RBF, ONEFOLD_BASE_EXACT, 6000, 20},
    {OF_ROUTE_NYSTROM, OF_KERNEL_RBF, ONEFOLD_BASE_NYSTROM, 20000, 20},
};

static of_partition_estimate estimated(of_context *context, of_arena *arena, const of_view *view,
                                       const route_case *of, size_t dims, const of_work *rates,
                                       of_kernel *kernel)
{
    /* landmarks are given: by default, the route takes fewer where each costs more */
    of_partition_options options = {
        .dims = dims, .tolerance = 1e-8, .base = of->base, .landmarks = 300};
    CHECK_OK(of_kernel_make(context, arena, view, of->kind, kernel));
    of_partition_estimate estimate =
        of_partition_work(kernel, of_partition_route(kernel, &options), &options);
    estimate.seconds = of_work_seconds(&estimate.work, rates);
    assert_int_equal(estimate.route, of->route);
    assert_true(isfinite(estimate.seconds) && estimate.seconds > 0 && estimate.passes > 0);
    assert_int_equal(estimate.landmarks > 0, of->route == OF_ROUTE_NYSTROM);
    return estimate;
}

static void the_route_estimated_is_the_one_used(void **state)
{
    (void)state;
    enum { DIMS = 10 };
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    of_work rates, gpu;
    CHECK_OK(of_rates_measure(context, ONEFOLD_DOUBLE, &rates, &gpu));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OF_SCRATCH(scratch, context);
        of_view view = made(cases[c].n, cases[c].d);
        of_kernel kernel;
        of_partition_estimate estimate =
            estimated(context, &scratch, &view, &cases[c], DIMS, &rates, &kernel);
        of_partition_options options = {.dims = DIMS, .tolerance = 1e-8, .base = cases[c].base};
        of_partition partition;
        double *H;
        CHECK_OK(OF_NEW(&scratch, &H, DIMS, view.samples));
        CHECK_OK(of_partition_make(context, &scratch, &kernel,
                                   of_partition_route(&kernel, &options), &options,
                                   of_share_whole(H, DIMS), &partition));
        assert_int_equal(partition.route, estimate.route);
        free((void *)(uintptr_t)view.data);
    }
    onefold_context_free(context);
}

/* With the same rates: twice the samples, more dims, a slower machine. */
static void estimates_grow_with_the_work(void **state)
{
    (void)state;
    of_context *context = of_context_or_default(NULL);
    const of_work rates = rates_made,
                  slow = {rates.product / 2, rates.memory / 2, rates.factor / 2, 1};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OF_SCRATCH(scratch, context);
        route_case twice = cases[c], half = cases[c];
        half.n = twice.n / 2 < 5800 && twice.route == OF_ROUTE_TILES ? 5800 : twice.n / 2;
        of_view large = made(twice.n, twice.d), small = made(half.n, half.d);
        of_kernel kernel;
        double now = estimated(context, &scratch, &large, &twice, 10, &rates, &kernel).seconds,
               less = estimated(context, &scratch, &small, &half, 10, &rates, &kernel).seconds,
               more = estimated(context, &scratch, &large, &twice, 14, &rates, &kernel).seconds,
               slowly = estimated(context, &scratch, &large, &twice, 10, &slow, &kernel).seconds;
        assert_true(less < now && now < more);
        CHECK_CLOSE(slowly, 2 * now, 1e-12, 0);
        if (twice.route == OF_ROUTE_DENSE) /* n^2 at least */
            assert_true(now > 3 * less);
        free((void *)(uintptr_t)large.data);
        free((void *)(uintptr_t)small.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_a_machine),
        cmocka_unit_test(short_of_memory_they_are_measured_all_the_same),
        cmocka_unit_test(the_route_estimated_is_the_one_used),
        cmocka_unit_test(estimates_grow_with_the_work),
    };
    of_blas_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    of_blas_leave();
    return failed;
}
