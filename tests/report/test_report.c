/* SPDX-License-Identifier: Apache-2.0 */
/* Report pages from C: their content, the draw of samples, values that are not numbers, refusals.
 * The pages themselves are tested in a browser (web/report/test). */
#include "report/report.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/page_reader.h"
#include "support/paper_options.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct made_fit {
    onefold_dataset *data;
    onefold_result *result;
} made_fit;

static made_fit fit(size_t samples, size_t clusters, double missing)
{
    made_fit made = {NULL, NULL};
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = paper_options();
    synth.samples = samples;
    synth.clusters = clusters;
    synth.missing = missing;
    options.clusters = clusters;
    options.restarts = 2;
    options.method = "os-lfmvc-cs";
    options.picture = 1;
    CHECK_OK(onefold_dataset_synth(&made.data, NULL, &synth));
    CHECK_OK(onefold_fit(&made.result, NULL, made.data, &options));
    return made;
}

static void end(made_fit made)
{
    onefold_result_free(made.result);
    onefold_dataset_free(made.data);
}

static void check_page(void **state, const char *program)
{
    char whole[6144];
    snprintf(whole, sizeof whole, "%s%s", read_page, program);
    CHECK_PYTHON(state, "zlib", whole);
}

static void a_fit_has_its_blocks(void **state)
{
    made_fit made = fit(300, 6, 0.1);
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = made.result;
    report.dataset = made.data;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(
        state,
        "assert summary['kind'] == 'fit' and 'labels' not in data\n"
        "labels = block('labels')\n"
        "assert len(labels) == 300\n"
        "assert [labels.count(c) for c in range(6)] == data['sizes']\n"
        "assert [sum(row) for row in extra['contingency']] == data['sizes']\n"
        "assert len(extra['points']['pictures']) == 2 + 3\n"
        "assert all(len(block('picture-%d' % i)) == 1200 for i in range(5))\n"
        "assert len(block('parts')) == 900 and len(block('confidence')) == 300\n"
        "part, steps = block('parts'), extra['points']['part_steps']\n"
        "whole = [sum(p for p in part[j::300] if p != 255) for j in range(300)]\n"
        "assert steps == 100 and set(whole) <= {0, 99, 100, 101}\n"
        "assert whole.count(0) < 10 and whole.count(100) > 200\n"
        "assert sum(p['count'] for p in extra['missing']) == 300\n"
        "assert [len(t) for t in extra['traces']] == [r['iterations'] for r in data['runs']]\n"
        "assert extra['traces'][data['best_restart']] == data['trace']\n"
        "assert sum(extra['confidence']['histogram']) == 300\n"
        "sure = [d['confidence'] for d in extra['doubtful']]\n"
        "assert len(sure) == 20 and sure == sorted(sure)\n"
        "assert block('ids') is None\n");
    end(made);
}

static void beyond_a_number_samples_are_drawn(void **state)
{
    made_fit made = fit(500, 3, 0);
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = made.result;
    report.points = 120;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state, "import struct\n"
                      "ids = struct.unpack('<120I', block('ids'))\n"
                      "assert list(ids) == sorted(set(ids)) and ids[-1] < 500\n"
                      "assert extra['points']['shown'] == 120 and extra['points']['of'] == 500\n"
                      "assert len(block('labels')) == 120 and block('truth') is None\n"
                      "assert len(block('picture-0')) == 480\n");
    end(made);
}

/* A page of 300 samples whose names are `before` and their number of `width` digits. */
static void write_named(void **state, const char *before, int width, size_t points)
{
    made_fit made = fit(300, 3, 0);
    char *names[300];
    onefold_report report = ONEFOLD_REPORT_INIT;
    for (size_t j = 0; j < 300; j++) {
        names[j] = malloc(12000);
        snprintf(names[j], 12000, "%s%0*zu", before, width, j);
    }
    CHECK_OK(onefold_dataset_set_sample_names(made.data, (const char *const *)names));
    report.result = made.result;
    report.dataset = made.data;
    report.points = points;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    for (size_t j = 0; j < 300; j++)
        free(names[j]);
    end(made);
}

static const char read_names[] =
    "import struct\n"
    "about, names = extra['points'], json.loads(block('names-json'))\n"
    "ids = block('ids')\n"
    "ids = struct.unpack('<%dI' % (len(ids) // 4), ids) if ids else range(300)\n"
    "assert about['name_stride'] == 1 and len(names) == about['shown']\n";

static void names_come_along(void **state)
{
    char program[4096];
    write_named(state, "b\xc3\xa4r", 3, 200000);
    snprintf(program, sizeof program, "%s%s", read_names,
             "assert names == ['b\\u00e4r%03d' % i for i in ids]\n"
             "assert all(d['name'] == 'b\\u00e4r%03d' % d['sample'] for d in extra['doubtful'])\n");
    check_page(state, program);
    write_named(state, "</script>", 1, 120);
    snprintf(program, sizeof program, "%s%s", read_names,
             "assert len(ids) == 120\n"
             "assert names == ['</script>%d' % i for i in ids]\n"
             "assert not re.search('</script>[0-9]', page)\n");
    check_page(state, program);
    write_named(state, "", 10000, 200000);
    snprintf(program, sizeof program, "%s%s", read_names,
             "assert names == ['%010000d' % i for i in ids]\n"
             "assert len(page) < 600000\n");
    check_page(state, program);
}

/* Names leave so little room that later pictures have every second point; the points of a cluster
 * are near each other. */
static void later_pictures_have_every_so_many_points(void **state)
{
    enum { MANY = 1000 };
    made_fit made = {NULL, NULL};
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = paper_options();
    onefold_report report = ONEFOLD_REPORT_INIT;
    char *names[MANY];
    double *drawn = malloc(MANY * 399 * sizeof *drawn);
    check_random(4, 0, 399, MANY, drawn);
    for (size_t e = 0; e < MANY * 399; e++)
        drawn[e] = fabs(sin(1000 * drawn[e]));
    synth.samples = MANY;
    synth.clusters = options.clusters = 6; /* of so many the first picture is another */
    synth.views = 12;
    options.restarts = 2;
    options.picture = 1;
    CHECK_OK(onefold_dataset_synth(&made.data, NULL, &synth));
    for (size_t j = 0; j < MANY; j++) {
        names[j] = malloc(400);
        for (size_t i = 0; i < 399; i++) /* letters that cannot be packed by much */
            names[j][i] = (char)('!' + (int)(90 * drawn[j * 399 + i]));
        names[j][399] = '\0';
    }
    CHECK_OK(onefold_dataset_set_sample_names(made.data, (const char *const *)names));
    CHECK_OK(onefold_fit(&made.result, NULL, made.data, &options));
    report.result = made.result;
    report.dataset = made.data;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state,
               "import struct\n"
               "stride = extra['points']['stride']\n"
               "assert stride > 1\n"
               "labels = block('labels')[::stride]\n"
               "count = len(labels)\n"
               "assert len(extra['points']['pictures']) == 2 + 12\n"
               "for number in range(1, 14):\n"
               "    whole = block('picture-%d' % number)\n"
               "    raw = struct.unpack('<%dH' % (len(whole) // 2), whole)\n"
               "    place = list(zip(raw[:count], raw[count:]))\n"
               "    middle = [[sum(p[r] for p, l in zip(place, labels) if l == c) / max(1, "
               "labels.count(c))\n"
               "               for r in range(2)] for c in range(6)]\n"
               "    def nearest(p):\n"
               "        return min(range(6), key=lambda c: sum((p[r] - middle[c][r]) ** 2 for r in "
               "range(2)))\n"
               "    right = sum(nearest(p) == l for p, l in zip(place, labels))\n"
               "    assert right > 0.5 * count, (number, right, count)\n");
    for (size_t j = 0; j < MANY; j++)
        free(names[j]);
    free(drawn);
    end(made);
}

/* No samples to show, one cluster, two samples: pages all the same. */
static void little_to_show(void **state)
{
    made_fit made = fit(30, 2, 0);
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = made.result;
    report.dataset = made.data;
    report.points = 0;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state, "assert extra['points']['shown'] == 0 and sum(data['sizes']) == 30\n");
    end(made);
    made = fit(2, 1, 0);
    report.result = made.result;
    report.dataset = made.data;
    report.points = 200000;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state, "assert data['sizes'] == [2] and len(block('labels')) == 2\n"
                      "assert block('names-json') is None\n");
    end(made);
}

/* What was written so far, as objects. */
static json_t *made(of_report *report)
{
    CHECK_OK(of_json_check(report->extra));
    json_t *object = json_loads(report->extra->text, 0, NULL);
    assert_non_null(object);
    of_json_drop(report->extra);
    return object;
}

static void what_is_no_number_is_left_out(void **state)
{
    (void)state;
    const double values[5] = {0.05, NAN, 0.95, 1, 0.5};
    const int32_t labels[5] = {0, 1, 2, 3, 4};
    OF_JSON(extra) = {.text = NULL};
    const onefold_report asked = ONEFOLD_REPORT_INIT;
    of_report report = {.context = of_context_or_default(NULL), .request = &asked, .extra = &extra};
    CHECK_OK(of_report_spread(&report, NULL, NULL, values, NULL, 5, 10, 0));
    json_t *spread = made(&report);
    CHECK_CLOSE(json_real_value(json_object_get(spread, "mean")), 2.5 / 4, 1e-15, 0);
    json_t *bins = json_object_get(spread, "histogram");
    assert_int_equal(json_integer_value(json_array_get(bins, 0)), 1);
    assert_int_equal(json_integer_value(json_array_get(bins, 9)), 2);
    json_decref(spread);
    for (int largest = 0; largest < 2; largest++) {
        of_json_put(report.extra, "{");
        CHECK_OK(of_report_spread(&report, "confidence", "most", values, labels, 5, 10, largest));
        of_json_put(report.extra, "}");
        json_t *both = made(&report), *list = json_object_get(both, "most"),
               *first = json_array_get(list, 0);
        assert_int_equal(json_array_size(list), 4);
        assert_int_equal(json_integer_value(json_object_get(first, "label")), largest ? 3 : 0);
        assert_true(json_is_real(json_object_get(first, "confidence")));
        json_decref(both);
    }
    const double none[2] = {NAN, NAN};
    CHECK_OK(of_report_spread(&report, NULL, NULL, none, NULL, 2, 4, 0));
    spread = made(&report);
    assert_true(json_is_null(json_object_get(spread, "mean")));
    json_decref(spread);
}

static void predictions_and_choices(void **state)
{
    made_fit made = fit(120, 3, 0);
    onefold_fit_options options = paper_options();
    onefold_result *kept = NULL;
    onefold_choice *choice = NULL;
    onefold_choose_options choose = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    int32_t labels[120];
    double confidence[120], distance[120];
    prediction.labels = labels;
    prediction.confidence = confidence;
    prediction.distance = distance;
    options.clusters = 3;
    options.keep_model = 1;
    choose.most = 4;
    CHECK_OK(onefold_fit(&kept, NULL, made.data, &options));
    CHECK_OK(onefold_predict(&prediction, NULL, onefold_result_describe(kept)->model, made.data, 0,
                             120));
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.prediction = &prediction;
    report.samples = 120;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "page.html")), ONEFOLD_USAGE,
                "needs its model");
    report.model = onefold_result_describe(kept)->model;
    confidence[7] = NAN;
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state, "assert summary['kind'] == 'predict'\n"
                      "assert sum(extra['confidence']['histogram']) == 119\n"
                      "assert sum(extra['distance']['histogram']) == 120\n"
                      "assert all('name' not in d for d in extra['farthest'])\n"
                      "far = [d['distance'] for d in extra['farthest']]\n"
                      "assert far == sorted(far, reverse=True)\n");
    report.dataset = made.data;
    report.samples = 119;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "page.html")), ONEFOLD_USAGE,
                "its prediction 119");
    CHECK_OK(onefold_choose(&choice, NULL, made.data, NULL, &choose));
    report = (onefold_report)ONEFOLD_REPORT_INIT;
    report.choice = choice;
    report.command = "onefold choose '</script>'";
    CHECK_OK(onefold_report_write(&report, NULL, folder_path(state, "page.html")));
    check_page(state, "assert summary['kind'] == 'choose' and len(data['curve']) == 3\n"
                      "assert extra['origin']['command'] == \"onefold choose '</script>'\"\n");
    onefold_choice_free(choice);
    onefold_result_free(kept);
    end(made);
}

static void what_is_refused(void **state)
{
    made_fit made = fit(60, 2, 0), other = fit(61, 2, 0);
    onefold_report report = ONEFOLD_REPORT_INIT;
    const char *path = folder_path(state, "page.html");
    CHECK_FAILS(onefold_report_write(NULL, NULL, path), ONEFOLD_USAGE,
                "needs a result, choice, experiment or prediction");
    CHECK_FAILS(onefold_report_write(&report, NULL, path), ONEFOLD_USAGE, "not on 0");
    report.result = made.result;
    CHECK_FAILS(onefold_report_write(&report, NULL, NULL), ONEFOLD_USAGE, "path");
    report.dataset = other.data;
    CHECK_FAILS(onefold_report_write(&report, NULL, path), ONEFOLD_USAGE, "61 samples");
    report.dataset = made.data;
    CHECK_FAILS(onefold_report_write(&report, NULL, folder_path(state, "no/page.html")), ONEFOLD_IO,
                "page.html");
    assert_int_equal(folder_count(state), 0);
    CHECK_OK(onefold_report_write(&report, NULL, path));
    folder_limit_files(20000);
    onefold_status status = onefold_report_write(&report, NULL, path);
    folder_limit_files(SIZE_MAX);
    assert_int_equal(status, ONEFOLD_IO);
    assert_int_equal(folder_count(state), 1);
    check_page(state, "assert summary['kind'] == 'fit'\n");
    end(made);
    end(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fit_has_its_blocks, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(beyond_a_number_samples_are_drawn, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(names_come_along, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(later_pictures_have_every_so_many_points, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(little_to_show, folder_make, folder_remove),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test_setup_teardown(predictions_and_choices, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_refused, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
