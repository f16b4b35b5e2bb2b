/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a kernel matrix, of few and of many columns. */
#include "kernel/kernel.h"

#include "linalg/blas.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

enum { N = 280, FEW = 40, MANY = 30100 };

/* Small integers stored as bytes, a sample contiguous. */
static of_view byte_view(size_t columns, uint8_t *x)
{
    for (size_t i = 0; i < N * columns; i++)
        x[i] = (uint8_t)((i * 2654435761u >> 7) % 6);
    return (of_view){.name = "bytes",
                     .storage = OF_DENSE,
                     .samples = N,
                     .columns = columns,
                     .data = x,
                     .type = OF_U8,
                     .sample_step = columns,
                     .column_step = 1};
}

/* Sums of products of integers are exact, so every block must be too. */
static void check_linear(size_t columns)
{
    uint8_t *x = malloc(N * columns);
    double *k = malloc(N * N * sizeof *k);
    OF_SCRATCH(arena, NULL);
    of_view view = byte_view(columns, x);
    of_kernel kernel;
    of_kernel_blocks blocks;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_LINEAR, &kernel));
    CHECK_OK(of_kernel_blocks_make(arena.context, &arena, &kernel, 0, &blocks));
    assert_true(blocks.tiles.count > 1);
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, k));
    for (size_t j = 0; j < N; j += 13)
        for (size_t i = 0; i < N; i += 7) {
            long sum = 0;
            for (size_t c = 0; c < columns; c++)
                sum += x[j * columns + c] * x[i * columns + c];
            assert_true(k[j * N + i] == (double)sum);
        }
    free(x);
    free(k);
}

static void blocks_are_exact(void **state)
{
    (void)state;
    check_linear(FEW);
    check_linear(MANY);
}

/* exp(-||x - y||^2 / width) of standardised bytes, or exp(-||x - y|| / sqrt(width)). */
static void check_distances(of_kernel_kind kind, size_t columns)
{
    uint8_t *x = malloc(N * columns);
    double *k = malloc(N * N * sizeof *k);
    OF_SCRATCH(arena, NULL);
    of_view view = byte_view(columns, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, kind, &kernel));
    assert_int_equal(of_kernel_columns(&kernel), columns);
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_RAW, k));
    for (size_t j = 0; j < N; j += 29)
        for (size_t i = 0; i < N; i += 31) {
            double distance = 0;
            for (size_t c = 0; c < columns; c++)
                distance +=
                    pow((x[j * columns + c] - x[i * columns + c]) * kernel.prep.scale[c], 2);
            distance /= 2 * (double)columns;
            if (kind == OF_KERNEL_LAPLACIAN)
                distance = sqrt(distance);
            CHECK_CLOSE(k[j * N + i], exp(-distance), 1e-12, 0);
        }
    free(x);
    free(k);
}

static void rbf_is_its_formula(void **state)
{
    (void)state;
    check_distances(OF_KERNEL_RBF, FEW);
    check_distances(OF_KERNEL_RBF, MANY);
}

static void laplacian_is_its_formula(void **state)
{
    (void)state;
    check_distances(OF_KERNEL_LAPLACIAN, FEW);
    check_distances(OF_KERNEL_LAPLACIAN, MANY);
}

/* An odd number of columns: a sample of the second tile begins elsewhere in a register. CTest runs
 * this with OpenBLAS's oldest kernels too, which add up by that. */
static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { ODD = 37 };
    static double k[2][N * N];
    uint8_t x[N * ODD];
    for (int threads = 1; threads <= 2; threads++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        OF_SCRATCH(arena, context);
        of_view view = byte_view(ODD, x);
        view.samples = N - 1; /* the second tile begins at an odd one */
        of_kernel kernel;
        CHECK_OK(of_kernel_make(context, &arena, &view, OF_KERNEL_RBF, &kernel));
        CHECK_OK(of_kernel_matrix(context, &kernel, OF_RAW, k[threads - 1]));
        of_arena_free(&arena);
        onefold_context_free(context);
    }
    assert_memory_equal(k[0], k[1], sizeof k[0]);
}

static void the_mean_is_that_of_the_features(void **state)
{
    (void)state;
    uint8_t x[N * FEW];
    double mean[FEW];
    OF_SCRATCH(arena, NULL);
    of_view view = byte_view(FEW, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_LINEAR, &kernel));
    CHECK_OK(of_kernel_mean(arena.context, &kernel, mean));
    for (size_t c = 0; c < FEW; c++) {
        long sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += x[j * FEW + c];
        CHECK_CLOSE(mean[c], (double)sum / N, 1e-15, 0);
    }
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_exact),
        cmocka_unit_test(rbf_is_its_formula),
        cmocka_unit_test(laplacian_is_its_formula),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(the_mean_is_that_of_the_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
