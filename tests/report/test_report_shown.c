/* SPDX-License-Identifier: Apache-2.0 */
/* What report pages show and leave out: columns, files, options, many clusters, predictions without
 * some of their arrays, experiments. Pages are read with Python. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/page_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 300, FEW = 40 };

static void expect_page(void **state, const onefold_report *report, const char *program)
{
    char whole[6144];
    CHECK_OK(onefold_report_write(report, NULL, folder_path(state, "page.html")));
    snprintf(whole, sizeof whole, "%s%s", read_page, program);
    CHECK_PYTHON(state, "zlib", whole);
}

/* Three clusters in two views of which the second lacks a fifth of the samples; named columns, one
 * of them constant. */
static onefold_dataset *named_data(void)
{
    static const char *const names[] = {"first", "flat", "third"};
    onefold_dataset *data = NULL;
    double one[FEW * 3], two[FEW * 2];
    check_random(1, 1, FEW, 3, one);
    check_random(1, 2, FEW, 2, two);
    for (size_t j = 0; j < FEW; j++) {
        one[3 * j] += 8 * (double)(j % 3);
        one[3 * j + 1] = 2.5;
        two[2 * j + 1] -= 8 * (double)(j % 3);
        if (j % 5 == 4)
            two[2 * j] = two[2 * j + 1] = NAN;
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, FEW));
    CHECK_OK(onefold_dataset_add_dense(data, "one", one, 3, 3, 1));
    CHECK_OK(onefold_dataset_add_dense(data, "two", two, 2, 2, 1));
    CHECK_OK(onefold_dataset_set_column_names(data, 0, names));
    CHECK_OK(onefold_dataset_set_column_names(data, 1, names));
    return data;
}

static onefold_result *fit(const onefold_dataset *data, const char *method, size_t clusters,
                           size_t explain, int picture)
{
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = method;
    options.clusters = clusters;
    options.restarts = 2;
    options.explain = explain;
    options.picture = picture;
    options.kernel = "linear";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    return result;
}

/* Columns with names are shown, those that explain the clusters first; NaN is 255, constants 0. */
static void columns_are_shown(void **state)
{
    onefold_dataset *data = named_data();
    onefold_result *result = fit(data, "os-lfmvc-cs", 3, 2, 1), *plain;
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = result;
    report.dataset = data;
    static const char program[] =
        "columns = extra['points']['columns'] if 'columns' in extra['points'] else "
        "extra['columns']\n"
        "values = block('columns')\n"
        "members = len(values) // len(columns)\n"
        "assert len(columns) == 5 and members == 40\n"
        "names = [(c['view'], c['name']) for c in columns]\n"
        "assert sorted(names) == [('one', 'first'), ('one', 'flat'), ('one', 'third'),\n"
        "    ('two', 'first'), ('two', 'flat')]\n"
        "for i, c in enumerate(columns):\n"
        "    of = values[i * members:(i + 1) * members]\n"
        "    assert [v == 255 for v in of] == [c['view'] == 'two' and j % 5 == 4 for j in "
        "range(40)]\n"
        "    if names[i] == ('one', 'flat'):\n"
        "        assert c['low'] == c['high'] == 2.5 and max(of) == 0\n"
        "    else:\n"
        "        assert c['low'] < c['high'] and 0 in of and 254 in of\n";
    expect_page(state, &report, program);
    plain = fit(data, "os-lfmvc-cs", 3, 0, 0); /* nothing is explained, no picture */
    report.result = plain;
    expect_page(state, &report, program);
    onefold_result_free(plain);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* The files of the data, with size and checksum; options by name. */
static void files_and_options_are_listed(void **state)
{
    onefold_dataset *data = named_data();
    onefold_result *result = fit(data, "os-lfmvc-cs", 3, 0, 0);
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    char there[300], gone[300];
    snprintf(there, sizeof there, "%s", folder_path(state, "there.csv"));
    snprintf(gone, sizeof gone, "%s", folder_path(state, "gone.csv"));
    const char *paths[] = {there, gone, "/"};
    made_file(there, "1,2\n3,4\n");
    report.paths = paths;
    report.path_count = 3;
    report.name = "forty cells";
    options.clusters = 3;
    options.method = "os-lfmvc-cs";
    options.nonneg = 1;
    options.keep_model = 1;
    options.landmarks = 70;
    report.result = result;
    report.options = &options;
    expect_page(state, &report,
                "assert extra['title'] == 'forty cells'\n"
                "files = extra['origin']['files']\n"
                "text = open('there.csv', 'rb').read()\n"
                "assert files[0]['bytes'] == len(text)\n"
                "assert files[0]['sha256'] == hashlib.sha256(text).hexdigest()\n"
                "assert all(f['bytes'] is None and f['sha256'] is None for f in files[1:])\n"
                "options = dict(extra['origin']['options'])\n"
                "assert options['clusters'] == 3 and options['method'] == 'os-lfmvc-cs'\n"
                "assert options['nonneg'] == 'yes' and options['model kept'] == 'yes'\n"
                "assert options['landmarks'] == 70 and options['explain'] == 'no'\n");
    options.method = NULL; /* which has no options of a solver */
    expect_page(state, &report,
                "options = dict(extra['origin']['options'])\n"
                "assert options['method'] == 'default' and 'nonneg' not in options\n");
    options = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "mkkm";
    options.method_options = "";
    options.kernel = "rbf";
    options.dims = 7;
    options.explain = 4;
    report.paths = NULL;
    expect_page(state, &report,
                "assert extra['origin']['files'] == []\n"
                "options = dict(extra['origin']['options'])\n"
                "assert options['method'] == 'mkkm' and options['kernel'] == 'rbf'\n"
                "assert options['nonneg'] == 'no' and options['model kept'] == 'no'\n"
                "assert options['dims'] == 7 and options['anchors'] == 'twice the clusters'\n"
                "assert options['explain'] == 4\n");
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* Above 255 of them, labels and classes take two bytes each, and no table of both is shown. */
static void more_than_a_byte_counts(void **state)
{
    enum { MANY = 260 };
    onefold_dataset *data = NULL;
    double x[SAMPLES * 2];
    int64_t truth[SAMPLES];
    for (size_t j = 0; j < SAMPLES; j++) {
        x[2 * j] = (double)(j % MANY % 20);
        x[2 * j + 1] = (double)(j % MANY / 20);
        truth[j] = (int64_t)(j % MANY);
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_dense(data, "plane", x, 2, 2, 1));
    CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_result *few = fit(data, "os-lfmvc-cs", 2, 0, 1);
    report.result = few;
    report.dataset = data;
    expect_page(
        state, &report,
        "points = extra['points']\n"
        "assert points['wide_truth'] is True and points['wide_labels'] is False\n"
        "assert list(struct.unpack('<300H', block('truth'))) == [j % 260 for j in range(300)]\n"
        "assert len(block('labels')) == 300 and len(extra['contingency']) == 2\n");
    onefold_result *many = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "avg-kkm";
    options.kernel = "rbf";
    options.clusters = MANY;
    CHECK_OK(onefold_fit(&many, NULL, data, &options));
    report.result = many;
    expect_page(state, &report,
                "assert 'contingency' not in extra and len(extra['classes']) == 260\n"
                "if 'points' in extra:\n"
                "    assert extra['points']['wide_labels'] is True\n"
                "    labels = struct.unpack('<300H', block('labels'))\n"
                "    assert [labels.count(c) for c in range(260)] == data['sizes']\n");
    onefold_result_free(many);
    onefold_result_free(few);
    onefold_dataset_free(data);
}

/* Points that all lie in one place are in the middle. */
static void points_in_one_place(void **state)
{
    onefold_dataset *data = NULL;
    double x[FEW * 2];
    for (size_t j = 0; j < FEW; j++)
        x[2 * j] = (double)(j % 2), x[2 * j + 1] = 1;
    CHECK_OK(onefold_dataset_create(&data, NULL, FEW));
    CHECK_OK(onefold_dataset_add_dense(data, "two", x, 2, 2, 1));
    onefold_result *result = fit(data, "os-lfmvc-cs", 1, 0, 1);
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_layout_options layout = ONEFOLD_LAYOUT_OPTIONS_INIT;
    layout.kind = ONEFOLD_LAYOUT_PCA;
    report.result = result;
    report.layout = &layout;
    expect_page(state, &report,
                "assert len(block('picture-0')) == 160\n"
                "assert extra['points']['pictures'][0] == 'all views, principal components'\n");
    layout.perplexity = 0.5;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "the perplexity of a layout is at least 1, not 0.5");
    layout.perplexity = INFINITY;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "perplexity");
    layout = (onefold_layout_options)ONEFOLD_LAYOUT_OPTIONS_INIT;
    layout.theta = 1.5;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "theta of a layout is from 0 to 1, not 1.5");
    layout.theta = -1;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "theta");
    layout = (onefold_layout_options)ONEFOLD_LAYOUT_OPTIONS_INIT;
    layout.most = 3;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "a layout works on 4 to 1000000 samples, not 3");
    layout.most = 1000001;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no.html")), ONEFOLD_USAGE,
                "not 1000001");
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* A prediction may lack confidence, distance or both. */
static void predictions_of_less(void **state)
{
    onefold_dataset *data = named_data();
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 3;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    int32_t labels[FEW];
    double confidence[FEW], distance[FEW];
    for (int which = 0; which < 4; which++) {
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        onefold_report report = ONEFOLD_REPORT_INIT;
        char program[400];
        prediction.labels = labels;
        prediction.confidence = which & 1 ? confidence : NULL;
        prediction.distance = which & 2 ? distance : NULL;
        report.model = onefold_result_describe(result)->model;
        report.samples = FEW;
        CHECK_OK(onefold_predict(&prediction, NULL, report.model, data, 0, FEW));
        report.prediction = &prediction;
        snprintf(program, sizeof program,
                 "sure, far = %s, %s\n"
                 "assert ('confidence' in extra) == ('doubtful' in extra) == sure\n"
                 "assert ('distance' in extra) == ('farthest' in extra) == far\n"
                 "assert ('far' in data) == far and sum(data['sizes']) == 40\n",
                 which & 1 ? "True" : "False", which & 2 ? "True" : "False");
        expect_page(state, &report, program);
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* Labels and keys of an experiment's cells are left out of its page. */
static void experiments_are_shown_without_labels(void **state)
{
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options plain = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment *experiment = NULL;
    onefold_dataset *data = NULL;
    onefold_report report = ONEFOLD_REPORT_INIT;
    synth.samples = FEW;
    options.methods = "avg-kkm";
    options.grid = "none";
    options.repeats = 2;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    CHECK_OK(onefold_experiment_run(&experiment, NULL, data, &plain, &options));
    report.experiment = experiment;
    expect_page(state, &report,
                "assert summary['kind'] == 'bench' and len(data['cells']) == 1\n"
                "assert all('labels' not in c and 'key' not in c for c in data['cells'])\n");
    CHECK_FAILS(onefold_report_write(&report, NULL, ""), ONEFOLD_USAGE, "path of a file");
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

static void scores_as_text(void **state)
{
    (void)state;
    char *text = NULL;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    const int64_t labels[] = {0, 0, 1, 1}, truth[] = {1, 1, 0, 0};
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, 4));
    onefold_report report = ONEFOLD_REPORT_INIT;
    CHECK_FAILS(onefold_report_json(&text, &report), ONEFOLD_USAGE, "nothing in the report");
    report.scores = &scores;
    report.samples = 4;
    CHECK_OK(onefold_report_json(&text, &report));
    assert_non_null(strstr(text, "\"samples\": 4"));
    assert_non_null(strstr(text, "\"acc\": 1"));
    onefold_free(text);
    CHECK_FAILS(onefold_report_json(NULL, &report), ONEFOLD_USAGE, "a place for the text");
    CHECK_FAILS(onefold_report_json(&text, NULL), ONEFOLD_USAGE, "needs a report");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_shown),
        cmocka_unit_test(files_and_options_are_listed),
        cmocka_unit_test(more_than_a_byte_counts),
        cmocka_unit_test(points_in_one_place),
        cmocka_unit_test(predictions_of_less),
        cmocka_unit_test(experiments_are_shown_without_labels),
        cmocka_unit_test(scores_as_text),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
