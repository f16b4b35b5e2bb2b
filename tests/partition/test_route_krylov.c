/* SPDX-License-Identifier: Apache-2.0 */
/* The Krylov route of sparse features on the side of the columns and on that of the samples: the
 * same eigenvectors, to the tolerance, and the same bits for any number of threads. */
#include "partition/routes.h"

#include "oracle/literal_kernel.h"
#include "partition/routes_check.h"
#include "support/ranks.h"
#include "support/views.h"

enum { N = 430 };

/* Either side of the border between the two, against LAPACK on the literal kernel. */
static void both_sides_are_exact(void **state)
{
    (void)state;
    double *finished = malloc(N * N * sizeof *finished);
    for (size_t d = N / 2; d <= N / 2 + 1; d++) {
        OF_SCRATCH(arena, NULL);
        double *x = clustered(N, d, 1, 21);
        of_view view = views_sparse(&arena, N, d, x);
        of_kernel kernel;
        literal_tfidf_cosine(N, d, x, finished);
        literal_finish(N, 1e-12, finished);
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
        assert_int_equal(of_kernel_columns(&kernel), d);
        assert_int_equal(of_krylov_uses_features(&kernel), d <= N / 2);
        for (size_t rows = 1; rows <= 31; rows += 10)
            check_route(of_route_krylov, &kernel, finished, rows);
        free(x);
    }
    free(finished);
}

/* Enough samples for partial sums in a tree of 64 groups. */
static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { MANY = 70000, D = 24, ROWS = 5 };
    static const int threads[] = {1, 2, 3, 8};
    double *x = clustered(MANY, D, 1, 22), *H[4], value[4][ROWS];
    for (int t = 0; t < 4; t++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        H[t] = malloc(MANY * ROWS * sizeof *H[t]);
        {
            OF_SCRATCH(arena, context);
            of_view view = views_sparse(&arena, MANY, D, x);
            of_kernel kernel;
            CHECK_OK(of_kernel_make(context, &arena, &view, OF_KERNEL_COSINE, &kernel));
            of_route_work work = {.kernel = &kernel,
                                  .rows = ROWS,
                                  .tolerance = 1e-8,
                                  .H = of_share_whole(H[t], ROWS),
                                  .value = value[t]};
            assert_true(of_krylov_uses_features(&kernel));
            CHECK_OK(of_route_krylov(context, &work));
            assert_true(work.residual <= 1e-8 && work.rank == ROWS);
        }
        assert_memory_equal(H[t], H[0], MANY * ROWS * sizeof *H[t]);
        assert_memory_equal(value[t], value[0], sizeof value[0]);
        onefold_context_free(context);
    }
    for (int t = 0; t < 4; t++)
        free(H[t]);
    free(x);
}

typedef struct split_work {
    const double *x;
    double *H[3];
} split_work;

enum { SPLIT_D = N / 2 + 20, SPLIT_ROWS = 4 };

static onefold_status solve_on_rank(of_context *context, int rank, void *user)
{
    split_work *of = user;
    double value[SPLIT_ROWS];
    OF_SCRATCH(arena, context);
    of_view view = views_sparse(&arena, N, SPLIT_D, of->x);
    of_kernel kernel;
    OF_TRY(of_kernel_make(context, &arena, &view, OF_KERNEL_COSINE, &kernel));
    of_route_work work = {.kernel = &kernel,
                          .rows = SPLIT_ROWS,
                          .tolerance = 1e-8,
                          .H = of_share_whole(of->H[rank], SPLIT_ROWS),
                          .value = value};
    return of_route_krylov(context, &work);
}

/* Samples too few to be split, whatever is asked for: each process has all of them. */
static void few_samples_are_not_split(void **state)
{
    (void)state;
    double *x = clustered(N, SPLIT_D, 1, 23);
    split_work of = {.x = x};
    for (int r = 0; r < 3; r++)
        of.H[r] = calloc(N * SPLIT_ROWS, sizeof(double));
    ranks_run_ok(3, 1, 100, solve_on_rank, &of);
    for (int r = 1; r < 3; r++)
        assert_memory_equal(of.H[r], of.H[0], N * SPLIT_ROWS * sizeof(double));
    for (int r = 0; r < 3; r++)
        free(of.H[r]);
    free(x);
}

/* Equal samples are zero once centred. */
static void alike_samples_have_rank_zero(void **state)
{
    (void)state;
    enum { D = 9, ROWS = 3 };
    OF_SCRATCH(arena, NULL);
    static double x[N * D], H[N * ROWS], value[ROWS];
    for (size_t i = 0; i < N * D; i++)
        x[i] = i % D < 2 ? 3 : 0;
    of_view view = views_sparse(&arena, N, D, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_COSINE, &kernel));
    of_route_work work = {.kernel = &kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .H = of_share_whole(H, ROWS),
                          .value = value};
    memset(H, 1, sizeof H);
    CHECK_OK(of_route_krylov(arena.context, &work));
    assert_int_equal(work.rank, 0);
    for (size_t i = 0; i < N * ROWS; i++)
        assert_true(H[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_are_exact),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(few_samples_are_not_split),
        cmocka_unit_test(alike_samples_have_rank_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
