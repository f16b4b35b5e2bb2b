/* SPDX-License-Identifier: Apache-2.0 */
/* The method onefold where the joint kernel shows the clusters: the gap of its spectrum, labels by
 * its components beside plain loops, and views that are weak alone. */
#include "data/dataset.h"
#include "linalg/kmeans.h"
#include "method/onefold_parts.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void the_gap_is_in_spacings_of_what_follows(void **state)
{
    (void)state;
    /* three clusters: a gap of 5 behind two values, then steps of 0.5 on average */
    const double value[] = {9, 8, 3, 2.9, 1.8, 1.5, 0.9, 0.4, 0};
    assert_true(fabs(of_joint_kernel_gap(9, value, 3) - 10) < 1e-12);
    assert_true(of_joint_kernel_gap(8, value, 3) == 0); /* too few follow */
    assert_true(of_joint_kernel_gap(9, value, 1) == 0);
    const double unequal[] = {33, 8, 3, 2.9, 1.8, 1.5, 0.9, 0.4, 0};
    assert_true(of_joint_kernel_gap(9, unequal, 3) == 0); /* a quarter of the first at least */
    const double level[] = {5, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_true(of_joint_kernel_gap(9, level, 2) == 0); /* no spacing to measure with */
    /* four clusters in two directions: a gap of 30 behind them, a third of which counts */
    const double halves[] = {9, 8, 3.8, 3.7, 3.65, 3.4, 3.2, 3.1, 3, 2.82};
    assert_true(fabs(of_joint_kernel_gap(10, halves, 4) - 10) < 1e-9);
    assert_true(of_joint_kernel_gap(10, halves, 3) > 29); /* one for each but one */
    const double three[] = {9, 8, 7.8, 3.7, 3.65, 3.4, 3.2, 3.1, 3, 2.82, 2.8};
    assert_true(of_joint_kernel_gap(11, three, 9) < 1); /* hold eight clusters, not nine */
    assert_true(of_joint_kernel_gap(11, three, 5) > 10);
}

enum { N = 90, MU = 3, K = MU, POOL_ROWS = 5 };

/* Three clusters of 60, 20 and 10 in two components, the second of a small eigenvalue; the fused H
 * is the stack turned. */
static void labels_are_those_of_the_nearest_centre_in_components(void **state)
{
    (void)state;
    static double H[POOL_ROWS * N], fused[K * N], C[K * MU], noise[2 * N];
    static int32_t labels[N];
    static const double turn[K * K] = {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1};
    static const double at[MU][2] = {{-0.05, 0}, {0.13, 0.05}, {0.05, -0.3}};
    double value[POOL_ROWS] = {40, 10, 1, 0.9, 0.8};
    size_t sizes[MU] = {0}, place = 0;
    OF_SCRATCH(arena, NULL);
    check_random(5, 0, 2, N, noise);
    for (size_t j = 0; j < N; j++) {
        size_t c = j < 60 ? 0 : j < 80 ? 1 : 2;
        double x[K] = {1 / sqrt((double)N)};
        for (size_t r = 0; r < 2; r++)
            x[r + 1] = H[r + j * POOL_ROWS] = at[c][r] + 0.02 * noise[r + j * 2];
        for (size_t r = 0; r < K; r++)
            for (size_t i = 0; i < K; i++)
                fused[r + j * K] += turn[r + i * K] * x[i];
    }
    of_dataset set = {.samples = N};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = MU;
    of_problem problem = {.dataset = &set, .options = &options};
    of_pool_part part = {.view = OF_POOL_JOINT, .known = N, .rank = POOL_ROWS, .H = H};
    part.value = value;
    of_pool pool = {.problem = &problem, .rows = POOL_ROWS, .count = 1, .part = &part};
    double W[K * K];
    memcpy(W, turn, sizeof W);
    of_candidate candidate = {.rows = K, .parts = 1, .part = &place, .constant = 1};
    candidate.result =
        (of_cs_result){.labels = labels, .W = W, .C = C, .H = {.held = fused}, .sizes = sizes};
    CHECK_OK(of_candidate_label_components(arena.context, &pool, &candidate));

    double mean[MU][2] = {{0}}, count[MU] = {0};
    for (size_t j = 0; j < N; j++) {
        count[labels[j]] += 1;
        for (size_t r = 0; r < 2; r++)
            mean[labels[j]][r] += sqrt(value[r]) * H[r + j * POOL_ROWS];
    }
    for (size_t j = 0; j < N; j++) {
        size_t nearest = 0, largest = 0;
        double distance[MU] = {0}, score[MU] = {0};
        for (size_t c = 0; c < MU; c++) {
            for (size_t r = 0; r < 2; r++)
                distance[c] +=
                    pow(sqrt(value[r]) * H[r + j * POOL_ROWS] - mean[c][r] / count[c], 2);
            for (size_t r = 0; r < K; r++)
                score[c] += C[r + c * K] * fused[r + j * K];
            nearest = distance[c] < distance[nearest] ? c : nearest;
            largest = score[c] > score[largest] ? c : largest;
        }
        assert_int_equal(labels[j], nearest);
        assert_int_equal(labels[j], largest);
        assert_int_equal(labels[j], labels[j < 60 ? 0 : j < 80 ? 60 : 80]); /* as it was made */
        for (size_t c = 1; c < MU; c++) /* scores differ as distances do */
            assert_true(fabs(2 * (score[c] - score[0]) - (distance[0] - distance[c])) < 1e-9);
    }
    double others = 0; /* scores of the other clusters at each centre */
    for (size_t c = 0; c < MU; c++)
        for (size_t d = 0; d < MU; d++) {
            double x[K] = {1 / sqrt((double)N)}, h[K] = {0};
            for (size_t r = 0; r < 2; r++)
                x[r + 1] = mean[c][r] / count[c] / sqrt(value[r]);
            for (size_t r = 0; r < K; r++)
                for (size_t i = 0; i < K; i++)
                    h[r] += turn[r + i * K] * x[i];
            for (size_t r = 0; d != c && r < K; r++)
                others += C[r + d * K] * h[r];
        }
    assert_true(fabs(others) < 1e-12);
    assert_int_equal(sizes[labels[0]], 60);
    assert_int_equal(sizes[labels[80]], 10);
}

static double fit(const onefold_dataset *data, const char *method, int threads, int32_t *labels,
                  size_t *candidates)
{
    onefold_context *context = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    options.method = method;
    options.clusters = data->set.class_count;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, context, data, &options));
    CHECK_OK(onefold_result_describe(result, &info));
    *candidates = info.candidates;
    memcpy(labels, onefold_result_labels(result), data->set.samples * sizeof *labels);
    CHECK_OK(onefold_score_classes(&scores, labels, data->set.truth, data->set.samples));
    onefold_result_free(result);
    onefold_context_free(context);
    return scores.nmi_max;
}

/* Six views that show little each: the joint kernel is taken, and beats the fusion of views. */
static void weak_views_are_strong_together(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    static int32_t one[600], three[600], paper[600];
    size_t count;
    synth.samples = 600;
    synth.views = 6;
    synth.separation = 1.8;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    double ours = fit(data, "onefold", 1, one, &count);
    assert_int_equal(count, 1);
    assert_true(fit(data, "onefold", 3, three, &count) == ours);
    assert_memory_equal(one, three, sizeof one);
    double other = fit(data, "os-lfmvc-cs", 1, paper, &count);
    print_message("NMI %.3f, os-lfmvc-cs %.3f\n", ours, other);
    assert_true(ours > other + 0.03);
    onefold_dataset_free(data);
}

/* Above 32 768 samples the centres are those of a sample, moved once to all: the labels are those
 * of k-means on all columns of all samples but for a few on the border. */
static void many_samples_have_the_labels_of_kmeans_on_all(void **state)
{
    (void)state;
    enum { MANY = 70000, D = 6, CLUSTERS = 4 };
    OF_SCRATCH(arena, of_context_or_default(NULL));
    static const size_t columns[] = {D, D};
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    int32_t *own, *other;
    double *x, agreement;
    size_t count;
    synth.samples = MANY;
    synth.views = 2;
    synth.columns = columns;
    synth.clusters = CLUSTERS;
    synth.separation = 6;
    CHECK_OK(OF_NEW(&arena, &own, MANY, 1));
    CHECK_OK(OF_NEW(&arena, &other, MANY, 1));
    CHECK_OK(OF_NEW(&arena, &x, 2 * D, MANY));
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    fit(data, "onefold", 2, own, &count);
    assert_int_equal(count, 1); /* the joint kernel is clear */
    for (size_t v = 0; v < 2; v++)
        CHECK_OK(of_view_read(&data->set.views[v], 0, MANY, x + v * D, 2 * D));
    of_kmeans_options options = {.clusters = CLUSTERS, .replicates = 4, .max_iterations = 50};
    of_kmeans_result found;
    CHECK_OK(of_kmeans(arena.context, &options, 2 * D, MANY, x, 2 * D, other, NULL, &found));
    CHECK_OK(of_contest_agreement(arena.context, MANY, CLUSTERS, own, other, &agreement));
    print_message("NMI with k-means %.4f\n", agreement);
    assert_true(agreement > 0.97);
    onefold_dataset_free(data);
}

/* Each view parts the samples in two by its own way, and shows two clusters: two views make four,
 * three eight. Fewer directions than clusters lead the joint kernel's spectrum. */
static void views_that_split_the_clusters_are_read_together(void **state)
{
    (void)state;
    enum { SAMPLES = 640, COLUMNS = 5 };
    static double values[COLUMNS * SAMPLES];
    static int32_t labels[SAMPLES];
    static int64_t truth[SAMPLES];
    for (size_t views = 2; views <= 3; views++) {
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
        for (size_t j = 0; j < SAMPLES; j++)
            truth[j] = (int64_t)(j * 2654435761u % 4294967296u >> 13 & (((size_t)1 << views) - 1));
        for (size_t i = 0; i < views; i++) {
            check_random(61, i, COLUMNS, SAMPLES, values);
            for (size_t j = 0; j < SAMPLES; j++)
                for (size_t r = 0; r < COLUMNS; r++)
                    values[r + j * COLUMNS] += 3 * (double)(truth[j] >> i & 1);
            CHECK_OK(onefold_dataset_add_dense(data, NULL, values, COLUMNS, COLUMNS, 1));
        }
        CHECK_OK(onefold_dataset_set_truth(data, truth));
        size_t candidates;
        double ours = fit(data, "onefold", 2, labels, &candidates);
        print_message("%zu views: NMI %.3f\n", views, ours);
        assert_int_equal(candidates, 1);
        assert_true(ours > 0.97);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_is_in_spacings_of_what_follows),
        cmocka_unit_test(labels_are_those_of_the_nearest_centre_in_components),
        cmocka_unit_test(weak_views_are_strong_together),
        cmocka_unit_test(many_samples_have_the_labels_of_kmeans_on_all),
        cmocka_unit_test(views_that_split_the_clusters_are_read_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
