/* SPDX-License-Identifier: Apache-2.0 */
/* Whole fits with the work over all samples on a card, beside the CPU's. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ran {
    int32_t *labels;
    double objective;
    char note[256];
} ran;

static ran fit(onefold_device device, const onefold_dataset *dataset, size_t n,
               const onefold_fit_options *options)
{
    onefold_context *context;
    onefold_result *result;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    ran made = {.labels = malloc(n * sizeof(int32_t))};
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    CHECK_OK(onefold_fit(&result, context, dataset, options));
    CHECK_OK(onefold_result_describe(result, &info));
    memcpy(made.labels, onefold_result_labels(result), n * sizeof *made.labels);
    made.objective = info.objective;
    snprintf(made.note, sizeof made.note, "%s", info.note);
    onefold_result_free(result);
    onefold_context_free(context);
    return made;
}

static onefold_dataset *make(size_t n, size_t views, size_t columns, double missing)
{
    const size_t both[2] = {columns, columns};
    onefold_dataset *dataset;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = n;
    options.views = views;
    options.clusters = 4;
    options.columns = both;
    options.missing = missing;
    options.separation = 8;
    CHECK_OK(onefold_dataset_synth(&dataset, NULL, &options));
    return dataset;
}

/* Labels agree on 99.9 % of the samples after the best matching, the objective to `near`. */
static void check_agreement(const ran *card, const ran *cpu, size_t n, double near)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score_classes(&scores, card->labels, cpu->labels, n));
    if (!(scores.acc >= 0.999))
        fail_msg("labels agree on %g of the samples", scores.acc);
    if (!(fabs(card->objective - cpu->objective) <= near * fabs(cpu->objective)))
        fail_msg("objective %.17g, on the CPU %.17g", card->objective, cpu->objective);
}

static void fits_agree_with_the_cpus(void **state)
{
    (void)state;
    static const struct {
        size_t n, columns;
        double missing;
        onefold_precision precision;
        double near;
        const char *says;
    } cases[] = {
        {700, 6, 0, ONEFOLD_DOUBLE, 1e-10, "of 0 of 2 views"},
        {700, 6, 0, ONEFOLD_SINGLE, 1e-5, "of 0 of 2 views"},
        {600, 6, 0.1, ONEFOLD_DOUBLE, 1e-10, "of 0 of 2 views"},
        {132000, 5, 0, ONEFOLD_SINGLE, 1e-5, NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int slow = cases[c].n > 1000 && !gpu_is_real() && !check_everything(); /* emulated */
        const char *says = cases[c].says ? cases[c].says
                           : slow        ? "of 1 of 1 views"
                                         : "of 2 of 2 views";
        onefold_dataset *dataset =
            make(cases[c].n, slow ? 1 : 2, cases[c].columns, cases[c].missing);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.method = "os-lfmvc-cs";
        options.clusters = slow ? 2 : 4;
        options.restarts = slow ? 1 : 2;
        options.landmarks = cases[c].n <= 1000 ? 0 : slow ? 16 : 40;
        options.precision = cases[c].precision;
        options.max_iterations = cases[c].n <= 1000 || gpu_is_real() ? 20 : slow ? 1 : 3;
        ran cpu = fit(ONEFOLD_DEVICE_CPU, dataset, cases[c].n, &options),
            card = fit(ONEFOLD_DEVICE_GPU, dataset, cases[c].n, &options);
        assert_string_equal(cpu.note, "");
        assert_non_null(strstr(card.note, says));
        check_agreement(&card, &cpu, cases[c].n, cases[c].near);
        if (!slow) {
            ran again = fit(ONEFOLD_DEVICE_GPU, dataset, cases[c].n, &options);
            assert_memory_equal(card.labels, again.labels, cases[c].n * sizeof *card.labels);
            assert_true(card.objective == again.objective);
            free(again.labels);
        }
        free(cpu.labels);
        free(card.labels);
        onefold_dataset_free(dataset);
    }
}

/* A card that is not there, too old or too small, which only the stand-in for one can be. */
static void faults_are_said(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const char *const wrong[][2] = {{"none", "no CUDA-capable device"}, {"old", "driver"}};
    onefold_context *context;
    if (gpu_is_real())
        return;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t i = 0; i < 2; i++) {
        setenv("ONEFOLD_EMULATED", wrong[i][0], 1);
        CHECK_FAILS(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU), ONEFOLD_UNSUPPORTED,
                    wrong[i][1]);
        CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_AUTO));
    }
    onefold_context_free(context);
    onefold_dataset *dataset = make(N, 2, 6, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.restarts = 2;
    setenv("ONEFOLD_EMULATED", "1", 1); /* megabyte */
    ran cpu = fit(ONEFOLD_DEVICE_CPU, dataset, N, &options),
        small = fit(ONEFOLD_DEVICE_GPU, dataset, N, &options);
    unsetenv("ONEFOLD_EMULATED");
    assert_non_null(strstr(small.note, "too little memory"));
    assert_memory_equal(cpu.labels, small.labels, N * sizeof *cpu.labels);
    assert_true(cpu.objective == small.objective);
    free(cpu.labels);
    free(small.labels);
    onefold_dataset_free(dataset);
}

static int find_card(void **state)
{
    (void)state;
    (void)gpu_table();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits_agree_with_the_cpus),
                                       cmocka_unit_test(faults_are_said)};
    return cmocka_run_group_tests(tests, find_card, NULL);
}
