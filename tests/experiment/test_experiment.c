/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments: figures that can be had from fits one by one, roles of cells, and keys. */
#include "experiment/experiment.h"
#include "support/ask.h"
#include "support/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void score(const onefold_dataset *data, const int32_t *labels, onefold_scores *scores)
{
    size_t samples = onefold_dataset_describe(data)->samples;
    int64_t *ours = malloc(samples * sizeof *ours), *truth = malloc(samples * sizeof *truth);
    for (size_t j = 0; j < samples; j++) {
        ours[j] = labels[j];
        truth[j] = onefold_dataset_describe(data)->truth[j];
    }
    CHECK_OK(onefold_score(scores, ONEFOLD_INT64, ours, truth, samples));
    free(ours);
    free(truth);
}

/* Every repeat of a method without k-means is the fit with that seed, score for score. */
static void repeats_are_seeds(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(90, 2, 3, 1.2);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", 3);
    options.fit.seed = 5;
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    const of_cell *cell = &experiment->cells[experiment->info.sensitivity[1 * 3 + 2]];
    for (size_t r = 0; r < 3; r++) {
        onefold_fit_options fit = options.fit;
        onefold_result *result = NULL;
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        fit.method = "os-lfmvc-cs";
        fit.clusters = 3;
        fit.dims = 6;
        fit.anchors = 12;
        fit.seed = 5 + r;
        CHECK_OK(onefold_fit(&result, NULL, data, &fit));
        const onefold_fit_info *info = onefold_result_describe(result);
        score(data, onefold_result_describe(result)->labels, &scores);
        assert_memory_equal(&scores, cell->result.scores[r], sizeof scores);
        assert_true(cell->result.objectives[r] == info->objective);
        if (r == 0) {
            assert_int_equal(cell->result.iterations, info->iterations);
            assert_memory_equal(cell->result.trace, info->trace,
                                info->iterations * sizeof *info->trace);
            assert_memory_equal(cell->result.labels, onefold_result_describe(result)->labels,
                                90 * sizeof(int32_t));
            assert_true(cell->result.view[1]->weight == ask_view(result, 1).weight);
        }
        onefold_result_free(result);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* The answer of every method is a fit's; where it ends in k-means, one with as many restarts. */
static void answers_are_fits(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(80, 3, 4, 1.0);
    of_experiment_options options = experiments_options("all", "none", 4);
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_cell *cell = &experiment->cells[experiment->contenders[i].info.standard];
        onefold_fit_options fit = options.fit;
        onefold_result *result = NULL;
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        assert_int_equal(cell->result.status, ONEFOLD_OK);
        fit.clusters = 4;
        fit.method = cell->method->name;
        if (cell->method->ends_in_kmeans)
            fit.restarts = 4;
        CHECK_OK(onefold_fit(&result, NULL, data, &fit));
        assert_memory_equal(cell->result.labels, onefold_result_describe(result)->labels,
                            80 * sizeof(int32_t));
        score(data, onefold_result_describe(result)->labels, &scores);
        assert_memory_equal(&scores, cell->result.scores[cell->result.answer], sizeof scores);
        onefold_result_free(result);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* Means and deviations against their definition. */
static void means_and_deviations(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(90, 2, 3, 0.8);
    of_experiment_options options =
        experiments_options("os-lfmvc-cs,avg-kkm,sb-kkm,rmsc", "default", 6);
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    int spread_seen = 0;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        assert_int_equal(cell->result.repeats, 6);
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            double sum = 0, squares = 0;
            for (size_t r = 0; r < 6; r++)
                sum += of_measure_of(cell->result.scores[r], (onefold_measure)m);
            for (size_t r = 0; r < 6; r++) {
                double off = of_measure_of(cell->result.scores[r], (onefold_measure)m) - sum / 6;
                squares += off * off;
            }
            CHECK_CLOSE(cell->result.mean[m], sum / 6, 1e-14, 0);
            CHECK_CLOSE(cell->result.deviation[m], sqrt(squares / 5), 1e-12, 1e-15);
            spread_seen |= squares > 0;
        }
    }
    assert_true(spread_seen); /* else the deviations were all trivially right */
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* Every repeat of a method that draws before its k-means is the fit with that seed. */
static void repeats_of_a_drawn_start_are_seeds(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(60, 2, 3, 0.6);
    of_experiment_options options = experiments_options("fmr,avg-kkm", "none", 3);
    options.bench.kmeans_start = ONEFOLD_KMEANS_SAMPLES;
    options.bench.replicates = 4;
    options.fit.seed = 11;
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_true(experiment->contenders[0].info.whole_runs);
    assert_false(experiment->contenders[1].info.whole_runs);
    assert_string_equal(experiment->contenders[1].info.drawn, "k-means");
    assert_string_not_equal(experiment->contenders[0].info.drawn, "k-means");
    const of_cell_result *cell = &experiment->cells[0].result;
    for (size_t r = 0; r < 3; r++) {
        onefold_fit_options fit = options.fit;
        onefold_result *result = NULL;
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        fit.method = "fmr";
        fit.method_options = "kmeans-start=samples,replicates=4";
        fit.clusters = 3;
        fit.restarts = 1;
        fit.seed = 11 + r;
        CHECK_OK(onefold_fit(&result, NULL, data, &fit));
        score(data, onefold_result_describe(result)->labels, &scores);
        assert_memory_equal(&scores, cell->scores[r], sizeof scores);
        assert_true(cell->objectives[r] == onefold_result_describe(result)->restart_objective[0]);
        onefold_result_free(result);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* Landmarks of a kernel are drawn, so that a repeat is a whole fit. */
static void drawn_kernels_make_whole_runs(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(60, 2, 3, 2);
    of_experiment_options options = experiments_options("avg-kkm,os-lfmvc-cs", "none", 2);
    of_experiment *experiment;
    options.fit.kernel = "knn";
    onefold_status status = experiments_run(&experiment, NULL, data, &options);
    CHECK_OK(status);
    assert_true(experiment->contenders[0].info.whole_runs);
    assert_string_equal(experiment->contenders[0].info.drawn, "landmarks and k-means");
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* The parts of the time of a run add up, for methods of every kind. */
static void times_add_up(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(90, 2, 3, 0.8);
    of_experiment_options options = experiments_options("all", "none", 2);
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        const of_cell_result *result = &cell->result;
        CHECK_CLOSE(result->seconds_base + result->seconds_fit + result->seconds_kmeans,
                    result->seconds_run, 1e-9, 1e-12);
        assert_true(result->seconds_base > 0 && result->seconds_fit > 0);
        assert_int_equal(result->seconds_kmeans > 0, cell->method->ends_in_kmeans);
        assert_true(result->seconds >= result->seconds_run);
        assert_true(cell->expected > 0);
    }
    assert_true(experiment->info.expected_seconds > 0);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* Of all cells that a method with a grid has, each with all repeats: the largest mean ACC, how many
 * others lie within its standard error, the median. */
static void best_cells(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(90, 3, 3, 0.5);
    of_experiment_options options = experiments_options("all", "paper", 4);
    of_experiment *experiment;
    options.bench.methods = "os-lfmvc-cs,avg-kkm,sb-kkm,rmsc,onefold";
    options.bench.grid = "os-lfmvc-cs:dims=1c|4c,anchors=1c/dims=3c;sb-kkm:paper;rmsc:paper";
    options.bench.sensitivity = "1,2,3";
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        const onefold_experiment_method_info *info = &contender->info;
        size_t seen = 0, grid = 0, near = 0, below = 0, above = 0;
        const of_cell_result *best =
            info->grid_cells ? &experiment->cells[info->best[0]].result : NULL;
        const of_cell_result *median =
            info->grid_cells ? &experiment->cells[info->median].result : NULL;
        for (size_t c = 0; c < experiment->cell_count; c++) {
            const of_cell *cell = &experiment->cells[c];
            double acc = cell->result.mean[ONEFOLD_ACC];
            assert_int_equal(cell->result.repeats, 4);
            if (cell->method != contender->method || !best ||
                (info->picks_view && !(cell->roles & ONEFOLD_CELL_GRID)))
                continue;
            seen++;
            grid += (cell->roles & ONEFOLD_CELL_GRID) != 0;
            assert_true(acc <= best->mean[ONEFOLD_ACC]);
            near += c != info->best[0] &&
                    acc >= best->mean[ONEFOLD_ACC] - best->deviation[ONEFOLD_ACC] / 2;
            below += acc < median->mean[ONEFOLD_ACC];
            above += acc > median->mean[ONEFOLD_ACC];
        }
        assert_int_equal(info->grid_cells, grid);
        assert_int_equal(info->tried, seen);
        assert_int_equal(info->near_best, near);
        assert_true(2 * below <= seen && 2 * above <= seen);
        assert_int_equal(info->grid_failed, 0);
        for (int m = 1; m < ONEFOLD_MEASURES; m++) /* one setting, and one view, for all */
            assert_true(info->best[m] == info->best[0]);
        if (seen == 0)
            assert_true(info->best[0] == ONEFOLD_NO_CELL && info->median == ONEFOLD_NO_CELL);
    }
    assert_int_equal(experiment->contenders[0].info.grid_cells, 3);
    assert_int_equal(experiment->contenders[0].info.tried, 3 + 9 - 2);
    assert_int_equal(experiment->contenders[2].info.tried, 3);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* The cells of a method that takes one view say which. */
static void views_are_named(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(60, 3, 3, 2);
    of_experiment_options options = experiments_options("sb-kkm,avg-kkm", "default", 2);
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        unsigned view = 0;
        if (sscanf(cell->name, "view=%u", &view) == 1)
            assert_int_equal(cell->result.only_view, view);
        else if (cell->method == experiment->contenders[0].method)
            assert_true(cell->result.only_view >= 1 && cell->result.only_view <= 3);
        else
            assert_int_equal(cell->result.only_view, 0);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* "default" is the published grid of every method that has one. */
static void grids_are_those_of_the_authors(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(30, 2, 2, 3);
    of_experiment_options options = experiments_options("os-lfmvc-cs,rmsc,fmkkm,avg-kkm", NULL, 1);
    of_experiment *experiment;
    options.fit.restarts = 1;
    options.bench.grid = "default";
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    for (size_t i = 0; i < 4; i++) {
        const onefold_experiment_method_info *info = &experiment->contenders[i].info;
        assert_int_equal(info->grid_cells, info->has_grid ? info->published : 0);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

static void roles(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(90, 2, 3, 0.8);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", 1);
    of_experiment *experiment;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_int_equal(experiment->info.clusters, 3); /* from the labels */
    assert_int_equal(experiment->cell_count, 9);
    const of_contender *paper = &experiment->contenders[0];
    assert_int_equal(paper->info.grid_cells, 9);
    assert_int_equal(experiment->cells[paper->info.standard].roles,
                     ONEFOLD_CELL_STANDARD | ONEFOLD_CELL_GRID | ONEFOLD_CELL_SENSITIVITY);
    assert_int_equal(experiment->info.sensitivity[1 * 3 + 1], paper->info.standard);
    onefold_experiment_free(experiment);

    options.bench.sensitivity = "1,2,3,5";
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_int_equal(experiment->cell_count, 9 + 16 - 4);
    assert_int_equal(experiment->contenders[0].info.grid_cells, 9);
    onefold_experiment_free(experiment);

    options = experiments_options("os-lfmvc-cs", "none", 1);
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_int_equal(experiment->cell_count, 1);
    assert_null(experiment->info.sensitivity);
    onefold_experiment_free(experiment);

    options = experiments_options("os-lfmvc-cs", "os-lfmvc-cs:dims=3|5,anchors=2|7|9", 1);
    options.bench.sensitivity = "2";
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_int_equal(experiment->cell_count, 7);
    assert_string_equal(experiment->cells[3].name, "k=3,m=9");
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* Names of settings, and methods named twice. */
static void plans_of_few_cells(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(40, 2, 3, 2);
    of_experiment_options options =
        experiments_options("os-lfmvc-cs,avg-kkm,os-lfmvc-cs", "os-lfmvc-cs:dims=3|5/anchors=7", 3);
    of_experiment *experiment;
    options.bench.sensitivity = "2";
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    assert_int_equal(experiment->contender_count, 2);
    assert_int_equal(experiment->contenders[0].info.grid_cells, 3);
    int found = 0;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        found |= strcmp(cell->name, "k=5") == 0 ? 1 : strcmp(cell->name, "m=7") == 0 ? 2 : 0;
        assert_int_equal(cell->result.repeats, 3);
    }
    assert_int_equal(found, 3);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

static void lists_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *methods, *sensitivity, *sentence;
    } lists[] = {
        {"os-lfmvc-cs", "", "the sensitivity grid has no cells"},
        {"os-lfmvc-cs", "x", "'x' is no list of multiples"},
        {"os-lfmvc-cs", "-1", "'-1' is no list of multiples"},
        {"os-lfmvc-cs", "1,+2", "'1,+2' is no list of multiples"},
        {"os-lfmvc-cs", "0", "'0' is no list of multiples"},
        {"os-lfmvc-cs", "1000001", "'1000001' is no list of multiples"},
        {"os-lfmvc-cs", "1,2x", "'1,2x' is no list of multiples"},
        {"os-lfmvc-cs", "2,3,2", "the sensitivity grid has 2 twice"},
        {"os-lfmvc-cs",
         "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
         "33",
         "more than 32 multiples"},
        {"avg-kkm", "1,2", "no compared method has them"},
        {"avg-kkm,,mkkm", NULL, "has an empty name"},
        {"avg-kkm,", NULL, "has an empty name"},
        {"a-name-that-is-longer-than-any-method-could-ever-be-called-by-anyone-at-all", NULL,
         "a-name-that-is-longer"},
    };
    onefold_dataset *data = experiments_data(40, 2, 3, 2);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        of_experiment_options options = experiments_options(lists[i].methods, "none", 1);
        of_experiment *experiment = NULL;
        options.bench.sensitivity = lists[i].sensitivity;
        CHECK_FAILS(experiments_run(&experiment, NULL, data, &options), ONEFOLD_USAGE,
                    lists[i].sentence);
        assert_null(experiment);
    }
    onefold_dataset_free(data);
}

/* The key that a stored cell has. */
static void stored_key(const of_cell *cell, char key[1024])
{
    OF_JSON(made) = {.text = NULL};
    OF_SCRATCH(scratch, NULL);
    of_members members;
    of_cell_open(&made, cell, 0);
    of_json_put(&made, "}");
    CHECK_OK(of_json_members(&scratch, made.text, &members));
    of_span found = of_json_member(&members, "key");
    snprintf(key, 1024, "%.*s", (int)found.size, found.at);
}

/* Two cells are the same only if everything their figures depend on is. */
static void keys_tell_apart(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    onefold_dataset *data = experiments_data(40, 2, 2, 3), *other = experiments_data(40, 2, 2, 3.5);
    of_experiment_options options[COUNT];
    char keys[COUNT][1024];
    of_experiment *experiment;
    for (size_t i = 0; i < COUNT; i++)
        options[i] = experiments_options("os-lfmvc-cs", "none", 1);
    options[1].fit.seed = 1;
    options[2].bench.repeats = 2;
    options[3].fit.kernel = "linear";
    options[4].fit.restarts = 4;
    options[5].fit.tolerance = 1e-5;
    options[6].fit.dims = 5;
    options[7].fit.anchors = 3;
    options[8].fit.clusters = 3;
    options[9].fit.start = ONEFOLD_START_PAPER;
    options[10].fit.kernel = "rbf"; /* auto chooses the same here, and still the key differs */
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_OK(experiments_run(&experiment, NULL, i == 11 ? other : data, &options[i]));
        stored_key(&experiment->cells[0], keys[i]);
        onefold_experiment_free(experiment);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    }
    CHECK_OK(experiments_run(&experiment, NULL, data, &options[0]));
    stored_key(&experiment->cells[0], keys[1]);
    assert_string_equal(keys[1], keys[0]);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
    onefold_dataset_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_seeds),
        cmocka_unit_test(answers_are_fits),
        cmocka_unit_test(means_and_deviations),
        cmocka_unit_test(best_cells),
        cmocka_unit_test(repeats_of_a_drawn_start_are_seeds),
        cmocka_unit_test(drawn_kernels_make_whole_runs),
        cmocka_unit_test(times_add_up),
        cmocka_unit_test(views_are_named),
        cmocka_unit_test(grids_are_those_of_the_authors),
        cmocka_unit_test(roles),
        cmocka_unit_test(plans_of_few_cells),
        cmocka_unit_test(lists_that_are_none_are_refused),
        cmocka_unit_test(keys_tell_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
