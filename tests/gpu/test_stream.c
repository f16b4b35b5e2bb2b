/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that the GPU has no room for: the same bits as where it has (ONEFOLD_GPU_MEMORY). */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P = 3, K = 8, M = 4, MU = 4, PK = P * K, Q = M + MU, PICKED = 5 };

/* All that is read off a stack. */
typedef struct seen {
    double gram[PK * PK], sum[PK * Q + MU + 1], picked[PK * PICKED], total[PK], largest[2];
    double *embedding, *sure, *back;
    int32_t *labels, *direct, *own;
} seen;

static void make_room(seen *all, size_t n)
{
    memset(all, 0, sizeof *all);
    all->embedding = malloc(n * K * sizeof(double));
    all->sure = malloc(n * sizeof(double));
    all->back = malloc(n * PK * sizeof(double));
    all->labels = calloc(n, sizeof(int32_t));
    all->direct = malloc(n * sizeof(int32_t));
    all->own = malloc(n * P * sizeof(int32_t));
}

static void release(seen *all)
{
    free(all->embedding);
    free(all->sure);
    free(all->back);
    free(all->labels);
    free(all->direct);
    free(all->own);
}

/* X is stored in two parts, and its middle view by way of a stack of its own. */
static of_device_stack *fill(of_device *device, size_t n, int doubles, const double *X,
                             int *streams)
{
    of_device_stack *stack, *view;
    double *rows = malloc(n * K * sizeof *rows);
    for (size_t j = 0; j < n; j++)
        memcpy(rows + j * K, X + j * PK + K, K * sizeof *rows);
    RUN(stack_make(device, PK, n, doubles, &stack, streams));
    RUN(stack_store(stack, 0, PK, 0, n / 3, X, PK, 0));
    RUN(stack_store(stack, 0, PK, n / 3, n - n / 3, X + n / 3 * PK, PK, 0));
    RUN(stack_make(device, K, n, doubles, &view, NULL));
    RUN(stack_store(view, 0, K, 0, n, rows, K, 0));
    RUN(stack_rows(stack, K, view));
    gpu_lib->stack_free(view);
    free(rows);
    return stack;
}

static void look(of_device_stack *stack, size_t n, int doubles, int nonneg, seen *all)
{
    double *B = gpu_numbers(K, PK, 2), *R = gpu_numbers(K, Q, 3), *C = gpu_numbers(MU, PK, 4);
    const double nothing[PK] = {0};
    const size_t place[PICKED] = {0, n / 4, n / 2, n - 200, n - 1};
    of_device_pass pass = {K, M, MU, nonneg, 0, B, R, 1, 0, all->sum};
    RUN(stack_gram(stack, 0, PK, all->gram));
    RUN(stack_sum(stack, all->total));
    if (doubles)
        RUN(features_centre(stack, nothing, -1, all->largest));
    RUN(embed(stack, K, B, 0, all->embedding));
    of_device_predict asked = {.clusters = MU, .parts = 1, .fused = C, .labels = all->direct};
    RUN(predict(stack, &asked));
    RUN(labels_store(stack, 0, all->labels));
    RUN(pass(stack, &pass));
    RUN(pass(stack, &pass));
    RUN(labels_fetch(stack, 0, all->labels));
    asked.confidence = all->sure;
    for (size_t v = 0; v < P; v++) {
        asked.row = v * K;
        asked.rows = K;
        asked.labels = all->own + v * n;
        RUN(predict(stack, &asked));
    }
    RUN(stack_fetch(stack, 0, NULL, n, all->back));
    RUN(stack_fetch(stack, 0, place, PICKED, all->picked));
    free(B);
    free(R);
    free(C);
}

static void check_same(const seen *a, const seen *b, size_t n)
{
    assert_memory_equal(a->gram, b->gram, sizeof a->gram);
    assert_memory_equal(a->sum, b->sum, sizeof a->sum);
    assert_memory_equal(a->picked, b->picked, sizeof a->picked);
    assert_memory_equal(a->total, b->total, sizeof a->total);
    assert_memory_equal(a->largest, b->largest, sizeof a->largest);
    assert_memory_equal(a->embedding, b->embedding, n * K * sizeof(double));
    assert_memory_equal(a->sure, b->sure, n * sizeof(double));
    assert_memory_equal(a->back, b->back, n * PK * sizeof(double));
    assert_memory_equal(a->labels, b->labels, n * sizeof(int32_t));
    assert_memory_equal(a->direct, b->direct, n * sizeof(int32_t));
    assert_memory_equal(a->own, b->own, n * P * sizeof(int32_t));
}

/* Beside a GPU without a limit, with windows of the usual size and of a single chunk. */
static void try_limit(size_t n, int doubles, const char *limit)
{
    double *X = gpu_numbers(PK, n, 1);
    for (int nonneg = 0; nonneg < 2; nonneg++) {
        seen whole, parts;
        int streams;
        of_device *device;
        make_room(&whole, n);
        make_room(&parts, n);
        RUN(open(0, &device));
        of_device_stack *stack = fill(device, n, doubles, X, &streams);
        assert_int_equal(streams, 0);
        look(stack, n, doubles, nonneg, &whole);
        gpu_lib->stack_free(stack);
        gpu_lib->close(device);
        setenv("ONEFOLD_GPU_MEMORY", limit, 1);
        RUN(open(0, &device));
        unsetenv("ONEFOLD_GPU_MEMORY");
        stack = fill(device, n, doubles, X, &streams);
        assert_int_equal(streams, 1);
        look(stack, n, doubles, nonneg, &parts);
        check_same(&whole, &parts, n);
        gpu_lib->set_piece(device, 1000);
        memset(parts.labels, 0, n * sizeof *parts.labels);
        look(stack, n, doubles, nonneg, &parts);
        check_same(&whole, &parts, n);
        gpu_lib->stack_free(stack);
        gpu_lib->close(device);
        release(&whole);
        release(&parts);
    }
    free(X);
}

static void streamed_stacks_have_the_same_bits(void **state)
{
    (void)state;
    try_limit(6000, 0, "750K");
    try_limit(6000, 1, "1.1M");
    if (gpu_is_real()) /* chunks of several tiles */
        try_limit(1000000, 0, "130M");
}

/* ---- whole fits ----------------------------------------------------------------------------- */

/* Base partitions are the CPU's here. */
static void streamed_fits_are_the_same(void **state)
{
    (void)state;
    enum { N = 1200 };
    static const char *const limits[] = {"250K", "450K"};
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.restarts = 1;
    options.dims = 16;
    options.max_iterations = 5;
    for (int single = 0; single < 2; single++) {
        options.precision = single ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
        gpu_ran whole = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, &options);
        assert_true(!strstr(whole.note, "stream"));
        setenv("ONEFOLD_GPU_MEMORY", limits[!single], 1);
        gpu_ran parts = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, &options);
        unsetenv("ONEFOLD_GPU_MEMORY");
        if (!strstr(parts.note, "samples stream"))
            fail_msg("note: %s", parts.note);
        assert_memory_equal(whole.labels, parts.labels, N * sizeof *whole.labels);
        if (whole.objective != parts.objective)
            fail_msg("%.17g (%s), %.17g (%s)", whole.objective, whole.note, parts.objective,
                     parts.note);
        free(whole.labels);
        free(parts.labels);
    }
    onefold_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streamed_stacks_have_the_same_bits),
                                       cmocka_unit_test(streamed_fits_are_the_same)};
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
