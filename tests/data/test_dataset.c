/* SPDX-License-Identifier: Apache-2.0 */
#include "data/dataset.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

static void views_are_copied_and_come_back(void **state)
{
    (void)state;
    double dense[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    float single[] = {0.5f, -1, 2, 3};
    size_t start[] = {0, 2, 2, 3, 5};
    uint32_t column[] = {2, 0, 1, 4, 3};
    double value[] = {7, 8, 9, 1, 2};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 4));
    CHECK_OK(onefold_dataset_add_dense(data, "a", dense, 3, 1, 4)); /* column-major */
    CHECK_OK(onefold_dataset_add_dense_single(data, NULL, single, 1, 1, 1));
    CHECK_OK(onefold_dataset_add_sparse(data, "words", 5, start, column, value));
    dense[0] = -1;
    value[0] = -1;
    column[0] = 1;
    assert_int_equal(onefold_dataset_describe(data)->samples, 4);
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    double out[20];
    of_view_tile(&data->set.views[0], 0, 4, out, 3);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            assert_true(out[j * 3 + i] == 1 + j + 4 * i);
    of_view_tile(&data->set.views[1], 0, 4, out, 1);
    assert_true(out[0] == 0.5 && out[3] == 3);
    of_view_tile(&data->set.views[2], 0, 4, out, 5);
    static const double want[] = {8, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 2, 1};
    assert_memory_equal(out, want, sizeof want);
    memset(out, 0x55, sizeof out);
    CHECK_OK(onefold_dataset_values(out, data, 2, 0, 4));
    assert_memory_equal(out, want, sizeof want);
    CHECK_OK(onefold_dataset_values(out, data, 2, 2, 2));
    assert_memory_equal(out, want + 10, 10 * sizeof *want);
    CHECK_FAILS(onefold_dataset_values(out, data, 3, 0, 1), ONEFOLD_USAGE, "view 4");
    CHECK_FAILS(onefold_dataset_values(out, data, 0, 3, 2), ONEFOLD_USAGE, "samples 3 to 5");
    CHECK_FAILS(onefold_dataset_values(NULL, data, 0, 0, 1), ONEFOLD_USAGE, "place");
    assert_int_equal(data->set.views[2].sparse.index[0], 0); /* rows were sorted */
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, 1, &info));
    assert_string_equal(info.name, "view 2");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_TYPE, info.type), "float32");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage), "dense");
    CHECK_OK(onefold_dataset_view(data, 2, &info));
    assert_string_equal(info.name, "words");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage), "sparse");
    assert_true(info.columns == 5 && info.nonzeros == 5);
    CHECK_FAILS(onefold_dataset_view(data, 3, &info), ONEFOLD_USAGE, "view 4");
    onefold_dataset_free(data);
    onefold_dataset_free(NULL);
}

static void kernels_must_be_symmetric(void **state)
{
    (void)state;
    double kernel[] = {2, 1, 0.5, 1, 3, 0, 0.5, 0, 4};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_add_kernel(data, "k", kernel));
    assert_int_equal(data->set.views[0].storage, OF_KERNEL);
    assert_int_equal(data->set.views[0].columns, 3);
    kernel[1] = 1.1;
    CHECK_FAILS(onefold_dataset_add_kernel(data, "k", kernel), ONEFOLD_BAD_DATA, "(2, 1)");
    assert_int_equal(onefold_dataset_describe(data)->views, 1);
    onefold_dataset_free(data);
}

static void truth_becomes_classes_by_rising_label(void **state)
{
    (void)state;
    static const int64_t labels[] = {7, -1, 7, INT64_MAX, -1, 0};
    static const int32_t want[] = {2, 0, 2, 3, 0, 1};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 6));
    assert_int_equal(onefold_dataset_describe(data)->classes, 0);
    assert_null(onefold_dataset_describe(data)->truth);
    CHECK_OK(onefold_dataset_set_truth(data, labels, NULL));
    assert_int_equal(onefold_dataset_describe(data)->classes, 4);
    assert_memory_equal(onefold_dataset_describe(data)->truth, want, sizeof want);
    assert_string_equal(onefold_dataset_describe(data)->class_names[0], "-1");
    assert_string_equal(onefold_dataset_describe(data)->class_names[3], "9223372036854775807");
    onefold_dataset_free(data);
}

static void wrong_views_are_refused_and_change_nothing(void **state)
{
    (void)state;
    double values[] = {1, 2, 3, NAN, 5, 6};
    onefold_dataset *data = NULL;
    CHECK_FAILS(onefold_dataset_create(&data, NULL, 0), ONEFOLD_USAGE, "one sample");
    assert_null(data);
    CHECK_OK(onefold_dataset_create(&data, NULL, 2));
    CHECK_FAILS(onefold_dataset_add_dense(data, "v", values, 3, 3, 1), ONEFOLD_BAD_DATA,
                "v: 1 value of 1 sample is missing (NaN), the first in sample 2, column 1");
    values[3] = -INFINITY;
    CHECK_FAILS(onefold_dataset_add_dense(data, NULL, values, 3, 1, 2), ONEFOLD_BAD_DATA,
                "view 1: sample 2, column 2 is infinite");
    CHECK_FAILS(onefold_dataset_add_dense(data, "v", values, 0, 1, 1), ONEFOLD_USAGE, "column");
    CHECK_FAILS(onefold_dataset_add_dense(data, "v", NULL, 1, 1, 1), ONEFOLD_USAGE, "values");
    static const size_t falling[] = {0, 2, 1}, twice[] = {0, 2, 2}, late[] = {1, 2, 2};
    static const uint32_t column[] = {1, 1};
    CHECK_FAILS(onefold_dataset_add_sparse(data, "s", 4, falling, column, values), ONEFOLD_BAD_DATA,
                "must rise from 0, and line 2 starts at 2 of 1 entries");
    CHECK_FAILS(onefold_dataset_add_sparse(data, "s", 4, late, column, values), ONEFOLD_BAD_DATA,
                "from 0");
    CHECK_FAILS(onefold_dataset_add_sparse(data, "s", 1, twice, column, values), ONEFOLD_BAD_DATA,
                "entry 1 of a sparse matrix lies outside its 1 places");
    of_view wrong = {.samples = 3, .columns = 1, .data = values, .sample_step = 1};
    CHECK_FAILS(of_dataset_push(&data->set, &wrong), ONEFOLD_BAD_DATA, "3 samples");
    assert_int_equal(onefold_dataset_describe(data)->views, 0);
    onefold_dataset_free(data);
}

static void notes_and_views_grow(void **state)
{
    (void)state;
    of_dataset *set;
    CHECK_OK(of_dataset_make(&set, NULL, 1));
    double value = 3;
    for (int i = 0; i < 37; i++) {
        CHECK_OK(of_dataset_note(set, "note %d", i));
        of_view view = {.samples = 1, .columns = 1, .data = &value, .sample_step = 1};
        CHECK_OK(of_dataset_push(set, &view));
    }
    onefold_dataset *data = (onefold_dataset *)set;
    assert_int_equal(onefold_dataset_describe(data)->notes, 37);
    for (int i = 0; i < 37; i++) {
        char want[32];
        snprintf(want, sizeof want, "note %d", i);
        assert_string_equal(onefold_dataset_describe(data)->note[(size_t)i], want);
        snprintf(want, sizeof want, "view %d", i + 1);
        assert_string_equal(set->views[i].name, want);
    }
    assert_int_equal(onefold_dataset_describe(data)->notes, 37);
    onefold_dataset_free(data);
}

/* Every allocation is made to fail once: nothing leaks, and the data set stays usable. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    double dense[] = {1, 2, 3, 4};
    static const size_t start[] = {0, 1, 2};
    static const uint32_t column[] = {0, 1};
    static const int64_t labels[] = {4, 5};
    int failures = 0;
    for (long until = 0;; until++) {
        atomic_store(&context->allocations_until_failure, until);
        onefold_dataset *data = NULL;
        onefold_status status = onefold_dataset_create(&data, context, 2);
        if (!status)
            status = onefold_dataset_add_dense(data, "a", dense, 2, 2, 1);
        if (!status)
            status = onefold_dataset_add_sparse(data, NULL, 2, start, column, dense);
        if (!status)
            status = onefold_dataset_add_kernel(data, "k", (double[]){1, 0, 0, 1});
        if (!status)
            status = onefold_dataset_set_truth(data, labels, NULL);
        if (status) {
            failures++;
            assert_int_equal(status, ONEFOLD_NO_MEMORY);
        }
        onefold_dataset_free(data);
        assert_int_equal(atomic_load(&context->bytes), 0);
        if (!status)
            break;
    }
    assert_true(failures > 15);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_copied_and_come_back),
        cmocka_unit_test(kernels_must_be_symmetric),
        cmocka_unit_test(truth_becomes_classes_by_rising_label),
        cmocka_unit_test(wrong_views_are_refused_and_change_nothing),
        cmocka_unit_test(notes_and_views_grow),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
