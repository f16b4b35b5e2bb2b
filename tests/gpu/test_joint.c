/* SPDX-License-Identifier: Apache-2.0 */
/* Joined columns of several views on a card, beside the CPU's. */
#include "base/device.h"
#include "data/dataset.h"
#include "oracle/gpu_kernels.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = (1 << 17) + 300, ROWS = 4, VIEWS = 2 };
static const size_t COLUMNS[VIEWS] = {3, 2};

typedef struct solved {
    double *H, value[ROWS];
    size_t rank;
    int on_card;
} solved;

static solved solve(onefold_device device, const of_dataset *dataset, const of_kernel *kernels)
{
    onefold_context *context;
    solved made = {.H = malloc((size_t)N * ROWS * sizeof(double))};
    double weights[VIEWS] = {0.7, 0.3}, sign[ROWS];
    of_joint_kernel joint = {dataset, kernels, weights, NULL};
    of_route_work work = {
        .rows = ROWS, .tolerance = 1e-9, .H = of_share_whole(made.H, ROWS), .value = made.value};
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    CHECK_OK(of_joint_kernel_solve(context, &joint, &work));
    CHECK_OK(of_sign_rows(context, N, work.rank, work.H, sign));
    made.rank = work.rank;
    made.on_card = work.on_gpu;
    onefold_context_free(context);
    return made;
}

/* Views in single precision with gaps between samples, or in double. */
static void try_views(int single)
{
    size_t size = single ? sizeof(float) : sizeof(double), room = 5;
    of_kernel kernels[VIEWS];
    void *all[VIEWS];
    for (size_t i = 0; i < VIEWS; i++) {
        double *x = malloc((size_t)N * COLUMNS[i] * sizeof *x);
        check_random(3, i, COLUMNS[i], N, x);
        all[i] = calloc((size_t)N * room, size);
        for (size_t j = 0; j < N; j++)
            for (size_t c = 0; c < COLUMNS[i]; c++) {
                double v = 7 + x[j * COLUMNS[i] + c] * (double)(c + 1) + (j % 3 == c ? 4 : 0);
                if (single)
                    ((float *)all[i])[j * room + c] = (float)v;
                else
                    ((double *)all[i])[j * room + c] = v;
            }
        free(x);
    }
    of_context *context = of_context_or_default(NULL);
    OF_SCRATCH(arena, context);
    of_view views[VIEWS];
    of_dataset held = {.samples = N, .view_count = VIEWS, .views = views};
    for (size_t i = 0; i < VIEWS; i++) {
        views[i] = (of_view){.name = "view",
                             .samples = N,
                             .columns = COLUMNS[i],
                             .type = single ? OF_F32 : OF_F64,
                             .data = all[i],
                             .sample_step = room,
                             .column_step = 1};
        CHECK_OK(of_kernel_make(context, &arena, &views[i], OF_KERNEL_LINEAR, 0, &kernels[i]));
        kernels[i].keeps_lengths = 1;
    }
    solved cpu = solve(ONEFOLD_DEVICE_CPU, &held, kernels),
           card = solve(ONEFOLD_DEVICE_GPU, &held, kernels);
    assert_true(card.on_card && !cpu.on_card);
    assert_int_equal(cpu.rank, ROWS);
    assert_int_equal(card.rank, ROWS);
    for (size_t r = 0; r < ROWS; r++)
        CHECK_CLOSE(card.value[r], cpu.value[r], 1e-9, 0);
    for (size_t e = 0; e < (size_t)N * ROWS; e++)
        CHECK_CLOSE(card.H[e], cpu.H[e], 0, 1e-9);
    free(cpu.H);
    free(card.H);
    for (size_t i = 0; i < VIEWS; i++)
        free(all[i]);
}

static void joined_columns(void **state)
{
    (void)state;
    try_views(1);
    try_views(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(joined_columns)};
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
