/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the values of closed sets, names that are near, and hints: through the public header.
 */
#include "onefold.h"

#include "support/check.h"

#include <string.h>

/* Every value of a set has a word, no two the same, and what is no value has none. */
#define CHECK_SET(type, name, count)                                                               \
    do {                                                                                           \
        for (int a = 0; a < (count); a++) {                                                        \
            assert_non_null(name((type)a));                                                        \
            assert_true(strlen(name((type)a)) > 0);                                                \
            for (int b = 0; b < a; b++)                                                            \
                assert_string_not_equal(name((type)a), name((type)b));                             \
        }                                                                                          \
        assert_null(name((type)(count)));                                                          \
        assert_null(name((type)-1));                                                               \
    } while (0)

static void every_value_has_a_word(void **state)
{
    (void)state;
    CHECK_SET(onefold_storage, onefold_storage_name, ONEFOLD_STORAGE_KERNEL + 1);
    CHECK_SET(onefold_type, onefold_type_name, ONEFOLD_UINT64 + 1);
    CHECK_SET(onefold_impute, onefold_impute_name, ONEFOLD_IMPUTE_MODEL + 1);
    CHECK_SET(onefold_start, onefold_start_name, ONEFOLD_START_PAPER + 1);
    CHECK_SET(onefold_variant, onefold_variant_name, ONEFOLD_VARIANT_PRINTED + 1);
    CHECK_SET(onefold_stop, onefold_stop_name, ONEFOLD_STOP_SETTLED + 1);
    CHECK_SET(onefold_base, onefold_base_name, ONEFOLD_BASE_NYSTROM + 1);
    CHECK_SET(onefold_precision, onefold_precision_name, ONEFOLD_SINGLE + 1);
    CHECK_SET(onefold_prep, onefold_prep_name, ONEFOLD_PREP_TFIDF + 1);
    CHECK_SET(onefold_kmeans_start, onefold_kmeans_start_name, ONEFOLD_KMEANS_SAMPLES + 1);
    CHECK_SET(onefold_measure, onefold_measure_name, ONEFOLD_MEASURES);
    assert_string_equal(onefold_stop_name(ONEFOLD_STOP_SETTLED), "settled");
    assert_string_equal(onefold_base_name(ONEFOLD_BASE_NYSTROM), "nystrom");
    assert_string_equal(onefold_type_name(ONEFOLD_UINT8), "uint8");
}

static void kernels_and_methods_are_listed(void **state)
{
    (void)state;
    int rbf = 0, paper = 0;
    for (size_t i = 0; i < onefold_kernel_count(); i++)
        rbf |= strcmp(onefold_kernel_name(i), "rbf") == 0;
    for (size_t i = 0; i < onefold_method_count(); i++)
        paper |= strcmp(onefold_method_name(i), "os-lfmvc-cs") == 0;
    assert_true(rbf && paper);
    assert_null(onefold_kernel_name(onefold_kernel_count()));
    assert_null(onefold_method_name(onefold_method_count()));
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
    assert_true(onefold_context_threads(context) >= 1);
    CHECK_OK(onefold_context_set_threads(context, 3));
    assert_int_equal(onefold_context_threads(context), 3);
    assert_int_equal(onefold_context_memory_limit(context), 0);
    CHECK_OK(onefold_context_set_memory_limit(context, 1 << 20));
    assert_int_equal(onefold_context_memory_limit(context), 1 << 20);
    assert_int_equal(onefold_context_rank(context), 0);
    assert_int_equal(onefold_context_ranks(context), 1);
    assert_false(onefold_context_splits(context, 1 << 20));
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
