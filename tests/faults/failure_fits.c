/* SPDX-License-Identifier: Apache-2.0 */
/* Fits of every method over every route, and what comes of them: a line each. */
#include "faults/failures.h"

#include "base/context.h"
#include "data/dataset.h"
#include "partition/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------- */

enum type { SIZE, INT, REAL, TEXT };
#define FIELD(name, type)                                                                          \
    {                                                                                              \
#name, offsetof(onefold_fit_options, name), type                                           \
    }
static const struct {
    const char *name;
    size_t at;
    enum type type;
} fields[] = {
    FIELD(clusters, SIZE),
    FIELD(method, TEXT),
    FIELD(method_options, TEXT),
    FIELD(kernel, TEXT),
    FIELD(dims, SIZE),
    FIELD(anchors, SIZE),
    FIELD(restarts, SIZE),
    FIELD(start, INT),
    FIELD(variant, INT),
    FIELD(nonneg, INT),
    FIELD(stop, INT),
    FIELD(tolerance, REAL),
    FIELD(max_iterations, SIZE),
    FIELD(base, INT),
    FIELD(landmarks, SIZE),
    FIELD(precision, INT),
    FIELD(keep_model, INT),
    FIELD(explain, SIZE),
    FIELD(bare, INT),
    FIELD(picture, INT),
    FIELD(weights, TEXT),
    FIELD(view_parts, INT),
    FIELD(neighbours, SIZE),
    FIELD(effort, INT),
    FIELD(no_embedding, INT),
};

/* What the words say of the context: threads, bytes at once, a GPU. */
typedef struct wishes {
    int threads, device;
    size_t chunk;
} wishes;

static int set_field(onefold_fit_options *options, const char *word, char *text)
{
    char *value = text + strlen(word) + 1, *at = (char *)options;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(word, fields[i].name) == 0) {
            at += fields[i].at;
            if (fields[i].type == SIZE)
                *(size_t *)at = (size_t)atol(value);
            else if (fields[i].type == INT)
                *(int *)at = atoi(value);
            else if (fields[i].type == REAL)
                *(double *)at = atof(value);
            else
                *(const char **)at = value;
            return 1;
        }
    return 0;
}

/* Options from words, which `text` (a copy of them) keeps. */
static onefold_status read_words(onefold_fit_options *options, wishes *wish, char *text)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    options->clusters = 3;
    options->restarts = 2;
    options->max_iterations = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (strcmp(word, "threads") == 0)
            wish->threads = atoi(value);
        else if (strcmp(word, "device") == 0)
            wish->device = 1;
        else if (strcmp(word, "chunk") == 0)
            wish->chunk = (size_t)atol(value);
        else if (!set_field(options, word, word))
            return printf("no option %s\n", word), ONEFOLD_USAGE;
    }
    int paper = options->method && strcmp(options->method, "onefold") != 0;
    if (!options->max_iterations) /* the default method has no use for it */
        options->max_iterations = paper ? 5 : standard.max_iterations;
    return ONEFOLD_OK;
}

static void set_context(const wishes *wish)
{
    failure_context->threads = wish->threads ? wish->threads : 1;
    failure_context->chunk = wish->chunk;
}

/* ---- fits ----------------------------------------------------------------------------------- */

static onefold_status fit(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    wishes wish = {0}, none = {0};
    char text[256];
    snprintf(text, sizeof text, "%s", c->words);
    TRY(read_words(&options, &wish, text));
    set_context(&wish);
    onefold_status status =
        wish.device ? onefold_context_set_device(failure_context, ONEFOLD_DEVICE_GPU) : ONEFOLD_OK;
    static char before;
    out->result = (void *)&before;
    if (status == ONEFOLD_OK)
        status = onefold_fit(&out->result, failure_context, *c->of, &options);
    if (wish.device)
        (void)onefold_context_set_device(failure_context, ONEFOLD_DEVICE_CPU);
    set_context(&none);
    if (status != ONEFOLD_OK) {
        out->touched |= (void *)out->result != (void *)&before;
        out->result = NULL;
        return status;
    }
    *digest = 1; /* what a GPU cannot do the CPU does, with other last digits */
    if (!wish.device)
        *digest = failure_mix(1, onefold_result_describe(out->result)->labels,
                              onefold_dataset_describe(*c->of)->samples * sizeof(int32_t));
    return ONEFOLD_OK;
}

static struct {
    const failure_case *of;
    onefold_result *result;
} kept[64];

const onefold_result *failure_fit_of(const failure_case *c)
{
    size_t i = 0;
    while (i < 64 && kept[i].of && kept[i].of != c)
        i++;
    if (i < 64 && !kept[i].of) {
        failure_out out = {0};
        uint64_t digest;
        if (fit(c, &out, &digest) != ONEFOLD_OK)
            printf("%s: %s\n", c->name, onefold_last_error());
        kept[i].of = c;
        kept[i].result = out.result;
    }
    return i < 64 ? kept[i].result : NULL;
}

void failure_forget_fits(void)
{
    for (size_t i = 0; i < 64; i++)
        onefold_result_free(kept[i].result);
}

/* The route that only kernels too large for a test take by themselves. */
static onefold_status tiles(const failure_case *c, failure_out *out, uint64_t *digest)
{
    enum { ROWS = 4 };
    static double H[ROWS * FAILURE_SAMPLES], value[ROWS];
    static const double sign[ROWS] = {1, 1, 1, 1};
    OF_SCRATCH(arena, failure_context);
    of_kernel kernel;
    of_projection projection = {.precision = ONEFOLD_DOUBLE};
    of_route_work work = {.kernel = &kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .H = of_share_whole(H, ROWS),
                          .value = value,
                          .projection = &projection,
                          .arena = &arena};
    (void)out;
    TRY(of_kernel_make(failure_context, &arena, &(*c->of)->set.views[0], OF_KERNEL_RBF, &kernel));
    TRY(of_route_tiles(failure_context, &work));
    *digest = failure_mix(1, value, sizeof value);
    return of_projection_finish(failure_context, &arena, &kernel, OF_ROUTE_TILES, value, sign,
                                &projection);
}

/* ---- what comes of a fit ----------------------------------------------------------------------
 */

static onefold_status predicted(const failure_case *c, failure_out *out, uint64_t *digest)
{
    enum { N = FAILURE_SAMPLES };
    int32_t found[N];
    double sure[N], far[N], part[3 * N], place[16 * N];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    const onefold_result *result = failure_fit_of(c);
    prediction.labels = found;
    prediction.confidence = sure;
    prediction.distance = far;
    prediction.view_part = part;
    prediction.embedding = place;
    const onefold_model *model = onefold_result_describe(result)->model;
    TRY(onefold_predict(&prediction, failure_context, model, *c->of, 0, N));
    *digest = failure_mix(1, found, sizeof found);
    onefold_report page = ONEFOLD_REPORT_INIT;
    page.prediction = &prediction;
    page.model = model;
    page.samples = N;
    MAKE(text, onefold_report_json(&out->text, &page));
    onefold_free(out->text);
    out->text = NULL;
    page.dataset = *c->of;
    return onefold_report_write(&page, failure_context, "predicted.html");
}

/* Labels of the same samples with columns in another order: the same. */
static onefold_status matched(const failure_case *c, failure_out *out, uint64_t *digest)
{
    enum { N = FAILURE_SAMPLES };
    int32_t found[N];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    const onefold_dataset *turned = *c->of == failure_dense ? failure_turned : failure_thin_turned;
    const onefold_result *result = failure_fit_of(c);
    prediction.labels = found;
    TRY(onefold_predict(&prediction, failure_context, onefold_result_describe(result)->model,
                        turned, 0, N));
    if (memcmp(found, onefold_result_describe(result)->labels, sizeof found) != 0)
        return printf("%s: other labels\n", c->name), ONEFOLD_FAULT;
    *digest = failure_mix(1, found, sizeof found);
    MAKE(text, onefold_model_remarks(&out->text, onefold_result_describe(result)->model, turned));
    return ONEFOLD_OK;
}

/* A model by way of its bytes and its file, and labels a few at a time by what was read. */
static onefold_status models(const failure_case *c, failure_out *out, uint64_t *digest)
{
    enum { N = FAILURE_SAMPLES };
    size_t size;
    int32_t found[N];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    const onefold_model *model = onefold_result_describe(failure_fit_of(c))->model;
    prediction.labels = found;
    MAKE(bytes, onefold_model_encode(&out->bytes, &size, failure_context, model));
    MAKE(model, onefold_model_decode(&out->model, failure_context, out->bytes, size));
    onefold_model_free(out->model);
    out->model = NULL;
    TRY(onefold_model_write(model, failure_context, "out.model"));
    MAKE(model, onefold_model_read(&out->model, failure_context, "out.model"));
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.model = out->model;
    MAKE(text, onefold_report_json(&out->text, &report));
    onefold_free(out->text);
    MAKE(text, onefold_model_remarks(&out->text, out->model, *c->of));
    MAKE(predictor, onefold_predictor_create(&out->predictor, failure_context, out->model));
    for (size_t first = 0; first < N; first += N / 2)
        TRY(onefold_predictor_feed(out->predictor, *c->of, first, N / 2, &prediction));
    *digest = failure_mix(failure_mix(1, found, sizeof found / 2), out->bytes, size);
    return ONEFOLD_OK;
}

static onefold_status shown(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_report page = ONEFOLD_REPORT_INIT;
    onefold_layout_options layout = ONEFOLD_LAYOUT_OPTIONS_INIT;
    static const char *const paths[] = {"in.npz"};
    (void)digest;
    layout.kind = ONEFOLD_LAYOUT_TSNE;
    layout.iterations = 20;
    layout.perplexity = 5;
    layout.most = 20;
    page.paths = paths;
    page.path_count = 1;
    page.result = failure_fit_of(c);
    page.dataset = *c->of;
    page.layout = &layout;
    page.command = "onefold fit in.npz";
    MAKE(text, onefold_report_json(&out->text, &page));
    return onefold_report_write(&page, failure_context, "shown.html");
}

/* The pages of fits that were kept as JSON: one, and two. */
static onefold_status saved(const failure_case *c, failure_out *out, uint64_t *digest)
{
    static const char *const results[] = {"in.json", "in.json"};
    (void)c, (void)out, (void)digest;
    TRY(onefold_report_from_json(results, 1, failure_context, "saved.html"));
    return onefold_report_from_json(results, 2, failure_context, "saved.html");
}

static onefold_status estimated(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    wishes wish = {0};
    char text[256];
    (void)digest;
    snprintf(text, sizeof text, "%s", c->words);
    TRY(read_words(&options, &wish, text));
    TRY(onefold_fit_options_check(&options));
    MAKE(estimate,
         onefold_fit_estimate(&out->estimate, failure_context, *c->of, &options, c->most > 0));
    TRY(onefold_estimate_check_memory(out->estimate));
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.estimate = out->estimate;
    MAKE(text, onefold_report_json(&out->text, &report));
    return ONEFOLD_OK;
}

static onefold_status chosen(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_report page = ONEFOLD_REPORT_INIT;
    (void)digest;
    options.most = 3;
    MAKE(choice, onefold_choose(&out->choice, failure_context, *c->of, NULL, &options));
    page.choice = out->choice;
    MAKE(text, onefold_report_json(&out->text, &page));
    page.dataset = *c->of;
    return onefold_report_write(&page, failure_context, "choice.html");
}

/* A cell that fails is no failure of the whole, and so there is nothing to hold digests of. */
static onefold_status experimented(const failure_case *c, failure_out *out, uint64_t *digest)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options how = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_report page = ONEFOLD_REPORT_INIT;
    (void)digest;
    options.restarts = 1;
    how.methods = c->words;
    how.grid = "none";
    how.repeats = how.replicates = 2;
    how.store = "cells.store";
    remove(how.store);
    TRY(onefold_experiment_check(&options, &how));
    MAKE(experiment,
         onefold_experiment_run(&out->experiment, failure_context, *c->of, &options, &how));
    onefold_experiment_free(out->experiment); /* the second finds the first one's cells */
    out->experiment = NULL;
    MAKE(experiment,
         onefold_experiment_run(&out->experiment, failure_context, *c->of, &options, &how));
    page.experiment = out->experiment;
    MAKE(text, onefold_report_json(&out->text, &page));
    page.dataset = *c->of;
    return onefold_report_write(&page, failure_context, "experiment.html");
}

#define OS "method=os-lfmvc-cs "
#define ALL "keep_model=1 picture=1 view_parts=1 explain=2"
const failure_case failure_fits[] = {
    {"fit default", fit, &failure_dense, "keep_model=1", 0},
    {"fit default, all", fit, &failure_dense, ALL, 0},
    {"fit default, quick", fit, &failure_sparse, "effort=1 kernel=cosine bare=1", 0},
    {"fit default, thorough", fit, &failure_mixed, "effort=2", 0},
    {"fit default, lacking", fit, &failure_lacking, ALL, 0},
    {"fit default, kernels", fit, &failure_kernels, ALL, 0},
    {"fit default, wide", fit, &failure_wide, "keep_model=1", 0},
    {"fit default, weights", fit, &failure_dense, "weights=0.5,auto view_parts=1", 0},
    {"fit default, bounds", fit, &failure_mixed, "weights=0.2..0.6,auto,auto", 0},
    {"fit os-lfmvc-cs", fit, &failure_dense, OS ALL, 0},
    {"fit linear", fit, &failure_dense, OS "kernel=linear " ALL, 0},
    {"fit printed", fit, &failure_dense, OS "kernel=linear start=1 variant=1 stop=1", 0},
    {"fit sparse", fit, &failure_sparse, OS ALL, 0},
    {"fit sparse rbf", fit, &failure_sparse, OS "kernel=rbf nonneg=1 stop=2 " ALL, 0},
    {"fit lacking", fit, &failure_lacking, OS ALL, 0},
    {"fit kernels", fit, &failure_kernels, OS ALL, 0},
    {"fit graph", fit, &failure_graph, OS "kernel=graph " ALL, 0},
    {"fit mixed", fit, &failure_mixed, OS ALL, 0},
    {"fit wide", fit, &failure_wide, OS "kernel=linear " ALL, 0},
    {"fit many", fit, &failure_many, OS "kernel=linear keep_model=1", 0},
    {"fit landmarks", fit, &failure_dense, OS "base=2 landmarks=10 precision=1 " ALL, 0},
    {"fit sparse landmarks", fit, &failure_sparse, OS "kernel=rbf base=2 landmarks=10 " ALL, 0},
    {"fit knn", fit, &failure_dense, OS "kernel=knn landmarks=10 neighbours=3 " ALL, 0},
    {"fit sparse knn", fit, &failure_sparse, OS "kernel=knn landmarks=10 neighbours=3 " ALL, 0},
    {"fit subspace", fit, &failure_wide, OS "kernel=subspace landmarks=10 neighbours=3 " ALL, 0},
    {"fit weights", fit, &failure_dense, OS "weights=0.5,0.5 precision=1", 0},
    {"fit bounds", fit, &failure_mixed, OS "weights=0.2..0.6,auto,0.1..0.9", 0},
    {"tiles", tiles, &failure_wide, "", 0},
    {"tiles, sparse", tiles, &failure_sparse, "", 0},
    {"fit threads", fit, &failure_mixed, OS "threads=3 chunk=64", 0},
    {"fit avg-kkm", fit, &failure_dense, "method=avg-kkm picture=1", 0},
    {"fit avg-kkm, weights", fit, &failure_mixed, "method=avg-kkm weights=0.2,0.3,0.5", 0},
    {"fit sb-kkm", fit, &failure_mixed, "method=sb-kkm", 0},
    {"fit mkkm", fit, &failure_mixed, "method=mkkm", 0},
    {"fit mkkm, bounds", fit, &failure_mixed, "method=mkkm weights=0.2..0.6,auto,auto", 0},
    {"fit rmsc", fit, &failure_mixed, "method=rmsc", 0},
    {"fit rmsc, signed", fit, &failure_dense, "method=rmsc method_options=input=signed", 0},
    {"fit fmkkm", fit, &failure_mixed, "method=fmkkm", 0},
    {"fit fmr", fit, &failure_mixed, "method=fmr", 0},
    {"fit lsgmc", fit, &failure_mixed, "method=lsgmc", 0},
    {"fit lsgmc, early", fit, &failure_wide, "method=lsgmc method_options=stop=early", 0},
    {"GPU, default", fit, &failure_dense, "device=1 keep_model=1", 0},
    {"GPU, dense", fit, &failure_mixed, OS "device=1 " ALL, 0},
    {"GPU, linear", fit, &failure_dense, OS "device=1 kernel=linear", 0},
    {"GPU, landmarks", fit, &failure_dense, OS "device=1 base=2 landmarks=10 precision=1", 0},
    {"GPU, sparse landmarks", fit, &failure_sparse, OS "device=1 kernel=rbf base=2 landmarks=10",
     0},
    {"GPU, sparse", fit, &failure_sparse, OS "device=1 kernel=cosine stop=2", 0},
    {"GPU, many", fit, &failure_many, OS "device=1 kernel=linear", 25},
    {"GPU, lacking", fit, &failure_lacking, OS "device=1 base=2 landmarks=10", 0},
    {"predict default", predicted, &failure_dense, "keep_model=1", 0},
    {"predict mixed", predicted, &failure_mixed, OS "keep_model=1", 0},
    {"predict lacking", predicted, &failure_lacking, "keep_model=1", 0},
    {"predict, columns", matched, &failure_dense, OS "keep_model=1", 0},
    {"predict, sparse columns", matched, &failure_sparse, OS "keep_model=1", 0},
    {"models, default", models, &failure_dense, "keep_model=1", 0},
    {"models, sparse", models, &failure_sparse, "keep_model=1", 0},
    {"models, lacking", models, &failure_lacking, "keep_model=1", 0},
    {"models, wide", models, &failure_wide, OS "keep_model=1 precision=1", 0},
    {"models, os-lfmvc-cs", models, &failure_mixed, OS "keep_model=1", 0},
    {"models, linear", models, &failure_dense, OS "kernel=linear keep_model=1", 0},
    {"models, cosine", models, &failure_sparse, OS "kernel=cosine keep_model=1", 0},
    {"models, landmarks", models, &failure_sparse, OS "kernel=rbf base=2 landmarks=10 keep_model=1",
     0},
    {"models, knn", models, &failure_dense, OS "kernel=knn landmarks=10 keep_model=1", 0},
    {"models, sparse knn", models, &failure_sparse, OS "kernel=knn landmarks=10 keep_model=1", 0},
    {"models, subspace", models, &failure_wide, OS "kernel=subspace landmarks=10 keep_model=1", 0},
    {"shown, default", shown, &failure_dense, ALL, 0},
    {"shown, lacking", shown, &failure_lacking, ALL, 0},
    {"shown, os-lfmvc-cs", shown, &failure_mixed, OS "picture=1 explain=2 view_parts=1", 0},
    {"shown, kkm", shown, &failure_mixed, "method=mkkm picture=1", 0},
    {"saved", saved, &failure_dense, "", 0},
    {"estimate, default", estimated, &failure_mixed, "keep_model=1", 0},
    {"estimate, lacking", estimated, &failure_lacking, OS "keep_model=1", 0},
    {"estimate, measured", estimated, &failure_mixed, OS "keep_model=1", 60},
    {"estimate, timed", estimated, &failure_wide, "keep_model=1", 30},
    {"choose", chosen, &failure_mixed, NULL, 0},
    {"choose, dense", chosen, &failure_dense, NULL, 0},
    {"experiment", experimented, &failure_dense, "avg-kkm,os-lfmvc-cs", 0},
    {"experiment, default", experimented, &failure_lacking, "onefold", 0},
};
const size_t failure_fit_count = sizeof failure_fits / sizeof *failure_fits;
