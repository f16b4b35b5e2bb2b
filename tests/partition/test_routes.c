/* SPDX-License-Identifier: Apache-2.0 */
/* Every route to a base partition against LAPACK on the literal kernel, on synthetic data. */
#include "partition/routes_check.h"

#include "oracle/literal_kernel.h"
#include "partition/routes.h"
#include "support/views.h"

enum { N = 430, D = 31 };

typedef void (*literal_kernel)(size_t n, size_t columns, const double *x, double *k);

static void check_linear_routes(of_kernel_kind kind, literal_kernel literal, int sparse)
{
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N, D, sparse, 1), *finished = malloc(N * N * sizeof *finished);
    literal(N, D, x, finished);
    literal_finish(N, 1e-12, finished);
    of_view view[2] = {views_dense(N, D, x), views_sparse(&arena, N, D, x)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], kind, &kernel));
        for (size_t rows = 1; rows <= 41; rows += 20) { /* also more than D, the rank */
            check_route(of_route_gram, &kernel, finished, rows);
            check_route(of_route_krylov, &kernel, finished, rows);
            check_route(of_route_dense, &kernel, finished, rows);
        }
    }
    free(x);
    free(finished);
}

static void linear_by_gram_krylov_and_dense(void **state)
{
    (void)state;
    check_linear_routes(OF_KERNEL_LINEAR, literal_linear, 0);
}

static void cosine_by_gram_krylov_and_dense(void **state)
{
    (void)state;
    check_linear_routes(OF_KERNEL_COSINE, literal_cosine, 0);
}

static void tfidf_by_gram_krylov_and_dense(void **state)
{
    (void)state;
    check_linear_routes(OF_KERNEL_AUTO, literal_tfidf_cosine, 1);
}

/* Clustered samples whose columns count less and less. */
static double *falling(size_t columns, int stream)
{
    double *x = clustered(N, columns, 0, stream);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < columns; i++)
            x[j * columns + i] *= i < 15 ? pow(0.7, (double)i) : 1e-4;
    return x;
}

/* The mean of the finished kernels of two views, by the Gram matrix of all their columns. */
static void check_mean_of_two(size_t first, size_t second)
{
    enum { ROWS = 12 };
    const double weights[] = {0.3, 0.7};
    OF_SCRATCH(arena, NULL);
    size_t columns[2] = {first, second};
    double *x[2] = {falling(first, 1), falling(second, 2)}, *mean = calloc(N * N, sizeof *mean),
           *one = malloc(N * N * sizeof *one), *H = malloc(N * ROWS * sizeof *H), value[ROWS],
           sign[ROWS];
    of_view view[2];
    of_kernel kernel[2];
    for (int v = 0; v < 2; v++) {
        view[v] = views_dense(N, columns[v], x[v]);
        literal_linear(N, columns[v], x[v], one);
        literal_finish(N, 1e-12, one);
        for (size_t i = 0; i < N * N; i++)
            mean[i] += one[i] * weights[v];
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], OF_KERNEL_LINEAR, &kernel[v]));
    }
    of_route_work work = {.kernel = kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .H = of_share_whole(H, ROWS),
                          .value = value};
    CHECK_OK(of_gram_make(arena.context, 2, kernel, weights, &work));
    CHECK_OK(of_sign_rows(of_context_or_default(NULL), N, ROWS, work.H, sign));
    check_partition(N, mean, ROWS, work.rank, value, H, 1e-8);
    assert_true(work.residual < 1e-8);
    for (int v = 0; v < 2; v++)
        free(x[v]);
    free(mean);
    free(one);
    free(H);
}

/* The second time a tile of both views has fewer samples than one of a view alone. */
static void the_mean_of_two_kernels_by_gram(void **state)
{
    (void)state;
    check_mean_of_two(D, 9);
    check_mean_of_two(200, 210);
}

/* So many columns that their Gram matrix goes to the block eigensolver, and eigenvalues that fall
 * by five orders: what is small in it must still be exact in K. */
static void gram_of_many_columns(void **state)
{
    (void)state;
    enum { MANY = 500, COLUMNS = 400 };
    OF_SCRATCH(arena, NULL);
    double *x = clustered(MANY, COLUMNS, 0, 5), *finished = malloc(MANY * MANY * sizeof *finished);
    for (size_t j = 0; j < MANY; j++)
        for (size_t i = 0; i < COLUMNS; i++)
            x[j * COLUMNS + i] *= i < 15 ? pow(0.7, (double)i) : 1e-4;
    literal_linear(MANY, COLUMNS, x, finished);
    literal_finish(MANY, 1e-12, finished);
    of_view view = views_dense(MANY, COLUMNS, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_LINEAR, &kernel));
    check_route(of_route_gram, &kernel, finished, 15);
    check_route(of_route_krylov, &kernel, finished, 15);
    free(x);
    free(finished);
}

/* Columns far from zero: centring must not lose digits. */
static void large_means_cost_no_digits(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N, D, 0, 4), *shifted = malloc(N * D * sizeof *shifted),
           *finished = malloc(N * N * sizeof *finished);
    for (size_t i = 0; i < N * D; i++) {
        x[i] = floor(x[i] * 1e6) / 1e6; /* so that adding and subtracting 2^20 is exact */
        x[i] = (x[i] + 0x1p20) - 0x1p20;
        shifted[i] = x[i] + 0x1p20;
    }
    literal_linear(N, D, x, finished);
    literal_finish(N, 1e-12, finished);
    of_view view = views_dense(N, D, shifted);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_LINEAR, &kernel));
    check_route(of_route_gram, &kernel, finished, 8);
    check_route(of_route_krylov, &kernel, finished, 8);
    check_route(of_route_dense, &kernel, finished, 8);
    free(x);
    free(shifted);
    free(finished);
}

static void rbf_by_dense_and_tiles_of_dense_and_sparse_features(void **state)
{
    (void)state;
    enum { MANY = 560 }; /* several pairs of tiles */
    OF_SCRATCH(arena, NULL);
    double *x = clustered(MANY, D, 0, 2), *finished = malloc(MANY * MANY * sizeof *finished);
    literal_rbf(MANY, D, x, finished);
    literal_finish(MANY, 1e-12, finished);
    of_view view[2] = {views_dense(MANY, D, x), views_sparse(&arena, MANY, D, x)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], OF_KERNEL_RBF, &kernel));
        for (size_t rows = 1; rows <= 45; rows += 22) {
            check_route(of_route_dense, &kernel, finished, rows);
            check_route(of_route_tiles, &kernel, finished, rows);
        }
    }
    free(x);
    free(finished);
}

/* A given kernel, and the same times a factor and plus a constant. */
static void a_given_kernel_by_dense(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N, 200, 0, 3), *given = malloc(N * N * sizeof *given),
           *finished = malloc(N * N * sizeof *finished);
    literal_linear(N, 200, x, given);
    memcpy(finished, given, N * N * sizeof *given);
    literal_finish(N, 1e-9, finished);
    for (int scaled = 0; scaled < 2; scaled++) {
        for (size_t i = 0; scaled && i < N * N; i++)
            given[i] = 1e-5 * (given[i] + 1e3);
        of_view view = views_dense(N, N, given);
        view.storage = OF_KERNEL;
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
        check_route(of_route_dense, &kernel, finished, 9);
    }
    free(x);
    free(given);
    free(finished);
}

/* Communities, many lone vertices and many pairs: eigenvalues that occur again and again. */
static void a_graph_by_krylov_and_dense(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *a = calloc(N * N, sizeof *a), *finished = malloc(N * N * sizeof *finished);
    for (size_t j = 0; j < 200; j++)
        for (size_t i = 0; i < j; i++)
            a[j * N + i] = j % 5 == i % 5 && (i * 31 + j * 17) % 4 == 0 ? 1 + (double)(j % 2) : 0;
    for (size_t j = 200; j + 1 < 400; j += 2)
        a[j * N + j + 1] = 1;
    literal_graph(N, a, finished);
    literal_finish(N, 1e-12, finished);
    of_view view[2] = {views_dense(N, N, a), views_sparse(&arena, N, N, a)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], OF_KERNEL_AUTO, &kernel));
        assert_int_equal(kernel.kind, OF_KERNEL_GRAPH);
        for (size_t rows = 4; rows <= 34; rows += 15) {
            check_route(of_route_krylov, &kernel, finished, rows);
            check_route(of_route_dense, &kernel, finished, rows);
        }
    }
    free(a);
    free(finished);
}

typedef struct route_case {
    of_view view;
    of_kernel_kind kind;
    of_route_run run;
} route_case;

static onefold_status run_case(of_context *context, of_arena *arena, const route_case *c,
                               size_t rows, double *H, double *value)
{
    of_kernel kernel;
    OF_TRY(of_kernel_make(context, arena, &c->view, c->kind, &kernel));
    of_route_work work = {.kernel = &kernel,
                          .rows = rows,
                          .tolerance = 1e-8,
                          .H = of_share_whole(H, rows),
                          .value = value};
    OF_TRY(c->run(context, &work));
    assert_true(work.residual <= 1e-8);
    return ONEFOLD_OK;
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { MANY = 1100, K = 9 };
    OF_SCRATCH(arena, NULL);
    double *x = clustered(MANY, D, 1, 7), *first = malloc(MANY * K * sizeof *first),
           *again = malloc(MANY * K * sizeof *again), value[K];
    of_view dense = views_dense(MANY, D, x), sparse = views_sparse(&arena, MANY, D, x);
    const route_case cases[] = {
        {dense, OF_KERNEL_LINEAR, of_route_gram},   {sparse, OF_KERNEL_AUTO, of_route_gram},
        {dense, OF_KERNEL_LINEAR, of_route_krylov}, {sparse, OF_KERNEL_AUTO, of_route_krylov},
        {dense, OF_KERNEL_RBF, of_route_dense},     {dense, OF_KERNEL_RBF, of_route_tiles},
        {sparse, OF_KERNEL_RBF, of_route_tiles},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 4; t++) {
            static const int threads[] = {1, 2, 3, 8};
            of_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            {
                OF_SCRATCH(kernels, context);
                CHECK_OK(run_case(context, &kernels, &cases[c], K, t ? again : first, value));
            }
            if (t)
                assert_memory_equal(first, again, MANY * K * sizeof *first);
            onefold_context_free(context);
        }
    free(x);
    free(first);
    free(again);
}

/* Every allocation on the way to a partition fails once, by every route. */
static void running_out_of_memory_is_an_error_and_no_more(void **state)
{
    (void)state;
    enum { M = 50, K = 4 };
    double *x = clustered(M, D, 1, 9), H[M * K], value[K];
    OF_SCRATCH(data, NULL);
    of_view dense = views_dense(M, D, x), sparse = views_sparse(&data, M, D, x);
    const route_case cases[] = {
        {dense, OF_KERNEL_LINEAR, of_route_gram},  {dense, OF_KERNEL_LINEAR, of_route_krylov},
        {sparse, OF_KERNEL_AUTO, of_route_krylov}, {dense, OF_KERNEL_RBF, of_route_dense},
        {dense, OF_KERNEL_RBF, of_route_tiles},    {sparse, OF_KERNEL_RBF, of_route_tiles},
    };
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        long failed = 0;
        for (onefold_status status = ONEFOLD_FAULT; status != ONEFOLD_OK; failed++) {
            OF_SCRATCH(arena, context);
            atomic_store(&context->allocations_until_failure, failed);
            status = run_case(context, &arena, &cases[c], K, H, value);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
            atomic_store(&context->allocations_until_failure, -1);
        }
        assert_true(failed > 3);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    onefold_context_free(context);
    free(x);
}

static int stop_after(void *user)
{
    return __atomic_sub_fetch((int *)user, 1, __ATOMIC_RELAXED) < 0;
}

static void the_cancel_hook_stops_every_route(void **state)
{
    (void)state;
    enum { M = 400, K = 4 };
    double *x = clustered(M, D, 0, 10), *H = malloc(M * K * sizeof *H), value[K];
    int left = 0;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &left;
    hooks.cancel = stop_after;
    of_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_context_set_threads(context, 1));
    of_view view = views_dense(M, D, x);
    const route_case cases[] = {{view, OF_KERNEL_LINEAR, of_route_gram},
                                {view, OF_KERNEL_LINEAR, of_route_krylov},
                                {view, OF_KERNEL_RBF, of_route_dense},
                                {view, OF_KERNEL_RBF, of_route_tiles}};
    for (int c = 0; c < 4; c++)
        for (int calls = 0; calls < 4; calls++) {
            OF_SCRATCH(arena, context);
            left = calls;
            CHECK_FAILS(run_case(context, &arena, &cases[c], K, H, value), ONEFOLD_INTERRUPTED,
                        "interrupted");
        }
    onefold_context_free(context);
    free(x);
    free(H);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_by_gram_krylov_and_dense),
        cmocka_unit_test(cosine_by_gram_krylov_and_dense),
        cmocka_unit_test(tfidf_by_gram_krylov_and_dense),
        cmocka_unit_test(the_mean_of_two_kernels_by_gram),
        cmocka_unit_test(gram_of_many_columns),
        cmocka_unit_test(large_means_cost_no_digits),
        cmocka_unit_test(rbf_by_dense_and_tiles_of_dense_and_sparse_features),
        cmocka_unit_test(a_given_kernel_by_dense),
        cmocka_unit_test(a_graph_by_krylov_and_dense),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_no_more),
        cmocka_unit_test(the_cancel_hook_stops_every_route),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
