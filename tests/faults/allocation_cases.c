/* SPDX-License-Identifier: Apache-2.0 */
/* A case for each public function that takes memory: tests/house/test_bad_values_listed.c looks
 * that none is left out. */
#include "faults/allocations.h"

#include <stdio.h>
#include <string.h>

enum { N = 24, COLUMNS = 3 };
static onefold_context *context; /* one thread, so that allocations come in one order */
static onefold_dataset *data, *sparse;
static onefold_result *result;
static onefold_estimate *estimate;
static onefold_choice *choice;
static onefold_experiment *experiment;
static double values[N * COLUMNS], kernel[N * N];
static float singles[N * COLUMNS];
static int64_t truth[N];
static int32_t classes[N];
static uint8_t present[N * 2];
static size_t starts[N + 1], wide[N];
static uint32_t places[N];
static const char *names[N];

#define TRY(call)                                                                                  \
    do {                                                                                           \
        onefold_status status_ = (call);                                                           \
        if (status_ != ONEFOLD_OK)                                                                 \
            return status_;                                                                        \
    } while (0)

void allocation_free(allocation_out *out)
{
    onefold_labels_writer_free(out->writer);
    onefold_labels_free(out->other);
    onefold_labels_free(out->labels);
    onefold_predictor_free(out->predictor);
    onefold_model_free(out->model);
    onefold_experiment_free(out->experiment);
    onefold_choice_free(out->choice);
    onefold_estimate_free(out->estimate);
    onefold_result_free(out->result);
    onefold_dataset_free(out->dataset);
    onefold_context_free(out->context);
    onefold_text_free(out->text);
    onefold_bytes_free(out->bytes);
}

static uint64_t mix(uint64_t digest, const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * 1099511628211u;
    return digest;
}

/* ---- data sets ---------------------------------------------------------------------------- */

static onefold_status make_context(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    TRY(onefold_context_create(&out->context, NULL));
    TRY(onefold_context_set_memory_limit(out->context, (size_t)1 << 30));
    return onefold_context_set_threads(out->context, 2);
}

static onefold_status build(allocation_out *out, uint64_t *digest)
{
    double back[COLUMNS];
    TRY(onefold_dataset_create(&out->dataset, context, N));
    onefold_dataset *made = out->dataset;
    TRY(onefold_dataset_add_dense(made, "a", values, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_add_dense_single(made, "b", singles, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_add_sparse(made, "c", COLUMNS, starts, places, values));
    TRY(onefold_dataset_add_kernel(made, "d", kernel));
    TRY(onefold_dataset_borrow_dense(made, "e", values, ONEFOLD_FLOAT64, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_borrow_kernel(made, "f", kernel, ONEFOLD_FLOAT64, N, 1));
    TRY(onefold_dataset_borrow_sparse(made, "g", COLUMNS, starts, wide, ONEFOLD_UINT64, values,
                                      ONEFOLD_FLOAT64));
    TRY(onefold_dataset_set_column_names(made, 0, names));
    TRY(onefold_dataset_set_sample_names(made, names));
    TRY(onefold_dataset_set_truth(made, truth));
    TRY(onefold_dataset_set_class_names(made, names));
    TRY(onefold_dataset_set_impute(made, ONEFOLD_IMPUTE_MEAN));
    TRY(onefold_dataset_values(back, made, 0, 5, 1));
    *digest = mix(1, back, sizeof back);
    TRY(onefold_dataset_json(&out->text, made, NULL));
    return ONEFOLD_OK;
}

static onefold_status lacking(allocation_out *out, uint64_t *digest)
{
    const char *name, *why;
    (void)digest;
    TRY(onefold_dataset_create(&out->dataset, context, N));
    TRY(onefold_dataset_add_dense(out->dataset, "a", values, COLUMNS, COLUMNS, 1));
    TRY(onefold_dataset_add_dense(out->dataset, "b", values, 2, COLUMNS, 1));
    TRY(onefold_dataset_set_present(out->dataset, present));
    TRY(onefold_dataset_kernel(out->dataset, 0, &name, &why));
    return onefold_dataset_outputs(&out->text, out->dataset, "out.npy");
}

static onefold_status synth(allocation_out *out, uint64_t *digest)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    double back[20];
    options.samples = N;
    options.clusters = 3;
    options.missing = 0.2;
    TRY(onefold_dataset_synth(&out->dataset, context, &options));
    TRY(onefold_dataset_values(back, out->dataset, 0, 3, 1));
    *digest = mix(1, back, sizeof back);
    return ONEFOLD_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

static onefold_status read_file(allocation_out *out, uint64_t *digest, const char *path,
                                const char *second, const onefold_read_options *options)
{
    double back[N];
    const char *const paths[] = {path, second};
    TRY(onefold_dataset_read(&out->dataset, context, paths, second ? 2 : 1, options));
    TRY(onefold_dataset_values(back, out->dataset, 0, 2, 1));
    *digest = mix(1, back, COLUMNS * sizeof *back);
    return ONEFOLD_OK;
}

#define READ(name, path, second)                                                                   \
    static onefold_status read_##name(allocation_out *out, uint64_t *digest)                       \
    {                                                                                              \
        return read_file(out, digest, path, second, NULL);                                         \
    }
READ(npz, "in.npz", NULL)
READ(mat, "in.mat", NULL)
READ(csv, "in.1.csv", "in.2.csv")
READ(npy, "in.1.npy", "in.2.npy")
READ(mtx, "in.1.mtx", "in.2.mtx")

static onefold_status read_with_truth(allocation_out *out, uint64_t *digest)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = "in.truth.csv";
    options.views = "1";
    return read_file(out, digest, "in.1.csv", "in.2.csv", &options);
}

#define WRITE(name, what, path)                                                                    \
    static onefold_status write_##name(allocation_out *out, uint64_t *digest)                      \
    {                                                                                              \
        (void)out, (void)digest;                                                                   \
        return onefold_dataset_write(what, context, path);                                         \
    }
WRITE(npz, data, "out.npz")
WRITE(mat, data, "out.mat")
WRITE(csv, data, "out.csv")
WRITE(npy, data, "out.npy")
WRITE(mtx, sparse, "out.mtx")
WRITE(sparse, sparse, "out_sparse.npz")

static onefold_status labels(allocation_out *out, uint64_t *digest)
{
    int matched;
    TRY(onefold_labels_write(classes, N, context, "labels.csv"));
    TRY(onefold_labels_write_table(classes, values, N, data, context, "table.csv"));
    TRY(onefold_labels_write(classes, N, context, "labels.npy"));
    TRY(onefold_labels_read(&out->labels, context, "table.csv"));
    TRY(onefold_labels_read(&out->other, context, "table.csv"));
    TRY(onefold_labels_match(out->labels, out->other, &matched));
    *digest = mix(1, onefold_labels_classes(out->labels), N * sizeof(int32_t));
    return ONEFOLD_OK;
}

static onefold_status write_matrix(allocation_out *out, uint64_t *digest)
{
    (void)out, (void)digest;
    TRY(onefold_matrix_write(values, N, COLUMNS, COLUMNS, context, "matrix.npy"));
    return onefold_matrix_write(values, N, COLUMNS, COLUMNS, context, "matrix.csv");
}

static onefold_status writer(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    TRY(onefold_labels_writer_create(&out->writer, context, "written.txt", N));
    TRY(onefold_labels_writer_add(out->writer, classes, N));
    return onefold_labels_writer_finish(out->writer);
}

static onefold_status table_writer(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    TRY(onefold_labels_writer_create_table(&out->writer, context, "written.csv", N, data, 1));
    TRY(onefold_labels_writer_add_sure(out->writer, classes, values, N));
    return onefold_labels_writer_finish(out->writer);
}

/* ---- fits --------------------------------------------------------------------------------- */

static onefold_status fit_with(allocation_out *out, uint64_t *digest, onefold_dataset *of,
                               onefold_fit_options options)
{
    options.clusters = 3;
    options.restarts = 2;
    options.max_iterations = 5;
    TRY(onefold_fit(&out->result, context, of, &options));
    *digest = mix(1, onefold_result_labels(out->result), N * sizeof(int32_t));
    return ONEFOLD_OK;
}

#define FIT(name, of, ...)                                                                         \
    static onefold_status fit_##name(allocation_out *out, uint64_t *digest)                        \
    {                                                                                              \
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;                                    \
        __VA_ARGS__;                                                                               \
        return fit_with(out, digest, of, options);                                                 \
    }
FIT(default, data, options.keep_model = 1)
FIT(sparse, sparse, options.kernel = "cosine")
FIT(os_lfmvc_cs, data, options.method = "os-lfmvc-cs"; options.keep_model = options.picture = 1;
    options.explain = 2; options.view_parts = 1)
FIT(landmarks, data, options.method = "os-lfmvc-cs"; options.base = ONEFOLD_BASE_NYSTROM;
    options.landmarks = 10; options.precision = ONEFOLD_SINGLE)
FIT(avg_kkm, data, options.method = "avg-kkm")
FIT(sb_kkm, data, options.method = "sb-kkm")
FIT(mkkm, data, options.method = "mkkm")
FIT(rmsc, data, options.method = "rmsc")
FIT(fmkkm, data, options.method = "fmkkm")
FIT(fmr, data, options.method = "fmr")
FIT(lsgmc, data, options.method = "lsgmc")

static onefold_status estimate_with(allocation_out *out, int measure)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 3;
    TRY(onefold_fit_options_check(&options));
    TRY(onefold_fit_estimate(&out->estimate, context, data, &options, measure));
    TRY(onefold_estimate_check_memory(out->estimate));
    return onefold_estimate_json(&out->text, out->estimate, NULL);
}

static onefold_status estimated(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return estimate_with(out, 0);
}

static onefold_status measured(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return estimate_with(out, 1);
}

static onefold_status chosen(allocation_out *out, uint64_t *digest)
{
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    (void)digest;
    options.most = 3;
    options.subsamples = 2;
    return onefold_choose(&out->choice, context, data, NULL, &options);
}

static onefold_status experimented(allocation_out *out, uint64_t *digest)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    (void)digest;
    options.methods = "avg-kkm,os-lfmvc-cs";
    options.grid = "none";
    options.repeats = options.replicates = 1;
    TRY(onefold_experiment_check(&fit, &options));
    return onefold_experiment_run(&out->experiment, context, data, &fit, &options);
}

static onefold_status scored(allocation_out *out, uint64_t *digest)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    TRY(onefold_score(&scores, truth, truth, N));
    TRY(onefold_score_classes(&scores, classes, classes, N));
    *digest = mix(1, &scores.nmi, sizeof scores.nmi);
    return onefold_scores_json(&out->text, &scores, N);
}

/* ---- what comes of a fit ------------------------------------------------------------------ */

static onefold_status laid_out(allocation_out *out, uint64_t *digest)
{
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double place[2 * N];
    (void)out;
    options.iterations = 20;
    TRY(onefold_layout(place, context, result, &options));
    *digest = mix(1, place, sizeof place);
    return ONEFOLD_OK;
}

static onefold_status reported(allocation_out *out, uint64_t *digest)
{
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_layout_options layout = ONEFOLD_LAYOUT_OPTIONS_INIT;
    (void)out, (void)digest;
    layout.iterations = 20;
    report.result = result;
    report.dataset = data;
    report.layout = &layout;
    return onefold_report_write(&report, context, "out.html");
}

static onefold_status result_json(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return onefold_result_json(&out->text, result, NULL);
}

static onefold_status choice_json(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return onefold_choice_json(&out->text, choice, NULL);
}

static onefold_status experiment_json(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return onefold_experiment_json(&out->text, experiment, NULL);
}

static onefold_status model_json(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return onefold_model_json(&out->text, onefold_result_model(result), NULL);
}

static onefold_status model_remarks(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    return onefold_model_remarks(&out->text, onefold_result_model(result), data);
}

static onefold_status model_file(allocation_out *out, uint64_t *digest)
{
    (void)digest;
    TRY(onefold_model_write(onefold_result_model(result), context, "out.model"));
    return onefold_model_read(&out->model, context, "in.model");
}

static onefold_status model_bytes(allocation_out *out, uint64_t *digest)
{
    size_t size;
    TRY(onefold_model_encode(&out->bytes, &size, context, onefold_result_model(result)));
    *digest = mix(1, out->bytes, size);
    return onefold_model_decode(&out->model, context, out->bytes, size);
}

static onefold_status predicted(allocation_out *out, uint64_t *digest)
{
    int32_t found[N];
    double sure[N];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = found;
    prediction.confidence = sure;
    TRY(onefold_predict(&prediction, context, onefold_result_model(result), data, 0, N));
    *digest = mix(1, found, sizeof found);
    return onefold_prediction_json(&out->text, onefold_result_model(result), &prediction, N, NULL);
}

static onefold_status predictor(allocation_out *out, uint64_t *digest)
{
    int32_t found[N];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = found;
    TRY(onefold_predictor_create(&out->predictor, context, onefold_result_model(result)));
    TRY(onefold_predictor_feed(out->predictor, data, 0, N, &prediction));
    *digest = mix(1, found, sizeof found);
    return ONEFOLD_OK;
}

const allocation_case allocation_cases[] = {
    {"context", make_context, 0},
    {"build", build, 0},
    {"lacking", lacking, 0},
    {"synth", synth, 0},
    {"read npz", read_npz, 0},
    {"read mat", read_mat, 0},
    {"read csv", read_csv, 0},
    {"read npy", read_npy, 0},
    {"read mtx", read_mtx, 0},
    {"read with truth", read_with_truth, 0},
    {"write npz", write_npz, 0},
    {"write mat", write_mat, 0},
    {"write csv", write_csv, 0},
    {"write npy", write_npy, 0},
    {"write mtx", write_mtx, 0},
    {"write sparse", write_sparse, 0},
    {"labels", labels, 0},
    {"write matrix", write_matrix, 0},
    {"writer", writer, 0},
    {"table writer", table_writer, 0},
    {"fit default", fit_default, 0},
    {"fit sparse", fit_sparse, 0},
    {"fit os-lfmvc-cs", fit_os_lfmvc_cs, 0},
    {"fit landmarks", fit_landmarks, 0},
    {"fit avg-kkm", fit_avg_kkm, 0},
    {"fit sb-kkm", fit_sb_kkm, 0},
    {"fit mkkm", fit_mkkm, 0},
    {"fit rmsc", fit_rmsc, 0},
    {"fit fmkkm", fit_fmkkm, 0},
    {"fit fmr", fit_fmr, 0},
    {"fit lsgmc", fit_lsgmc, 0},
    {"estimate", estimated, 0},
    {"estimate, measured", measured, 40},
    {"choose", chosen, 0},
    {"experiment", experimented, 0},
    {"score", scored, 0},
    {"layout", laid_out, 0},
    {"report", reported, 0},
    {"result json", result_json, 0},
    {"choice json", choice_json, 0},
    {"experiment json", experiment_json, 0},
    {"model json", model_json, 0},
    {"model remarks", model_remarks, 0},
    {"model file", model_file, 0},
    {"model bytes", model_bytes, 0},
    {"predict", predicted, 0},
    {"predictor", predictor, 0},
};
const size_t allocation_case_count = sizeof allocation_cases / sizeof *allocation_cases;

/* ---- what they work on -------------------------------------------------------------------- */

static void make_numbers(void)
{
    static char texts[N][8];
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
        snprintf(texts[j], sizeof texts[j], "n%zu", j);
        names[j] = texts[j];
        for (size_t i = 0; i < N; i++)
            kernel[i + N * j] = i == j ? 2 : i % 3 == j % 3;
    }
}

static onefold_status make_files(void)
{
    TRY(onefold_dataset_write(data, context, "in.npz"));
    TRY(onefold_dataset_write(data, context, "in.mat"));
    TRY(onefold_dataset_write(data, context, "in.csv"));
    TRY(onefold_dataset_write(data, context, "in.npy"));
    TRY(onefold_dataset_write(sparse, context, "in.mtx"));
    return onefold_model_write(onefold_result_model(result), context, "in.model");
}

static onefold_status make_all(void)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    size_t columns[2] = {COLUMNS, 4};
    allocation_out out = {0};
    uint64_t digest;
    make_numbers();
    TRY(onefold_context_create(&context, NULL));
    TRY(onefold_context_set_threads(context, 1));
    options.samples = N;
    options.clusters = 3;
    options.views = 2;
    options.columns = columns;
    TRY(onefold_dataset_synth(&data, context, &options));
    TRY(onefold_dataset_set_sample_names(data, names));
    TRY(onefold_dataset_set_column_names(data, 0, names));
    options.density = 0.5;
    TRY(onefold_dataset_synth(&sparse, context, &options));
    fit.clusters = 3;
    fit.keep_model = fit.picture = 1;
    TRY(onefold_fit(&result, context, data, &fit));
    TRY(estimated(&out, &digest));
    TRY(chosen(&out, &digest));
    TRY(experimented(&out, &digest));
    estimate = out.estimate;
    choice = out.choice;
    experiment = out.experiment;
    onefold_text_free(out.text);
    return make_files();
}

onefold_status allocation_prepare(void)
{
    onefold_status status = make_all();
    if (status != ONEFOLD_OK)
        printf("it could not be prepared: %s\n", onefold_last_error());
    return status;
}

void allocation_done(void)
{
    onefold_experiment_free(experiment);
    onefold_choice_free(choice);
    onefold_estimate_free(estimate);
    onefold_result_free(result);
    onefold_dataset_free(sparse);
    onefold_dataset_free(data);
    onefold_context_free(context);
}
