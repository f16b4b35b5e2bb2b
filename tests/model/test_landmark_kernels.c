/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels knn and subspace with every method, on dense views and on sparse ones. */
#include "onefold.h"

#include "support/check.h"

#include <string.h>

enum { SAMPLES = 120, CLUSTERS = 3 };

static onefold_dataset *made(double density)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    const size_t columns[] = {40, 40};
    onefold_dataset *data = NULL;
    options.samples = SAMPLES;
    options.views = 2;
    options.columns = columns;
    options.clusters = CLUSTERS;
    options.density = density;
    options.separation = 6;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

/* fmr and lsgmc read columns, whatever the kernel; sb-kkm takes the best of the views alone. */
static double least_of(const char *method)
{
    if (!strcmp(method, "fmr"))
        return 0;
    return !strcmp(method, "sb-kkm") ? 0.5 : 0.7;
}

static void check_fit(const onefold_dataset *data, const char *method, const char *kernel)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_result *result = NULL;
    options.clusters = CLUSTERS;
    options.restarts = 3;
    options.method = method;
    options.kernel = kernel;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, onefold_result_describe(result)->labels,
                           onefold_dataset_describe(data)->truth, SAMPLES));
    print_message("  %s, %s: %.2f\n", method, kernel, scores.nmi);
    assert_true(scores.nmi >= least_of(method));
    const onefold_view_fit *view = onefold_result_describe(result)->view[0];
    assert_string_equal(view->kernel, kernel);
    onefold_result_free(result);
}

static void every_method_takes_them(void **state)
{
    (void)state;
    onefold_dataset *data[] = {made(1), made(0.25)};
    for (size_t d = 0; d < 2; d++) {
        for (size_t m = 0; onefold_method_describe(m); m++) {
            check_fit(data[d], onefold_method_describe(m)->name, "knn");
            check_fit(data[d], onefold_method_describe(m)->name, "subspace");
        }
        onefold_dataset_free(data[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_takes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
