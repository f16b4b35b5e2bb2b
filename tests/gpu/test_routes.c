/* SPDX-License-Identifier: Apache-2.0 */
/* Whole fits whose base partitions a card makes by one route or another, beside the CPU's. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ran {
    int32_t *labels;
    double objective;
    size_t card_bytes;
    char note[256];
} ran;

static ran fit(onefold_device device, const onefold_dataset *dataset, size_t n,
               const onefold_fit_options *options)
{
    onefold_context *context;
    onefold_result *result;
    onefold_estimate *estimate;
    onefold_estimate_info shape = ONEFOLD_ESTIMATE_INFO_INIT;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    ran made = {.labels = malloc(n * sizeof(int32_t))};
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, options, 0));
    CHECK_OK(onefold_estimate_describe(estimate, &shape));
    made.card_bytes = shape.card_bytes;
    onefold_estimate_free(estimate);
    CHECK_OK(onefold_fit(&result, context, dataset, options));
    CHECK_OK(onefold_result_describe(result, &info));
    memcpy(made.labels, onefold_result_labels(result), n * sizeof *made.labels);
    made.objective = info.objective;
    snprintf(made.note, sizeof made.note, "%s", info.note);
    onefold_result_free(result);
    onefold_context_free(context);
    return made;
}

/* Labels agree on 99.9 % of the samples after the best matching, the objective to `near`, and the
 * card made the partitions that the note is to say. */
static void check_fits(const onefold_dataset *dataset, size_t n, const onefold_fit_options *options,
                       const char *says, double near)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    ran cpu = fit(ONEFOLD_DEVICE_CPU, dataset, n, options),
        card = fit(ONEFOLD_DEVICE_GPU, dataset, n, options);
    assert_string_equal(cpu.note, "");
    if (!strstr(card.note, says))
        fail_msg("'%s' is not in '%s'", says, card.note);
    CHECK_OK(onefold_score_classes(&scores, card.labels, cpu.labels, n));
    if (!(scores.acc >= 0.999))
        fail_msg("labels agree on %g of the samples", scores.acc);
    if (!(fabs(card.objective - cpu.objective) <= near * fabs(cpu.objective)))
        fail_msg("objective %.17g, on the CPU %.17g", card.objective, cpu.objective);
    if (gpu_is_real() || check_everything()) {
        ran again = fit(ONEFOLD_DEVICE_GPU, dataset, n, options);
        assert_memory_equal(card.labels, again.labels, n * sizeof *card.labels);
        assert_true(card.objective == again.objective);
        free(again.labels);
    }
    free(cpu.labels);
    free(card.labels);
}

static onefold_dataset *make(size_t n, size_t columns, double missing)
{
    const size_t both[2] = {columns, columns};
    onefold_dataset *dataset;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = n;
    options.views = 2;
    options.clusters = 4;
    options.columns = both;
    options.missing = missing;
    options.separation = 8;
    CHECK_OK(onefold_dataset_synth(&dataset, NULL, &options));
    return dataset;
}

/* Partitions of the samples that have a view, by landmarks: more than 131 072 of them. */
static void views_that_samples_lack(void **state)
{
    (void)state;
    enum { N = 134000, D = 3 };
    int slow = !gpu_is_real() && !check_everything();
    onefold_dataset *dataset = make(N, D, 0.02);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.dims = 4;
    options.restarts = 1;
    options.landmarks = slow ? 16 : 40;
    options.precision = ONEFOLD_SINGLE;
    options.max_iterations = slow ? 1 : 5;
    check_fits(dataset, N, &options, "of 2 of 2 views", 1e-5);
    onefold_dataset_free(dataset);
}

/* The card is told to hold a partition of the samples that have a view besides the stack. */
static void estimates_count_partitions_made_apart(void **state)
{
    (void)state;
    enum { N = 134000, D = 3, DIMS = 20 };
    size_t bytes[2];
    for (int lacking = 0; lacking < 2; lacking++) {
        onefold_dataset *dataset = make(N, D, lacking ? 0.02 : 0);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_context *context;
        onefold_estimate *estimate;
        onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
        options.method = "os-lfmvc-cs";
        options.clusters = 4;
        options.dims = DIMS;
        options.precision = ONEFOLD_SINGLE;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
        CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, &options, 0));
        CHECK_OK(onefold_estimate_describe(estimate, &info));
        bytes[lacking] = info.card_bytes;
        onefold_estimate_free(estimate);
        onefold_context_free(context);
        onefold_dataset_free(dataset);
    }
    assert_true(bytes[1] > bytes[0]);
    assert_true(bytes[1] < bytes[0] + (size_t)N * DIMS * sizeof(float));
}

static int find_card(void **state)
{
    (void)state;
    (void)gpu_table();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_that_samples_lack),
                                       cmocka_unit_test(estimates_count_partitions_made_apart)};
    return cmocka_run_group_tests(tests, find_card, NULL);
}
