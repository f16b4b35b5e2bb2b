/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits at the limits of their options: one sample, as many clusters or rows as samples, 64 views,
 * views that are the same or contradict each other, 500 clusters; columns of any scale and with
 * large offsets. Labels are in range, nothing is NaN, the objective never falls, and units do not
 * matter.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const ours[] = {"os-lfmvc-cs", "onefold"};

static onefold_dataset *made(size_t samples, size_t views, size_t clusters, double separation)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    options.samples = samples;
    options.views = views;
    options.clusters = clusters;
    options.separation = separation;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static void check_result(const onefold_result *result, const char *method)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    const int32_t *labels = onefold_result_describe(result)->labels;
    for (size_t j = 0; j < info->samples; j++)
        assert_true(labels[j] >= 0 && (size_t)labels[j] < info->clusters);
    assert_true(isfinite(info->objective));
    for (size_t i = 0; info->trace && i < info->iterations; i++) {
        assert_true(isfinite(info->trace[i]));
        int rises = strcmp(method, ours[0]) == 0 || strcmp(method, ours[1]) == 0;
        if (rises && i > 0 && info->trace[i] < info->trace[i - 1] * (1 - 1e-10))
            fail_msg("%s: the objective falls from %.17g to %.17g", method, info->trace[i - 1],
                     info->trace[i]);
    }
    double squares = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = onefold_result_describe(result)->view[v];
        assert_true(isfinite(view->weight) && view->weight >= 0);
        squares += view->weight * view->weight;
    }
    if (strcmp(method, "os-lfmvc-cs") == 0)
        CHECK_CLOSE(squares, 1, 1e-12, 0);
}

/* Fits and checks; the caller frees. NULL where the fit is refused, with a sentence, not as a
 * fault. */
static onefold_result *fit(const onefold_dataset *data, const char *method, size_t clusters,
                           size_t dims)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = clusters;
    options.method = method;
    options.restarts = 3;
    options.dims = options.anchors = strcmp(method, "os-lfmvc-cs") == 0 ? dims : 0;
    onefold_status status = onefold_fit(&result, NULL, data, &options);
    if (status != ONEFOLD_OK) {
        if (status != ONEFOLD_USAGE && status != ONEFOLD_BAD_DATA)
            fail_msg("%s: %s: %s", method, onefold_name(ONEFOLD_NAMES_STATUS, status),
                     onefold_last_error());
        assert_true(onefold_last_error()[0] != '\0');
        return NULL;
    }
    check_result(result, method);
    return result;
}

static void the_smallest_data_is_fitted_or_refused(void **state)
{
    (void)state;
    size_t fitted = 0;
    for (size_t samples = 1; samples <= 6; samples++)
        for (size_t m = 0; onefold_method_describe(m); m++)
            for (size_t clusters = 1; clusters <= samples + 1; clusters++) {
                onefold_dataset *data = made(samples, 2, 1, 4);
                onefold_result *result = fit(data, onefold_method_describe(m)->name, clusters, 0);
                if (clusters > samples)
                    assert_null(result);
                fitted += result != NULL;
                onefold_result_free(result);
                onefold_dataset_free(data);
            }
    assert_true(fitted > 50);
}

static void as_many_rows_or_clusters_as_samples(void **state)
{
    (void)state;
    enum { SAMPLES = 24 };
    onefold_dataset *data = made(SAMPLES, 3, 4, 4);
    for (size_t m = 0; m < 2; m++)
        for (size_t dims = SAMPLES - 2; dims <= SAMPLES + 1; dims++) {
            onefold_result_free(fit(data, ours[m], 4, dims));
            onefold_result_free(fit(data, ours[m], dims, 0));
        }
    onefold_dataset_free(data);
}

static double agreement(const int32_t *one, const int32_t *two, size_t samples)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, one, two, samples));
    return scores.nmi;
}

static void sixty_four_views(void **state)
{
    (void)state;
    onefold_dataset *data = made(60, 64, 3, 4);
    for (size_t m = 0; m < 2; m++) {
        onefold_result *result = fit(data, ours[m], 3, 0);
        assert_non_null(result);
        assert_true(agreement(onefold_result_describe(result)->labels,
                              onefold_dataset_describe(data)->truth, 60) > 0.95);
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
}

/* A view, `times` over, each time multiplied by a factor and shifted. */
static onefold_dataset *repeated(const double *values, size_t samples, size_t columns, size_t times,
                                 double factor, double offset)
{
    onefold_dataset *data = NULL;
    double *scaled = malloc(samples * columns * sizeof *scaled);
    CHECK_OK(onefold_dataset_create(&data, NULL, samples));
    for (size_t i = 0; i < samples * columns; i++)
        scaled[i] = values[i] * factor + offset;
    for (size_t v = 0; v < times; v++)
        CHECK_OK(onefold_dataset_add_dense(data, NULL, scaled, columns, columns, 1));
    free(scaled);
    return data;
}

enum { SAMPLES = 90, COLUMNS = 20 };

/* Three clusters, a third of the samples each, in COLUMNS x SAMPLES. */
static void cluster_values(double *values, size_t stride)
{
    check_random(5, stride, COLUMNS, SAMPLES, values);
    for (size_t j = 0; j < SAMPLES; j++)
        values[j * COLUMNS + j / stride % 3] += 6;
}

/* Equal views have the same weight, and the labels of one of them. */
static void the_same_view_many_times(void **state)
{
    (void)state;
    double values[SAMPLES * COLUMNS];
    cluster_values(values, 1);
    onefold_dataset *one = repeated(values, SAMPLES, COLUMNS, 1, 1, 0),
                    *many = repeated(values, SAMPLES, COLUMNS, 7, 1, 0);
    onefold_result *alone = fit(one, ours[0], 3, 0), *together = fit(many, ours[0], 3, 0);
    assert_non_null(alone);
    assert_non_null(together);
    assert_true(agreement(onefold_result_describe(alone)->labels,
                          onefold_result_describe(together)->labels, SAMPLES) > 0.999);
    for (size_t v = 0; v < 7; v++) {
        const onefold_view_fit *view = onefold_result_describe(together)->view[v];
        CHECK_CLOSE(view->weight, sqrt(1.0 / 7), 1e-8, 0);
    }
    onefold_result_free(alone);
    onefold_result_free(together);
    onefold_dataset_free(one);
    onefold_dataset_free(many);
}

/* Two views with clusters that have nothing to do with each other. */
static void views_that_contradict_each_other(void **state)
{
    (void)state;
    double values[SAMPLES * COLUMNS];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    for (size_t stride = 1; stride <= 3; stride += 2) {
        cluster_values(values, stride);
        CHECK_OK(onefold_dataset_add_dense(data, NULL, values, COLUMNS, COLUMNS, 1));
    }
    for (size_t m = 0; onefold_method_describe(m); m++) {
        onefold_result *result = fit(data, onefold_method_describe(m)->name, 3, 0);
        assert_non_null(result);
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
}

/* A factor of all values, and an offset that leaves half of the digits, change no label. */
static void units_do_not_matter(void **state)
{
    (void)state;
    static const struct {
        double factor, offset;
    } units[] = {{1e-150, 0}, {1e-100, 0}, {1e-20, 0}, {1e20, 0},  {1e100, 0},
                 {1e150, 0},  {1, 1e8},    {-1, -1e6}, {1e-6, 100}};
    static const char *const kernels[] = {"auto", "linear", "rbf", "knn"};
    double values[SAMPLES * COLUMNS];
    cluster_values(values, 1);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_dataset *data = repeated(values, SAMPLES, COLUMNS, 2, 1, 0);
        onefold_result *plain = NULL;
        options.clusters = 3;
        options.kernel = kernels[k];
        options.method = "os-lfmvc-cs";
        CHECK_OK(onefold_fit(&plain, NULL, data, &options));
        onefold_dataset_free(data);
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            onefold_result *result = NULL;
            data = repeated(values, SAMPLES, COLUMNS, 2, units[u].factor, units[u].offset);
            if (onefold_fit(&result, NULL, data, &options) != ONEFOLD_OK)
                fail_msg("%s, times %g plus %g: %s", kernels[k], units[u].factor, units[u].offset,
                         onefold_last_error());
            check_result(result, "os-lfmvc-cs");
            double same = agreement(onefold_result_describe(plain)->labels,
                                    onefold_result_describe(result)->labels, SAMPLES);
            if (same < 0.999)
                fail_msg("%s, times %g plus %g: labels agree by %g", kernels[k], units[u].factor,
                         units[u].offset, same);
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
        onefold_result_free(plain);
    }
}

static void five_hundred_clusters(void **state)
{
    (void)state;
    onefold_dataset *data = made(520, 2, 500, 30);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = 500;
    options.method = "os-lfmvc-cs";
    options.dims = options.anchors = 500;
    options.restarts = 1;
    options.max_iterations = 2;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    check_result(result, "os-lfmvc-cs");
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* Numbers below the least normal one have few digits and no reciprocal: every method refuses a
 * kernel of them, given or made, and none answers with NaN. */
static void subnormal_kernels_are_refused(void **state)
{
    (void)state;
    enum { M = 30 };
    static const double scales[] = {5e-324, 1e-320, 1e-310, 1e-308, 1e-300};
    static const char *const kernels[] = {"precomputed", "linear"};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (int made = 0; made < 2; made++) {
            double values[M * M];
            onefold_dataset *data = NULL;
            const onefold_method_info *method;
            for (size_t i = 0; i < M * M; i++)
                values[i] = made ? sqrt(scales[s]) * (double)(i % M == i / M % 3)
                                 : scales[s] * (i % M == i / M ? 2 : i % M % 3 == i / M % 3);
            CHECK_OK(onefold_dataset_create(&data, NULL, M));
            CHECK_OK(made ? onefold_dataset_add_dense(data, "a", values, M, M, 1)
                          : onefold_dataset_add_kernel(data, "a", values));
            for (size_t m = 0; (method = onefold_method_describe(m)); m++) {
                onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
                onefold_result *result = NULL;
                options.clusters = 3;
                options.method = method->name;
                options.kernel = kernels[made];
                onefold_status status = onefold_fit(&result, NULL, data, &options);
                if (status != ONEFOLD_OK)
                    assert_int_equal(status, ONEFOLD_BAD_DATA);
                else
                    assert_true(isfinite(onefold_result_describe(result)->objective));
                if (!made) /* the largest entry is twice the scale */
                    assert_int_equal(status == ONEFOLD_OK, scales[s] > 1e-308 * 1.2);
                onefold_result_free(result);
            }
            onefold_dataset_free(data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_data_is_fitted_or_refused),
        cmocka_unit_test(as_many_rows_or_clusters_as_samples),
        cmocka_unit_test(sixty_four_views),
        cmocka_unit_test(the_same_view_many_times),
        cmocka_unit_test(views_that_contradict_each_other),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(five_hundred_clusters),
        cmocka_unit_test(subnormal_kernels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
