/* SPDX-License-Identifier: Apache-2.0 */
/* The exact route of an rbf kernel that is not formed, on a GPU: the CPU's partition. */
#include "oracle/gpu_kernels.h"
#include "partition/routes.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, COLUMNS = 7 };

typedef struct made {
    double *H;
    double value[ROWS];
    int on_gpu;
    size_t bytes; /* of a GPU, by the estimate */
    onefold_status status;
} made;

static made by_tiles(onefold_device device, size_t n, const double *x)
{
    onefold_context *context;
    made out = {.H = malloc(ROWS * n * sizeof(double))};
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    OF_SCRATCH(scratch, context);
    of_view view = {.storage = OF_DENSE,
                    .type = OF_F64,
                    .samples = n,
                    .columns = COLUMNS,
                    .data = x,
                    .sample_step = COLUMNS,
                    .column_step = 1};
    of_kernel kernel;
    CHECK_OK(of_kernel_make(context, &scratch, &view, OF_KERNEL_RBF, &kernel));
    of_route_work work = {.kernel = &kernel,
                          .rows = ROWS,
                          .tolerance = 1e-9,
                          .H = of_share_whole(out.H, ROWS),
                          .value = out.value,
                          .arena = &scratch};
    of_partition_options options = {.dims = ROWS};
    of_partition_size size;
    CHECK_OK(of_partition_bytes(context, &kernel, OF_ROUTE_TILES, &options, &size));
    out.bytes = size.gpu;
    out.status = of_route_tiles(context, &work);
    out.on_gpu = work.on_gpu;
    if (out.status == ONEFOLD_OK)
        assert_int_equal(work.rank, ROWS);
    of_arena_free(&scratch);
    onefold_context_free(context);
    return out;
}

/* Rows have signs of their own, by which they are held against each other. */
static void the_partition_is_the_cpus(void **state)
{
    (void)state;
    size_t n = gpu_is_real() ? 3000 : 300;
    double *x = gpu_numbers(COLUMNS, n, 3);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < COLUMNS; i++)
            x[i + j * COLUMNS] += 3 * (double)(j % 5 == i);
    made cpu = by_tiles(ONEFOLD_DEVICE_CPU, n, x), gpu = by_tiles(ONEFOLD_DEVICE_GPU, n, x),
         again = by_tiles(ONEFOLD_DEVICE_GPU, n, x);
    CHECK_OK(cpu.status);
    CHECK_OK(gpu.status);
    assert_true(gpu.on_gpu && !cpu.on_gpu);
    for (size_t r = 0; r < ROWS; r++) {
        double inner = 0;
        assert_true(fabs(cpu.value[r] - gpu.value[r]) < 1e-10 * cpu.value[0]);
        for (size_t j = 0; j < n; j++)
            inner += cpu.H[r + j * ROWS] * gpu.H[r + j * ROWS];
        if (!(fabs(fabs(inner) - 1) < 1e-8))
            fail_msg("row %zu: %.17g", r, inner);
    }
    assert_memory_equal(gpu.H, again.H, ROWS * n * sizeof *gpu.H);
    free(cpu.H);
    free(gpu.H);
    free(again.H);
    free(x);
}

/* A GPU that has what the estimate says, and room for samples on their way, does it; one with half
 * of that does not. */
static void the_estimate_is_what_it_takes(void **state)
{
    (void)state;
    enum { N = 330 };
    double *x = gpu_numbers(COLUMNS, N, 3);
    char limit[32];
    made free_one = by_tiles(ONEFOLD_DEVICE_GPU, N, x);
    CHECK_OK(free_one.status);
    assert_int_equal(free_one.on_gpu, 1);
    assert_true(free_one.bytes > N * (COLUMNS + 2 * ROWS) * sizeof(double));
    for (int half = 0; half < 2; half++) {
        snprintf(limit, sizeof limit, "%zu",
                 half ? free_one.bytes / 2 : free_one.bytes + N * COLUMNS * sizeof(double));
        setenv("ONEFOLD_GPU_MEMORY", limit, 1);
        made limited = by_tiles(ONEFOLD_DEVICE_GPU, N, x);
        unsetenv("ONEFOLD_GPU_MEMORY");
        if (half)
            assert_true(limited.status == ONEFOLD_NO_MEMORY || !limited.on_gpu);
        else
            assert_int_equal(limited.on_gpu, 1);
        if (!half)
            assert_memory_equal(limited.H, free_one.H, ROWS * N * sizeof *limited.H);
        free(limited.H);
    }
    free(free_one.H);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_partition_is_the_cpus),
                                       cmocka_unit_test(the_estimate_is_what_it_takes)};
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
