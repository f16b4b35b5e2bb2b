/* SPDX-License-Identifier: Apache-2.0 */
/* The method onefold: the choice in plain loops, clusters of unequal size, weak views, samples that
 * lack views, kernels that are given, and the same labels for any number of threads. */
#include "data/dataset.h"
#include "method/onefold_parts.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the choice -------------------------------------------------------------------------------
 */

enum { N = 60, MU = 3, COUNT = 4, VOTERS = 3 };

/* NMI straight from its definition. */
static double plain_nmi(const int32_t *a, const int32_t *b)
{
    double shared = 0, ha = 0, hb = 0;
    for (int i = 0; i < MU; i++) {
        double pa = 0, pb = 0;
        for (size_t j = 0; j < N; j++) {
            pa += (a[j] == i) / (double)N;
            pb += (b[j] == i) / (double)N;
        }
        ha -= pa > 0 ? pa * log(pa) : 0;
        hb -= pb > 0 ? pb * log(pb) : 0;
        for (int k = 0; k < MU; k++) {
            double both = 0, pk = 0;
            for (size_t j = 0; j < N; j++) {
                both += (a[j] == i && b[j] == k) / (double)N;
                pk += (b[j] == k) / (double)N;
            }
            shared += both > 0 ? both * log(both / (pa * pk)) : 0;
        }
    }
    return shared / sqrt(ha * hb);
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void the_choice_is_the_mean_of_the_five_highest(void **state)
{
    (void)state;
    static int32_t labels[COUNT + VOTERS][N];
    int32_t *vote[VOTERS];
    of_dataset dataset = {.samples = N};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = MU;
    of_problem problem = {.dataset = &dataset, .options = &options};
    of_pool pool = {.problem = &problem};
    of_candidate candidate[COUNT] = {0};
    of_contest contest = {&pool, COUNT, candidate, VOTERS, vote, 0, N};
    OF_SCRATCH(arena, NULL);
    double noise[N], best = -1;
    size_t want = 0;
    for (size_t l = 0; l < COUNT + VOTERS; l++) {
        check_random(20, l, N, 1, noise);
        for (size_t j = 0; j < N; j++)
            labels[l][j] = (int32_t)((j + (fabs(noise[j]) > 0.3 + 0.2 * (double)l) + l) % MU);
    }
    for (size_t l = 0; l < COUNT; l++) {
        candidate[l].labels = labels[l];
        candidate[l].eligible = l != 2;
    }
    for (size_t l = 0; l < VOTERS; l++)
        vote[l] = labels[COUNT + l];
    CHECK_OK(of_contest_choose(arena.context, &contest));
    for (size_t l = 0; l < COUNT; l++) {
        double nmi[COUNT + VOTERS], mean = 0;
        for (size_t o = 0; o < COUNT + VOTERS; o++)
            nmi[o] = o == l ? -1 : plain_nmi(labels[l], labels[o]);
        qsort(nmi, COUNT + VOTERS, sizeof *nmi, falling);
        for (size_t r = 0; r < 5; r++)
            mean += nmi[r] / 5;
        CHECK_CLOSE(candidate[l].agreement, mean, 1e-12, 1e-12);
        if (candidate[l].eligible && mean > best) {
            best = mean;
            want = l;
        }
    }
    assert_int_equal(contest.chosen, want);
}

/* ---- labels of a candidate ------------------------------------------------------------------- */

/* Beside plain loops; and a sample between a large and a small cluster goes by their sizes. */
static void labels_weigh_clusters_by_the_fourth_root_of_their_size(void **state)
{
    (void)state;
    enum { K = 5 };
    OF_SCRATCH(arena, NULL);
    static double H[K * N], C[K * MU], plain[K * MU];
    static int32_t labels[N];
    size_t sizes[MU] = {0}, was[MU], moved = 0, found[MU] = {0};
    check_random(21, 0, K, N, H);
    check_random(21, 1, K, MU, C);
    for (size_t j = 0; j < N; j++) {
        labels[j] = j < 45 ? 0 : 1 + (j % 2 == 0);
        sizes[labels[j]]++;
    }
    memcpy(was, sizes, sizeof was);
    memcpy(plain, C, sizeof plain);
    of_cs_result result = {.labels = labels, .C = C, .H = of_share_whole(H, K), .sizes = sizes};
    CHECK_OK(of_candidate_label(arena.context, N, K, MU, &result));
    for (size_t j = 0; j < N; j++) {
        double score[MU] = {0}, unweighed[MU] = {0};
        for (size_t c = 0; c < MU; c++)
            for (size_t r = 0; r < K; r++) {
                unweighed[c] += plain[c * K + r] * H[j * K + r];
                score[c] = unweighed[c] * pow((double)was[c], 0.25);
            }
        size_t best = 0, first = 0;
        for (size_t c = 1; c < MU; c++) {
            best = score[c] > score[best] ? c : best;
            first = unweighed[c] > unweighed[first] ? c : first;
        }
        assert_int_equal(labels[j], best);
        moved += best != first;
        found[best]++;
    }
    assert_true(moved > 0);
    assert_memory_equal(found, sizes, sizeof found);
}

/* ---- fits --------------------------------------------------------------------------------------
 */

static double nmi_of(const onefold_dataset *data, const onefold_result *result)
{
    const of_dataset *set = &data->set;
    int64_t *labels = malloc(set->samples * sizeof *labels),
            *truth = malloc(set->samples * sizeof *truth);
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    for (size_t j = 0; j < set->samples; j++) {
        labels[j] = onefold_result_labels(result)[j];
        truth[j] = set->truth[j];
    }
    CHECK_OK(onefold_score(&scores, labels, truth, set->samples));
    free(labels);
    free(truth);
    return scores.nmi_max;
}

static double fit(onefold_context *context, const onefold_dataset *data, size_t clusters,
                  const char *method, onefold_effort effort, onefold_result **result)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = clusters;
    options.method = method;
    options.effort = effort;
    CHECK_OK(onefold_fit(result, context, data, &options));
    return data->set.truth ? nmi_of(data, *result) : 0;
}

static void clusters_of_unequal_size_are_found(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    onefold_result *ours, *paper;
    synth.samples = 700;
    synth.balance = 0.03;
    synth.separation = 4.5; /* further apart, the joint graph alone would show them */
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    double nmi = fit(NULL, data, 5, "onefold", ONEFOLD_EFFORT_NORMAL, &ours),
           other = fit(NULL, data, 5, "os-lfmvc-cs", ONEFOLD_EFFORT_NORMAL, &paper);
    assert_true(nmi > 0.9);
    assert_true(nmi > other);
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    CHECK_OK(onefold_result_describe(ours, &info));
    size_t chosen = 0;
    assert_int_equal(info.candidates, 9);
    for (size_t i = 0; i < info.candidates; i++) {
        onefold_candidate one = ONEFOLD_CANDIDATE_INIT;
        CHECK_OK(onefold_result_candidate(ours, i, &one));
        chosen += one.chosen != 0;
        assert_true(!one.chosen || one.eligible);
        assert_true(one.agreement >= 0 && one.agreement <= 1 + 1e-12);
    }
    assert_int_equal(chosen, 1);
    onefold_result_free(ours);
    onefold_result_free(paper);
    onefold_dataset_free(data);
}

/* Dense, sparse, and with samples that lack views; one thread or three. */
static void the_labels_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_dataset *data;
        onefold_result *result[2];
        synth.samples = 300;
        synth.clusters = 3;
        synth.density = kind == 1 ? 0.2 : 1;
        synth.missing = kind == 2 ? 0.2 : 0;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
        onefold_context *context[2];
        for (int i = 0; i < 2; i++) {
            CHECK_OK(onefold_context_create(&context[i], NULL));
            CHECK_OK(onefold_context_set_threads(context[i], 1 + 2 * i));
            double nmi = fit(context[i], data, 3, "onefold",
                             kind ? ONEFOLD_EFFORT_QUICK : ONEFOLD_EFFORT_NORMAL, &result[i]);
            assert_true(nmi > 0.5);
            assert_memory_equal(onefold_result_labels(result[i]), onefold_result_labels(result[0]),
                                300 * sizeof(int32_t));
        }
        for (int i = 0; i < 2; i++) {
            onefold_result_free(result[i]);
            onefold_context_free(context[i]);
        }
        onefold_dataset_free(data);
    }
}

/* Kernels that are given have no graphs; a single cluster, and as many as samples, are sound. */
static void given_kernels_and_extreme_numbers(void **state)
{
    (void)state;
    enum { FEW = 24, D = 3 };
    double x[FEW * D], kernel[FEW * FEW];
    onefold_dataset *data;
    onefold_result *result;
    check_random(9, 0, D, FEW, x);
    for (size_t j = 0; j < FEW; j++)
        x[j * D] += j % 2 ? 6 : -6;
    for (size_t i = 0; i < FEW; i++)
        for (size_t j = 0; j < FEW; j++) {
            kernel[i * FEW + j] = 0;
            for (size_t c = 0; c < D; c++)
                kernel[i * FEW + j] += x[i * D + c] * x[j * D + c];
        }
    CHECK_OK(onefold_dataset_create(&data, NULL, FEW));
    CHECK_OK(onefold_dataset_add_kernel(data, NULL, kernel));
    fit(NULL, data, 2, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
    for (size_t j = 2; j < FEW; j++)
        assert_int_equal(onefold_result_labels(result)[j], onefold_result_labels(result)[j - 2]);
    onefold_result_free(result);
    onefold_dataset_free(data);
    for (size_t mu = 1; mu <= FEW; mu += FEW - 1) {
        CHECK_OK(onefold_dataset_create(&data, NULL, FEW));
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, D, D, 1));
        fit(NULL, data, mu, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
        for (size_t j = 0; j < FEW; j++)
            assert_true((size_t)onefold_result_labels(result)[j] < mu);
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
}

/* What was estimated is not passed. */
static void the_estimate_covers_the_peak(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    onefold_result *result;
    onefold_context *context;
    onefold_estimate *estimate;
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 5;
    options.method = "onefold";
    synth.samples = 1300;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_dataset_synth(&data, context, &synth));
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
    CHECK_OK(onefold_estimate_describe(estimate, &info));
    onefold_estimate_free(estimate);
    context->memory_limit = info.peak_bytes;
    CHECK_OK(onefold_fit(&result, context, data, &options));
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_context_free(context);
}

/* Links are few beside the square of the samples, and so is what they take. */
static void the_estimate_of_links_is_not_of_their_square(void **state)
{
    (void)state;
    enum { NODES = 100000 };
    size_t *start = malloc((NODES + 1) * sizeof *start);
    uint32_t *index = malloc(NODES * sizeof *index);
    double *value = malloc(NODES * sizeof *value);
    onefold_dataset *data;
    onefold_estimate *estimate;
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 3;
    options.kernel = "graph";
    for (size_t j = 0; j < NODES; j++) { /* a ring */
        start[j] = j;
        index[j] = (uint32_t)((j + 1) % NODES);
        value[j] = 1;
    }
    start[NODES] = NODES;
    CHECK_OK(onefold_dataset_create(&data, NULL, NODES));
    CHECK_OK(onefold_dataset_add_sparse(data, NULL, NODES, start, index, value));
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 0));
    CHECK_OK(onefold_estimate_describe(estimate, &info));
    assert_true(info.peak_bytes < (size_t)2 << 30);
    onefold_estimate_free(estimate);
    onefold_dataset_free(data);
    free(start);
    free(index);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_weigh_clusters_by_the_fourth_root_of_their_size),
        cmocka_unit_test(the_choice_is_the_mean_of_the_five_highest),
        cmocka_unit_test(clusters_of_unequal_size_are_found),
        cmocka_unit_test(the_labels_do_not_depend_on_threads),
        cmocka_unit_test(given_kernels_and_extreme_numbers),
        cmocka_unit_test(the_estimate_covers_the_peak),
        cmocka_unit_test(the_estimate_of_links_is_not_of_their_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
