/* SPDX-License-Identifier: Apache-2.0 */
/* The stability of clusters and the confidence of samples, in fits and in predictions. */
#include "onefold.h"
#include "support/ask.h"
#include "support/check.h"

#include <math.h>

enum { N = 300, D = 12, K = 4 };

/* Three clusters, of which four are asked for: the largest is cut. */
static onefold_dataset *made(void)
{
    static double x[N * D];
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < 2; v++) {
        check_random(5, v, D, N, x);
        for (size_t j = 0; j < N; j++)
            for (size_t c = 0; c < D; c++) {
                double to = c / 4 == (j % 4 < 2 ? j % 4 : 2) ? 5 : 0;
                x[c + j * D] += to;
            }
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, D, D, 1));
    }
    return data;
}

static void clusters_and_samples_that_come_back(void **state)
{
    (void)state;
    onefold_dataset *data = made();
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = K;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    size_t stable = 0;
    double least = 1, mean[K] = {0}, cut = 0, whole = 0;
    assert_non_null(info->stability);
    for (size_t c = 0; c < K; c++) {
        assert_true(info->stability[c] > 0 && info->stability[c] <= 1);
        stable += info->stability[c] > 0.95;
        least = fmin(least, info->stability[c]);
    }
    assert_int_equal(stable, 2);
    assert_true(least < 0.8);
    for (size_t j = 0; j < N; j++) {
        double own = info->confidence[j];
        assert_true(own >= 0 && own <= 1);
        mean[info->labels[j]] += own / (double)info->sizes[info->labels[j]];
    }
    for (size_t c = 0; c < K; c++)
        *(info->stability[c] > 0.95 ? &whole : &cut) += mean[c] / 2;
    assert_true(whole > 0.95 && cut < 0.9);
    /* predict: the same for samples of equal margin, and a rising function of it */
    static double confidence[N];
    static int32_t labels[N];
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    out.confidence = confidence;
    out.labels = labels;
    CHECK_OK(onefold_predict(&out, NULL, info->model, data, 0, N));
    double fitted = 0, predicted = 0;
    for (size_t j = 0; j < N; j++) {
        assert_int_equal(labels[j], info->labels[j]);
        fitted += info->confidence[j] / N;
        predicted += confidence[j] / N;
        assert_true(confidence[j] >= 0 && confidence[j] <= 1);
    }
    CHECK_CLOSE(fitted, predicted, 0.02, 0); /* they mean the same */
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* Methods without subsamples have margins, and nothing to judge by. */
static void other_methods_have_margins(void **state)
{
    (void)state;
    onefold_dataset *data = made();
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = K;
    options.method = "os-lfmvc-cs";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_null(info->stability);
    assert_null(info->finding);
    assert_non_null(info->confidence);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_and_samples_that_come_back),
        cmocka_unit_test(other_methods_have_margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
