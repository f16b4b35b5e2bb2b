/* SPDX-License-Identifier: Apache-2.0 */
/* A fit by the default method whose samples are split over processes has the bits of a fit by one:
 * every kind of labelling that may be chosen, its partitions, labels, weights, view parts, and what
 * its model says. The processes are threads here; tests/comm does the same with MPI. */
#include "support/ask.h"
#include "support/ranks.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 66001,
    SPLIT_ABOVE = 66000,
    VIEWS = 2,
    PREDICTED = 40000,
    MOST_RANKS = 3,
    MOST_ITERATIONS = 1000,
    MOST_CANDIDATES = 64
};

/* What is compared, bit by bit. */
typedef struct found {
    int32_t *labels, *again; /* of the fit, and of the model for some of the samples */
    of_range held;           /* those that labels, parts and confidence are of */
    double *parts;           /* of views, where they are asked for */
    double *confidence;
    double trace[MOST_ITERATIONS], weight[VIEWS], agreement[VIEWS], objective;
    double vote[MOST_CANDIDATES]; /* agreement of each candidate */
    size_t iterations, candidates;
    char chosen[64];
} found;

typedef struct split_case {
    const char *chosen; /* what the chosen labelling's name begins with */
    onefold_synth_options data;
    size_t columns[VIEWS];
    onefold_fit_options fit;
    int often; /* split over three processes, else over two; a full run does both */
    found found[MOST_RANKS];
} split_case;

static void keep_candidates(const onefold_fit_info *info, found *to)
{
    assert_true(info->candidates <= MOST_CANDIDATES);
    to->candidates = info->candidates;
    for (size_t i = 0; i < info->candidates; i++) {
        const onefold_candidate *one = info->candidate[i];
        to->vote[i] = one->agreement;
        if (one->chosen)
            snprintf(to->chosen, sizeof to->chosen, "%s", one->name);
    }
}

static onefold_status keep(const onefold_result *result, found *to)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_true(info->iterations <= MOST_ITERATIONS);
    to->held = (of_range){info->first, info->first + info->held};
    memcpy(to->labels + info->first, info->labels, info->held * sizeof *to->labels);
    if (info->iterations)
        memcpy(to->trace, info->trace, info->iterations * sizeof *to->trace);
    to->iterations = info->iterations;
    to->objective = info->objective;
    memcpy(to->confidence + info->first, info->confidence, info->held * sizeof *to->confidence);
    for (size_t v = 0; v < info->views; v++) {
        to->weight[v] = ask_view(result, v).weight;
        to->agreement[v] = info->agreement[v];
    }
    const double *parts = info->view_parts;
    if (parts)
        memcpy(to->parts + info->first * info->views, parts,
               info->held * info->views * sizeof *parts);
    keep_candidates(info, to);
    return ONEFOLD_OK;
}

static onefold_status fit_case(onefold_context *context, const split_case *c, found *to)
{
    onefold_dataset *dataset = NULL;
    onefold_result *result = NULL;
    onefold_synth_options data = c->data; /* ranks are threads, and share the case */
    data.columns = c->columns;
    onefold_status status = onefold_dataset_synth(&dataset, context, &data);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, context, dataset, &c->fit);
    if (status == ONEFOLD_OK)
        status = keep(result, to);
    if (status == ONEFOLD_OK && c->fit.keep_model) {
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        prediction.labels = to->again;
        status = onefold_predict(&prediction, context, onefold_result_describe(result)->model,
                                 dataset, 1000, PREDICTED);
    }
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    return status;
}

static onefold_status fit_on_rank(onefold_context *context, int rank, void *user)
{
    split_case *c = user;
    return fit_case(context, c, &c->found[rank]);
}

static void make_room(found *to)
{
    memset(to, 0, sizeof *to);
    to->labels = calloc(SAMPLES, sizeof *to->labels);
    to->again = calloc(PREDICTED, sizeof *to->again);
    to->parts = calloc(SAMPLES * VIEWS, sizeof *to->parts);
    to->confidence = calloc(SAMPLES, sizeof *to->confidence);
}

static void drop(found *of)
{
    free(of->labels);
    free(of->again);
    free(of->parts);
    free(of->confidence);
}

static void check_same(found *one, const found *alone, of_range held)
{
    size_t first = held.first, count = held.end - first;
    assert_memory_equal(&one->held, &held, sizeof held);
    assert_memory_equal(one->labels + first, alone->labels + first, count * sizeof *one->labels);
    assert_memory_equal(one->parts + first * VIEWS, alone->parts + first * VIEWS,
                        count * VIEWS * sizeof *one->parts);
    assert_memory_equal(one->confidence + first, alone->confidence + first,
                        count * sizeof *one->confidence);
    for (size_t j = 0; count < SAMPLES && j < PREDICTED; j++)
        assert_int_equal(one->again[j], 0); /* rank 0 is given them all */
    if (count == SAMPLES)
        assert_memory_equal(one->again, alone->again, PREDICTED * sizeof *one->again);
    drop(one);
    one->held = alone->held;
    one->labels = alone->labels;
    one->confidence = alone->confidence;
    one->again = alone->again;
    one->parts = alone->parts;
    assert_memory_equal(one, alone, sizeof *one);
}

static void check_case(split_case *c)
{
    static const int ways[][2] = {{3, 2}, {2, 1}};
    size_t first = c->often || check_everything() ? 0 : 1, end = check_everything() ? 2 : first + 1;
    found alone;
    make_room(&alone);
    CHECK_OK(fit_case(NULL, c, &alone));
    assert_memory_equal(alone.chosen, c->chosen, strlen(c->chosen));
    for (size_t w = first; w < end; w++) {
        for (int r = 0; r < ways[w][0]; r++)
            make_room(&c->found[r]);
        ranks_run_ok(ways[w][0], ways[w][1], SPLIT_ABOVE, fit_on_rank, c);
        for (int r = 0; r < ways[w][0]; r++)
            check_same(&c->found[r], &alone, ranks_held(ways[w][0], r, SPLIT_ABOVE, SAMPLES));
    }
    drop(&alone);
}

static split_case case_of(const char *chosen, size_t clusters, double separation)
{
    split_case c = {.chosen = chosen, .data = ONEFOLD_SYNTH_OPTIONS_INIT};
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    c.data.samples = SAMPLES;
    c.data.views = VIEWS;
    c.data.clusters = fit.clusters = clusters;
    c.data.separation = separation;
    c.columns[0] = 8;
    c.columns[1] = 9;
    fit.landmarks = 40;
    fit.keep_model = 1;
    fit.restarts = 1;
    c.fit = fit;
    return c;
}

/* With view parts, which no model gives. */
static void clear_clusters_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("k-means of columns", 3, 6);
    c.fit.keep_model = 0;
    c.fit.view_parts = 1;
    c.often = 1;
    check_case(&c);
}

/* In a full run alone: quick fits of as many rows, and contests that others win, are below. */
static void faint_clusters_have_the_bits_of_one_process(void **state)
{
    (void)state;
    if (!check_everything())
        return;
    split_case c = case_of("kernel and graphs", 3, 0.5);
    c.fit.keep_model = 0;
    c.fit.view_parts = 1;
    check_case(&c);
}

/* In a full run alone: partitions of kernels and graphs are chosen above too. */
static void unequal_clusters_have_the_bits_of_one_process(void **state)
{
    (void)state;
    if (!check_everything())
        return;
    split_case c = case_of("kernel and graphs", 2, 2);
    c.data.balance = 0.02;
    check_case(&c);
}

/* By k-means, without a fit. */
static void columns_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("k-means of columns", 4, 0.8);
    c.columns[0] = 4;
    c.columns[1] = 3;
    check_case(&c);
}

static void a_fit_has_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("kernel and graphs", 2, 1);
    check_case(&c);
}

/* With several starts, which compete on a sample. */
static void few_columns_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("k-means of columns", 3, 8);
    c.fit.restarts = 2;
    c.columns[0] = 2;
    c.columns[1] = 2;
    c.often = 1;
    check_case(&c);
}

/* Partitions are made of all samples, without a sample before. */
static void one_labelling_has_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("kernel and graphs", 3, 0.2);
    c.fit.effort = ONEFOLD_EFFORT_QUICK;
    c.fit.restarts = 2;
    check_case(&c);
}

/* Features that every process holds whole. */
static void sparse_views_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("kernel and graphs", 2, 8);
    c.fit.clusters = 4; /* more than are there: no spectrum shows them */
    c.data.density = 0.1;
    c.columns[0] = c.columns[1] = 60;
    c.fit.effort = ONEFOLD_EFFORT_QUICK;
    check_case(&c);
}

static void landmark_kernels_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("", 2, 2);
    c.fit.method = "os-lfmvc-cs";
    c.fit.kernel = "knn,subspace";
    check_case(&c);
}

typedef struct failing {
    long until, left; /* allocations of rank 1 */
} failing;

static onefold_status fit_few(onefold_context *context, int rank, void *user)
{
    failing *one = user;
    onefold_dataset *dataset = NULL;
    onefold_result *result = NULL;
    split_case c = case_of("", 3, 6);
    c.data.samples = 300;
    c.data.columns = c.columns;
    onefold_status status = onefold_dataset_synth(&dataset, context, &c.data);
    if (rank == 1)
        atomic_store(&context->allocations_until_failure, one->until);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, context, dataset, &c.fit);
    if (rank == 1)
        one->left = atomic_exchange(&context->allocations_until_failure, -1);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    return status;
}

/* Where all processes have all samples, they share views and joint partitions out: one that fails
 * at its own ends the others, which wait to be told. */
static void a_process_that_fails_ends_all(void **state)
{
    (void)state;
    enum { RANKS = 3, PLACES = 12 };
    failing one = {.until = 1 << 30};
    of_error outcome[RANKS];
    ranks_run_ok(RANKS, 1, SPLIT_ABOVE, fit_few, &one);
    long all = one.until - one.left;
    for (long place = 1; place < PLACES; place++) {
        one.until = all * place / PLACES;
        ranks_run(RANKS, 1, SPLIT_ABOVE, fit_few, &one, outcome);
        for (int r = 0; r < RANKS; r++)
            assert_int_equal(outcome[r].status, ONEFOLD_NO_MEMORY);
        assert_non_null(strstr(outcome[0].message, "rank 1 of 3 has failed"));
        assert_non_null(strstr(outcome[2].message, "rank 1 of 3 has failed"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_clusters_have_the_bits_of_one_process),
        cmocka_unit_test(faint_clusters_have_the_bits_of_one_process),
        cmocka_unit_test(unequal_clusters_have_the_bits_of_one_process),
        cmocka_unit_test(columns_have_the_bits_of_one_process),
        cmocka_unit_test(a_fit_has_the_bits_of_one_process),
        cmocka_unit_test(few_columns_have_the_bits_of_one_process),
        cmocka_unit_test(one_labelling_has_the_bits_of_one_process),
        cmocka_unit_test(sparse_views_have_the_bits_of_one_process),
        cmocka_unit_test(landmark_kernels_have_the_bits_of_one_process),
        cmocka_unit_test(a_process_that_fails_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
