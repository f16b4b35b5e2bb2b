/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that lack views, and views of the samples that are present. */
#include "io/build.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/views.h"

#include <math.h>
#include <string.h>

enum { N = 7, D = 3 };
static const uint8_t pattern[N * 2] = {1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1};

static void fill(double *x, size_t count)
{
    for (size_t e = 0; e < count; e++)
        x[e] = (double)(e * 7 % 11) - (e % 3 ? 0 : 4);
}

/* Two views of N samples with missing ones as in the pattern. */
static onefold_dataset *made(const of_view *first, const of_view *second)
{
    of_dataset *set;
    CHECK_OK(of_dataset_make(&set, NULL, N));
    CHECK_OK(of_dataset_push(set, first));
    CHECK_OK(of_dataset_push(set, second));
    for (size_t v = 0; v < 2; v++)
        CHECK_OK(of_present_leave_out(set, v, pattern + v, 2));
    return (onefold_dataset *)set;
}

/* The compact view has the values of the samples present, in order, and no others. */
static void check_compact(const of_dataset *set, size_t v, int square)
{
    OF_SCRATCH(scratch, NULL);
    const of_view *whole = &set->views[v], *compact;
    CHECK_OK(of_present_view(&scratch, set, v, square, &compact));
    assert_int_equal(compact->samples, of_present_count(set, v));
    assert_int_equal(compact->columns, square ? compact->samples : whole->columns);
    assert_int_equal(compact->storage, whole->storage);
    assert_int_equal(compact->type, whole->type == OF_F32 ? OF_F32 : OF_F64);
    double all[N * N], got[N * N];
    of_view_tile(whole, 0, N, all, whole->columns);
    of_view_tile(compact, 0, compact->samples, got, compact->columns);
    size_t row = 0;
    for (size_t j = 0; j < N; j++) {
        size_t column = 0;
        if (!of_present_at(set, j, v))
            continue;
        for (size_t i = 0; i < whole->columns; i++)
            if (!square || of_present_at(set, i, v)) {
                assert_true(got[row * compact->columns + column] == all[j * whole->columns + i]);
                column++;
            }
        assert_int_equal(column, compact->columns);
        row++;
    }
    assert_int_equal(row, compact->samples);
}

static void compact_views_hold_those_present(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double x[N * D], s[N * N];
    int16_t turned[N * D];
    fill(x, N * D);
    fill(s, N * N);
    for (size_t e = 0; e < N * D; e++)
        turned[e] = (int16_t)(3 * e);
    of_view dense = views_dense(N, D, x), sparse = views_sparse(&arena, N, D, x);
    of_view by_column = {.storage = OF_DENSE,
                         .samples = N,
                         .columns = D,
                         .data = turned,
                         .type = OF_I16,
                         .sample_step = 1,
                         .column_step = N};
    of_view strided = {.storage = OF_DENSE,
                       .samples = N,
                       .columns = 2,
                       .data = s,
                       .type = OF_F64,
                       .sample_step = N,
                       .column_step = 3};
    of_view graph = views_sparse(&arena, N, N, s), kernel = views_dense(N, N, s);
    kernel.storage = OF_KERNEL;
    const of_view *pairs[][2] = {{&dense, &by_column}, {&sparse, &strided}, {&graph, &kernel}};
    for (size_t c = 0; c < 3; c++) {
        onefold_dataset *data = made(pairs[c][0], pairs[c][1]);
        for (size_t v = 0; v < 2; v++)
            for (int square = 0; square <= (c == 2); square++)
                check_compact(&data->set, v, square);
        onefold_dataset_free(data);
    }
}

static void complete_data_is_not_copied(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double x[N * D];
    uint8_t all[N];
    fill(x, N * D);
    memset(all, 1, sizeof all);
    of_view dense = views_dense(N, D, x);
    onefold_dataset *data = made(&dense, &dense);
    data->set.present = NULL;
    CHECK_OK(of_present_leave_out(&data->set, 0, all, 1));
    assert_null(data->set.present);
    const of_view *compact;
    CHECK_OK(of_present_view(&arena, &data->set, 1, 0, &compact));
    assert_ptr_equal(compact, &data->set.views[1]);
    all[3] = 0; /* missing from one view: the other is still the data set's own */
    CHECK_OK(of_present_leave_out(&data->set, 0, all, 1));
    CHECK_OK(of_present_view(&arena, &data->set, 1, 0, &compact));
    assert_ptr_equal(compact, &data->set.views[1]);
    onefold_dataset_free(data);
}

/* A row of NaN is a missing sample, whichever views are added before or after. */
static void rows_of_nan_are_missing(void **state)
{
    (void)state;
    double x[N * D], kernel[N * N];
    float single[N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    fill(x, N * D);
    CHECK_OK(onefold_dataset_add_dense(data, "whole", x, D, D, 1));
    assert_null(data->set.present);
    for (size_t i = 0; i < D; i++)
        x[2 * D + i] = x[5 * D + i] = NAN;
    CHECK_OK(onefold_dataset_add_dense(data, "two gone", x, D, D, 1));
    for (size_t j = 0; j < N; j++)
        single[j] = j == 6 ? NAN : (float)j;
    CHECK_OK(onefold_dataset_add_dense_single(data, "one gone", single, 1, 1, 1));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            kernel[j * N + i] = j == 1 || i == 1 ? NAN : (double)(i + j);
    CHECK_OK(onefold_dataset_add_kernel(data, "kernel", kernel));
    static const size_t missing[] = {0, 2, 1, 1};
    for (size_t v = 0; v < 4; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, v, &info));
        assert_int_equal(info.missing, missing[v]);
        for (size_t j = 0; j < N; j++)
            assert_int_equal(ask_present(data, j, v), !((v == 1 && (j == 2 || j == 5)) ||
                                                        (v == 2 && j == 6) || (v == 3 && j == 1)));
    }
    kernel[3 * N + 4] = kernel[4 * N + 3] = NAN; /* not of a sample that is missing */
    CHECK_FAILS(onefold_dataset_add_kernel(data, "kernel", kernel), ONEFOLD_BAD_DATA,
                "kernel: 2 values of 2 samples are missing (NaN), the first in sample 4, column 5");
    kernel[4 * N + 3] = 7;
    CHECK_FAILS(onefold_dataset_add_kernel(data, "kernel", kernel), ONEFOLD_BAD_DATA,
                "must be symmetric");
    assert_int_equal(onefold_dataset_describe(data)->views, 4);
    onefold_dataset_free(data);
}

static void what_is_set_replaces_what_was(void **state)
{
    (void)state;
    double x[N * D];
    uint8_t present[N * 2];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    fill(x, N * D);
    CHECK_OK(onefold_dataset_add_dense(data, "a", x, D, D, 1));
    for (size_t i = 0; i < D; i++)
        x[4 * D + i] = NAN;
    CHECK_OK(onefold_dataset_add_dense(data, "b", x, D, D, 1));
    memset(present, 1, sizeof present);
    present[2 * 3] = present[2 * 5 + 1] = 0;
    CHECK_OK(onefold_dataset_set_present(data, present));
    for (size_t j = 0; j < N; j++) {
        assert_int_equal(ask_present(data, j, 0), j != 3);
        assert_int_equal(ask_present(data, j, 1), j != 5 && j != 4);
    }
    present[2 * 4] = 0; /* and NaN in the other view */
    CHECK_FAILS(onefold_dataset_set_present(data, present), ONEFOLD_BAD_DATA,
                "sample 5 lacks every view");
    assert_int_equal(ask_present(data, 4, 0), 1);
    memset(present, 1, sizeof present);
    for (size_t j = 1; j < N; j++)
        present[2 * j + 1] = 0;
    CHECK_OK(onefold_dataset_set_present(data, present)); /* a model may label such data */
    assert_int_equal(of_present_count(&data->set, 1), 1);
    memset(present, 1, sizeof present);
    CHECK_OK(onefold_dataset_set_present(data, present));
    assert_int_equal(ask_present(data, 3, 0), 1);
    assert_int_equal(ask_present(data, 4, 1), 0);
    CHECK_FAILS(onefold_dataset_set_present(NULL, present), ONEFOLD_USAGE, "needs a data set");
    CHECK_FAILS(onefold_dataset_set_present(data, NULL), ONEFOLD_USAGE, "and an array");
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_views_hold_those_present),
        cmocka_unit_test(complete_data_is_not_copied),
        cmocka_unit_test(rows_of_nan_are_missing),
        cmocka_unit_test(what_is_set_replaces_what_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
