/* SPDX-License-Identifier: Apache-2.0 */
/* A fit whose samples are split over processes has the bits of a fit by one, on every route that
 * can be split. The processes are threads here; tests/comm does the same with MPI. */
#include "support/ask.h"
#include "support/paper_options.h"
#include "support/ranks.h"

#include "data/dataset.h"

#include <string.h>

enum { PREDICTED = 60000, MOST_RANKS = 4, MOST_ITERATIONS = 100, MOST_VIEWS = 3, CLUSTERS = 3 };

/* What is compared. */
typedef struct found {
    int32_t *labels;
    of_range held; /* these of them */
    double trace[MOST_ITERATIONS], weight[MOST_VIEWS], objective;
    size_t iterations;
    char base[MOST_VIEWS][16];
    double distance[2]; /* of the model: mean and largest */
    int32_t *again;     /* what it predicts for some of the samples */
} found;

typedef struct split_case {
    const char *name, *route;
    onefold_synth_options data;
    size_t columns[MOST_VIEWS];
    onefold_fit_options fit;
    int gap; /* the first sample lacks the first view */
    found found[MOST_RANKS];
} split_case;

static onefold_status leave_a_gap(of_context *context, onefold_dataset *dataset,
                                  const onefold_synth_options *data)
{
    OF_SCRATCH(scratch, context);
    uint8_t *present;
    OF_TRY(OF_NEW(&scratch, &present, data->samples, data->views));
    memset(present, 1, data->samples * data->views);
    present[0] = 0;
    return onefold_dataset_set_present(dataset, present);
}

/* Samples 1000 and on, which are of several shares, predicted by the model. */
static onefold_status predict_case(of_context *context, const onefold_dataset *dataset,
                                   const onefold_model *model, found *to)
{
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    const onefold_model_info *info = onefold_model_describe(model);
    to->distance[0] = info->distance_mean;
    to->distance[1] = info->distance_most;
    prediction.labels = to->again;
    return onefold_predict(&prediction, context, model, dataset, 1000, PREDICTED);
}

/* A result without all samples is no report. */
static onefold_status check_report(const onefold_result *result)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    onefold_report page = ONEFOLD_REPORT_INIT;
    char *text = NULL;
    page.result = result;
    onefold_status status = onefold_report_json(&text, &page);
    onefold_free(text);
    return status == (info->held < info->samples ? ONEFOLD_USAGE : ONEFOLD_OK)
               ? ONEFOLD_OK
               : of_fail(ONEFOLD_FAULT, "a report of %zu samples was not refused", info->held);
}

static onefold_status fit_case(of_context *context, const split_case *c, found *to)
{
    onefold_dataset *dataset = NULL;
    onefold_result *result = NULL;
    onefold_synth_options data = c->data; /* ranks are threads, and share the case */
    data.columns = c->columns;
    onefold_status status = onefold_dataset_synth(&dataset, context, &data);
    if (status == ONEFOLD_OK && c->gap)
        status = leave_a_gap(context, dataset, &data);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, context, dataset, &c->fit);
    if (status == ONEFOLD_OK) {
        const onefold_fit_info *info = onefold_result_describe(result);
        to->held = (of_range){info->first, info->first + info->held};
        memcpy(to->labels + info->first, info->labels, info->held * sizeof *to->labels);
        memcpy(to->trace, info->trace, info->iterations * sizeof *to->trace);
        to->iterations = info->iterations;
        to->objective = info->objective;
        for (size_t v = 0; v < info->views; v++) {
            to->weight[v] = ask_view(result, v).weight;
            snprintf(to->base[v], sizeof to->base[v], "%s",
                     onefold_name(ONEFOLD_NAMES_ROUTE, ask_view(result, v).route));
        }
    }
    if (status == ONEFOLD_OK)
        status = check_report(result);
    if (status == ONEFOLD_OK && c->fit.keep_model)
        status = predict_case(context, dataset, onefold_result_describe(result)->model, to);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    return status;
}

static onefold_status fit_on_rank(of_context *context, int rank, void *user)
{
    split_case *c = user;
    return fit_case(context, c, &c->found[rank]);
}

static void check_case(split_case *c, size_t split_above, const int (*ways)[2], size_t count)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    found alone;
    memset(&alone, 0, sizeof alone);
    CHECK_OK(OF_NEW(&scratch, &alone.labels, c->data.samples, 1));
    CHECK_OK(OF_NEW_ZERO(&scratch, &alone.again, PREDICTED, 1));
    CHECK_OK(fit_case(of_context_or_default(NULL), c, &alone));
    assert_string_equal(alone.base[0], c->route);
    for (size_t w = 0; w < count; w++) {
        memset(c->found, 0, sizeof c->found);
        for (int r = 0; r < ways[w][0]; r++) {
            CHECK_OK(OF_NEW_ZERO(&scratch, &c->found[r].labels, c->data.samples, 1));
            CHECK_OK(OF_NEW_ZERO(&scratch, &c->found[r].again, PREDICTED, 1));
        }
        ranks_run_ok(ways[w][0], ways[w][1], split_above, fit_on_rank, c);
        for (int r = 0; r < ways[w][0]; r++) {
            found *one = &c->found[r];
            of_range held = ranks_held(ways[w][0], r, split_above, c->data.samples);
            assert_memory_equal(&one->held, &held, sizeof held);
            assert_memory_equal(one->labels + held.first, alone.labels + held.first,
                                (held.end - held.first) * sizeof *alone.labels);
            for (size_t j = 0; r > 0 && j < PREDICTED; j++)
                assert_int_equal(one->again[j], 0); /* rank 0 is given them all */
            if (r == 0)
                assert_memory_equal(one->again, alone.again, PREDICTED * sizeof *alone.again);
            one->held = alone.held;
            one->labels = alone.labels;
            one->again = alone.again;
            assert_memory_equal(one, &alone, sizeof alone);
        }
    }
}

static split_case case_of(const char *route, size_t samples, size_t columns, const char *kernel)
{
    split_case c = {.route = route, .data = ONEFOLD_SYNTH_OPTIONS_INIT};
    onefold_fit_options fit = paper_options();
    c.data.samples = samples;
    c.data.views = 2;
    c.data.clusters = fit.clusters = CLUSTERS;
    c.columns[0] = columns;
    c.columns[1] = columns + 1;
    fit.kernel = kernel;
    fit.keep_model = 1;
    fit.restarts = 2;
    fit.max_iterations = 8;
    c.fit = fit;
    return c;
}

static const int two_and_three[][2] = {{2, 1}, {3, 2}};

static void gram_has_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("gram", 66001, 7, "linear,cosine");
    check_case(&c, 66000, two_and_three, 2);
}

static void nystrom_has_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("nystrom", 66001, 5, "rbf");
    c.fit.base = ONEFOLD_BASE_NYSTROM;
    c.fit.landmarks = 60;
    check_case(&c, 66000, two_and_three, 2);
}

/* Counts, dense and few columns: compressed by each for its share. */
static void compressed_counts_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("krylov", 66001, 260, NULL);
    c.data.density = 0.04;
    c.data.separation = 60;
    c.data.views = 1;
    c.data.clusters = 6;
    c.fit.dims = CLUSTERS;
    c.fit.restarts = 1;
    check_case(&c, 66000, two_and_three, 1);
}

/* More columns than half the samples: the eigenproblem is that of the samples. */
static void check_many_columns(double density)
{
    split_case c = case_of("krylov", 66001, 34000, NULL);
    c.data.density = density;
    c.data.separation = 500;
    c.data.views = 1;
    c.data.clusters = 6; /* more than are asked for: no direction of noise is waited for */
    c.fit.dims = CLUSTERS;
    c.fit.restarts = 1;
    c.fit.keep_model = 0;
    check_case(&c, 66000, two_and_three, 1);
}

/* Products with few entries go through the transpose, */
static void sparse_with_many_columns_has_the_bits_of_one_process(void **state)
{
    (void)state;
    check_many_columns(0.0003);
}

/* those with many are added up by samples. */
static void sparse_with_many_entries_has_the_bits_of_one_process(void **state)
{
    (void)state;
    check_many_columns(0.0012);
}

static void the_papers_start_and_single_precision_have_the_bits_of_one_process(void **state)
{
    (void)state;
    split_case c = case_of("gram", 66001, 6, "linear");
    c.fit.start = ONEFOLD_START_PAPER;
    c.fit.precision = ONEFOLD_SINGLE;
    c.fit.max_iterations = 5;
    check_case(&c, 66000, two_and_three, 1);
}

/* The starts compete on a sample, which every process has, and the winner is finished by shares. */
static void many_samples_have_the_bits_of_one_process(void **state)
{
    (void)state;
    static const int ways[][2] = {{4, 1}};
    split_case c = case_of("gram", 140001, 4, "linear");
    c.fit.restarts = 3;
    check_case(&c, 1 << 17, ways, 1);
}

/* ---- what is refused ---- */

static onefold_status experiment_on_rank(of_context *context, int rank, void *user)
{
    split_case c = case_of("gram", 66001, 4, "linear");
    onefold_dataset *dataset = NULL;
    onefold_experiment *experiment = NULL;
    (void)rank;
    (void)user;
    c.data.columns = c.columns;
    OF_TRY(onefold_dataset_synth(&dataset, context, &c.data));
    onefold_status status = onefold_experiment_run(&experiment, context, dataset, NULL, NULL);
    onefold_experiment_free(experiment);
    onefold_dataset_free(dataset);
    return status;
}

typedef struct refusal {
    const char *method, *kernel;
    onefold_base base;
    int gap;
    int differs; /* rank 1 has 1 other columns, 2 other options, 3 other values */
} refusal;

static onefold_status refuse_on_rank(of_context *context, int rank, void *user)
{
    const refusal *asked = user;
    split_case c = case_of("gram", 66001, 4, asked->kernel);
    int32_t *labels;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &labels, 66001, 1));
    found to = {.labels = labels};
    c.fit.method = asked->method ? asked->method : "os-lfmvc-cs";
    c.fit.base = asked->base;
    c.gap = asked->gap;
    if (rank == 1 && asked->differs == 1)
        c.columns[1] = 9;
    if (rank == 1 && asked->differs == 2)
        c.fit.seed = 1;
    if (rank == 1 && asked->differs == 3)
        c.data.seed = 1;
    return fit_case(context, &c, &to);
}

static void check_refusal(refusal asked, onefold_status status, const char *text)
{
    of_error outcome[3];
    ranks_run(3, 1, 66000, refuse_on_rank, &asked, outcome);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(outcome[r].status, status);
        assert_non_null(strstr(outcome[r].message, text));
    }
}

static void what_cannot_be_split_is_refused(void **state)
{
    (void)state;
    check_refusal((refusal){.method = "avg-kkm"}, ONEFOLD_UNSUPPORTED,
                  "avg-kkm is not split over processes");
    check_refusal((refusal){.kernel = "rbf", .base = ONEFOLD_BASE_EXACT}, ONEFOLD_UNSUPPORTED,
                  "the tiles route is not split");
    check_refusal((refusal){.kernel = "linear", .gap = 1}, ONEFOLD_UNSUPPORTED,
                  "samples that lack a view are not split");
    of_error outcome[2];
    ranks_run(2, 1, 66000, experiment_on_rank, NULL, outcome);
    assert_int_equal(outcome[1].status, ONEFOLD_UNSUPPORTED);
    assert_non_null(strstr(outcome[1].message, "experiments are not split over processes"));
}

static void ranks_with_different_data_or_options_are_refused(void **state)
{
    (void)state;
    check_refusal((refusal){.kernel = "linear", .differs = 1}, ONEFOLD_BAD_DATA,
                  "rank 0 and rank 1 have different data");
    check_refusal((refusal){.kernel = "linear", .differs = 2}, ONEFOLD_BAD_DATA,
                  "rank 0 and rank 1 have different options");
    check_refusal((refusal){.kernel = "linear", .differs = 3}, ONEFOLD_BAD_DATA,
                  "rank 0 and rank 1 have different data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_has_the_bits_of_one_process),
        cmocka_unit_test(nystrom_has_the_bits_of_one_process),
        cmocka_unit_test(compressed_counts_have_the_bits_of_one_process),
        cmocka_unit_test(sparse_with_many_columns_has_the_bits_of_one_process),
        cmocka_unit_test(sparse_with_many_entries_has_the_bits_of_one_process),
        cmocka_unit_test(the_papers_start_and_single_precision_have_the_bits_of_one_process),
        cmocka_unit_test(many_samples_have_the_bits_of_one_process),
        cmocka_unit_test(what_cannot_be_split_is_refused),
        cmocka_unit_test(ranks_with_different_data_or_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
