/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters of unequal size: how a fit does beside k-means on all columns and beside an oracle that
 * knows the centres, from sizes all alike to 1:100; and how many clusters are found where sizes are
 * 1:3.
 */
#include "data/dataset.h"
#include "linalg/kmeans.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 3, COLUMNS = 10, ROWS = VIEWS * COLUMNS };

static double nmi_of(const int32_t *labels, const of_dataset *set)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, labels, set->truth, set->samples));
    return scores.nmi;
}

/* The views' columns below each other, ROWS x samples. free() it. */
static double *all_columns(const of_dataset *set)
{
    double *all = malloc(ROWS * set->samples * sizeof *all);
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t j = 0; j < set->samples; j++)
            memcpy(all + v * COLUMNS + j * ROWS, (const double *)set->views[v].data + j * COLUMNS,
                   COLUMNS * sizeof *all);
    return all;
}

/* Each sample with the nearest mean of a true cluster. */
static double oracle(const of_dataset *set, const double *all, int32_t *labels)
{
    double *mean = calloc(ROWS * set->class_count, sizeof *mean);
    size_t *count = calloc(set->class_count, sizeof *count);
    for (size_t j = 0; j < set->samples; j++) {
        count[set->truth[j]]++;
        for (size_t i = 0; i < ROWS; i++)
            mean[i + (size_t)set->truth[j] * ROWS] += all[i + j * ROWS];
    }
    for (size_t e = 0; e < ROWS * set->class_count; e++)
        mean[e] /= (double)count[e / ROWS];
    for (size_t j = 0; j < set->samples; j++) {
        double least = INFINITY;
        for (size_t c = 0; c < set->class_count; c++) {
            double gap = 0;
            for (size_t i = 0; i < ROWS; i++)
                gap += (all[i + j * ROWS] - mean[i + c * ROWS]) *
                       (all[i + j * ROWS] - mean[i + c * ROWS]);
            if (gap < least) {
                least = gap;
                labels[j] = (int32_t)c;
            }
        }
    }
    free(mean);
    free(count);
    return nmi_of(labels, set);
}

static double by_kmeans(const of_dataset *set, const double *all, int32_t *labels)
{
    of_kmeans_options options = {.clusters = set->class_count,
                                 .replicates = 10,
                                 .max_iterations = 100,
                                 .start = OF_KMEANS_PLUSPLUS};
    CHECK_OK(of_kmeans(NULL, &options, ROWS, set->samples, all, ROWS, labels, NULL, NULL));
    return nmi_of(labels, set);
}

static double by_fit(const char *method, const onefold_dataset *data)
{
    onefold_fit_options options = paper_options();
    onefold_result *result = NULL;
    options.method = method;
    options.clusters = data->set.class_count;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    double nmi = nmi_of(onefold_result_describe(result)->labels, &data->set);
    onefold_result_free(result);
    return nmi;
}

/* Fits with NMI at least k-means' less 2 points: all but one of a full run's 30. Other runs have
 * the 12 at separations 4 and 9 and sizes 1:1, 1:10 and 1:100, the one among them. */
static void fits_keep_up_with_kmeans(void **state)
{
    (void)state;
    static const double balances[] = {1, 0.3, 0.1, 0.03, 0.01}, separations[] = {4, 6, 9};
    const char *method = "onefold";
    size_t sizes = sizeof balances / sizeof *balances, cases = 0, kept = 0, known = 0;
    for (size_t b = 0; b < sizes; b++)
        for (size_t t = 0; t < 6; t++) {
            size_t columns[VIEWS] = {COLUMNS, COLUMNS, COLUMNS};
            if ((t / 2 == 1 || b % 2) && !check_everything())
                continue;
            onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
            onefold_dataset *data = NULL;
            synth.columns = columns;
            synth.balance = balances[b];
            synth.clusters = t % 2 ? 6 : 3;
            synth.samples = synth.clusters * 150;
            synth.separation = separations[t / 2];
            synth.seed = 500 + 10 * b + t;
            CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
            int32_t *labels = malloc(synth.samples * sizeof *labels);
            double *all = all_columns(&data->set);
            double best = oracle(&data->set, all, labels),
                   rival = by_kmeans(&data->set, all, labels), own = by_fit(method, data);
            int keeps = own >= rival - 0.02;
            if (!keeps)
                print_message("1:%g, %zu clusters, separation %g: NMI %.3f, k-means %.3f, known "
                              "centres %.3f\n",
                              1 / synth.balance, synth.clusters, synth.separation, own, rival,
                              best);
            assert_true(best > 0.9 && best >= rival - 0.02); /* else the data says nothing */
            cases++;
            kept += (size_t)keeps;
            known += own >= best - 0.05;
            free(labels);
            free(all);
            onefold_dataset_free(data);
        }
    print_message("%s: %zu of %zu at least k-means - 0.02, %zu near the known centres\n", method,
                  kept, cases, known);
    assert_true(kept + 1 >= cases);
}

/* Whether the number of clusters that is suggested for a synthetic set is its own. */
static int finds_number(size_t trial, const onefold_synth_options *synth,
                        const onefold_choose_options *options)
{
    onefold_dataset *data = NULL;
    onefold_choice *choice = NULL;
    CHECK_OK(onefold_dataset_synth(&data, NULL, synth));
    CHECK_OK(onefold_choose(&choice, NULL, data, NULL, options));
    const onefold_choose_info *info = onefold_choice_describe(choice);
    int right = info->suggested == synth->clusters;
    if (!right)
        print_message("trial %zu: %zu of %zu clusters\n", trial, info->suggested, synth->clusters);
    onefold_choice_free(choice);
    onefold_dataset_free(data);
    return right;
}

/* Sizes up to 1:3 change nothing about how many clusters are found. */
static void the_number_of_unequal_clusters_is_found(void **state)
{
    (void)state;
    size_t right = 0, trials = check_everything() ? 8 : 4;
    for (size_t t = 0; t < trials; t++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        synth.clusters = 3 + t % 3;
        synth.samples = 90 * synth.clusters;
        synth.separation = t % 2 ? 6 : 8;
        synth.balance = 0.35;
        synth.seed = 600 + t;
        options.most = 7;
        right += (size_t)finds_number(t, &synth, &options);
    }
    if (right + 1 < trials)
        fail_msg("right %zu times of %zu", right, trials);
}

static void the_number_of_very_unequal_clusters_is_found(void **state)
{
    (void)state;
    static const size_t columns[] = {20, 20, 20};
    size_t right = 0, trials = 0, all = check_everything() != 0;
    for (size_t t = 1 - all; t < 3 + all; t++, trials++) {
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        synth.views = 3;
        synth.columns = columns;
        synth.clusters = t < 2 ? 4 : 6;
        synth.samples = 300 + 60 * synth.clusters;
        synth.separation = t % 2 ? 7 : 5;
        synth.balance = 0.1;
        synth.seed = 113 + t;
        options.most = 8;
        right += (size_t)finds_number(t, &synth, &options);
    }
    if (right + all < trials)
        fail_msg("right %zu times of %zu", right, trials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_keep_up_with_kmeans),
        cmocka_unit_test(the_number_of_unequal_clusters_is_found),
        cmocka_unit_test(the_number_of_very_unequal_clusters_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
