/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels, what `auto` picks, what is refused, and running out of memory. */
#include "kernel/kernel.h"

#include "support/check.h"
#include "support/views.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void names_are_read_and_mistyped_ones_get_a_suggestion(void **state)
{
    (void)state;
    of_kernel_kind kind;
    for (int k = OF_KERNEL_AUTO; k < OF_KERNEL_KINDS; k++) {
        CHECK_OK(of_kernel_parse(&kind, of_kernel_name((of_kernel_kind)k)));
        assert_int_equal(kind, k);
    }
    CHECK_FAILS(of_kernel_parse(&kind, "cosin"), ONEFOLD_USAGE, "\"cosin\"");
    assert_non_null(strstr(onefold_last_hint(), "\"cosine\""));
    CHECK_FAILS(of_kernel_parse(&kind, "zzzz"), ONEFOLD_USAGE, "zzzz");
    assert_non_null(strstr(onefold_last_hint(), "precomputed"));
}

/* Every kind up to the last that models store has all that its row promises; those after it, and
 * `auto`, stand for one of these. */
static void rows_are_complete(void **state)
{
    (void)state;
    for (int k = OF_KERNEL_AUTO; k < OF_KERNEL_KINDS; k++) {
        const of_kernel_row *row = of_kernel_rows[k];
        assert_non_null(row);
        assert_non_null(row->name);
        assert_int_equal(row->prepare != NULL, k != OF_KERNEL_AUTO && k <= OF_KERNEL_LAST);
        assert_int_equal(row->values != NULL, row->entries == OF_ENTRIES_DISTANCES);
        assert_false(row->has_landmarks && row->values != of_exp);
        assert_false(row->entries == OF_ENTRIES_GIVEN && !row->is_square);
        for (int other = 0; other < k; other++)
            assert_string_not_equal(row->name, of_kernel_rows[other]->name);
    }
    assert_int_equal(OF_KERNEL_LAST + 1, OF_KERNEL_KNN);
}

/* A view whose first `filled` entries of every ten are `value`. */
static of_kernel_kind choice(size_t samples, size_t columns, int filled, double value,
                             of_storage storage)
{
    static double x[300 * 300];
    for (size_t i = 0; i < samples * columns; i++)
        x[i] = (int)(i * 7 % 10) < filled ? value + (double)(i % 3) : 0;
    OF_SCRATCH(arena, NULL);
    of_view view = storage == OF_SPARSE ? views_sparse(&arena, samples, columns, x)
                                        : views_dense(samples, columns, x);
    view.storage = storage;
    const char *reason = NULL;
    of_kernel_kind kind = of_auto_kernel(&view, &reason);
    assert_non_null(reason);
    return kind;
}

static void auto_looks_at_storage_shape_signs_and_density(void **state)
{
    (void)state;
    assert_int_equal(choice(50, 50, 10, 1, OF_KERNEL), OF_KERNEL_PRECOMPUTED);
    for (int storage = OF_DENSE; storage <= OF_SPARSE; storage++) {
        of_storage s = (of_storage)storage;
        assert_int_equal(choice(300, 200, 2, 1, s), OF_KERNEL_COSINE);
        if (s == OF_DENSE)
            assert_int_equal(choice(200, 200, 2, 1, s), OF_KERNEL_GRAPH);
        assert_int_equal(choice(300, 200, 3, 1, s), OF_KERNEL_RBF);
        assert_int_equal(choice(200, 200, 9, 1, s), OF_KERNEL_RBF);
        assert_int_equal(choice(300, 200, 2, -1.5, s), OF_KERNEL_COSINE);
        assert_int_equal(choice(200, 200, 2, -1.5, s), OF_KERNEL_COSINE);
    }
}

/* A square sparse view of n samples, an entry in a hundred: words (any of the columns), links that
 * go both ways, links one in four of which is returned, and links to earlier samples only. */
static of_kernel_kind square(of_arena *arena, size_t n, char how)
{
    static double x[300 * 300], at[300 * 300];
    check_random(31, (unsigned)how, n, n, at);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = fabs(at[i * n + j]) < 0.03;
    for (size_t i = 0; i < n && how != 'w'; i++)
        for (size_t j = 0; j <= i; j++)
            if (how == 'c' || (how == 'r' && (i + j) % 4))
                x[j * n + i] = 0;
            else
                x[j * n + i] = x[i * n + j];
    of_view view = views_sparse(arena, n, n, x);
    const char *reason;
    return of_auto_kernel(&view, &reason);
}

static void a_square_view_whose_columns_are_not_its_samples_is_no_graph(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    assert_int_equal(square(&arena, 300, 'w'), OF_KERNEL_COSINE);
    assert_int_equal(square(&arena, 300, 'b'), OF_KERNEL_GRAPH);
    assert_int_equal(square(&arena, 300, 'r'), OF_KERNEL_GRAPH);
    assert_int_equal(square(&arena, 300, 'c'), OF_KERNEL_GRAPH);
    assert_int_equal(square(&arena, 20, 'w'), OF_KERNEL_GRAPH); /* too few to tell */
}

static void kernels_that_do_not_suit_a_view_are_refused(void **state)
{
    (void)state;
    static double x[20 * 20];
    check_random(1, 0, 20, 20, x);
    OF_SCRATCH(arena, NULL);
    of_view view = views_dense(20, 15, x), given = views_dense(20, 20, x);
    given.storage = OF_KERNEL;
    of_kernel kernel;
    CHECK_FAILS(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_GRAPH, &kernel),
                ONEFOLD_USAGE, "20 samples and 15 columns");
    CHECK_FAILS(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_PRECOMPUTED, &kernel),
                ONEFOLD_USAGE, "\"precomputed\"");
    CHECK_FAILS(of_kernel_make(arena.context, &arena, &given, OF_KERNEL_RBF, &kernel),
                ONEFOLD_USAGE, "is a kernel already");
    view.columns = (size_t)INT_MAX + 1;
    for (of_kernel_kind kind = OF_KERNEL_AUTO; kind <= OF_KERNEL_RBF; kind++)
        CHECK_FAILS(of_kernel_make(arena.context, &arena, &view, kind, &kernel),
                    ONEFOLD_UNSUPPORTED, "2147483648 columns, more than 2147483647");
    view.columns = 15;
    x[7] = 1e200;
    CHECK_FAILS(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel),
                ONEFOLD_BAD_DATA, "column 8");
}

/* Every allocation of making a kernel and its matrix fails once, and nothing is left behind. */
static void running_out_of_memory_is_an_error_and_no_more(void **state)
{
    (void)state;
    enum { N = 40, D = 40 };
    static double x[N * D], matrix[N * N];
    check_random(2, 0, D, N, x);
    for (size_t i = 0; i < N * D; i++)
        x[i] = x[i] > 0.8 ? x[i] : 0;
    const of_kernel_kind kinds[] = {OF_KERNEL_LINEAR, OF_KERNEL_COSINE, OF_KERNEL_RBF,
                                    OF_KERNEL_GRAPH,  OF_KERNEL_AUTO,   OF_KERNEL_PRECOMPUTED};
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    OF_SCRATCH(data, NULL);
    of_view sparse = views_sparse(&data, N, D, x), dense = views_dense(N, D, x);
    for (int v = 0; v < 2; v++)
        for (int k = 0; k < 6; k++) {
            long failed = 0;
            for (onefold_status status = ONEFOLD_FAULT; status != ONEFOLD_OK; failed++) {
                OF_SCRATCH(arena, context);
                of_kernel kernel;
                atomic_store(&context->allocations_until_failure, failed);
                status = of_kernel_make(context, &arena, v ? &sparse : &dense, kinds[k], &kernel);
                if (status == ONEFOLD_OK)
                    status = of_kernel_matrix(context, &kernel, OF_CENTRED_NORMALISED, matrix);
                assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
                atomic_store(&context->allocations_until_failure, -1);
            }
            assert_true(failed > 1);
            assert_int_equal(atomic_load(&context->bytes), 0);
        }
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_and_mistyped_ones_get_a_suggestion),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(auto_looks_at_storage_shape_signs_and_density),
        cmocka_unit_test(a_square_view_whose_columns_are_not_its_samples_is_no_graph),
        cmocka_unit_test(kernels_that_do_not_suit_a_view_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
