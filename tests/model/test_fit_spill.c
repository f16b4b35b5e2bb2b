/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions spilled to a file: the same bits as in memory, on every route and in both precisions,
 * within the limit, and without a trace. */
#include "onefold.h"

#include "support/ask.h"
#include "support/folder.h"
#include "support/memory.h"
#include "support/paper_options.h"

#include <string.h>

enum { SAMPLES = 3000, CLUSTERS = 4 };

static onefold_dataset *made(double density)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    const size_t columns[] = {30, 30, 30, 30};
    options.samples = SAMPLES;
    options.views = 4;
    options.columns = columns;
    options.clusters = CLUSTERS;
    options.density = density;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static onefold_result *fit(onefold_context *context, const onefold_dataset *data,
                           const onefold_fit_options *options)
{
    onefold_result *result = NULL;
    CHECK_OK(onefold_fit(&result, context, data, options));
    return result;
}

static void check_same(const onefold_result *a, const onefold_result *b)
{
    onefold_fit_info x = *onefold_result_describe(a), y = *onefold_result_describe(b);
    assert_memory_equal(x.labels, y.labels, SAMPLES * sizeof(int32_t));
    assert_int_equal(x.iterations, y.iterations);
    assert_memory_equal(x.trace, y.trace, x.iterations * sizeof *x.trace);
    assert_memory_equal(x.embedding, y.embedding, SAMPLES * x.embedding_rows * sizeof *x.embedding);
}

/* One fit in memory, one within a limit that has room for everything but the partitions: what the
 * estimate says is enough, however many threads have room of their own. */
static void check_spilled(void **state, const onefold_dataset *data, onefold_fit_options *options,
                          int threads)
{
    onefold_context *context = NULL;
    onefold_estimate_info whole, spilled;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    options->clusters = CLUSTERS;
    options->restarts = 2;
    if (options->method) /* the default has no use for it */
        options->max_iterations = 4;
    options->spill = *state;
    whole = ask_estimate(context, data, options);
    assert_int_equal(whole.spill_bytes, 0);
    onefold_result *expected = fit(context, data, options);

    CHECK_OK(onefold_context_set_memory_limit(context, whole.peak_bytes - 1));
    spilled = ask_estimate(context, data, options);
    size_t limit = spilled.peak_bytes;
    assert_int_equal(spilled.spill_bytes, whole.partition_bytes);
    if (options->method)
        assert_int_equal(limit, whole.peak_bytes - whole.partition_bytes);
    assert_true(limit < whole.peak_bytes); /* the default's peak may be where few are held */
    CHECK_OK(onefold_context_set_memory_limit(context, limit));
    onefold_result *result = fit(context, data, options);
    check_same(expected, result);
    assert_int_equal(folder_count(state), 0);

    /* one byte less, or nowhere to spill to, is refused */
    onefold_result *none = NULL;
    CHECK_OK(onefold_context_set_memory_limit(context, limit - 1));
    CHECK_FAILS(onefold_fit(&none, context, data, options), ONEFOLD_NO_MEMORY, "would need");
    assert_non_null(strstr(onefold_last_hint(), "already spilled"));
    options->spill = NULL;
    CHECK_FAILS(onefold_fit(&none, context, data, options), ONEFOLD_NO_MEMORY, "would need");
    assert_non_null(strstr(onefold_last_hint(), "`spill`"));
    onefold_result_free(expected);
    onefold_result_free(result);
    onefold_context_free(context);
}

static void every_route_has_the_same_bits(void **state)
{
    onefold_dataset *dense = made(1), *sparse = made(0.1);
    onefold_fit_options options = paper_options();
    options.kernel = "linear"; /* gram */
    check_spilled(state, dense, &options, 2);
    options = paper_options();
    options.base = ONEFOLD_BASE_NYSTROM;
    options.landmarks = 300;
    check_spilled(state, dense, &options, 2);
    options = paper_options();
    options.precision = ONEFOLD_SINGLE;
    options.kernel = "linear";
    check_spilled(state, dense, &options, 2);
    options.spill = NULL;
    check_spilled(state, dense, &options, 16);
    options = paper_options(); /* tf-idf, krylov or gram */
    check_spilled(state, sparse, &options, 2);
    onefold_dataset_free(dense);
    onefold_dataset_free(sparse);
}

static void the_default_has_the_same_bits(void **state)
{
    onefold_dataset *data = made(1);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.effort = ONEFOLD_EFFORT_QUICK;
    options.landmarks = 300;
    check_spilled(state, data, &options, 2);
    onefold_dataset_free(data);
}

static void a_folder_that_will_not_do_is_refused(void **state)
{
    onefold_dataset *data = made(1);
    memory_watch memory;
    onefold_context *context = memory_context(&memory);
    onefold_estimate_info cost;
    onefold_result *none = NULL;
    onefold_fit_options options = paper_options();
    options.clusters = CLUSTERS;
    options.kernel = "linear";
    options.spill = "/proc";
    cost = ask_estimate(context, data, &options);
    CHECK_OK(onefold_context_set_memory_limit(context, cost.peak_bytes - cost.partition_bytes / 2));
    CHECK_FAILS(onefold_fit(&none, context, data, &options), ONEFOLD_IO, "spill folder /proc");
    options.spill = *state;
    folder_limit_files(1 << 16);
    CHECK_FAILS(onefold_fit(&none, context, data, &options), ONEFOLD_IO, "has no room");
    folder_limit_files(SIZE_MAX);
    assert_int_equal(folder_count(state), 0);
    assert_int_equal(memory_left(&memory), 0);
    /* a method that makes no partitions has nothing to spill */
    options.method = "avg-kkm";
    CHECK_OK(onefold_context_set_memory_limit(context, 1 << 20));
    CHECK_FAILS(onefold_fit(&none, context, data, &options), ONEFOLD_NO_MEMORY, "would need");
    assert_null(strstr(onefold_last_hint(), "`spill`"));
    onefold_context_free(context);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_has_the_same_bits),
        cmocka_unit_test(the_default_has_the_same_bits),
        cmocka_unit_test(a_folder_that_will_not_do_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
