/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a kernel: missing ones are removed from rows and columns of kernels and graphs,
 * and from rows of features. */
#include "data/dataset.h"

#include "kernel/kernel.h"
#include "support/check.h"
#include "support/views.h"

#include <string.h>

enum { N = 20, LEFT = 15 };

static void samples_are_left_out_on_the_sides_they_are(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double x[N * N];
    uint8_t keep[N];
    for (size_t j = 0; j < N; j++) { /* a ring, by itself sparse, square and symmetric */
        keep[j] = j % 4 != 1;
        for (size_t i = 0; i < N; i++)
            x[j * N + i] = (j + 1) % N == i || (i + 1) % N == j;
    }
    of_view sparse = views_sparse(&arena, N, N, x), dense = views_dense(N, N, x), full = dense,
            kernel = dense;
    double y[N * N];
    check_random(1, 0, N, N, y);
    full.data = y;
    kernel.storage = OF_KERNEL;
    const struct {
        const of_view *view;
        of_kernel_kind kind, becomes;
        size_t columns;
    } cases[] = {
        {&sparse, OF_KERNEL_AUTO, OF_KERNEL_GRAPH, LEFT},
        {&dense, OF_KERNEL_AUTO, OF_KERNEL_GRAPH, LEFT},
        {&sparse, OF_KERNEL_GRAPH, OF_KERNEL_GRAPH, LEFT},
        {&sparse, OF_KERNEL_COSINE, OF_KERNEL_COSINE, N},
        {&full, OF_KERNEL_AUTO, OF_KERNEL_RBF, N},
        {&full, OF_KERNEL_LINEAR, OF_KERNEL_LINEAR, N},
        {&full, OF_KERNEL_PRECOMPUTED, OF_KERNEL_PRECOMPUTED, LEFT},
        {&kernel, OF_KERNEL_AUTO, OF_KERNEL_PRECOMPUTED, LEFT},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        of_dataset *set;
        const of_view *view;
        of_kernel made;
        CHECK_OK(of_dataset_make(&set, NULL, N));
        CHECK_OK(of_dataset_push(set, cases[c].view));
        CHECK_OK(of_kernel_view(&arena, set, 0, cases[c].kind, &view));
        assert_ptr_equal(view, &set->views[0]);
        CHECK_OK(of_present_leave_out(set, 0, keep, 1));
        CHECK_OK(of_kernel_view(&arena, set, 0, cases[c].kind, &view));
        assert_int_equal(view->samples, LEFT);
        assert_int_equal(view->columns, cases[c].columns);
        CHECK_OK(of_kernel_make(arena.context, &arena, view, cases[c].kind, &made));
        assert_int_equal(made.kind, cases[c].becomes);
        of_dataset_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_left_out_on_the_sides_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
