/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enum values, nearest names, and hints, through the public header. */
#include "onefold.h"

#include "support/check.h"

#include <string.h>

/* Every value of a set has a name of its own, and other numbers have none. */
static void check_set(onefold_names set, int count)
{
    for (int a = 0; a < count; a++) {
        assert_non_null(onefold_name(set, a));
        assert_true(strlen(onefold_name(set, a)) > 0);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(onefold_name(set, a), onefold_name(set, b));
    }
    assert_null(onefold_name(set, count));
    assert_null(onefold_name(set, -1));
}

static void every_value_has_a_word(void **state)
{
    (void)state;
    check_set(ONEFOLD_NAMES_STORAGE, ONEFOLD_STORAGE_KERNEL + 1);
    check_set(ONEFOLD_NAMES_TYPE, ONEFOLD_UINT64 + 1);
    check_set(ONEFOLD_NAMES_IMPUTE, ONEFOLD_IMPUTE_MODEL + 1);
    check_set(ONEFOLD_NAMES_START, ONEFOLD_START_PAPER + 1);
    check_set(ONEFOLD_NAMES_VARIANT, ONEFOLD_VARIANT_PRINTED + 1);
    check_set(ONEFOLD_NAMES_STOP, ONEFOLD_STOP_SETTLED + 1);
    check_set(ONEFOLD_NAMES_BASE, ONEFOLD_BASE_NYSTROM + 1);
    check_set(ONEFOLD_NAMES_PRECISION, ONEFOLD_SINGLE + 1);
    check_set(ONEFOLD_NAMES_ROUTE, ONEFOLD_ROUTE_LANDMARKS + 1);
    check_set(ONEFOLD_NAMES_PREP, ONEFOLD_PREP_TFIDF + 1);
    check_set(ONEFOLD_NAMES_KMEANS_START, ONEFOLD_KMEANS_SAMPLES + 1);
    check_set(ONEFOLD_NAMES_MEASURE, ONEFOLD_MEASURES);
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STOP, ONEFOLD_STOP_SETTLED), "settled");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_BASE, ONEFOLD_BASE_NYSTROM), "nystrom");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_TYPE, ONEFOLD_UINT8), "uint8");
}

static void kernels_and_methods_are_listed(void **state)
{
    (void)state;
    int rbf = 0, paper = 0;
    size_t kernels = 0, methods = 0;
    for (size_t i = 0; onefold_kernel_name(i); i++, kernels++)
        rbf |= strcmp(onefold_kernel_name(i), "rbf") == 0;
    for (size_t i = 0; onefold_method_describe(i); i++, methods++)
        paper |= strcmp(onefold_method_describe(i)->name, "os-lfmvc-cs") == 0;
    assert_true(rbf && paper);
    assert_null(onefold_kernel_name(kernels + 1));
    assert_null(onefold_method_describe(methods + 1));
}

static void a_mistyped_name_finds_its_nearest(void **state)
{
    (void)state;
    const char *const list[] = {"linear", "cosine", "graph"};
    assert_string_equal(onefold_nearest("linera", list, 3), "linear");
    assert_string_equal(onefold_nearest("grap", list, 3), "graph");
    assert_null(onefold_nearest("precomputed", list, 3));
    assert_null(onefold_nearest("linear", list, 0));
}

/* A failure has a sentence, and a hint names the field between backquotes. */
static void hints_name_fields(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 40;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "number of clusters");
    assert_non_null(strstr(onefold_last_hint(), "`clusters`"));
    assert_null(strstr(onefold_last_hint(), "--"));
    options.clusters = 5;
    options.method = "os-lfmvc-sc";
    CHECK_FAILS(onefold_fit_options_check(&options), ONEFOLD_USAGE, "os-lfmvc-sc");
    assert_non_null(strstr(onefold_last_hint(), "os-lfmvc-cs"));
    options.method = NULL;
    options.kernel = "rbv";
    CHECK_FAILS(onefold_fit_options_check(&options), ONEFOLD_USAGE, "rbv");
    assert_null(result);
    onefold_dataset_free(data);
}

static void a_context_says_what_it_is(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    assert_true(onefold_context_describe(context)->threads >= 1);
    CHECK_OK(onefold_context_set_threads(context, 3));
    assert_int_equal(onefold_context_describe(context)->threads, 3);
    assert_int_equal(onefold_context_describe(context)->rank, 0);
    assert_int_equal(onefold_context_describe(context)->ranks, 1);
    assert_true(onefold_context_describe(context)->split_from == (size_t)-1);
    assert_int_equal(onefold_context_describe(context)->failed_rank, -1);
    assert_int_equal(onefold_context_agree(context, ONEFOLD_OK), ONEFOLD_OK);
    assert_int_equal(onefold_context_agree(context, ONEFOLD_IO), ONEFOLD_IO);
    assert_true(onefold_free_memory() > 1 << 20);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_a_word),
        cmocka_unit_test(kernels_and_methods_are_listed),
        cmocka_unit_test(a_mistyped_name_finds_its_nearest),
        cmocka_unit_test(hints_name_fields),
        cmocka_unit_test(a_context_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
