/* SPDX-License-Identifier: Apache-2.0 */
/* Explanation: the figures of a literal restatement, and their meaning on made data. */
#include "onefold.h"

#include "support/ask.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300, VIEWS = 4, CLUSTERS = 3 };

/* View 0 separates cluster 0 from the rest, view 1 separates all clusters, view 2 is noise. */
static onefold_dataset *planted(void)
{
    static double values[4 * N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < VIEWS; v++) {
        check_random(21, v, 4, N, values);
        for (size_t j = 0; j < N; j++) {
            size_t cluster = j % CLUSTERS;
            if (v == 0)
                values[4 * j] += cluster == 0 ? 12 : 0;
            if (v == 1 || v == 3)
                values[4 * j + cluster] += 12;
        }
        CHECK_OK(onefold_dataset_add_dense(data, NULL, values, 4, 4, 1));
    }
    return data;
}

static onefold_result *fitted(const onefold_dataset *data, int threads, onefold_context **context,
                              onefold_fit_info *info)
{
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    options.clusters = CLUSTERS;
    CHECK_OK(onefold_context_create(context, NULL));
    CHECK_OK(onefold_context_set_threads(*context, threads));
    CHECK_OK(onefold_fit(&result, *context, data, &options));
    *info = *onefold_result_describe(result);
    return result;
}

static void what_was_planted_is_what_is_said(void **state)
{
    (void)state;
    onefold_dataset *data = planted();
    onefold_context *context;
    onefold_fit_info info;
    onefold_result *result = fitted(data, 1, &context, &info);
    const int32_t *labels = onefold_result_describe(result)->labels;
    assert_non_null(info.agreement);
    /* the view that separates all agrees most, the one of noise least */
    assert_true(info.agreement[1] > 0.9 && info.agreement[3] > 0.9);
    assert_true(info.agreement[2] < 0.3);
    assert_true(info.agreement[0] > info.agreement[2] && info.agreement[0] < info.agreement[1]);
    /* cluster 0 is seen by views 0 and 1, the others by view 1 and not by view 0 */
    for (size_t c = 0; c < CLUSTERS; c++) {
        const double *by = info.cluster_agreement + (size_t)labels[c] * VIEWS;
        assert_true(by[1] > 0.9);
        assert_true(by[2] < 0.6);
        if (c == 0)
            assert_true(by[0] > 0.9);
        else
            assert_true(by[0] < 0.75);
    }
    for (size_t i = 0; i < VIEWS; i++) {
        CHECK_CLOSE(info.view_agreement[i + i * VIEWS], 1, 1e-12, 0);
        for (size_t h = 0; h < VIEWS; h++)
            assert_true(info.view_agreement[i + h * VIEWS] == info.view_agreement[h + i * VIEWS]);
    }
    assert_true(info.view_agreement[2 + VIEWS] < 0.3);
    double mean = 0;
    for (size_t j = 0; j < N; j++) {
        assert_true(info.confidence[j] >= 0 && info.confidence[j] <= 1);
        mean += info.confidence[j] / N;
    }
    assert_true(mean > 0.5);
    onefold_result_free(result);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* A sample half way between two clusters has less confidence than those within. */
static void a_sample_between_two_clusters_is_unsure(void **state)
{
    (void)state;
    static double values[2 * N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    check_random(5, 0, 2, N, values);
    for (size_t j = 0; j + 1 < N; j++)
        values[2 * j] += j % 2 ? 8 : -8;
    values[2 * N - 2] = values[2 * N - 1] = 0;
    CHECK_OK(onefold_dataset_add_dense(data, NULL, values, 2, 2, 1));
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    options.clusters = 2;
    options.kernel = "linear";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    size_t below = 0;
    for (size_t j = 0; j + 1 < N; j++)
        below += info->confidence[j] < info->confidence[N - 1];
    assert_true(below < N / 20);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    onefold_dataset *data = planted();
    onefold_context *one, *other;
    onefold_fit_info a, b;
    onefold_result *first = fitted(data, 1, &one, &a);
    static const int threads[] = {2, 3, 8};
    for (size_t t = 0; t < 3; t++) {
        onefold_result *second = fitted(data, threads[t], &other, &b);
        assert_memory_equal(a.confidence, b.confidence, N * sizeof(double));
        assert_memory_equal(a.agreement, b.agreement, VIEWS * sizeof(double));
        assert_memory_equal(a.view_agreement, b.view_agreement, VIEWS * VIEWS * sizeof(double));
        assert_memory_equal(a.cluster_agreement, b.cluster_agreement,
                            VIEWS * CLUSTERS * sizeof(double));
        onefold_result_free(second);
        onefold_context_free(other);
    }
    onefold_result_free(first);
    onefold_context_free(one);
    onefold_dataset_free(data);
}

/* Views 0 and 1 separate cluster 0 from the rest; only view 2 separates clusters 1 and 2. */
static void the_view_that_sees_a_cluster_is_named(void **state)
{
    (void)state;
    enum { SEEN_BY = 3 };
    static double values[4 * N];
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < SEEN_BY; v++) {
        size_t columns = v == 2 ? CLUSTERS : 1;
        check_random(40, v, columns, N, values);
        for (size_t j = 0; j < N; j++)
            values[columns * j + (v == 2 ? j % CLUSTERS : 0)] +=
                v == 2 || j % CLUSTERS == 0 ? 14 : 0;
        CHECK_OK(onefold_dataset_add_dense(data, NULL, values, columns, columns, 1));
    }
    options.clusters = CLUSTERS;
    options.kernel = "linear";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    const int32_t *labels = onefold_result_describe(result)->labels;
    assert_true(labels[0] != labels[1] && labels[1] != labels[2]);
    for (size_t j = 0; j < N; j++) /* the fit itself has found them */
        assert_int_equal(labels[j], labels[j % CLUSTERS]);
    for (size_t c = 0; c < CLUSTERS; c++) {
        const double *by = info->cluster_agreement + (size_t)labels[c] * SEEN_BY;
        assert_true(by[2] > 0.95);
        assert_true(c == 0 ? by[0] > 0.95 && by[1] > 0.95 : by[0] < 0.6 && by[1] < 0.6);
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* A view of noise beside real ones agrees with nothing, and sees no cluster best. */
static void real_views_are_told_from_noise(void **state)
{
    (void)state;
    static const char *const files[] = {"data/msrc/MSRC_v1.mat", "data/bbcsport/BBCSport.mat",
                                        "data/webkb/WebKB_cornell.mat"};
    for (size_t f = 0; f < 3; f++) {
        const char *path = check_shared(files[f]);
        if (!path)
            skip();
        onefold_dataset *data = NULL;
        onefold_result *result = NULL;
        onefold_fit_options options = paper_options();
        CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
        size_t n = onefold_dataset_describe(data)->samples,
               real = onefold_dataset_describe(data)->views;
        double *noise = malloc(12 * n * sizeof *noise), most = 0;
        assert_non_null(noise);
        check_random(6, f, 12, n, noise);
        CHECK_OK(onefold_dataset_add_dense(data, "noise", noise, 12, 12, 1));
        options.clusters = onefold_dataset_describe(data)->classes;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        assert_true(info->agreement[real] < 0.15);
        for (size_t v = 0; v < real; v++) {
            assert_true(info->agreement[v] > info->agreement[real]);
            assert_true(ask_view(result, v).weight > ask_view(result, real).weight);
            assert_true(info->view_agreement[v + real * info->views] < 0.15);
            most = fmax(most, info->agreement[v]);
        }
        assert_true(most > 0.3);
        for (size_t c = 0; c < info->clusters; c++) {
            const double *by = info->cluster_agreement + c * info->views;
            size_t best = 0;
            for (size_t v = 1; v < info->views; v++)
                best = by[v] > by[best] ? v : best;
            assert_true(best != real || !info->sizes[c]);
        }
        free(noise);
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_planted_is_what_is_said),
        cmocka_unit_test(a_sample_between_two_clusters_is_unsure),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(the_view_that_sees_a_cluster_is_named),
        cmocka_unit_test(real_views_are_told_from_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
