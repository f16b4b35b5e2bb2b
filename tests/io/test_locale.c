/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader and writer of the library does the same in a program whose locale has a decimal
 * comma, and other pairs of letters: the same files byte by byte, the same values, texts and
 * messages. */
#include "onefold.h"

#include "support/check.h"
#include "support/comma.h"
#include "support/folder.h"
#include "support/made_cells.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { SAMPLES = 60, CLUSTERS = 3 };

/* What one pass over the library came to: lines of text. */
typedef struct account {
    FILE *file;
    void **state;
    int second; /* in the other locale, over the files of the first */
} account;

static const char *place(account *to, const char *name)
{
    return folder_path(to->state, name);
}

/* Numbers go into the account by their bits. */
static void note_values(account *to, const char *what, const double *values, size_t count)
{
    fprintf(to->file, "%s:", what);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        fprintf(to->file, " %llx", (unsigned long long)bits);
    }
    fprintf(to->file, "\n");
}

static void note_data(account *to, const char *what, const onefold_dataset *data)
{
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    fprintf(to->file, "%s: %zu samples\n", what, info->samples);
    for (size_t i = 0; i < info->notes; i++)
        fprintf(to->file, "note %s\n", info->note[i]);
    for (size_t j = 0; j < info->samples && info->sample_names; j++)
        fprintf(to->file, "%s\n", info->sample_names[j]);
    for (size_t j = 0; j < info->samples && info->truth; j++)
        fprintf(to->file, "%s ", info->class_names[info->truth[j]]);
    for (size_t v = 0; v < info->views; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, v, &view));
        double *values = calloc(info->samples * view.columns, sizeof *values);
        CHECK_OK(onefold_dataset_values(values, data, v, 0, info->samples));
        note_values(to, view.name, values, info->samples * view.columns);
        free(values);
    }
}

static void note_read(account *to, const char *const *paths, size_t count,
                      const onefold_read_options *options)
{
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, count, options));
    char what[64];
    snprintf(what, sizeof what, "read %s", strrchr(paths[0], '.'));
    note_data(to, what, data);
    onefold_dataset_free(data);
}

/* Without times and memory, which differ from run to run. */
static void remove_measured(json_t *value)
{
    const char *key;
    json_t *item;
    void *next;
    size_t i;
    if (json_is_array(value))
        json_array_foreach(value, i, item) remove_measured(item);
    json_object_foreach_safe(value, next, key,
                             item) if (strstr(key, "seconds") || strstr(key, "bytes") ||
                                       strstr(key, "machine")) json_object_del(value, key);
    else remove_measured(item);
}

static void note_json(account *to, const onefold_report *report, const char *keep)
{
    char *text, *rest;
    CHECK_OK(onefold_report_json(&text, report));
    json_error_t why;
    json_t *value = json_loads(text, 0, &why);
    if (!value)
        fail_msg("%s: %.300s", why.text, text);
    if (keep) {
        FILE *file = fopen(keep, "w");
        fputs(text, file);
        fclose(file);
    }
    remove_measured(value);
    rest = json_dumps(value, JSON_SORT_KEYS);
    fprintf(to->file, "%s\n", rest);
    free(rest);
    json_decref(value);
    onefold_free(text);
}

static void note_refused(account *to, const char *what, onefold_status status)
{
    if (status == ONEFOLD_OK)
        fail_msg("%s is taken", what);
    fprintf(to->file, "%d %s; %s\n", status, onefold_last_error(), onefold_last_hint());
}

/* ---- the parts of a pass ---- */

static onefold_dataset *make_data(account *to, double missing)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    options.samples = SAMPLES;
    options.clusters = CLUSTERS;
    options.missing = 1.5;
    note_refused(to, "missing", onefold_dataset_synth(&data, NULL, &options));
    options.missing = missing;
    options.columns = (const size_t[]){4, 3, 5};
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static void write_and_read_data(account *to, const onefold_dataset *data)
{
    static const char *const whole[] = {"d.mat", "d.npz"}, *const parted[] = {"csv", "tsv", "npy",
                                                                              "mtx"};
    for (int f = 0; f < 2; f++) {
        CHECK_OK(onefold_dataset_write(data, NULL, place(to, whole[f])));
        note_read(to, (const char *[]){place(to, whole[f])}, 1, NULL);
    }
    for (int f = 0; f < 4; f++) {
        char name[3][16], out[16], present[4096], truth[4096];
        onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
        snprintf(out, sizeof out, "d.%s", parted[f]);
        CHECK_OK(onefold_dataset_write(data, NULL, place(to, out)));
        for (int v = 0; v < 3; v++)
            snprintf(name[v], sizeof *name, "d.%d.%s", v + 1, parted[f]);
        snprintf(present, sizeof present, "%s", place(to, f == 3 ? "d.present.txt" : "p"));
        snprintf(truth, sizeof truth, "%s", place(to, "d.truth.csv"));
        options.truth = f < 3 ? truth : NULL;
        note_read(to, (const char *[]){place(to, name[0]), place(to, name[1]), place(to, name[2])},
                  3, &options);
    }
}

/* Texts with points, with commas, with exponents, and of a table whose numbers become words. */
static void read_texts(account *to)
{
    static const struct {
        const char *name, *text;
    } files[] = {{"p.csv", "id,a,b,size\nx,1.5,-2.25e-3,small\ny,.5,1e22,large\nz,7,0.1,small\n"},
                 {"o.csv", "a,SAMPLE_ID,INSIDE\n1,INF,YES\n2,I,NO\n3,i,YES\n4.5,TITLE,no\n"},
                 {"q.csv", "a;b\n1,5;2,25\n-0,5;1.000,75\n3;4\n"},
                 {"r.tsv", "1.5\t1.7976931348623157e308\n4.9e-324\t0.30000000000000004\n"},
                 {"s.txt", "1.5 2.5\n3.25 4\n0.1 123456789012345678901234567890.5\n"},
                 {"t.mtx", "%%MatrixMarket MATRIX COORDINATE real general\n"
                           "3 2 3\n1 1 1.5\n2 2 -2.25D+1\n3 1 0.1\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(place(to, files[i].name), "w");
        fputs(files[i].text, file);
        fclose(file);
        note_read(to, (const char *[]){place(to, files[i].name)}, 1, NULL);
    }
}

#ifdef ONEFOLD_WITH_HDF5
static void names_are_numbers(hid_t file)
{
    H5Ldelete(file, "obs/_index", H5P_DEFAULT);
    cells_put_numbers(file, "obs/_index", CELLS, 0, (double[]){7, 8.5, 9, 10}, "array");
}

static void read_cells(account *to)
{
    note_read(to, (const char *[]){cells_file(to->state, names_are_numbers)}, 1, NULL);
}
#else
static void read_cells(account *to)
{
    (void)to;
}
#endif

static void write_and_read_labels(account *to, const onefold_dataset *data,
                                  const onefold_fit_info *info)
{
    static const char *const names[] = {"l.csv", "l.tsv", "l.txt", "l.npy", "l.npz", "l.mat"};
    for (int f = 0; f < 6; f++) {
        onefold_dataset *labels;
        const char *path = place(to, names[f]);
        CHECK_OK(onefold_labels_write(info->labels, info->confidence, SAMPLES, data, NULL, path));
        CHECK_OK(onefold_labels_read(&labels, NULL, path));
        note_data(to, names[f], labels);
        onefold_dataset_free(labels);
    }
    onefold_labels_writer *writer;
    CHECK_OK(onefold_labels_writer_create(&writer, NULL, place(to, "w.csv"), SAMPLES, NULL, 1));
    CHECK_OK(onefold_labels_writer_add(writer, info->labels, info->confidence, SAMPLES));
    CHECK_OK(onefold_labels_writer_finish(writer));
    onefold_labels_writer_free(writer);
}

static void write_matrices(account *to)
{
    static const char *const names[] = {"m.csv", "m.txt", "m.npy", "m.mat"};
    const double values[] = {1.5, 2.25, 0.1, -1e-300, 1e22, 1.0 / 3};
    for (int f = 0; f < 4; f++) {
        CHECK_OK(onefold_matrix_write(values, 3, 2, 2, NULL, place(to, names[f])));
        note_read(to, (const char *[]){place(to, names[f])}, 1, NULL);
    }
    char *text = folder_read(place(to, "m.csv"), NULL);
    assert_string_equal(text, "1.5,2.25\n0.1,-1e-300\n1e+22,0.3333333333333333\n");
    free(text);
}

static void fit_and_predict(account *to, const onefold_dataset *data)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result;
    onefold_model *model;
    options.clusters = CLUSTERS;
    options.keep_model = 1;
    options.picture = 1;
    options.explain = 2;
    options.weights = "0.25,0.125..0.5,auto";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    char kept[4096];
    snprintf(kept, sizeof kept, "%s", place(to, "r.json"));
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = result;
    report.dataset = data;
    report.options = &options;
    note_json(to, &report, kept);
    CHECK_OK(onefold_report_write(&report, NULL, place(to, "r.html")));
    CHECK_OK(onefold_report_from_json((const char *[]){kept}, 1, NULL, place(to, "s.html")));
    write_and_read_labels(to, data, info);
    CHECK_OK(onefold_model_write(info->model, NULL, place(to, "model")));
    CHECK_OK(onefold_model_read(&model, NULL, place(to, "model")));
    int32_t labels[SAMPLES];
    double confidence[SAMPLES];
    onefold_prediction made = ONEFOLD_PREDICTION_INIT;
    made.labels = labels;
    made.confidence = confidence;
    CHECK_OK(onefold_predict(&made, NULL, model, data, 0, SAMPLES));
    note_values(to, "confidence", confidence, SAMPLES);
    onefold_model_free(model);
    onefold_result_free(result);
}

static void choose(account *to, const onefold_dataset *data)
{
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_choice *choice;
    onefold_report report = ONEFOLD_REPORT_INIT;
    options.most = 5;
    CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
    report.choice = choice;
    note_json(to, &report, NULL);
    onefold_choice_free(choice);
}

/* Numbers in options, in the settings' names, in a method's remarks and in the file of cells, whose
 * cells a program of another locale takes. */
static void compare(account *to, onefold_dataset *data)
{
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment *experiment;
    onefold_report report = ONEFOLD_REPORT_INIT;
    char store[4096];
    snprintf(store, sizeof store, "%s", folder_path(to->state, "cells"));
    fit.tolerance = 1.5e-5;
    options.methods = "rmsc,fmkkm";
    options.method_options = "rmsc:lambda=0.0625";
    options.grid = "rmsc:lambda=0.05|0.1";
    options.repeats = 2;
    options.grid_repeats = 1;
    options.store = store;
    CHECK_OK(onefold_experiment_run(&experiment, NULL, data, &fit, &options));
    const onefold_experiment_info *info = onefold_experiment_describe(experiment);
    for (size_t c = 0; c < info->cells; c++) {
        assert_int_equal(info->cell[c]->kept, to->second);
        fprintf(to->file, "%s\n", info->cell[c]->setting);
        note_values(to, info->cell[c]->note, info->cell[c]->mean, ONEFOLD_MEASURES);
    }
    report.experiment = experiment;
    CHECK_OK(onefold_report_write(&report, NULL, place(to, "e.html")));
    onefold_experiment_free(experiment);
    options.method_options = "rmsc:lambda=-0.5";
    note_refused(to, options.method_options,
                 onefold_experiment_run(&experiment, NULL, data, &fit, &options));
}

static void refuse_options(account *to)
{
    static const char *const refused[] = {"0,5", "0.5,0.75..0.8,0.5", "1e-3.."};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 2;
    options.method = "lsgmc";
    options.method_options = "q=0.5,lambda=2.5";
    CHECK_OK(onefold_fit_options_check(&options));
    options.method_options = "q=1.5";
    note_refused(to, options.method_options, onefold_fit_options_check(&options));
    onefold_dataset *data = make_data(to, 0);
    for (int i = 0; i < 3; i++) {
        onefold_fit_options weighed = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result;
        weighed.clusters = CLUSTERS;
        weighed.weights = refused[i];
        note_refused(to, refused[i], onefold_fit(&result, NULL, data, &weighed));
    }
    onefold_dataset_free(data);
}

static char *pass(void **state, int second)
{
    account to = {.state = state, .second = second};
    size_t size;
    char *text;
    to.file = open_memstream(&text, &size);
    onefold_dataset *data = make_data(&to, 0.1), *complete = make_data(&to, 0);
    write_and_read_data(&to, data);
    read_texts(&to);
    read_cells(&to);
    write_matrices(&to);
    fit_and_predict(&to, data);
    choose(&to, data);
    compare(&to, complete);
    refuse_options(&to);
    onefold_dataset_free(data);
    onefold_dataset_free(complete);
    fclose(to.file);
    return text;
}

static void check_same_texts(const char *a, const char *b)
{
    size_t same = 0, line = 0;
    for (; a[same] && a[same] == b[same]; same++)
        if (a[same] == '\n')
            line = same + 1;
    if (a[same] || b[same])
        fail_msg("without the comma:\n%.300s\nwith it:\n%.300s", a + line, b + line);
}

static const char *const kept[] = {"d.mat",   "d.npz",   "d.1.csv", "d.2.csv", "d.3.csv",
                                   "d.1.tsv", "d.1.npy", "d.1.mtx", "m.csv",   "m.txt",
                                   "m.npy",   "m.mat",   "l.csv",   "l.tsv",   "l.txt",
                                   "l.npy",   "l.npz",   "l.mat",   "w.csv",   "model"};
enum { KEPT = sizeof kept / sizeof *kept };

static void a_decimal_comma_changes_nothing(void **state)
{
    char *files[KEPT], *want = pass(state, 0);
    size_t sizes[KEPT];
    for (size_t i = 0; i < KEPT; i++)
        files[i] = folder_read(folder_path(state, kept[i]), &sizes[i]);
    int set = comma_set();
    if (set) {
        char *got = pass(state, 1);
        comma_unset();
        check_same_texts(want, got);
        free(got);
    }
    for (size_t i = 0; i < KEPT; i++) {
        size_t size;
        char *file = folder_read(folder_path(state, kept[i]), &size);
        if (size != sizes[i] || memcmp(file, files[i], size) != 0)
            fail_msg("%s differs", kept[i]);
        free(file);
        free(files[i]);
    }
    free(want);
    if (!set)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_decimal_comma_changes_nothing, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
