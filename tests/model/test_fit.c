/* SPDX-License-Identifier: Apache-2.0 */
/* The whole pipeline: results are meaningful and the same for any threads, and data that cannot be
 * clustered are refused, each with its own sentence. */
#include "onefold.h"

#include "support/ask.h"
#include "support/memory.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static onefold_dataset *made(size_t samples, size_t views, size_t clusters, double separation)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = samples;
    options.views = views;
    options.clusters = clusters;
    options.separation = separation;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static double accuracy(const onefold_dataset *data, const onefold_result *result)
{
    size_t n = onefold_dataset_describe(data)->samples;
    int64_t *labels = malloc(2 * n * sizeof *labels), *truth = labels + n;
    for (size_t j = 0; j < n; j++) {
        labels[j] = onefold_result_describe(result)->labels[j];
        truth[j] = onefold_dataset_describe(data)->truth[j];
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, n));
    free(labels);
    return scores.acc;
}

static void separated_clusters_are_found(void **state)
{
    (void)state;
    onefold_dataset *data = made(600, 3, 5, 12);
    onefold_fit_options options = paper_options();
    options.clusters = 5;
    onefold_result *result = NULL;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    assert_true(accuracy(data, result) > 0.99);

    const onefold_fit_info *info = onefold_result_describe(result);
    assert_int_equal(info->samples, 600);
    assert_int_equal(info->clusters_used, 5);
    assert_int_equal(info->dims, 10);
    assert_int_equal(info->restarts, 10);
    double length = 0;
    for (size_t i = 0; i < info->views; i++)
        length += ask_view(result, i).weight * ask_view(result, i).weight;
    CHECK_CLOSE(length, 1, 1e-10, 0);
    size_t total = 0;
    for (size_t c = 0; c < info->clusters; c++)
        total += info->sizes[c];
    assert_int_equal(total, 600);
    CHECK_CLOSE(info->trace[info->iterations - 1], info->objective, 0, 0);
    for (size_t r = 0; r < info->restarts; r++) /* equal but for rounding: the first of them */
        assert_true(info->restart_clusters_used[r] < 5 ||
                    info->restart_objective[r] <= info->objective * (1 + 1e-9));
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* View v separates cluster v from the rest and nothing else, and none separates the last cluster:
 * only all views together separate all clusters. */
static void every_view_is_used(void **state)
{
    (void)state;
    enum { N = 320, D = 1, VIEWS = 3, CLUSTERS = 4 };
    static double values[N * D];
    int64_t truth[N];
    for (size_t j = 0; j < N; j++)
        truth[j] = (int64_t)(j % CLUSTERS);
    for (size_t left_out = 0; left_out <= VIEWS; left_out++) {
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_dataset_create(&data, NULL, N));
        for (size_t v = 0; v < VIEWS; v++) {
            check_random(5, v, D, N, values);
            for (size_t j = v; j < N; j += CLUSTERS)
                values[j] += 30;
            if (v != left_out)
                CHECK_OK(onefold_dataset_add_dense(data, NULL, values, D, D, 1));
        }
        CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
        onefold_fit_options options = paper_options();
        options.clusters = CLUSTERS;
        options.kernel = "linear";
        onefold_result *result = NULL;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        double acc = accuracy(data, result);
        if (left_out == VIEWS && !(acc > 0.95))
            fail_msg("with every view ACC is %.3f", acc);
        if (left_out < VIEWS && !(acc < 0.85))
            fail_msg("without view %zu ACC is %.3f: it was not heard before", left_out + 1, acc);
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    onefold_dataset *data = made(2500, 3, 4, 2.5);
    static const int threads[] = {1, 2, 3, 8};
    onefold_result *results[4] = {NULL};
    onefold_context *contexts[4];
    onefold_fit_info info[4];
    for (int t = 0; t < 4; t++) {
        onefold_fit_options options = paper_options();
        options.clusters = 4;
        options.restarts = 3;
        CHECK_OK(onefold_context_create(&contexts[t], NULL));
        CHECK_OK(onefold_context_set_threads(contexts[t], threads[t]));
        CHECK_OK(onefold_fit(&results[t], contexts[t], data, &options));
        info[t] = *onefold_result_describe(results[t]);
        assert_int_equal(info[t].iterations, info[0].iterations);
        assert_memory_equal(info[t].trace, info[0].trace, info[0].iterations * sizeof(double));
        assert_memory_equal(info[t].labels, info[0].labels, 2500 * sizeof(int32_t));
        for (size_t i = 0; i < 3; i++)
            assert_true(ask_view(results[t], i).weight == ask_view(results[0], i).weight);
        assert_memory_equal(info[t].embedding, info[0].embedding, 2500 * 8 * sizeof(double));
    }
    for (int t = 0; t < 4; t++) {
        onefold_result_free(results[t]);
        onefold_context_free(contexts[t]);
    }
    onefold_dataset_free(data);
}

static void the_seed_decides(void **state)
{
    (void)state;
    onefold_dataset *data = made(400, 2, 6, 1.0);
    double objective[3];
    for (int i = 0; i < 3; i++) {
        onefold_fit_options options = paper_options();
        options.clusters = 6;
        options.restarts = 1;
        options.seed = i == 2 ? 1 : 0;
        onefold_result *result = NULL;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        objective[i] = info->objective;
        onefold_result_free(result);
    }
    assert_true(objective[0] == objective[1]);
    assert_true(objective[0] != objective[2]);
    onefold_dataset_free(data);
}

static void bad_requests_have_their_own_sentences(void **state)
{
    (void)state;
    onefold_dataset *data = made(30, 2, 3, 5);
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "number of clusters");
    options.clusters = 31;
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_BAD_DATA,
                "30 samples cannot make 31 clusters");
    options.clusters = 3;
    options.dims = 2;
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "2 dimensions");
    options.dims = 0;
    options.restarts = 1;
    options.kernel = "rbf,rbf,rbf";
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "3 kernels");
    options.kernel = "rfb";
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "rfb");
    assert_non_null(strstr(onefold_last_hint(), "rbf"));
    options.kernel = NULL;
    options.method = "os-lfmvc";
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "no method 'os-lfmvc'");
    options.method = NULL;
    options.tolerance = NAN;
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, "tolerance");
    assert_null(result);
    onefold_dataset_free(data);
}

static void a_view_that_tells_nothing_is_refused_by_name(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int value = 0; value < 2; value++) {
        onefold_dataset *data = NULL;
        double good[2 * N], flat[2 * N];
        check_random(9, 0, 2, N, good);
        for (size_t i = 0; i < 2 * N; i++)
            flat[i] = value * 7.25;
        CHECK_OK(onefold_dataset_create(&data, NULL, N));
        CHECK_OK(onefold_dataset_add_dense(data, "good", good, 2, 2, 1));
        CHECK_OK(onefold_dataset_add_dense(data, "flat", flat, 2, 2, 1));
        onefold_fit_options options = paper_options();
        options.clusters = 2;
        onefold_result *result = NULL;
        CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_BAD_DATA, "view 'flat'");
        onefold_dataset_free(data);
    }
}

static void more_memory_than_allowed_is_refused_before_it_is_taken(void **state)
{
    (void)state;
    onefold_dataset *data = made(2000, 3, 4, 5);
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 2)); /* each has its own work space */
    onefold_fit_options options = paper_options();
    options.clusters = 4;
    onefold_estimate_info cost;
    cost = ask_estimate(context, data, &options);
    assert_true(cost.input_bytes == 2000 * 3 * 20 * 8);
    assert_true(cost.peak_bytes > cost.input_bytes + cost.partition_bytes);
    size_t before = ask_peak(context);
    CHECK_OK(onefold_context_set_memory_limit(context, cost.peak_bytes - 1));
    onefold_result *result = NULL;
    CHECK_FAILS(onefold_fit(&result, context, data, &options), ONEFOLD_NO_MEMORY, "would need");
    assert_true(ask_peak(context) < before + (1 << 20));
    /* the limit is enough: the estimate is an upper bound of the memory that the context holds */
    CHECK_OK(onefold_context_set_memory_limit(context, cost.peak_bytes));
    CHECK_OK(onefold_fit(&result, context, data, &options));
    onefold_result_free(result);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* Every allocation of a fit is made to fail once: each failure is an error, none a crash or a leak.
 */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_dataset *data = made(80, 2, 3, 5);
    memory_watch memory;
    onefold_context *context = memory_context(&memory);
    CHECK_OK(onefold_context_set_threads(context, 1));
    onefold_fit_options options = paper_options();
    options.clusters = 3;
    options.restarts = 1;
    options.max_iterations = 2;
    long failing = 0;
    for (;; failing++) {
        onefold_result *result = NULL;
        memory.until_failure = failing;
        onefold_status status = onefold_fit(&result, context, data, &options);
        if (status == ONEFOLD_OK) {
            onefold_result_free(result);
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_null(result);
        assert_int_equal(memory_left(&memory), 0);
    }
    assert_true(failing > 20);
    assert_int_equal(memory_left(&memory), 0);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

static void a_fit_can_be_stopped_anywhere(void **state)
{
    (void)state;
    onefold_dataset *data = made(60, 2, 3, 5);
    onefold_fit_options options = paper_options();
    options.clusters = 3;
    options.restarts = 2;
    for (long after = 0; after < 1024; after = 2 * after + 1) {
        memory_watch memory;
        onefold_context *context = memory_context(&memory);
        onefold_result *result = NULL;
        memory.until_cancel = after;
        onefold_status status = onefold_fit(&result, context, data, &options);
        assert_true(status == ONEFOLD_INTERRUPTED || status == ONEFOLD_OK);
        assert_true(after > 0 || status == ONEFOLD_INTERRUPTED);
        assert_true((status == ONEFOLD_OK) == (result != NULL));
        onefold_result_free(result);
        assert_int_equal(memory_left(&memory), 0);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separated_clusters_are_found),
        cmocka_unit_test(every_view_is_used),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(bad_requests_have_their_own_sentences),
        cmocka_unit_test(a_view_that_tells_nothing_is_refused_by_name),
        cmocka_unit_test(more_memory_than_allowed_is_refused_before_it_is_taken),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_fit_can_be_stopped_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
