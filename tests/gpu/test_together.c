/* SPDX-License-Identifier: Apache-2.0 */
/* Views that go through landmarks on a GPU together: the bits of each made by itself, and faults.
 */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include "data/dataset.h"
#include "partition/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 131200, D = 2, K = 2, VIEWS = 2, MARKS = 8 };

typedef struct made {
    double *rows; /* VIEWS * K x N */
    of_partition view[VIEWS];
} made;

typedef struct views {
    float *x[VIEWS];
    of_view view[VIEWS];
    of_kernel kernel[VIEWS];
} views;

static void make_views(of_context *context, of_arena *arena, views *v)
{
    for (size_t i = 0; i < VIEWS; i++) {
        double *numbers = gpu_numbers(D, N, 70 + (unsigned)i);
        v->x[i] = malloc(N * D * sizeof(float));
        for (size_t e = 0; e < (size_t)N * D; e++)
            v->x[i][e] = (float)(numbers[e] + (e / D % 3 == i ? 2 : 0));
        free(numbers);
        v->view[i] = (of_view){.name = "made",
                               .storage = OF_DENSE,
                               .samples = N,
                               .columns = D,
                               .data = v->x[i],
                               .type = OF_F32,
                               .sample_step = D,
                               .column_step = 1};
        CHECK_OK(of_kernel_make(context, arena, &v->view[i], OF_KERNEL_RBF, &v->kernel[i]));
    }
}

static of_partition_options options_of(const of_device_use *use, of_device_stack *stack, size_t i)
{
    return (of_partition_options){.dims = K,
                                  .tolerance = 1e-8,
                                  .base = ONEFOLD_BASE_NYSTROM,
                                  .landmarks = MARKS + i,
                                  .seed = 5,
                                  .project = 1,
                                  .use = use,
                                  .there = stack,
                                  .row = i * K};
}

static onefold_status make(of_context *context, of_arena *arena, views *v, int together,
                           size_t *failed, made *m)
{
    const of_device_use *use = of_device_for(context, N);
    of_device_stack *stack;
    of_arena own[VIEWS];
    of_partition_options options[VIEWS];
    of_partition_wanted wanted[VIEWS];
    onefold_status status = ONEFOLD_OK;
    OF_DEVICE_TRY(use, stack_make(use->device, VIEWS * K, N, 0, 0, &stack, NULL));
    for (size_t i = 0; i < VIEWS; i++) {
        own[i] = of_arena_make(context);
        options[i] = options_of(use, stack, i);
        wanted[i] = (of_partition_wanted){&own[i], &v->kernel[i], &options[i], &m->view[i]};
        if (!together)
            CHECK_OK(of_partition_make(context, &own[i], &v->kernel[i], OF_ROUTE_NYSTROM,
                                       &options[i], (of_share){NULL, 0, K}, &m->view[i]));
    }
    if (together)
        status = of_partition_make_together(context, VIEWS, wanted, failed);
    m->rows = malloc((size_t)VIEWS * K * N * sizeof(double));
    OF_DEVICE_TRY(use, stack_fetch(stack, 0, NULL, N, m->rows));
    use->table->stack_free(stack);
    for (size_t i = 0; i < VIEWS; i++)
        of_arena_adopt(arena, &own[i]);
    return status;
}

static onefold_context *context_of(int threads)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    return context;
}

static void check_same(const made *a, const made *b)
{
    assert_memory_equal(a->rows, b->rows, (size_t)VIEWS * K * N * sizeof(double));
    for (size_t i = 0; i < VIEWS; i++) {
        assert_int_equal(a->view[i].rank, b->view[i].rank);
        assert_true(a->view[i].residual == b->view[i].residual && a->view[i].residual > 0);
        assert_memory_equal(a->view[i].values, b->view[i].values, K * sizeof(double));
        assert_int_equal(a->view[i].converged, b->view[i].converged);
        assert_memory_equal(a->view[i].projection->weight, b->view[i].projection->weight,
                            K * (MARKS + i) * sizeof(double));
    }
}

/* With a thread beside, and with none. */
static void together_is_one_by_one(void **state)
{
    (void)state;
    made alone, beside;
    size_t failed;
    if (!gpu_is_real() && !check_everything()) /* emulated: more than 2^17 samples take long */
        return;
    onefold_context *context = context_of(1);
    of_arena arena = of_arena_make(context);
    views v;
    make_views(context, &arena, &v);
    of_partition_options plain = options_of(NULL, NULL, 0);
    assert_true(of_partition_goes_together(context, &v.kernel[0], OF_ROUTE_NYSTROM, &plain));
    CHECK_OK(make(context, &arena, &v, 0, &failed, &alone));
    for (int threads = 1; threads <= 3; threads += 2) {
        CHECK_OK(onefold_context_set_threads(context, threads));
        CHECK_OK(make(context, &arena, &v, 1, &failed, &beside));
        check_same(&alone, &beside);
        free(beside.rows);
    }
    free(alone.rows);
    of_arena_free(&arena);
    onefold_context_free(context);
    for (size_t i = 0; i < VIEWS; i++)
        free(v.x[i]);
}

/* The view that fails is the one that is named. */
static void the_view_that_fails_is_named(void **state)
{
    (void)state;
    made m = {.rows = NULL};
    size_t failed = 9;
    onefold_context *context = context_of(2);
    of_arena arena = of_arena_make(context);
    views v;
    make_views(context, &arena, &v);
    v.view[1].samples = MARKS; /* fewer than its landmarks are to be */
    CHECK_FAILS(make(context, &arena, &v, 1, &failed, &m), ONEFOLD_USAGE, "landmarks");
    assert_int_equal(failed, 1);
    free(m.rows);
    of_arena_free(&arena);
    onefold_context_free(context);
    for (size_t i = 0; i < VIEWS; i++)
        free(v.x[i]);
}

/* Samples that are few, or whose kernel no GPU takes, are not for it. */
static void some_views_go_alone(void **state)
{
    (void)state;
    onefold_context *context = context_of(2);
    of_view few = {.name = "few", .samples = 1000, .columns = D};
    of_kernel kernel = {.view = &few, .kind = OF_KERNEL_RBF, .width = 1};
    of_partition_options options = {.dims = K};
    assert_true(!of_partition_goes_together(context, &kernel, OF_ROUTE_NYSTROM, &options));
    few.samples = N;
    assert_true(!of_partition_goes_together(context, &kernel, OF_ROUTE_GRAM, &options));
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_is_one_by_one),
        cmocka_unit_test(the_view_that_fails_is_named),
        cmocka_unit_test(some_views_go_alone),
    };
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
