/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of clusters are in geometric progression. No cluster is empty, and the first labels do not
 * depend on the number of samples. */
#include "base/random.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t *labels_of(double balance, size_t samples, size_t clusters)
{
    static const size_t columns[] = {1};
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    int64_t *labels = malloc(samples * sizeof *labels);
    options.samples = samples;
    options.views = 1;
    options.columns = columns;
    options.clusters = clusters;
    options.balance = balance;
    options.seed = 7;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    assert_int_equal(onefold_dataset_describe(data)->classes, clusters);
    for (size_t j = 0; j < samples; j++)
        labels[j] = onefold_dataset_describe(data)->truth[j];
    onefold_dataset_free(data);
    return labels;
}

static void sizes_fall_in_geometric_progression(void **state)
{
    (void)state;
    enum { SAMPLES = 100000 };
    const double balance[] = {1, 0.5, 0.1, 0.01};
    for (size_t b = 0; b < 4; b++)
        for (size_t clusters = 1; clusters <= 9; clusters += 2) {
            int64_t *labels = labels_of(balance[b], SAMPLES, clusters);
            double count[9] = {0}, total = 0, share[9];
            for (size_t j = 0; j < SAMPLES; j++)
                count[labels[j]]++;
            double step = clusters > 1 ? pow(balance[b], 1 / ((double)clusters - 1)) : 1;
            share[0] = 1;
            for (size_t c = 0; c < clusters; c++) {
                share[c] = c ? share[c - 1] * step : 1;
                total += share[c];
            }
            for (size_t c = 0; c < clusters; c++) {
                double chance = share[c] / total;
                CHECK_CLOSE(count[c], SAMPLES * chance, 0,
                            5 * sqrt(SAMPLES * chance * (1 - chance)) + 2);
            }
            free(labels);
        }
}

static void every_cluster_has_a_sample(void **state)
{
    (void)state;
    for (size_t samples = 6; samples < 30; samples++) {
        int64_t *labels = labels_of(1e-3, samples, 6);
        for (int64_t c = 0; c < 6; c++)
            assert_int_equal(labels[c], c);
        free(labels);
    }
}

static void more_samples_change_none_before_them(void **state)
{
    (void)state;
    int64_t *few = labels_of(0.05, 100, 5), *many = labels_of(0.05, 1000, 5);
    assert_memory_equal(few, many, 100 * sizeof *few);
    free(few);
    free(many);
}

/* As in 0.1.0, where all clusters had one size. */
static void a_balance_of_1_draws_whole_numbers(void **state)
{
    (void)state;
    int64_t *labels = labels_of(1, 500, 7);
    for (size_t j = 0; j < 500; j++) {
        of_random random = of_random_make(7, OF_PURPOSE_SYNTH, j);
        size_t drawn = of_random_below(&random, 7);
        assert_int_equal(labels[j], j < 7 ? j : drawn);
    }
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_fall_in_geometric_progression),
        cmocka_unit_test(every_cluster_has_a_sample),
        cmocka_unit_test(more_samples_change_none_before_them),
        cmocka_unit_test(a_balance_of_1_draws_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
