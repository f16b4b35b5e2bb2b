/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a trial estimates are those that the eigensolver then goes through, within a factor
 * of two, for spectra that fall off and flat ones, on the side of the samples and of the columns.
 */
#include "partition/partition_estimate.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "partition/route_krylov.h"
#include "support/check.h"

#include <math.h>

enum { DIMS = 8 };

/* `entries` ones in each of n rows. Of each row the share `own` lies in columns of its cluster, one
 * of `clusters`; the rest anywhere. */
static of_view made(of_arena *arena, size_t n, size_t d, size_t entries, size_t clusters,
                    double own)
{
    size_t *start;
    uint32_t *index;
    double *value;
    CHECK_OK(OF_NEW(arena, &start, n + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, n, entries));
    CHECK_OK(OF_NEW(arena, &value, n, entries));
    size_t stratum = d / entries;
    for (size_t j = 0; j < n; j++) {
        of_random random = of_random_make(3, OF_PURPOSE_TEST, j);
        for (size_t e = 0; e < entries; e++) { /* one in each of as many runs of columns: rising */
            size_t within = of_random_below(&random, stratum), part = stratum / clusters;
            if (of_random_uniform(&random) < own)
                within = (j % clusters) * part + within % part;
            index[j * entries + e] = (uint32_t)(e * stratum + within);
            value[j * entries + e] = 1;
        }
        start[j] = j * entries;
    }
    start[n] = n * entries;
    return (of_view){.name = "made",
                     .storage = OF_SPARSE,
                     .samples = n,
                     .columns = d,
                     .sparse = {n, d, start, index, value}};
}

typedef struct trial_case {
    const char *what;
    size_t n, d, entries, clusters;
    double own;
    int features_side;
} trial_case;

static const trial_case cases[] = {
    {"clusters, more columns than samples", 1500, 3000, 30, 4, 0.8, 0},
    {"clusters, fewer columns than samples", 4000, 600, 20, 4, 0.8, 1},
    {"clusters as many as dimensions", 3000, 1200, 30, 9, 0.7, 1},
    {"flat, more columns than samples", 1200, 2400, 20, 4, 0, 0},
    {"flat, fewer columns than samples", 20000, 4000, 20, 4, 0, 1},
    {"clusters in a flat bulk", 12000, 3000, 20, 3, 0.3, 1},
};

static double estimated(of_context *context, const of_kernel *kernel, size_t scratch)
{
    of_partition_options options = {.dims = DIMS, .tolerance = 1e-8};
    double rows = -1;
    CHECK_OK(of_eigen_trial_rows(context, kernel, &options, scratch, &rows));
    return rows;
}

static size_t taken(of_context *context, of_arena *arena, const of_kernel *kernel)
{
    of_route_work work = {.kernel = kernel, .rows = DIMS, .tolerance = 1e-8};
    CHECK_OK(of_share_make(arena, &work.H, DIMS, kernel->view->samples));
    CHECK_OK(OF_NEW(arena, &work.value, DIMS, 1));
    CHECK_OK(of_route_krylov(context, &work));
    assert_true(work.residual <= 1e-8);
    return work.basis_rows;
}

static void trials_come_within_a_factor_of_two(void **state)
{
    (void)state;
    of_context *context = of_context_or_default(NULL);
    double least = INFINITY, most = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const trial_case *of = &cases[c];
        OF_SCRATCH(scratch, context);
        of_view view = made(&scratch, of->n, of->d, of->entries, of->clusters, of->own);
        of_kernel kernel;
        CHECK_OK(of_kernel_make(context, &scratch, &view, OF_KERNEL_COSINE, 0, &kernel));
        assert_int_equal(of_krylov_uses_features(&kernel), of->features_side);
        double rows = estimated(context, &kernel, 0);
        size_t needed = taken(context, &scratch, &kernel);
        printf("%s: %.0f rows estimated, %zu taken\n", of->what, rows, needed);
        if (rows > 2 * (double)needed || (double)needed > 2 * rows)
            fail_msg("%s: %.0f rows were estimated, and %zu taken", of->what, rows, needed);
        least = fmin(least, (double)needed);
        most = fmax(most, (double)needed);
    }
    assert_true(most > 5 * least); /* or one number for all would do */
}

/* Three kinds of samples make a kernel of rank two: the trial is all there is to do. */
static void a_trial_that_converges_knows(void **state)
{
    (void)state;
    of_context *context = of_context_or_default(NULL);
    OF_SCRATCH(scratch, context);
    of_view view = made(&scratch, 2000, 600, 200, 3, 1);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(context, &scratch, &view, OF_KERNEL_COSINE, 0, &kernel));
    assert_int_equal((size_t)estimated(context, &kernel, 0), taken(context, &scratch, &kernel));
}

/* Where memory does not reach, the assumption stays; and threads change nothing. */
static void memory_and_threads(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    double rows[2];
    {
        OF_SCRATCH(scratch, context);
        of_view view = made(&scratch, 3000, 500, 20, 4, 0.5);
        of_kernel kernel;
        CHECK_OK(of_kernel_make(context, &scratch, &view, OF_KERNEL_COSINE, 0, &kernel));
        for (int i = 0; i < 2; i++) {
            CHECK_OK(onefold_context_set_threads(context, i ? 3 : 1));
            rows[i] = estimated(context, &kernel, 0);
        }
        assert_true(rows[0] > 0 && rows[0] == rows[1]);
        CHECK_OK(onefold_context_set_memory_limit(context, (size_t)100 << 20));
        assert_true(estimated(context, &kernel, (size_t)100 << 20) == -1);
    }
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_come_within_a_factor_of_two),
        cmocka_unit_test(a_trial_that_converges_knows),
        cmocka_unit_test(memory_and_threads),
    };
    of_blas_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    of_blas_leave();
    return failed;
}
