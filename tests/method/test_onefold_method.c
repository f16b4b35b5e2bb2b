/* SPDX-License-Identifier: Apache-2.0 */
/* Whole fits by the method onefold: tables as users have them, weights that views earn, printed
 * weights that give the labels again, permuted samples, seeds, threads, given kernels, estimates.
 */
#include "data/dataset.h"
#include "method/onefold_table.h"
#include "model/model.h"
#include "oracle/evidence.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ------------------------------------------------------------------------------------ */

static double nmi_of(const onefold_dataset *data, const onefold_result *result)
{
    const of_dataset *set = &data->set;
    int64_t *labels = malloc(set->samples * sizeof *labels),
            *truth = malloc(set->samples * sizeof *truth);
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    for (size_t j = 0; j < set->samples; j++) {
        labels[j] = onefold_result_describe(result)->labels[j];
        truth[j] = set->truth[j];
    }
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, set->samples));
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
    synth.separation = 4.5;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    double nmi = fit(NULL, data, 5, "onefold", ONEFOLD_EFFORT_NORMAL, &ours),
           other = fit(NULL, data, 5, "os-lfmvc-cs", ONEFOLD_EFFORT_NORMAL, &paper);
    assert_true(nmi > 0.9);
    assert_true(nmi > other);
    const onefold_fit_info *info = onefold_result_describe(ours);
    size_t chosen = 0;
    assert_int_equal(info->candidates, OF_RECIPES);
    for (size_t i = 0; i < info->candidates; i++) {
        const onefold_candidate *one = info->candidate[i];
        chosen += one->chosen != 0;
        for (size_t o = 0; o < info->candidates && one->chosen; o++) /* nearly the largest */
            assert_true(one->score >= 0.95 * info->candidate[o]->score &&
                        (o >= i || info->candidate[o]->score < one->score / 0.95));
        assert_true(one->agreement >= -1 && one->agreement <= 1 && one->agreement_beyond <= 1 &&
                    one->told_beyond <= 1);
        assert_string_equal(one->name, of_recipe_name((of_recipe)i));
    }
    assert_int_equal(chosen, 1);
    onefold_result_free(ours);
    onefold_result_free(paper);
    onefold_dataset_free(data);
}

/* ---- earned weights -------------------------------------------------------------------------- */

enum { MOST = 1000, WIDE = 20 };

/* A view of blobs whose cluster of sample j is of[j], centres `apart` on average. */
static void add_blobs(onefold_dataset *data, uint64_t seed, size_t n, size_t d, size_t clusters,
                      double apart, const int32_t *of)
{
    static double x[MOST * WIDE], centre[WIDE * 16];
    double mean = 0;
    check_random(seed, 1, d, n, x);
    check_random(seed, 2, d, clusters, centre);
    for (size_t a = 0; a < clusters; a++)
        for (size_t b = 0; b < a; b++) {
            double square = 0;
            for (size_t r = 0; r < d; r++)
                square += pow(centre[r + a * d] - centre[r + b * d], 2);
            mean += sqrt(square) / ((double)(clusters * (clusters - 1)) / 2);
        }
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < d && of; r++)
            x[r + j * d] += centre[r + (size_t)of[j] * d] * apart / mean;
    CHECK_OK(onefold_dataset_add_dense(data, NULL, x, d, d, 1));
}

/* 0/1 columns, each with a probability of its own in each cluster. */
static void add_answers(onefold_dataset *data, uint64_t seed, size_t n, size_t d, const int32_t *of)
{
    static double x[MOST * WIDE], odds[WIDE * 16];
    check_random(seed, 3, d, 16, odds);
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < d; r++)
            x[r + j * d] =
                check_uniform(&seed) < 1 / (1 + exp(-1.5 * odds[r + (size_t)of[j] * d])) ? 1 : 0;
    CHECK_OK(onefold_dataset_add_dense(data, NULL, x, d, d, 1));
}

typedef enum table_kind {
    NOISE,         /* a good view beside one of noise */
    NOISE_TWICE,   /* beside two */
    COMPLEMENTARY, /* each of three views separates one cluster from the rest */
    TWO_AGREE,     /* two views agree, a third has strong groups of its own */
    STRONG,        /* the same, its groups far stronger */
    GAPS,          /* few columns with wide gaps, beside few of noise */
    SAME_NOISE,    /* a good view beside three that repeat the same noise */
    SOME_MISSING,  /* the same, and every seventh sample lacks a view */
    ANSWERS,       /* numbers, 0/1 answers, and noise */
    TINY,          /* sizes 900 : 60 : 25 : 15 */
    TABLES
} table_kind;

static const struct {
    const char *name;
    size_t samples, clusters;
    double least;   /* NMI, on average over seeds */
    double weak[4]; /* the largest weight of each view; 0: any */
} TABLE[TABLES] = {
    {"noise", 600, 4, 0.85, {0, 0.05}},
    {"noise twice", 600, 4, 0.80, {0, 0.05, 0.05}},
    {"complementary", 600, 4, 0.85, {0.6, 0.6, 0.6}},
    {"two agree", 600, 3, 0.85, {0.7, 0.7, 0.25}},
    {"strong", 600, 3, 0.85, {0.7, 0.7, 0.1}},
    {"gaps", 380, 3, 0.95, {0, 0.1}},
    {"same noise", 500, 4, 0.80, {0, 0.1, 0.1, 0.1}},
    {"some missing", 500, 4, 0.75, {0, 0.1, 0.1, 0.1}},
    {"answers", 480, 4, 0.80, {0, 0, 0.1}},
    {"tiny", 1000, 4, 0.85, {0.8, 0.8}},
};

static onefold_dataset *make_table(table_kind kind, uint64_t seed, int32_t *truth)
{
    static const size_t upto[] = {900, 960, 985, 1000};
    size_t n = TABLE[kind].samples, mu = TABLE[kind].clusters;
    int32_t other[MOST];
    uint8_t present[4 * MOST];
    onefold_dataset *data;
    for (size_t j = 0; j < n; j++) {
        truth[j] = (int32_t)(j % mu);
        if (kind == TINY)
            for (truth[j] = 0; j >= upto[truth[j]];)
                truth[j]++;
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, n));
    switch (kind) {
    case COMPLEMENTARY:
        for (int32_t c = 0; c < 3; c++) {
            for (size_t j = 0; j < n; j++)
                other[j] = truth[j] == c;
            add_blobs(data, seed + 10 * (uint64_t)c, n, 10, 2, 6, other);
        }
        break;
    case TWO_AGREE:
    case STRONG:
        for (size_t j = 0; j < n; j++)
            other[j] = (int32_t)(j / 3 % 3);
        add_blobs(data, seed, n, 12, 3, 4.5, truth);
        add_blobs(data, seed + 10, n, 12, 3, 4.5, truth);
        add_blobs(data, seed + 20, n, 12, 3, kind == STRONG ? 16 : 8, other);
        break;
    case GAPS:
        add_blobs(data, seed, n, 3, mu, 15, truth);
        add_blobs(data, seed + 10, n, 4, 1, 1, NULL);
        break;
    case SAME_NOISE:
    case SOME_MISSING:
        add_blobs(data, seed, n, 10, mu, 5.5, truth);
        for (int i = 0; i < 3; i++)
            add_blobs(data, seed + 10, n, 6, 1, 1, NULL);
        for (size_t j = 0; j < n; j++)
            for (size_t v = 0; v < 4; v++)
                present[j * 4 + v] = j % 7 || j / 7 % 4 != v;
        if (kind == SOME_MISSING)
            CHECK_OK(onefold_dataset_set_present(data, present));
        break;
    case ANSWERS:
        add_blobs(data, seed, n, 8, mu, 4.5, truth);
        add_answers(data, seed + 10, n, 12, truth);
        add_blobs(data, seed + 20, n, 6, 1, 1, NULL);
        break;
    case TINY:
        add_blobs(data, seed, n, 10, mu, 6, truth);
        add_blobs(data, seed + 10, n, 8, mu, 6, truth);
        break;
    default:
        add_blobs(data, seed, n, 12, mu, 5.5, truth);
        for (int i = 0; i < 1 + (kind == NOISE_TWICE); i++)
            add_blobs(data, seed + 10 + (uint64_t)i, n, 5, 1, 1, NULL);
    }
    return data;
}

static double weight_of(const onefold_result *result, size_t view)
{
    const onefold_view_fit *fit = onefold_result_describe(result)->view[view];
    return fit->weight;
}

/* A fit with the printed weights, in thousandths, has the same labels. A fixed weight is printed.
 */
static void check_printed_weights(const onefold_dataset *data, size_t clusters,
                                  const onefold_result *result)
{
    onefold_result *again;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    char text[64];
    size_t at = 0;
    for (size_t i = 0; i < data->set.view_count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.3f", i ? "," : "",
                               weight_of(result, i));
    options.clusters = clusters;
    options.weights = text;
    CHECK_OK(onefold_fit(&again, NULL, data, &options));
    assert_memory_equal(onefold_result_describe(again)->labels,
                        onefold_result_describe(result)->labels,
                        data->set.samples * sizeof(int32_t));
    for (size_t i = 0; i < data->set.view_count; i++)
        CHECK_CLOSE(weight_of(again, i), weight_of(result, i), 0, 1e-9);
    onefold_result_free(again);
}

static void ordinary_tables_are_clustered_and_views_earn_their_weights(void **state)
{
    (void)state;
    enum { SEEDS = 3 };
    for (table_kind kind = 0; kind < TABLES; kind++) {
        double mean = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            int32_t truth[MOST];
            onefold_scores scores = ONEFOLD_SCORES_INIT;
            onefold_dataset *data = make_table(kind, 100 * seed, truth);
            onefold_result *result;
            size_t n = TABLE[kind].samples, views = data->set.view_count;
            double sum = 0;
            fit(NULL, data, TABLE[kind].clusters, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
            CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, onefold_result_describe(result)->labels,
                                   truth, n));
            mean += scores.nmi_max / SEEDS;
            for (size_t i = 0; i < views; i++) {
                double weight = weight_of(result, i), most = TABLE[kind].weak[i];
                sum += weight;
                assert_true(weight >= 0 && (most == 0 || weight <= most));
            }
            CHECK_CLOSE(sum, 1, 1e-12, 1e-12);
            if (seed == 1)
                check_printed_weights(data, TABLE[kind].clusters, result);
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
        print_message("%s: NMI %.3f\n", TABLE[kind].name, mean);
        assert_true(mean > TABLE[kind].least);
    }
}

/* Two equal views have equal weights. A view of noise beside a good one has a weight below 0.05,
 * and the labels are those without it. */
static void equal_views_weigh_the_same_and_noise_changes_no_label(void **state)
{
    (void)state;
    enum { SOME = 300, D = 12, CLUSTERS = 4 };
    for (uint64_t seed = 1; seed <= 3; seed++) {
        int32_t truth[SOME], labels[3][SOME];
        for (size_t j = 0; j < SOME; j++)
            truth[j] = (int32_t)(j % CLUSTERS);
        for (int kind = 0; kind < 3; kind++) { /* alone, twice, and beside noise */
            onefold_dataset *data;
            onefold_result *result;
            CHECK_OK(onefold_dataset_create(&data, NULL, SOME));
            add_blobs(data, seed, SOME, D, CLUSTERS, 8, truth);
            if (kind)
                add_blobs(data, seed + (kind == 2 ? 50 : 0), SOME, D, CLUSTERS, 8,
                          kind == 2 ? NULL : truth);
            fit(NULL, data, CLUSTERS, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
            memcpy(labels[kind], onefold_result_describe(result)->labels, sizeof labels[kind]);
            if (kind == 1)
                CHECK_CLOSE(weight_of(result, 0), weight_of(result, 1), 0, 1e-12);
            if (kind == 2) {
                assert_true(weight_of(result, 1) < 0.05);
                assert_true(evidence_rand(SOME, labels[kind], labels[0]) == 1);
            }
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
    }
}

/* ---- tables as users have them --------------------------------------------------------------- */

/* A view of `columns`, of which the first `telling` have centres of this deviation; `unit`: every
 * sample has length 1. */
static void add_wide(onefold_dataset *data, uint64_t seed, size_t columns, size_t telling,
                     size_t clusters, double effect, int unit, const int32_t *of)
{
    size_t n = data->set.samples;
    double *x = malloc(columns * n * sizeof *x), *centre = malloc(columns * clusters * sizeof *x);
    check_random(seed, 1, columns, n, x);
    check_random(seed, 2, columns, clusters, centre);
    for (size_t j = 0; j < n; j++) {
        double square = 0;
        for (size_t c = 0; c < columns; c++) {
            x[c + j * columns] += c < telling ? effect * centre[c + (size_t)of[j] * columns] : 0;
            square += x[c + j * columns] * x[c + j * columns];
        }
        for (size_t c = 0; c < columns && unit; c++)
            x[c + j * columns] /= sqrt(square);
    }
    CHECK_OK(onefold_dataset_add_dense(data, NULL, x, columns, columns, 1));
    free(x);
    free(centre);
}

/* Age, sex as two columns and region as four: nothing of the clusters. */
static void add_demographics(onefold_dataset *data, uint64_t seed)
{
    enum { D = 7 };
    size_t n = data->set.samples;
    double *x = calloc(D * n, sizeof *x);
    check_random(seed, 3, D, n, x);
    for (size_t j = 0; j < n; j++) {
        x[j * D] = 60 + 10 * x[j * D];
        for (size_t c = 1; c < D; c++)
            x[j * D + c] = 0;
        x[j * D + 1 + check_below(&seed, 2)] = 1;
        x[j * D + 3 + check_below(&seed, 4)] = 1;
    }
    CHECK_OK(onefold_dataset_add_dense(data, NULL, x, D, D, 1));
    free(x);
}

typedef enum user_table { OMICS, MIRNA, EMBEDDINGS, USER_TABLES } user_table;

static const struct {
    size_t samples, clusters;
} USER[USER_TABLES] = {{150, 4}, {120, 3}, {400, 20}};

static onefold_dataset *make_user(user_table kind, uint64_t seed, int32_t *truth)
{
    onefold_dataset *data;
    size_t n = USER[kind].samples, mu = USER[kind].clusters;
    for (size_t j = 0; j < n; j++)
        truth[j] = kind == MIRNA ? (j % 6 < 3 ? 0 : j % 6 < 5 ? 1 : 2) : (int32_t)(j % mu);
    CHECK_OK(onefold_dataset_create(&data, NULL, n));
    if (kind == OMICS) {
        add_wide(data, seed, 1000, 100, mu, 0.55, 0, truth);
        add_wide(data, seed + 1, 2000, 150, mu, 0.55, 0, truth);
        add_wide(data, seed + 2, 300, 30, mu, 0.6, 0, truth);
    } else if (kind == MIRNA) {
        add_wide(data, seed, 300, 40, mu, 1, 0, truth);
        add_demographics(data, seed + 1);
    } else {
        add_wide(data, seed, 128, 128, mu, 0.6, 1, truth);
        add_wide(data, seed + 1, 128, 128, mu, 0.6, 1, truth);
    }
    return data;
}

static double nmi_with(size_t n, const int32_t *a, const int32_t *b)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, a, b, n));
    return scores.nmi_max;
}

/* Four types in three wide views, demographic columns beside miRNA, and embeddings of twenty
 * topics, with several seeds of the fit; printed weights give the labels again. */
static void tables_as_users_have_them_are_clustered(void **state)
{
    (void)state;
    int32_t truth[MOST];
    for (user_table kind = 0; kind < USER_TABLES; kind++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            onefold_dataset *data = make_user(kind, 500 + 10 * seed, truth);
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            onefold_result *result;
            options.clusters = USER[kind].clusters;
            options.seed = seed;
            CHECK_OK(onefold_fit(&result, NULL, data, &options));
            double nmi =
                nmi_with(USER[kind].samples, onefold_result_describe(result)->labels, truth);
            print_message("table %d, seed %d: NMI %.3f\n", (int)kind, (int)seed, nmi);
            assert_true(nmi > 0.9);
            if (kind == MIRNA)
                assert_true(weight_of(result, 1) < 0.05);
            if (seed == 0)
                check_printed_weights(data, USER[kind].clusters, result);
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
}

/* The same samples in another order are drawn differently, and have nearly the same clusters. */
static void the_order_of_samples_hardly_matters(void **state)
{
    (void)state;
    enum { SOME = 300, D = 10, CLUSTERS = 4, VIEWS = 2 };
    static double x[VIEWS][SOME * D], y[SOME * D];
    double centre[D * CLUSTERS];
    int32_t labels[2][SOME];
    for (size_t v = 0; v < VIEWS; v++) {
        check_random(60 + v, 0, D, SOME, x[v]);
        check_random(60 + v, 1, D, CLUSTERS, centre);
        for (size_t j = 0; j < SOME; j++)
            for (size_t c = 0; c < D; c++)
                x[v][c + j * D] += 1.2 * centre[c + j % CLUSTERS * D];
    }
    for (size_t order = 0; order < 2; order++) {
        onefold_dataset *data;
        onefold_result *result;
        CHECK_OK(onefold_dataset_create(&data, NULL, SOME));
        for (size_t v = 0; v < VIEWS; v++) {
            for (size_t j = 0; j < SOME; j++)
                memcpy(y + j * D, x[v] + (order ? (j * 7 + 5) % SOME : j) * D, D * sizeof *y);
            CHECK_OK(onefold_dataset_add_dense(data, NULL, y, D, D, 1));
        }
        fit(NULL, data, CLUSTERS, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
        for (size_t j = 0; j < SOME; j++)
            labels[order][order ? (j * 7 + 5) % SOME : j] =
                onefold_result_describe(result)->labels[j];
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
    assert_true(nmi_with(SOME, labels[0], labels[1]) > 0.95);
}

/* ---- options --------------------------------------------------------------------------------- */

/* An option that the method does not use is refused by name, not ignored. */
static void options_without_use_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 9; kind++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        const char *const names[] = {"anchors",   "start",          "variant", "nonneg",   "stop",
                                     "tolerance", "max_iterations", "base",    "precision"};
        options.clusters = 3;
        options.anchors = kind == 0 ? 5 : 0;
        options.start = kind == 1 ? ONEFOLD_START_PAPER : options.start;
        options.variant = kind == 2 ? ONEFOLD_VARIANT_PRINTED : options.variant;
        options.nonneg = kind == 3;
        options.stop = kind == 4 ? ONEFOLD_STOP_PAPER : options.stop;
        options.tolerance = kind == 5 ? 1e-3 : options.tolerance;
        options.max_iterations = kind == 6 ? 7 : options.max_iterations;
        options.base = kind == 7 ? ONEFOLD_BASE_NYSTROM : options.base;
        options.precision = kind == 8 ? ONEFOLD_SINGLE : options.precision;
        assert_int_equal(onefold_fit_options_check(&options), ONEFOLD_USAGE);
        assert_non_null(strstr(onefold_last_error(), names[kind]));
        options.method = "os-lfmvc-cs";
        CHECK_OK(onefold_fit_options_check(&options));
    }
}

/* A quick fit, one cluster, and subsamples of fewer than three samples a cluster: one recipe. */
static void few_samples_and_quick_fits_make_one_labelling(void **state)
{
    (void)state;
    static const struct {
        size_t clusters;
        onefold_effort effort;
        size_t candidates;
    } CASE[] = {{4, ONEFOLD_EFFORT_NORMAL, OF_RECIPES},
                {4, ONEFOLD_EFFORT_QUICK, 1},
                {1, ONEFOLD_EFFORT_NORMAL, 1},
                {16, ONEFOLD_EFFORT_NORMAL, OF_RECIPES},
                {17, ONEFOLD_EFFORT_NORMAL, 1}};
    int32_t truth[60];
    onefold_dataset *data;
    for (size_t j = 0; j < 60; j++)
        truth[j] = (int32_t)(j % 4);
    CHECK_OK(onefold_dataset_create(&data, NULL, 60));
    add_blobs(data, 1, 60, 6, 4, 6, truth);
    add_blobs(data, 2, 60, 6, 4, 6, truth);
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        onefold_result *result;
        fit(NULL, data, CASE[i].clusters, "onefold", CASE[i].effort, &result);
        const onefold_fit_info *info = onefold_result_describe(result);
        assert_int_equal(info->candidates, CASE[i].candidates);
        if (CASE[i].candidates == 1) {
            assert_string_equal(info->candidate[0]->name, of_recipe_name(OF_RECIPE_ALL));
            CHECK_CLOSE(weight_of(result, 0), 0.5, 0, 1e-12);
        }
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
}

/* ---- threads, kernels, estimates ------------------------------------------------------------- */

/* Dense, sparse, and with samples that lack views: labels, weights and scores. */
static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int THREADS[] = {1, 2, 3, 8};
    enum { RUNS = sizeof THREADS / sizeof *THREADS, SOME = 300 };
    for (int kind = 0; kind < 3; kind++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_dataset *data;
        onefold_result *result[RUNS];
        onefold_context *context[RUNS];
        synth.samples = SOME;
        synth.clusters = 3;
        synth.density = kind == 1 ? 0.2 : 1;
        synth.missing = kind == 2 ? 0.2 : 0;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
        for (int i = 0; i < RUNS; i++) {
            CHECK_OK(onefold_context_create(&context[i], NULL));
            CHECK_OK(onefold_context_set_threads(context[i], THREADS[i]));
            assert_true(fit(context[i], data, 3, "onefold", ONEFOLD_EFFORT_NORMAL, &result[i]) >
                        0.5);
            const onefold_fit_info *one = onefold_result_describe(result[i]),
                                   *first = onefold_result_describe(result[0]);
            assert_memory_equal(one->labels, first->labels, SOME * sizeof(int32_t));
            for (size_t v = 0; v < data->set.view_count; v++)
                CHECK_CLOSE(weight_of(result[i], v), weight_of(result[0], v), 0, 0);
            assert_int_equal(one->candidates, first->candidates);
            for (size_t r = 0; r < one->candidates; r++) {
                CHECK_CLOSE(one->candidate[r]->score, first->candidate[r]->score, 0, 0);
                CHECK_CLOSE(one->candidate[r]->told, first->candidate[r]->told, 0, 0);
            }
        }
        for (int i = 0; i < RUNS; i++) {
            onefold_result_free(result[i]);
            onefold_context_free(context[i]);
        }
        onefold_dataset_free(data);
    }
}

/* Precomputed kernels have no graphs; one cluster, and as many as samples, give sound results. */
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
        assert_int_equal(onefold_result_describe(result)->labels[j],
                         onefold_result_describe(result)->labels[j - 2]);
    onefold_result_free(result);
    onefold_dataset_free(data);
    for (size_t mu = 1; mu <= FEW; mu += FEW - 1) {
        CHECK_OK(onefold_dataset_create(&data, NULL, FEW));
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, D, D, 1));
        fit(NULL, data, mu, "onefold", ONEFOLD_EFFORT_NORMAL, &result);
        for (size_t j = 0; j < FEW; j++)
            assert_true((size_t)onefold_result_describe(result)->labels[j] < mu);
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
}

/* The memory stays below the estimate. */
static void the_estimate_covers_the_peak(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    onefold_result *result;
    onefold_context *context;
    onefold_estimate *estimate;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 5;
    options.method = "onefold";
    synth.samples = 1300;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_dataset_synth(&data, context, &synth));
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
    context->memory_limit = onefold_estimate_describe(estimate)->peak_bytes;
    onefold_estimate_free(estimate);
    CHECK_OK(onefold_fit(&result, context, data, &options));
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_context_free(context);
}

/* Of many samples a sample is fitted, and its model labels all, with the bits of `predict` and no
 * more memory than estimated. */
static void the_model_of_some_labels_many(void **state)
{
    (void)state;
    enum { MANY = 34000 };
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_prediction told = ONEFOLD_PREDICTION_INIT;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_dataset *data;
    onefold_result *result;
    onefold_context *context;
    onefold_estimate *estimate;
    options.clusters = synth.clusters = 3;
    options.keep_model = 1;
    synth.samples = MANY;
    synth.views = 2;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_dataset_synth(&data, context, &synth));
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
    context->memory_limit = onefold_estimate_describe(estimate)->peak_bytes;
    CHECK_OK(onefold_fit(&result, context, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    size_t rows = info->embedding_rows;
    assert_non_null(strstr(info->note, "of the 34000 samples"));
    int joined = info->model->rule.part->join == OF_JOIN_COLUMNS; /* others take no step */
    assert_int_equal(strstr(info->note, "a step of k-means over all samples") != NULL, joined);
    assert_int_equal(onefold_model_describe(info->model)->samples, 32768);
    told.labels = malloc(MANY * sizeof *told.labels);
    told.confidence = malloc(MANY * sizeof(double));
    told.embedding = malloc(MANY * rows * sizeof(double));
    CHECK_OK(onefold_predict(&told, context, info->model, data, 0, MANY));
    assert_memory_equal(told.labels, info->labels, MANY * sizeof *told.labels);
    size_t drawn = 0; /* samples of the table, which count their own subsamples */
    for (size_t j = 0; j < MANY; j++)
        drawn += told.confidence[j] != info->confidence[j];
    assert_true(drawn > 0 && drawn <= OF_TABLE_LEAST);
    assert_memory_equal(told.embedding, info->embedding, MANY * rows * sizeof(double));
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, info->labels, data->set.truth, MANY));
    assert_true(scores.nmi_max > 0.9);
    free(told.labels);
    free(told.confidence);
    free(told.embedding);
    onefold_estimate_free(estimate);
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_context_free(context);
}

/* The memory of a graph grows with its links, not with the square of the samples. */
static void the_estimate_of_links_is_not_of_their_square(void **state)
{
    (void)state;
    enum { NODES = 100000 };
    size_t *start = malloc((NODES + 1) * sizeof *start);
    uint32_t *index = malloc(NODES * sizeof *index);
    double *value = malloc(NODES * sizeof *value);
    onefold_dataset *data;
    onefold_estimate *estimate;
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
    const onefold_estimate_info *info = onefold_estimate_describe(estimate);
    assert_true(info->peak_bytes < (size_t)2 << 30);
    onefold_estimate_free(estimate);
    onefold_dataset_free(data);
    free(start);
    free(index);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_tables_are_clustered_and_views_earn_their_weights),
        cmocka_unit_test(equal_views_weigh_the_same_and_noise_changes_no_label),
        cmocka_unit_test(tables_as_users_have_them_are_clustered),
        cmocka_unit_test(the_order_of_samples_hardly_matters),
        cmocka_unit_test(options_without_use_are_refused),
        cmocka_unit_test(few_samples_and_quick_fits_make_one_labelling),
        cmocka_unit_test(clusters_of_unequal_size_are_found),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(given_kernels_and_extreme_numbers),
        cmocka_unit_test(the_estimate_covers_the_peak),
        cmocka_unit_test(the_model_of_some_labels_many),
        cmocka_unit_test(the_estimate_of_links_is_not_of_their_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
