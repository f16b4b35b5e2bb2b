/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel matrices of every kind and storage against the literal ones. */
#include "kernel/kernel.h"

#include "oracle/literal_kernel.h"
#include "support/check.h"
#include "support/views.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 310, D = 23 }; /* more than one tile of samples */

typedef struct buffers {
    double x[D * N], k[N * N], literal[N * N];
} buffers;

static void check_matrices(const buffers *all, double tolerance)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            CHECK_CLOSE(all->k[j * N + i], all->literal[j * N + i], 0, tolerance);
            assert_memory_equal(&all->k[j * N + i], &all->k[i * N + j], sizeof(double));
        }
}

typedef void (*literal_kernel)(size_t n, size_t columns, const double *x, double *k);

/* Raw and finished matrix of one kind, from a dense and from a sparse view. */
static void check_kind(of_kernel_kind kind, literal_kernel literal, buffers *all, double scale)
{
    OF_SCRATCH(arena, NULL);
    of_view view[2] = {views_dense(N, D, all->x), views_sparse(&arena, N, D, all->x)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], kind, &kernel));
        assert_int_equal(kernel.kind, kind == OF_KERNEL_AUTO ? OF_KERNEL_COSINE : kind);
        literal(N, D, all->x, all->literal);
        CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, all->k));
        check_matrices(all, 1e-14 * scale);
        literal_finish(N, 1e-13 * scale, all->literal);
        CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_CENTRED_NORMALISED, all->k));
        check_matrices(all, 1e-12);
        for (size_t j = 0; j < N; j++)
            assert_true(all->k[j * N + j] == 1 || all->k[j * N + j] == 0);
    }
}

static buffers *random_buffers(void)
{
    buffers *all = malloc(sizeof *all);
    check_random(1, 0, D, N, all->x);
    return all;
}

static void linear_is_the_inner_product(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    check_kind(OF_KERNEL_LINEAR, literal_linear, all, 100);
    free(all);
}

static void cosine_is_that_of_unit_rows_and_zero_samples_stay_zero(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    memset(all->x + 5 * D, 0, D * sizeof *all->x);
    check_kind(OF_KERNEL_COSINE, literal_cosine, all, 1);
    free(all);
}

static void rbf_standardises_and_drops_constant_columns(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    for (size_t j = 0; j < N; j++) {
        all->x[j * D + 3] = 0;
        all->x[j * D + 7] = 0.1;
        all->x[j * D + 8] += 30;
        all->x[j * D + 9] *= 1e-100;
        all->x[j * D + 10] *= 1e100;
    }
    check_kind(OF_KERNEL_RBF, literal_rbf, all, 100);
    OF_SCRATCH(arena, NULL);
    of_view view = views_dense(N, D, all->x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    assert_int_equal(of_kernel_columns(&kernel), D - 2);
    assert_true(kernel.width == 2 * (D - 2));
    /* a dense column is shifted, so its offset costs no more than it costs the data */
    for (size_t j = 0; j < N; j++)
        all->x[j * D + 8] += 1e6;
    literal_rbf(N, D, all->x, all->literal);
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, all->k));
    check_matrices(all, 1e-13);
    free(all);
}

static void laplacian_is_of_distances(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    for (size_t j = 0; j < N; j++)
        all->x[j * D + 3] = 0;
    memcpy(all->x + 5 * D, all->x + 4 * D, D * sizeof *all->x);
    all->x[5 * D + 2] += 1e-3; /* nearly equal samples */
    check_kind(OF_KERNEL_LAPLACIAN, literal_laplacian, all, 100);
    free(all);
}

/* The columns of one category have variance 1 together, as a column of numbers has, and two words
 * are as far apart as any two others, however rare; a category of two words is as good as one
 * column. */
static void categories_weigh_as_one_column(void **state)
{
    (void)state;
    enum { S = 12, C = 4, WORDS = 3 };
    static const uint32_t unit[C] = {0, 7, 7, 7}, pair[3] = {0, 1, 1}, single[2] = {0, 1};
    static const size_t word[S] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2};
    double x[S * C] = {0}, two[S * 3], one[S * 2], k[S * S], other[S * S];
    OF_SCRATCH(arena, NULL);
    for (size_t j = 0; j < S; j++) {
        double number = (double)(j * j % 7);
        x[j * C] = two[j * 3] = one[j * 2] = number;
        x[j * C + 1 + word[j]] = 1;
        one[j * 2 + 1] = two[j * 3 + 1] = j % 3 == 0;
        two[j * 3 + 2] = j % 3 != 0;
    }
    of_view view = views_dense(S, C, x);
    view.column_unit = unit;
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
    assert_int_equal(kernel.prep.kind, OF_PREP_STANDARDISE);
    CHECK_CLOSE(kernel.width, 4, 1e-14, 0); /* twice the variance of a number and a category */
    assert_true(kernel.prep.scale[1] == kernel.prep.scale[2]);
    assert_true(kernel.prep.scale[2] == kernel.prep.scale[3]);
    double mean = 0; /* of the squared distances of all pairs in the category */
    for (size_t i = 0; i < S; i++)
        for (size_t j = 0; j < S; j++)
            mean +=
                word[i] == word[j] ? 0 : 2 * kernel.prep.scale[1] * kernel.prep.scale[1] / (S * S);
    CHECK_CLOSE(mean, 2, 1e-13, 0);
    of_view pairs = views_dense(S, 3, two), singles = views_dense(S, 2, one);
    pairs.column_unit = pair;
    singles.column_unit = single;
    CHECK_OK(of_kernel_make(arena.context, &arena, &pairs, OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, k));
    CHECK_OK(of_kernel_make(arena.context, &arena, &singles, OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, other));
    for (size_t i = 0; i < S * S; i++)
        CHECK_CLOSE(k[i], other[i], 1e-13, 0);
}

static void auto_takes_tfidf_then_cosine_of_counts_and_plain_cosine_with_signs(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    for (size_t i = 0; i < D * N; i++)
        all->x[i] = all->x[i] > 1 ? floor(3 * all->x[i]) : 0;
    memset(all->x + 17 * D, 0, D * sizeof *all->x);
    for (size_t j = 0; j < N; j++) {
        all->x[j * D + 4] = 2; /* in every sample, and in none */
        all->x[j * D + 5] = 0;
    }
    check_kind(OF_KERNEL_AUTO, literal_tfidf_cosine, all, 1);
    for (size_t i = 0; i < D * N; i++)
        all->x[i] = i % 3 ? all->x[i] : -all->x[i];
    check_kind(OF_KERNEL_AUTO, literal_cosine, all, 1);
    free(all);
}

static void literal_square(size_t n, size_t columns, const double *x, double *k)
{
    (void)columns;
    literal_graph(n, x, k);
}

/* A directed graph with weights, loops and lone vertices. */
static void graph_is_the_cosine_of_neighbourhoods(void **state)
{
    (void)state;
    enum { VERTICES = 120 };
    static double a[VERTICES * VERTICES], k[VERTICES * VERTICES], literal[VERTICES * VERTICES];
    check_random(3, 0, VERTICES, VERTICES, a);
    for (size_t j = 0; j < VERTICES; j++)
        for (size_t i = 0; i < VERTICES; i++) {
            double *entry = &a[j * VERTICES + i];
            *entry = *entry > 2 && i % 10 && j % 10 ? *entry : 0;
        }
    a[5 * VERTICES + 5] = 2;
    OF_SCRATCH(arena, NULL);
    of_view view[2] = {views_dense(VERTICES, VERTICES, a),
                       views_sparse(&arena, VERTICES, VERTICES, a)};
    for (int v = 0; v < 2; v++) {
        of_kernel kernel;
        CHECK_OK(of_kernel_make(arena.context, &arena, &view[v], OF_KERNEL_AUTO, &kernel));
        assert_int_equal(kernel.kind, OF_KERNEL_GRAPH);
        CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_CENTRED_NORMALISED, k));
        literal_square(VERTICES, VERTICES, a, literal);
        literal_finish(VERTICES, 1e-13, literal);
        for (size_t i = 0; i < VERTICES * VERTICES; i++)
            CHECK_CLOSE(k[i], literal[i], 0, 1e-13);
    }
}

static void a_given_kernel_is_read_as_its_symmetric_part(void **state)
{
    (void)state;
    enum { M = 45 };
    static double given[M * M], k[M * M];
    check_random(4, 0, M, M, given);
    of_view view = views_dense(M, M, given);
    view.storage = OF_KERNEL;
    OF_SCRATCH(arena, NULL);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
    assert_int_equal(kernel.kind, OF_KERNEL_PRECOMPUTED);
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, k));
    for (size_t j = 0; j < M; j++)
        for (size_t i = 0; i < M; i++)
            CHECK_CLOSE(k[j * M + i], (given[j * M + i] + given[i * M + j]) / 2, 1e-15, 1e-15);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    buffers *all = random_buffers();
    for (size_t i = 0; i < D * N; i++)
        all->x[i] = all->x[i] > 1 ? all->x[i] : 0;
    const of_kernel_kind kinds[] = {OF_KERNEL_LINEAR, OF_KERNEL_COSINE, OF_KERNEL_RBF,
                                    OF_KERNEL_AUTO};
    for (int storage = 0; storage < 2; storage++)
        for (int k = 0; k < 4; k++)
            for (int t = 0; t < 4; t++) {
                static const int threads[] = {1, 2, 3, 8};
                of_context *context;
                CHECK_OK(onefold_context_create(&context, NULL));
                CHECK_OK(onefold_context_set_threads(context, threads[t]));
                {
                    OF_SCRATCH(arena, context);
                    of_view view =
                        storage ? views_sparse(&arena, N, D, all->x) : views_dense(N, D, all->x);
                    of_kernel kernel;
                    CHECK_OK(of_kernel_make(context, &arena, &view, kinds[k], &kernel));
                    CHECK_OK(of_kernel_matrix(context, &kernel, OF_CENTRED_NORMALISED,
                                              t ? all->k : all->literal));
                }
                if (t)
                    assert_memory_equal(all->k, all->literal, sizeof all->k);
                onefold_context_free(context);
            }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_the_inner_product),
        cmocka_unit_test(cosine_is_that_of_unit_rows_and_zero_samples_stay_zero),
        cmocka_unit_test(rbf_standardises_and_drops_constant_columns),
        cmocka_unit_test(laplacian_is_of_distances),
        cmocka_unit_test(categories_weigh_as_one_column),
        cmocka_unit_test(auto_takes_tfidf_then_cosine_of_counts_and_plain_cosine_with_signs),
        cmocka_unit_test(graph_is_the_cosine_of_neighbourhoods),
        cmocka_unit_test(a_given_kernel_is_read_as_its_symmetric_part),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
