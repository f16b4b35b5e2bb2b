/* SPDX-License-Identifier: Apache-2.0 */
/* Own labels of views for methods without scores by view, and the confidence of k-means. */
#include "model/fit.h"
#include "score/score.h"

#include "support/ask.h"
#include "support/paper_options.h"

#include <math.h>
#include <string.h>

enum { N = 90, CLUSTERS = 4, VIEWS = 4, COLUMNS = 5 };

/* ---- restatements ------------------------------------------------------------------------- */

static void margins_equal_a_literal_restatement(void **state)
{
    (void)state;
    static double x[N * COLUMNS], confidence[N];
    int32_t labels[N];
    check_random(9, 0, COLUMNS, N, x);
    for (size_t j = 0; j < N; j++) { /* at unit length, as a k-means embedding is */
        double square = 0;
        for (size_t i = 0; i < COLUMNS; i++)
            square += x[j * COLUMNS + i] * x[j * COLUMNS + i];
        for (size_t i = 0; i < COLUMNS; i++)
            x[j * COLUMNS + i] /= sqrt(square);
    }
    for (size_t j = 0; j < N; j++)
        labels[j] = (int32_t)(j % (CLUSTERS - 1)); /* the last is empty */
    CHECK_OK(of_silhouette(of_context_or_default(NULL), COLUMNS, N, x, COLUMNS, labels, CLUSTERS,
                           confidence, NULL));
    for (size_t j = 0; j < N; j++) {
        double to[CLUSTERS - 1];
        for (int32_t c = 0; c < CLUSTERS - 1; c++) {
            double square = 0, size = 0;
            for (size_t l = 0; l < N; l++)
                size += labels[l] == c;
            for (size_t i = 0; i < COLUMNS; i++) {
                double mean = 0;
                for (size_t l = 0; l < N; l++)
                    mean += labels[l] == c ? x[l * COLUMNS + i] / size : 0;
                square += pow(x[j * COLUMNS + i] - mean, 2);
            }
            to[c] = sqrt(square);
        }
        double other = INFINITY, own = to[labels[j]];
        for (int32_t c = 0; c < CLUSTERS - 1; c++)
            other = c == labels[j] ? other : fmin(other, to[c]);
        CHECK_CLOSE(confidence[j], fmax(0, 1 - own / other), 0, 1e-12);
    }
    memset(labels, 0, sizeof labels); /* no other cluster: nothing to doubt */
    CHECK_OK(of_silhouette(of_context_or_default(NULL), COLUMNS, N, x, COLUMNS, labels, CLUSTERS,
                           confidence, NULL));
    for (size_t j = 0; j < N; j++)
        assert_true(confidence[j] == 1);
}

/* ---- meaning ------------------------------------------------------------------------------ */

/* View 0 separates cluster 0 from the rest, views 1 and 3 separate all, view 2 is noise. */
static onefold_dataset *planted(void)
{
    static double values[COLUMNS * N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < VIEWS; v++) {
        check_random(21, v, COLUMNS, N, values);
        for (size_t j = 0; j < N; j++) {
            size_t cluster = j % 3;
            if (v == 0)
                values[COLUMNS * j] += cluster == 0 ? 12 : 0;
            if (v == 1 || v == 3)
                values[COLUMNS * j + cluster] += 12;
        }
        CHECK_OK(onefold_dataset_add_dense(data, NULL, values, COLUMNS, COLUMNS, 1));
    }
    return data;
}

static void every_method_says_what_was_planted(void **state)
{
    (void)state;
    onefold_dataset *data = planted();
    size_t found = 0;
    for (size_t m = 0; onefold_method_describe(m); m++) {
        onefold_result *result = NULL;
        onefold_fit_options options = paper_options();
        options.clusters = 3;
        options.method = onefold_method_describe(m)->name;
        if (strcmp(options.method, "sb-kkm") == 0)
            options.method_options = "view=2";
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        const int32_t *labels = onefold_result_describe(result)->labels;
        assert_non_null(info->agreement);
        assert_non_null(info->confidence);
        for (size_t j = 0; j < N; j++)
            assert_true(info->confidence[j] >= 0 && info->confidence[j] <= 1);
        assert_true(info->agreement[2] < 0.2); /* noise */
        assert_true(info->view_agreement[2 + VIEWS] < 0.2);
        size_t right = 0;
        for (size_t j = 0; j < N; j++)
            right += labels[j] == labels[j % 3];
        found += right == N;
        if (right < N) { /* what was planted is not what was found */
            onefold_result_free(result);
            continue;
        }
        if (info->agreement[1] < 0.95)
            fail_msg("%s: the view that tells all apart agrees to %.2f", options.method,
                     info->agreement[1]);
        assert_true(info->agreement[0] > 0.3 && info->agreement[0] < 0.9);
        for (size_t c = 0; c < 3; c++) {
            const double *by = info->cluster_agreement + (size_t)labels[c] * VIEWS;
            assert_true(by[1] > 0.9 && by[2] < 0.6);
            if (c == 0)
                assert_true(by[0] > 0.9);
            else
                assert_true(by[0] < 0.75);
        }
        onefold_result_free(result);
    }
    assert_true(found >= 6); /* of eight methods */
    onefold_dataset_free(data);
}

static void bits_do_not_depend_on_threads_and_bare_leaves_it_out(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    double agreement[VIEWS * VIEWS], confidence[N];
    onefold_dataset *data = planted();
    for (size_t t = 0; t < 5; t++) {
        onefold_context *context = NULL;
        onefold_result *result = NULL;
        onefold_fit_options options = paper_options();
        options.clusters = 3;
        options.method = "avg-kkm";
        options.bare = t == 4;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t % 4]));
        CHECK_OK(onefold_fit(&result, context, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        if (t == 0) {
            memcpy(agreement, info->view_agreement, sizeof agreement);
            memcpy(confidence, info->confidence, sizeof confidence);
        }
        if (t == 4) {
            assert_null(info->agreement);
            assert_null(info->confidence);
        } else {
            assert_memory_equal(agreement, info->view_agreement, sizeof agreement);
            assert_memory_equal(confidence, info->confidence, sizeof confidence);
        }
        onefold_result_free(result);
        assert_int_equal(context->bytes, 0);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

/* The estimate is enough for a method that needs less memory than its explanation. */
static void the_estimate_counts_it(void **state)
{
    (void)state;
    onefold_dataset *data = planted();
    onefold_context *context = NULL;
    onefold_estimate_info cost;
    onefold_fit_options options = paper_options();
    options.clusters = 3;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t m = 0; onefold_method_describe(m); m++) {
        onefold_result *result = NULL;
        options.method = onefold_method_describe(m)->name;
        CHECK_OK(onefold_context_set_memory_limit(context, 0));
        cost = ask_estimate(context, data, &options);
        CHECK_OK(onefold_context_set_memory_limit(context, cost.peak_bytes));
        CHECK_OK(onefold_fit(&result, context, data, &options));
        onefold_result_free(result);
    }
    onefold_context_free(context);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_equal_a_literal_restatement),
        cmocka_unit_test(every_method_says_what_was_planted),
        cmocka_unit_test(bits_do_not_depend_on_threads_and_bare_leaves_it_out),
        cmocka_unit_test(the_estimate_counts_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
