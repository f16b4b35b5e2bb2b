/* SPDX-License-Identifier: Apache-2.0 */
#include "data/dataset.h"

#include "support/ask.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

static onefold_dataset *two_views_and_a_kernel(void)
{
    static const double dense[] = {1, 2, 3, 4, 5, 6}, kernel[] = {1, 0, 0, 1};
    static const size_t start[] = {0, 1, 2};
    static const uint32_t column[] = {0, 1};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 2));
    CHECK_OK(onefold_dataset_add_dense(data, "a", dense, 3, 3, 1));
    CHECK_OK(onefold_dataset_add_sparse(data, "b", 2, start, column, dense));
    CHECK_OK(onefold_dataset_add_kernel(data, "k", kernel));
    return data;
}

static void names_are_copied_and_come_back(void **state)
{
    (void)state;
    onefold_dataset *data = two_views_and_a_kernel();
    char first[] = "goal";
    const char *const names[] = {first, "", "K\xc3\xb6ln"}, *const words[] = {"yes", NULL};
    assert_null(ask_column_name(data, 0, 0));
    CHECK_OK(onefold_dataset_set_column_names(data, 0, names));
    CHECK_OK(onefold_dataset_set_column_names(data, 1, words));
    strcpy(first, "gone");
    assert_string_equal(ask_column_name(data, 0, 0), "goal");
    assert_string_equal(ask_column_name(data, 0, 1), "");
    assert_string_equal(ask_column_name(data, 0, 2), "K\xc3\xb6ln");
    assert_string_equal(ask_column_name(data, 1, 1), "");
    assert_null(ask_column_name(data, 0, 3));
    assert_null(ask_column_name(data, 2, 0));
    assert_null(ask_column_name(data, 3, 0));
    for (size_t v = 0; v < 3; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, v, &info));
        assert_int_equal(info.column_names != NULL, v < 2);
    }
    onefold_dataset_free(data);
}

static void what_cannot_be_named_is_refused(void **state)
{
    (void)state;
    onefold_dataset *data = two_views_and_a_kernel();
    const char *const names[] = {"x", "y", "z"};
    CHECK_FAILS(onefold_dataset_set_column_names(data, 2, names), ONEFOLD_USAGE,
                "k is a kernel, and has no columns");
    CHECK_FAILS(onefold_dataset_set_column_names(data, 3, names), ONEFOLD_USAGE,
                "view 4 were named, and there are 3");
    CHECK_FAILS(onefold_dataset_set_column_names(data, 0, NULL), ONEFOLD_USAGE, "names");
    CHECK_FAILS(onefold_dataset_set_column_names(NULL, 0, names), ONEFOLD_USAGE, "data set");
    onefold_dataset_free(data);
}

static void units_are_copied(void **state)
{
    (void)state;
    onefold_dataset *data = two_views_and_a_kernel();
    uint32_t units[] = {0, 1, 1};
    CHECK_OK(onefold_dataset_set_column_units(data, 0, units));
    units[2] = 7;
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_int_equal(info.units[2], 1);
    CHECK_OK(onefold_dataset_view(data, 1, &info));
    assert_null(info.units);
    CHECK_FAILS(onefold_dataset_set_column_units(data, 2, units), ONEFOLD_USAGE,
                "k is a kernel, and has no columns");
    CHECK_FAILS(onefold_dataset_set_column_units(data, 0, NULL), ONEFOLD_USAGE, "numbers");
    onefold_dataset_free(data);
}

enum { N = 60 };

/* Products of the samples' embeddings. The view has a number and a word, which is one column, or
 * two columns with or without a common unit. */
static void fit_word(int columns, int unit, double *product)
{
    static const uint32_t units[] = {0, 1, 1};
    double values[N * 3];
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 2;
    options.method = "os-lfmvc-cs";
    options.dims = 2;
    for (size_t j = 0; j < N; j++) {
        values[j * 3] = (double)((j * 37) % 59);
        values[j * 3 + 1] = j % 3 == 0;
        values[j * 3 + 2] = 1 - values[j * 3 + 1];
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_add_dense(data, "a", values, 1 + (size_t)columns, 3, 1));
    if (unit)
        CHECK_OK(onefold_dataset_set_column_units(data, 0, units));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_int_equal(info->embedding_rows, 2);
    const double *at = info->embedding;
    for (size_t i = 0; i < N * N; i++)
        product[i] = at[i / N * 2] * at[i % N * 2] + at[i / N * 2 + 1] * at[i % N * 2 + 1];
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static void a_category_weighs_as_one_column(void **state)
{
    (void)state;
    static double one[N * N], two[N * N], heavy[N * N];
    double worst = 0, apart = 0;
    fit_word(1, 0, one);
    fit_word(2, 1, two);
    fit_word(2, 0, heavy);
    for (size_t i = 0; i < N * N; i++) {
        worst = fmax(worst, fabs(one[i] - two[i]));
        apart = fmax(apart, fabs(one[i] - heavy[i]));
    }
    assert_true(worst < 1e-9);
    assert_true(apart > 1e-3);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    const char *const names[] = {"one", "two"}, *const *copy = NULL;
    for (long failing = 0;; failing++) {
        OF_SCRATCH(scratch, context);
        context->allocations_until_failure = failing;
        onefold_status status = of_dataset_names_copy(&scratch, 2, names, &copy);
        if (status == ONEFOLD_OK) {
            assert_true(failing > 1);
            assert_string_equal(copy[1], "two");
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_null(copy);
    }
    assert_int_equal(context->bytes, 0);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_copied_and_come_back),
        cmocka_unit_test(what_cannot_be_named_is_refused),
        cmocka_unit_test(units_are_copied),
        cmocka_unit_test(a_category_weighs_as_one_column),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
