/* SPDX-License-Identifier: Apache-2.0 */
/* A case for each public function that takes memory (tests/house/test_bad_values_listed.c looks
 * that none is left out; failure_fits.c has those of fits), every reader and every writer. */
#include "faults/failures.h"

#include "base/context.h"

#include <stdio.h>
#include <string.h>

enum { N = FAILURE_SAMPLES, COLUMNS = FAILURE_COLUMNS };
static double values[N * COLUMNS], kernel[N * N];
static float singles[N * COLUMNS];
static int64_t truth[N];
static int32_t classes[N];
static uint8_t present[N * 2];
static size_t starts[N + 1], wide[N];
static uint32_t places[N];

void failure_free(failure_out *out)
{
    onefold_labels_writer_free(out->writer);
    onefold_dataset_free(out->other);
    onefold_dataset_free(out->labels);
    onefold_predictor_free(out->predictor);
    onefold_model_free(out->model);
    onefold_experiment_free(out->experiment);
    onefold_comparison_free(out->comparison);
    onefold_study_free(out->study);
    onefold_choice_free(out->choice);
    onefold_estimate_free(out->estimate);
    onefold_result_free(out->result);
    onefold_dataset_free(out->dataset);
    onefold_context_free(out->context);
    onefold_free(out->text);
    onefold_free(out->bytes);
}

uint64_t failure_mix(uint64_t digest, const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * 1099511628211u;
    return digest;
}

/* ---- data sets ---------------------------------------------------------------------------- */

static void make_numbers(void)
{
    for (size_t i = 0; i < N * COLUMNS; i++) {
        values[i] = (double)(i * 2654435761u % 97) / 97 + 4 * (double)(i / COLUMNS % 3) + 0.5;
        singles[i] = (float)values[i];
    }
    for (size_t j = 0; j < N; j++) {
        classes[j] = (int32_t)(truth[j] = (int64_t)(j % 3));
        starts[j + 1] = j + 1;
        places[j] = (uint32_t)(wide[j] = j % COLUMNS);
        present[2 * j] = 1;
        present[2 * j + 1] = j % 4 != 0;
        for (size_t i = 0; i < N; i++)
            kernel[i + N * j] = i == j ? 2 : i % 3 == j % 3;
    }
}

static onefold_status make_context(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)c, (void)digest;
    MAKE(context, onefold_context_create(&out->context, NULL));
    TRY(onefold_context_set_memory_limit(out->context, (size_t)1 << 30));
    return onefold_context_set_threads(out->context, 2);
}

static onefold_status build(const failure_case *c, failure_out *out, uint64_t *digest)
{
    double back[COLUMNS];
    (void)c;
    make_numbers();
    MAKE(dataset, onefold_dataset_create(&out->dataset, failure_context, N));
    onefold_dataset *made = out->dataset;
    TRY(onefold_dataset_add_dense(made, "a", values, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_add_dense_single(made, "b", singles, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_add_sparse(made, "c", COLUMNS, starts, places, values));
    TRY(onefold_dataset_add_kernel(made, "d", kernel));
    TRY(onefold_dataset_borrow_dense(made, "e", values, ONEFOLD_FLOAT64, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_borrow_kernel(made, "f", kernel, ONEFOLD_FLOAT64, N, 1));
    TRY(onefold_dataset_borrow_sparse(made, "g", COLUMNS, starts, wide, ONEFOLD_UINT64, values,
                                      ONEFOLD_FLOAT64));
    TRY(onefold_dataset_set_column_names(made, 0, failure_names));
    TRY(onefold_dataset_set_column_units(made, 0, places));
    TRY(onefold_dataset_set_sample_names(made, failure_names));
    TRY(onefold_dataset_set_truth(made, truth, NULL));
    TRY(onefold_dataset_set_truth(made, truth, failure_names));
    TRY(onefold_dataset_set_impute(made, ONEFOLD_IMPUTE_MEAN));
    TRY(onefold_dataset_values(back, made, 0, 5, 1));
    *digest = failure_mix(1, back, sizeof back);
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.dataset = made;
    MAKE(text, onefold_report_json(&out->text, &report));
    return ONEFOLD_OK;
}

static onefold_status lacking(const failure_case *c, failure_out *out, uint64_t *digest)
{
    const char *name, *why;
    double hole = values[4];
    (void)c, (void)digest;
    make_numbers();
    MAKE(dataset, onefold_dataset_create(&out->dataset, failure_context, N));
    TRY(onefold_dataset_set_impute(out->dataset, ONEFOLD_IMPUTE_MEDIAN));
    values[4] = (double)__builtin_nanf("");
    onefold_status status =
        onefold_dataset_add_dense(out->dataset, "a", values, COLUMNS, COLUMNS, 1);
    values[4] = hole;
    TRY(status);
    TRY(onefold_dataset_add_dense(out->dataset, "b", values, 2, COLUMNS, 1));
    TRY(onefold_dataset_set_present(out->dataset, present));
    TRY(onefold_dataset_kernel(out->dataset, 0, &name, &why));
    MAKE(text, onefold_dataset_outputs(&out->text, out->dataset, "out.npy"));
    return ONEFOLD_OK;
}

static onefold_status synth(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    double back[20];
    options.samples = N;
    options.clusters = 3;
    options.missing = 0.2;
    options.density = c->words ? 0.3 : 1;
    options.noise = c->words ? 0.4 : 0;
    MAKE(dataset, onefold_dataset_synth(&out->dataset, failure_context, &options));
    TRY(onefold_dataset_values(back, out->dataset, 0, 3, 1));
    *digest = failure_mix(1, back, sizeof back);
    return ONEFOLD_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

/* Words: up to four paths, and after them options of reading, "truth=in.truth.csv". */
static onefold_status read_files(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    const char *paths[4];
    char text[256];
    size_t count = 0;
    double back[64];
    onefold_view_info about = ONEFOLD_VIEW_INFO_INIT;
    snprintf(text, sizeof text, "%s", c->words);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        if (strncmp(word, "truth=", 6) == 0)
            options.truth = word + 6;
        else if (strncmp(word, "views=", 6) == 0)
            options.views = word + 6;
        else if (strncmp(word, "present=", 8) == 0)
            options.present = word + 8;
        else if (strncmp(word, "ids=", 4) == 0)
            options.ids = word + 4;
        else if (strcmp(word, "once") == 0)
            options.pass_once = 1;
        else if (strcmp(word, "mean") == 0)
            options.impute = ONEFOLD_IMPUTE_MEAN;
        else
            paths[count++] = word;
    }
    onefold_status status;
    static char before;
    out->dataset = (void *)&before;
    status = onefold_dataset_read(&out->dataset, failure_context, paths, count, &options);
    if (status != ONEFOLD_OK) {
        out->touched |= (void *)out->dataset != (void *)&before;
        out->dataset = NULL;
        return status;
    }
    TRY(onefold_dataset_view(out->dataset, 0, &about));
    if (about.columns > 64)
        return ONEFOLD_OK;
    TRY(onefold_dataset_values(back, out->dataset, 0, 0, 1));
    *digest = failure_mix(1, back, about.columns * sizeof *back);
    return ONEFOLD_OK;
}

static onefold_status write_files(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)out, (void)digest;
    return onefold_dataset_write(*c->of, failure_context, c->words);
}

static onefold_status labels(const failure_case *c, failure_out *out, uint64_t *digest)
{
    int matched;
    char path[32];
    make_numbers();
    snprintf(path, sizeof path, "labels.%s", c->words);
    if (strcmp(c->words, "npz") != 0) /* which holds names and confidences beside them */
        TRY(onefold_labels_write(classes, NULL, N, NULL, failure_context, path));
    snprintf(path, sizeof path, "table.%s", c->words);
    TRY(onefold_labels_write(classes, values, N, failure_dense, failure_context, path));
    MAKE(labels, onefold_labels_read(&out->labels, failure_context, path));
    MAKE(other, onefold_labels_read(&out->other, failure_context, path));
    TRY(onefold_labels_match(out->labels, out->other, &matched));
    *digest = failure_mix(1, onefold_dataset_describe(out->labels)->truth, N * sizeof(int32_t));
    return ONEFOLD_OK;
}

static onefold_status write_matrix(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)out, (void)digest;
    return onefold_matrix_write(values, N, COLUMNS, COLUMNS, failure_context, c->words);
}

static onefold_status writer(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)digest;
    MAKE(writer, onefold_labels_writer_create(&out->writer, failure_context, c->words, N, NULL, 0));
    TRY(onefold_labels_writer_add(out->writer, classes, NULL, N));
    return onefold_labels_writer_finish(out->writer);
}

static onefold_status table_writer(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)digest;
    MAKE(writer, onefold_labels_writer_create(&out->writer, failure_context, c->words, N,
                                              failure_dense, 1));
    TRY(onefold_labels_writer_add(out->writer, classes, values, N));
    return onefold_labels_writer_finish(out->writer);
}

/* Two files that are placed together, over old ones, and a look at what was read. */
static onefold_status together(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)c, (void)digest;
    MAKE(context, onefold_context_create(&out->context, NULL));
    TRY(onefold_context_hold_outputs(out->context));
    MAKE(labels, onefold_labels_read(&out->labels, out->context, "in.npz"));
    TRY(onefold_context_check_output(out->context, "together.csv"));
    TRY(onefold_matrix_write(values, N, COLUMNS, COLUMNS, out->context, "together.npy"));
    TRY(onefold_labels_write(classes, NULL, N, NULL, out->context, "together.csv"));
    return onefold_context_place_outputs(out->context);
}

/* ---- the rest ----------------------------------------------------------------------------- */

static onefold_status scored(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    (void)c;
    make_numbers();
    TRY(onefold_score(&scores, ONEFOLD_INT64, truth, truth, N));
    TRY(onefold_score(&scores, ONEFOLD_INT32, classes, classes, N));
    *digest = failure_mix(1, &scores.nmi, sizeof scores.nmi);
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.scores = &scores;
    report.samples = N;
    MAKE(text, onefold_report_json(&out->text, &report));
    return ONEFOLD_OK;
}

static onefold_status compared(const failure_case *c, failure_out *out, uint64_t *digest)
{
    (void)c;
    make_numbers();
    MAKE(comparison, onefold_compare(&out->comparison, failure_context, values, N, COLUMNS));
    *digest =
        failure_mix(1, &onefold_comparison_describe(out->comparison)->chi_square, sizeof(double));
    return ONEFOLD_OK;
}

/* A file is written whole, and read as a study. */
static onefold_status studied(const failure_case *c, failure_out *out, uint64_t *digest)
{
    static const char text[] =
        "{\"sets\": [{\"data\": \"in.npz\", \"kernel\": [\"rbf\", \"rbf\"], \"published\": "
        "{\"fmr\": {\"acc\": [1, 2]}}}], \"methods\": {\"fmr\": \"paper\"}, \"others\": "
        "[{\"name\": \"x\", \"labels\": {\"in\": \"a.csv\"}}], \"wanted\": [\"tests\"]}";
    (void)c;
    TRY(onefold_text_write(text, sizeof text - 1, failure_context, "study.json"));
    MAKE(study, onefold_study_read(&out->study, failure_context, "study.json"));
    *digest = failure_mix(1, &onefold_study_describe(out->study)->wanted, sizeof(unsigned));
    return ONEFOLD_OK;
}

static onefold_status planned(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    (void)digest;
    fit.clusters = 2;
    options.methods = "avg-kkm,os-lfmvc-cs";
    MAKE(experiment,
         onefold_experiment_plan(&out->experiment, failure_context, *c->of, &fit, &options));
    return ONEFOLD_OK;
}

static onefold_status laid_out(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double place[2 * N];
    (void)out;
    options.kind = c->words[0] == 't' ? ONEFOLD_LAYOUT_TSNE : ONEFOLD_LAYOUT_PCA;
    options.iterations = 20;
    options.perplexity = 5;
    options.most = 20;
    TRY(onefold_layout(place, failure_context, failure_result, &options));
    *digest = failure_mix(1, place, sizeof place);
    return ONEFOLD_OK;
}

const failure_case failure_cases[] = {
    {"context", make_context, NULL, NULL, 0},
    {"build", build, NULL, NULL, 0},
    {"lacking", lacking, NULL, NULL, 0},
    {"synth", synth, NULL, NULL, 0},
    {"synth counts", synth, NULL, "sparse", 0},
    {"read npz", read_files, NULL, "in.npz", 0},
    {"read sparse npz", read_files, NULL, "sparse.npz", 0},
    {"read lacking npz", read_files, NULL, "lacking.npz", 0},
    {"read mat", read_files, NULL, "in.mat", 0},
    {"read sparse mat", read_files, NULL, "sparse.mat", 0},
    {"read lacking mat", read_files, NULL, "lacking.mat", 0},
    {"read kernels", read_files, NULL, "kernels.mat", 0},
    {"read csv", read_files, NULL, "in.1.csv in.2.csv", 0},
    {"read csv with truth", read_files, NULL, "in.1.csv in.2.csv truth=in.truth.csv views=1", 0},
    {"read other order", read_files, NULL, "in.1.csv other.csv", 0},
    {"read few", read_files, NULL, "in.1.csv few.csv ids=1", 0},
    {"read holes", read_files, NULL, "holes.csv mean", 0},
    {"read groups", read_files, NULL, "groups.csv", 0},
    {"read csv, once", read_files, NULL, "in.1.csv in.2.csv once", 0},
    {"read packed", read_files, NULL, "packed.csv.gz", 0},
    {"read tsv", read_files, NULL, "in.1.tsv in.2.tsv", 0},
    {"read npy", read_files, NULL, "in.1.npy in.2.npy", 0},
    {"read npy, once", read_files, NULL, "in.1.npy in.2.npy once", 0},
    {"read present", read_files, NULL, "in.1.npy in.2.npy present=present.csv", 0},
    {"read mtx", read_files, NULL, "in.1.mtx in.2.mtx", 0},
    {"read cells", read_files, NULL, "cells", 0},
    {"read packed cells", read_files, NULL, "packed", 0},
    {"read mat 7.3", read_files, NULL, "seven.mat", 0},
    {"read h5ad", read_files, NULL, "cells.h5ad", 0},
    {"write npz", write_files, &failure_dense, "out.npz", 0},
    {"write mat", write_files, &failure_dense, "out.mat", 0},
    {"write csv", write_files, &failure_dense, "out.csv", 0},
    {"write npy", write_files, &failure_dense, "out.npy", 0},
    {"write mtx", write_files, &failure_sparse, "out.mtx", 0},
    {"write sparse npz", write_files, &failure_sparse, "out_sparse.npz", 0},
    {"write sparse mat", write_files, &failure_sparse, "out_sparse.mat", 0},
    {"write sparse csv", write_files, &failure_sparse, "out_sparse.csv", 0},
    {"write lacking npz", write_files, &failure_lacking, "out_lacking.npz", 0},
    {"write lacking mat", write_files, &failure_thin, "out_lacking.mat", 0},
    {"write lacking npy", write_files, &failure_lacking, "out_lacking.npy", 0},
    {"write lacking mtx", write_files, &failure_thin, "out_lacking.mtx", 0},
    {"write lacking csv", write_files, &failure_thin, "out_lacking.csv", 0},
    {"write kernels", write_files, &failure_kernels, "out_kernels.npz", 0},
    {"labels csv", labels, NULL, "csv", 0},
    {"labels npy", labels, NULL, "npy", 0},
    {"labels npz", labels, NULL, "npz", 0},
    {"labels mat", labels, NULL, "mat", 0},
    {"labels txt", labels, NULL, "txt", 0},
    {"write matrix npy", write_matrix, NULL, "matrix.npy", 0},
    {"write matrix csv", write_matrix, NULL, "matrix.csv", 0},
    {"write matrix mat", write_matrix, NULL, "matrix.mat", 0},
    {"writer txt", writer, NULL, "written.txt", 0},
    {"writer npy", writer, NULL, "written.npy", 0},
    {"writer mat", writer, NULL, "written.mat", 0},
    {"table writer csv", table_writer, NULL, "written.csv", 0},
    {"table writer npz", table_writer, NULL, "written.npz", 0},
    {"table writer mat", table_writer, NULL, "tabled.mat", 0},
    {"together", together, NULL, NULL, 0},
    {"score", scored, NULL, NULL, 0},
    {"compare", compared, NULL, NULL, 0},
    {"study", studied, NULL, NULL, 0},
    {"plan of an experiment", planned, &failure_dense, NULL, 200},
    {"layout tsne", laid_out, NULL, "tsne", 0},
    {"layout pca", laid_out, NULL, "pca", 0},
};
const size_t failure_case_count = sizeof failure_cases / sizeof *failure_cases;
