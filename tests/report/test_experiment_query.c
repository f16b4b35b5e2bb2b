/* SPDX-License-Identifier: Apache-2.0 */
/* Members of experiments and choices by index, through the public header. */
#include "onefold.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 60, VIEWS = 2, CLUSTERS = 3, REPEATS = 3 };

/* The text holds `word`. */
static void check_json(onefold_status status, char *text, const char *word)
{
    CHECK_OK(status);
    assert_non_null(strstr(text, word));
    onefold_free(text);
}

static onefold_dataset *make(void)
{
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    synth.samples = SAMPLES;
    synth.views = VIEWS;
    synth.clusters = CLUSTERS;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    return data;
}

/* Mean and deviation of a measure over the repeats, from the repeats. */
static void check_cell(const onefold_experiment *experiment, size_t index)
{
    const onefold_experiment_cell_info *cell = onefold_experiment_describe(experiment)->cell[index];
    assert_int_equal(cell->status, ONEFOLD_OK);
    assert_true(cell->repeats >= 1 && cell->scores && cell->answer < cell->repeats);
    double sum = 0, square = 0;
    for (size_t r = 0; r < cell->repeats; r++) {
        double acc = cell->scores[r]->acc;
        sum += acc;
        square += acc * acc;
    }
    double n = (double)cell->repeats, mean = sum / n;
    CHECK_CLOSE(cell->mean[ONEFOLD_ACC], mean, 1e-12, 0);
    if (n > 1)
        CHECK_CLOSE(cell->deviation[ONEFOLD_ACC],
                    sqrt(fmax(0, (square - n * mean * mean) / (n - 1))), 1e-5, 1e-7);
    for (size_t j = 0; j < SAMPLES; j++)
        assert_true(cell->labels[j] >= 0 && cell->labels[j] < CLUSTERS);
    for (size_t v = 0; v < VIEWS; v++)
        assert_string_equal(cell->view[v]->name,
                            onefold_experiment_describe(experiment)->view[v]->name);
}

static void an_experiment_is_asked_by_index(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_experiment *experiment = NULL;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    options.methods = "os-lfmvc-cs,avg-kkm";
    options.grid = "none";
    options.repeats = REPEATS;
    CHECK_OK(onefold_experiment_check(&fit, &options));
    CHECK_OK(onefold_experiment_run(&experiment, NULL, data, &fit, &options));
    const onefold_experiment_info *info = onefold_experiment_describe(experiment);
    assert_true(info->samples == SAMPLES && info->views == VIEWS && info->clusters == CLUSTERS);
    assert_true(info->classes == CLUSTERS && info->methods == 2 && info->cells >= 2);
    assert_int_equal(strlen(info->fingerprint), 32);
    for (size_t m = 0; m < info->methods; m++) {
        const onefold_experiment_method_info *method;
        const onefold_experiment_cell_info *cell;
        method = onefold_experiment_describe(experiment)->method[m];
        assert_string_equal(method->name, m ? "avg-kkm" : "os-lfmvc-cs");
        assert_true(method->standard < info->cells && method->grid_cells == 0);
        cell = onefold_experiment_describe(experiment)->cell[method->standard];
        assert_int_equal(cell->method, m);
        assert_string_equal(cell->setting, "default");
        CHECK_CLOSE(info->agreement[m * info->methods + m], 1, 1e-12, 0);
    }
    for (size_t c = 0; c < info->cells; c++)
        check_cell(experiment, c);
    for (size_t v = 0; v < VIEWS; v++) {
        const onefold_view_fit *view = onefold_experiment_describe(experiment)->view[v];
        assert_non_null(view->kernel);
    }
    char *text = NULL;
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.experiment = experiment;
    onefold_status status = onefold_report_json(&text, &report);
    check_json(status, text, "\"avg-kkm\"");
    onefold_experiment_free(experiment);
    onefold_experiment_free(NULL);
    onefold_dataset_free(data); /* which had to outlive it */
}

static void what_an_experiment_would_ignore_is_refused(void **state)
{
    (void)state;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    fit.weights = "1,1";
    CHECK_FAILS(onefold_experiment_check(&fit, &options), ONEFOLD_USAGE, "weights");
    fit.weights = NULL;
    fit.keep_model = 1;
    CHECK_FAILS(onefold_experiment_check(&fit, &options), ONEFOLD_USAGE, "keep_model");
    fit.keep_model = 0;
    options.methods = "avg-kkn";
    CHECK_FAILS(onefold_experiment_check(&fit, &options), ONEFOLD_USAGE, "avg-kkn");
}

static void an_experiment_without_truth_has_no_scores(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    double values[SAMPLES * 2];
    onefold_experiment *experiment = NULL;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    check_random(1, 1, SAMPLES, 2, values);
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    for (size_t v = 0; v < VIEWS; v++)
        CHECK_OK(onefold_dataset_add_dense(data, v ? "b" : "a", values, 2, 2, 1));
    fit.clusters = CLUSTERS;
    options.methods = "avg-kkm";
    options.grid = "none";
    options.repeats = 1;
    CHECK_OK(onefold_experiment_run(&experiment, NULL, data, &fit, &options));
    assert_null(onefold_experiment_describe(NULL));
    assert_null(onefold_experiment_describe(experiment)->cell[0]->scores);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

static void a_choice_is_asked_by_index(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_choice *choice = NULL;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.least = 2;
    options.most = 4;
    CHECK_OK(onefold_choose(&choice, NULL, data, &fit, &options));
    onefold_dataset_free(data);
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_int_equal(info->points, 3);
    for (size_t i = 0; i < 3; i++) {
        const onefold_choose_point *point = info->point[i];
        assert_int_equal(point->clusters, i + 2);
        assert_true(point->evidence >= 0 && point->evidence <= 1);
    }
    for (size_t v = 0; v < VIEWS; v++) {
        const onefold_view_fit *view = info->view[v];
        assert_non_null(view->name);
    }
    assert_true(info->reasons >= 1 && *info->reason[info->reasons - 1]);
    char *text = NULL;
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.choice = choice;
    onefold_status status = onefold_report_json(&text, &report);
    check_json(status, text, "\"suggested\"");
    onefold_choice_free(choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_is_asked_by_index),
        cmocka_unit_test(what_an_experiment_would_ignore_is_refused),
        cmocka_unit_test(an_experiment_without_truth_has_no_scores),
        cmocka_unit_test(a_choice_is_asked_by_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
