/* SPDX-License-Identifier: Apache-2.0 */
/* A model says of the samples it was fitted on what the fit said, of new ones what they are, and
 * refuses those it cannot be asked about. Every route and kernel, made and real data. */
#include "onefold.h"

#include "model/model.h"
#include "support/ask.h"
#include "support/folder.h"
#include "support/mixed.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 300, FRESH = 91 };

static onefold_fit_options fit_options(const char *kernel, onefold_base base, size_t clusters)
{
    onefold_fit_options options = paper_options();
    options.clusters = clusters;
    options.kernel = kernel;
    options.base = base;
    options.keep_model = 1;
    return options;
}

static onefold_result *fitted(const onefold_dataset *data, const onefold_fit_options *options)
{
    onefold_result *result = NULL;
    CHECK_OK(onefold_fit(&result, NULL, data, options));
    return result;
}

static int32_t *predicted(const onefold_model *model, const onefold_dataset *data)
{
    size_t n = onefold_dataset_describe(data)->samples;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = malloc(n * sizeof *prediction.labels);
    CHECK_OK(onefold_predict(&prediction, NULL, model, data, 0, n));
    return prediction.labels;
}

/* The model written and read again. */
static onefold_model *again(const onefold_model *model, const char *path)
{
    onefold_model *read = NULL;
    CHECK_OK(onefold_model_write(model, NULL, path));
    CHECK_OK(onefold_model_read(&read, NULL, path));
    return read;
}

/* A fit with and without a model, the model's labels of the training samples, and those of the
 * model that was written and read: all the same. */
static void round_trip(const onefold_dataset *data, onefold_fit_options *options, const char *path)
{
    size_t size = onefold_dataset_describe(data)->samples * sizeof(int32_t);
    onefold_result *with = fitted(data, options);
    options->keep_model = 0;
    onefold_result *without = fitted(data, options);
    options->keep_model = 1;
    assert_memory_equal(onefold_result_describe(with)->labels,
                        onefold_result_describe(without)->labels, size);
    assert_null(onefold_result_describe(without)->model);
    onefold_model *model = again(onefold_result_describe(with)->model, path);
    int32_t *labels = predicted(model, data);
    assert_memory_equal(labels, onefold_result_describe(with)->labels, size);
    free(labels);
    onefold_model_free(model);
    onefold_result_free(with);
    onefold_result_free(without);
}

static const struct {
    const char *kernel, *routes;
    onefold_base base;
    size_t landmarks;
    onefold_precision precision;
    int holds_samples;
} ways[] = {
    {"rbf,auto,graph,auto", "dense gram krylov dense", ONEFOLD_BASE_EXACT, 0, ONEFOLD_DOUBLE, 1},
    {"linear,cosine,graph,precomputed", "gram gram krylov dense", ONEFOLD_BASE_AUTO, 0,
     ONEFOLD_DOUBLE, 1},
    {"cosine,linear,cosine,auto", "gram gram krylov dense", ONEFOLD_BASE_AUTO, 0, ONEFOLD_DOUBLE,
     1},
    {"rbf,rbf,rbf,auto", "dense dense dense dense", ONEFOLD_BASE_EXACT, 0, ONEFOLD_DOUBLE, 1},
    {"laplacian,laplacian,laplacian,auto", "dense dense dense dense", ONEFOLD_BASE_EXACT, 0,
     ONEFOLD_DOUBLE, 1},
    {"laplacian,laplacian,laplacian,auto", "dense dense dense dense", ONEFOLD_BASE_AUTO, 0,
     ONEFOLD_SINGLE, 1},
    {"rbf,rbf,graph,auto", "nystrom nystrom krylov dense", ONEFOLD_BASE_NYSTROM, 40, ONEFOLD_DOUBLE,
     1},
    {"rbf,auto,graph,auto", "dense gram krylov dense", ONEFOLD_BASE_EXACT, 0, ONEFOLD_SINGLE, 1},
    {"rbf,rbf,graph,auto", "nystrom nystrom krylov dense", ONEFOLD_BASE_NYSTROM, 40, ONEFOLD_SINGLE,
     1},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void training_samples_keep_their_labels(void **state)
{
    onefold_dataset *data = mixed(TRAIN, 0, TRAIN);
    for (size_t w = 0; w < WAYS; w++) {
        print_message("  %s, %s\n", ways[w].kernel, ways[w].routes);
        onefold_fit_options options = fit_options(ways[w].kernel, ways[w].base, MIXED_CLUSTERS);
        options.landmarks = ways[w].landmarks;
        options.precision = ways[w].precision;
        round_trip(data, &options, folder_path(state, "model"));
        onefold_model *model = NULL;
        char routes[64] = "";
        CHECK_OK(onefold_model_read(&model, NULL, folder_path(state, "model")));
        const onefold_model_info *info = onefold_model_describe(model);
        for (size_t i = 0; i < info->views; i++) {
            strcat(routes, i ? " " : "");
            strcat(routes, onefold_name(ONEFOLD_NAMES_ROUTE, ask_model_view(model, i).route));
        }
        assert_string_equal(routes, ways[w].routes);
        assert_int_equal(info->holds_samples, ways[w].holds_samples);
        onefold_model_free(model);
    }
    onefold_dataset_free(data);
}

/* The method onefold, with every kind of kernel and every kind of chosen candidate. */
static void onefold_keeps_its_labels(void **state)
{
    static const struct {
        unsigned views; /* of mixed data */
        onefold_effort effort;
        size_t landmarks;
    } cases[] = {{15, ONEFOLD_EFFORT_NORMAL, 0},
                 {3, ONEFOLD_EFFORT_QUICK, 0},
                 {7, ONEFOLD_EFFORT_NORMAL, 40},
                 {8, ONEFOLD_EFFORT_NORMAL, 0},
                 {1, ONEFOLD_EFFORT_QUICK, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *data = mixed_some(TRAIN, 0, TRAIN, cases[c].views),
                        *new = mixed_some(TRAIN, TRAIN, FRESH, cases[c].views);
        onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
        options.method = "onefold";
        options.effort = cases[c].effort;
        options.landmarks = cases[c].landmarks;
        round_trip(data, &options, folder_path(state, "model"));
        onefold_model *model = NULL;
        CHECK_OK(onefold_model_read(&model, NULL, folder_path(state, "model")));
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        int32_t *labels = predicted(model, new);
        int64_t ours[FRESH], truth[FRESH];
        for (size_t j = 0; j < FRESH; j++) {
            ours[j] = labels[j];
            truth[j] = new->set.truth[j];
        }
        CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, ours, truth, FRESH));
        assert_true(scores.acc > 0.9);
        double sum = 0;
        for (size_t i = 0; i < onefold_dataset_describe(data)->views; i++)
            sum += ask_model_view(model, i).weight;
        CHECK_CLOSE(sum, 1, 1e-9, 0);
        free(labels);
        onefold_model_free(model);
        onefold_dataset_free(data);
        onefold_dataset_free(new);
    }
}

/* A view's parts in the score of a label are all of it, with joint partitions too, and a sample may
 * lack views when it is labelled that no sample lacked in training. Which view a sample lacks must
 * not go with its cluster: one view alone tells some clusters better than others. */
static void check_parts_and_lacking(unsigned views, onefold_effort effort)
{
    onefold_dataset *data = mixed_some(TRAIN, 0, TRAIN, views),
                    *new = mixed_some(TRAIN, TRAIN, FRESH, views);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    options.method = "onefold";
    options.effort = effort;
    onefold_result *result = fitted(data, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    static double embedding[FRESH * 2 * MIXED_CLUSTERS], part[FRESH * 2];
    static uint8_t present[FRESH * 2];
    int32_t labels[FRESH], fewer[FRESH];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    size_t same = 0, lacking = 0, k = model->rule.dims;
    prediction.labels = labels;
    prediction.embedding = embedding;
    prediction.view_part = part;
    assert_true(k <= 2 * MIXED_CLUSTERS);
    CHECK_OK(onefold_predict(&prediction, NULL, model, new, 0, FRESH));
    for (size_t j = 0; j < FRESH; j++) {
        double score = 0;
        for (size_t r = 0; r < k; r++)
            score += model->rule.C[(size_t)labels[j] * k + r] * embedding[j * k + r];
        CHECK_CLOSE(part[2 * j] + part[2 * j + 1], score, 1e-10, 1e-12);
        present[2 * j] = j / MIXED_CLUSTERS % 3 != 0;
        present[2 * j + 1] = j / MIXED_CLUSTERS % 3 != 1;
    }
    new->set.present = present;
    prediction = (onefold_prediction)ONEFOLD_PREDICTION_INIT;
    prediction.labels = fewer;
    CHECK_OK(onefold_predict(&prediction, NULL, model, new, 0, FRESH));
    for (size_t j = 0; j < FRESH; j++) {
        if (present[2 * j] && present[2 * j + 1]) {
            assert_int_equal(fewer[j], labels[j]);
            continue;
        }
        lacking++;
        same += labels[j] == fewer[j];
    }
    print_message("  views %u: %zu of %zu keep their labels\n", views, same, lacking);
    assert_true(same >= lacking * 9 / 10);
    new->set.present = NULL;
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_dataset_free(new);
}

static void parts_of_views_and_samples_that_lack_some(void **state)
{
    (void)state;
    check_parts_and_lacking(3, ONEFOLD_EFFORT_NORMAL);
    check_parts_and_lacking(5, ONEFOLD_EFFORT_NORMAL);
    check_parts_and_lacking(3, ONEFOLD_EFFORT_QUICK); /* a kernel and graphs */
}

/* The route of kernels too large to be formed. */
static void large_exact_kernels_keep_their_labels(void **state)
{
    static const size_t columns[] = {5};
    onefold_synth_options shape = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    shape.samples = 5900;
    shape.views = 1;
    shape.clusters = MIXED_CLUSTERS;
    shape.columns = columns;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &shape));
    onefold_fit_options options = fit_options("rbf", ONEFOLD_BASE_EXACT, MIXED_CLUSTERS);
    options.dims = MIXED_CLUSTERS;
    options.restarts = 1;
    options.precision = ONEFOLD_SINGLE;
    onefold_result *result = fitted(data, &options);
    onefold_model *model =
        again(onefold_result_describe(result)->model, folder_path(state, "model"));
    int32_t *labels = predicted(model, data);
    assert_int_equal(model->rule.source[0].projection[0].route, OF_ROUTE_TILES);
    assert_non_null(model->rule.source[0].projection[0].single);
    assert_memory_equal(labels, onefold_result_describe(result)->labels,
                        shape.samples * sizeof *labels);
    free(labels);
    onefold_model_free(model);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* Clusters of training and new samples together against the truth of both. */
static double accuracy_of_both(const onefold_dataset *train, const int32_t *labels,
                               const onefold_dataset *new, const int32_t *more)
{
    size_t n = onefold_dataset_describe(train)->samples, m = onefold_dataset_describe(new)->samples;
    int64_t *ours = malloc((n + m) * sizeof *ours), *truth = malloc((n + m) * sizeof *truth);
    for (size_t j = 0; j < n + m; j++) {
        ours[j] = j < n ? labels[j] : more[j - n];
        truth[j] = j < n ? onefold_dataset_describe(train)->truth[j]
                         : onefold_dataset_describe(new)->truth[j - n];
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, ours, truth, n + m));
    free(ours);
    free(truth);
    return scores.acc;
}

static void new_samples_join_their_clusters(void **state)
{
    (void)state;
    onefold_dataset *train = mixed(TRAIN, 0, TRAIN), *new = mixed(TRAIN, TRAIN, FRESH);
    for (size_t w = 0; w < WAYS; w++) {
        onefold_fit_options options = fit_options(ways[w].kernel, ways[w].base, MIXED_CLUSTERS);
        options.landmarks = ways[w].landmarks;
        onefold_result *result = fitted(train, &options);
        int32_t *labels = predicted(onefold_result_describe(result)->model, new);
        assert_true(accuracy_of_both(train, onefold_result_describe(result)->labels, new, labels) >
                    0.99);
        free(labels);
        onefold_result_free(result);
    }
    /* and each view by itself, so that none of them is carried by the others */
    for (unsigned view = 1; view < 16; view *= 2) {
        onefold_dataset *one = mixed_some(TRAIN, 0, TRAIN, view),
                        *other = mixed_some(TRAIN, TRAIN, FRESH, view);
        onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
        onefold_result *result = fitted(one, &options);
        int32_t *labels = predicted(onefold_result_describe(result)->model, other);
        assert_true(accuracy_of_both(one, onefold_result_describe(result)->labels, other, labels) >
                    0.95);
        free(labels);
        onefold_result_free(result);
        onefold_dataset_free(one);
        onefold_dataset_free(other);
    }
    onefold_dataset_free(train);
    onefold_dataset_free(new);
}

/* y = argmax C' sum beta_i W_i h_i with every matrix written out, from each view's projection. */
static void labels_are_read_off_as_defined(void **state)
{
    (void)state;
    onefold_dataset *train = mixed(TRAIN, 0, TRAIN), *new = mixed(TRAIN, TRAIN, FRESH);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = fitted(train, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    int32_t labels[FRESH];
    double confidence[FRESH], distance[FRESH];
    prediction.labels = labels;
    prediction.confidence = confidence;
    prediction.distance = distance;
    CHECK_OK(onefold_predict(&prediction, NULL, model, new, 0, FRESH));
    OF_SCRATCH(scratch, NULL);
    size_t k = model->rule.dims;
    for (size_t j = 0; j < FRESH; j++) {
        long double score[MIXED_CLUSTERS] = {0}, left = 0, all = 0;
        for (size_t i = 0; i < model->info.views; i++) {
            const of_projection *p = model->rule.source[i].projection;
            of_fresh fresh = {.view = &new->set.views[i]};
            double h[16], kept, *room;
            CHECK_OK(OF_NEW(&scratch, &room, of_projection_room(p, fresh.view, 1), 1));
            CHECK_OK(of_projection_apply(p, &fresh, j, 1, room, h, p->rank, &kept));
            for (size_t c = 0; c < MIXED_CLUSTERS; c++)
                for (size_t a = 0; a < k; a++)
                    for (size_t r = 0; r < p->rank; r++)
                        score[c] += (long double)model->rule.C[c * k + a] * model->rule.beta[i] *
                                    model->rule.W[i * k * k + r * k + a] * h[r];
            long double share = 0;
            for (size_t r = 0; r < p->rank; r++)
                share += (long double)p->value[r] * h[r] * h[r] / kept;
            left += model->rule.beta[i] * model->rule.beta[i] * (1 - fminl(share, 1));
            all += model->rule.beta[i] * model->rule.beta[i];
        }
        size_t best = 0, second;
        for (size_t c = 1; c < MIXED_CLUSTERS; c++)
            best = score[c] > score[best] ? c : best;
        second = best == 0 ? 1 : 0;
        long double square = 0;
        for (size_t c = 0; c < MIXED_CLUSTERS; c++) {
            second = c != best && score[c] > score[second] ? c : second;
            square += score[c] * score[c];
        }
        assert_int_equal(labels[j], best);
        CHECK_CLOSE(confidence[j], fmin((double)((score[best] - score[second]) / sqrtl(square)), 1),
                    0, 1e-9);
        CHECK_CLOSE(distance[j], (double)sqrtl(left / all), 0, 1e-9);
    }
    onefold_result_free(result);
    onefold_dataset_free(train);
    onefold_dataset_free(new);
}

/* Far from everything seen: further than any training sample. */
static void strangers_are_far(void **state)
{
    (void)state;
    onefold_dataset *train = mixed_some(TRAIN, 0, TRAIN, 1), *strange = NULL;
    onefold_fit_options options = fit_options("rbf", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = fitted(train, &options);
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    double x[2 * MIXED_DENSE], distance[2], of_training[TRAIN], mean = 0, most = 0;
    for (size_t i = 0; i < MIXED_DENSE; i++) {
        x[i] = 100 + 10 * (double)i;
        x[MIXED_DENSE + i] = 1e6 * ((double)(i % 2) - 0.5);
    }
    CHECK_OK(onefold_dataset_create(&strange, NULL, 2));
    CHECK_OK(onefold_dataset_add_dense(strange, "dense", x, MIXED_DENSE, MIXED_DENSE, 1));
    prediction.distance = distance;
    CHECK_OK(
        onefold_predict(&prediction, NULL, onefold_result_describe(result)->model, strange, 0, 2));
    const onefold_model_info *info = onefold_model_describe(onefold_result_describe(result)->model);
    assert_true(distance[0] > info->distance_most && distance[1] > info->distance_most);
    assert_true(distance[0] <= 1 && distance[1] <= 1);
    prediction.distance = of_training;
    CHECK_OK(onefold_predict(&prediction, NULL, onefold_result_describe(result)->model, train, 0,
                             TRAIN));
    for (size_t j = 0; j < TRAIN; j++) {
        mean += of_training[j] / TRAIN;
        most = fmax(most, of_training[j]);
    }
    CHECK_CLOSE(mean, info->distance_mean, 1e-12, 0);
    CHECK_CLOSE(most, info->distance_most, 0, 0);
    onefold_result_free(result);
    onefold_dataset_free(train);
    onefold_dataset_free(strange);
}

static void any_piece_and_any_threads(onefold_precision precision)
{
    onefold_dataset *train = mixed(TRAIN, 0, TRAIN), *new = mixed(TRAIN, TRAIN, FRESH);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_NYSTROM, MIXED_CLUSTERS);
    options.landmarks = 40;
    options.precision = precision;
    onefold_result *result = fitted(train, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    assert_int_equal(model->rule.source[0].projection[0].single != NULL,
                     precision == ONEFOLD_SINGLE);
    static const int threads[] = {1, 2, 3, 8};
    static const size_t pieces[] = {FRESH, 1, 7, 64};
    double confidence[2][FRESH], distance[2][FRESH];
    for (size_t t = 0; t < 4; t++)
        for (size_t s = 0; s < 4; s++) {
            onefold_context *context = NULL;
            int at = t || s;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            for (size_t first = 0; first < FRESH; first += pieces[s]) {
                onefold_prediction part = ONEFOLD_PREDICTION_INIT;
                size_t count = FRESH - first < pieces[s] ? FRESH - first : pieces[s];
                part.confidence = confidence[at] + first;
                part.distance = distance[at] + first;
                CHECK_OK(onefold_predict(&part, context, model, new, first, count));
            }
            assert_memory_equal(confidence[at], confidence[0], sizeof confidence[0]);
            assert_memory_equal(distance[at], distance[0], sizeof distance[0]);
            onefold_context_free(context);
        }
    onefold_result_free(result);
    onefold_dataset_free(train);
    onefold_dataset_free(new);
}

static void any_piece_and_any_threads_give_the_same_bits(void **state)
{
    (void)state;
    any_piece_and_any_threads(ONEFOLD_DOUBLE);
    any_piece_and_any_threads(ONEFOLD_SINGLE);
}

static void model_bytes_do_not_depend_on_threads(void **state)
{
    onefold_dataset *data = mixed(TRAIN, 0, TRAIN);
    for (size_t w = 0; w < WAYS; w++) {
        char *first = NULL;
        size_t size = 0;
        static const int threads[] = {1, 2, 3, 8};
        for (size_t t = 0; t < 4; t++) {
            onefold_context *context = NULL;
            onefold_result *result = NULL;
            onefold_fit_options options = fit_options(ways[w].kernel, ways[w].base, MIXED_CLUSTERS);
            options.landmarks = ways[w].landmarks;
            options.precision = ways[w].precision;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            CHECK_OK(onefold_fit(&result, context, data, &options));
            CHECK_OK(onefold_model_write(onefold_result_describe(result)->model, context,
                                         folder_path(state, "model")));
            size_t length;
            char *bytes = folder_read(folder_path(state, "model"), &length);
            if (first) {
                assert_int_equal(length, size);
                assert_memory_equal(bytes, first, size);
                free(bytes);
            } else {
                first = bytes;
                size = length;
            }
            onefold_result_free(result);
            onefold_context_free(context);
        }
        free(first);
    }
    onefold_dataset_free(data);
}

/* Nothing of size n where no exact rbf and no given kernel asks for it. */
static void models_are_small_where_they_can_be(void **state)
{
    (void)state;
    size_t bytes[2];
    for (size_t i = 0; i < 2; i++) {
        onefold_dataset *data = mixed_some(i ? 900 : 300, 0, i ? 900 : 300, 3);
        onefold_fit_options options = fit_options("rbf,auto", ONEFOLD_BASE_NYSTROM, MIXED_CLUSTERS);
        options.landmarks = 40;
        onefold_result *result = fitted(data, &options);
        const onefold_model_info *info =
            onefold_model_describe(onefold_result_describe(result)->model);
        assert_false(info->holds_samples);
        bytes[i] = info->bytes;
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
    assert_int_equal(bytes[0], bytes[1]);
}

static void refuse(const onefold_model *model, onefold_dataset *data, const char *text)
{
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    int32_t label;
    prediction.labels = &label;
    CHECK_FAILS(onefold_predict(&prediction, NULL, model, data, 0, 1), ONEFOLD_BAD_DATA, text);
    onefold_dataset_free(data);
}

/* A view that is not there is one that every sample lacks; views are known by name. */
static void a_view_that_is_not_there_is_lacked(void **state)
{
    (void)state;
    enum { NEW = 5, VIEWS = 4 };
    onefold_dataset *train = mixed(TRAIN, 0, TRAIN), *all = mixed(TRAIN, 0, NEW),
                    *some = mixed_some(TRAIN, 0, NEW, 7);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = fitted(train, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    uint8_t present[NEW * VIEWS];
    int32_t labels[2][NEW];
    double distance[2][NEW];
    assert_int_equal(onefold_dataset_describe(some)->views, VIEWS - 1);
    for (size_t i = 0; i < NEW * VIEWS; i++)
        present[i] = i % VIEWS < VIEWS - 1;
    CHECK_OK(onefold_dataset_set_present(all, present));
    for (int i = 0; i < 2; i++) {
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        prediction.labels = labels[i];
        prediction.distance = distance[i];
        CHECK_OK(onefold_predict(&prediction, NULL, model, i ? some : all, 0, NEW));
    }
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    char *text = NULL;
    CHECK_OK(onefold_model_remarks(&text, model, some));
    assert_non_null(strstr(text, "is not there: samples are labelled without it"));
    onefold_free(text);
    onefold_dataset_free(all);
    onefold_dataset_free(some);
    onefold_dataset_free(train);
    onefold_result_free(result);
}

static void data_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    onefold_dataset *train = mixed(TRAIN, 0, TRAIN);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = fitted(train, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    refuse(model, mixed(200, 200, 5),
           "view 'links' has 200 columns, and the model's view 3 ('links') is a graph of 300 "
           "training samples");
    onefold_dataset *wrong = NULL;
    static const double x[7 * TRAIN];
    CHECK_OK(onefold_dataset_create(&wrong, NULL, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "a", x, 7, 7, 1));
    refuse(model, wrong, "the data has 1 view, the model 4, and they cannot be matched");
    wrong = NULL;
    CHECK_OK(onefold_dataset_create(&wrong, NULL, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "a", x, 8, 8, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "b", x, MIXED_WORDS, MIXED_WORDS, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "c", x, TRAIN, TRAIN, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "d", x, TRAIN, TRAIN, 1));
    refuse(model, wrong, "view 'a' has 8 columns, and the model's view 1 ('dense') has 7");
    wrong = NULL;
    CHECK_OK(onefold_dataset_create(&wrong, NULL, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "a", x, 7, 7, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "b", x, MIXED_WORDS, MIXED_WORDS, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "c", x, TRAIN, TRAIN, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "d", x, TRAIN - 1, TRAIN - 1, 1));
    refuse(model, wrong,
           "view 'd' has 299 columns, and the model's view 4 ('kernel') is a kernel of 300 "
           "training samples");
    /* a kernel where features were */
    wrong = NULL;
    CHECK_OK(onefold_dataset_create(&wrong, NULL, 7));
    CHECK_OK(onefold_dataset_add_kernel(wrong, "k", x));
    CHECK_OK(onefold_dataset_add_dense(wrong, "b", x, MIXED_WORDS, MIXED_WORDS, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "c", x, TRAIN, TRAIN, 1));
    CHECK_OK(onefold_dataset_add_dense(wrong, "d", x, TRAIN, TRAIN, 1));
    refuse(model, wrong, "view 'k' is a kernel, and the model's view 1 ('dense') has features");
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    CHECK_FAILS(onefold_predict(&prediction, NULL, model, train, TRAIN, 1), ONEFOLD_USAGE,
                "samples 301 to 301 are asked for, of 300");
    CHECK_FAILS(onefold_predict(&prediction, NULL, model, train, 1, SIZE_MAX), ONEFOLD_USAGE,
                "are asked for, of 300");
    CHECK_FAILS(onefold_predict(NULL, NULL, model, train, 0, 1), ONEFOLD_USAGE, "needs a place");
    onefold_result_free(result);
    onefold_dataset_free(train);
}

static void other_methods_have_no_model(void **state)
{
    (void)state;
    onefold_dataset *data = mixed_some(TRAIN, 0, TRAIN, 1);
    onefold_fit_options options = fit_options("auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = NULL;
    for (size_t i = 1; onefold_method_describe(i); i++) {
        char text[128];
        options.method = onefold_method_describe(i)->name;
        if (strcmp(options.method, "onefold") == 0)
            continue;
        snprintf(text, sizeof text, "the method %s has no model", options.method);
        CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, text);
        assert_null(result);
    }
    onefold_dataset_free(data);
}

/* Most samples lack a view: in training and among the new ones. */
static void set_absent(onefold_dataset *data, size_t first, size_t views)
{
    size_t n = onefold_dataset_describe(data)->samples;
    uint8_t *present = malloc(n * views);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < views; i++)
            present[j * views + i] = ((first + j) * 7 / 3 + i) % views != 0 || (first + j) % 5 == 0;
    CHECK_OK(onefold_dataset_set_present(data, present));
    free(present);
}

static void samples_may_lack_views(void **state)
{
    for (size_t w = 0; w < WAYS; w++) {
        onefold_dataset *train = mixed(TRAIN, 0, TRAIN), *new = mixed(TRAIN, TRAIN, FRESH);
        onefold_fit_options options = fit_options(ways[w].kernel, ways[w].base, MIXED_CLUSTERS);
        options.landmarks = ways[w].landmarks;
        options.precision = ways[w].precision;
        set_absent(train, 0, 4);
        set_absent(new, TRAIN, 4);
        print_message("  %s\n", ways[w].kernel);
        round_trip(train, &options, folder_path(state, "model"));
        onefold_result *result = fitted(train, &options);
        int32_t *labels = predicted(onefold_result_describe(result)->model, new);
        assert_true(accuracy_of_both(train, onefold_result_describe(result)->labels, new, labels) >
                    0.97);
        free(labels);
        onefold_result_free(result);
        onefold_dataset_free(train);
        onefold_dataset_free(new);
    }
}

/* Zero samples of a cosine view, samples at the mean: the largest cluster, and no NaN. */
static void samples_that_say_nothing(void **state)
{
    (void)state;
    onefold_dataset *train = mixed_some(TRAIN, 0, TRAIN, 2), *empty = NULL;
    onefold_fit_options options = fit_options("linear", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS);
    onefold_result *result = fitted(train, &options);
    const onefold_model *model = onefold_result_describe(result)->model;
    double confidence[1], distance[1];
    int32_t label[1];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = label;
    prediction.confidence = confidence;
    prediction.distance = distance;
    CHECK_OK(onefold_dataset_create(&empty, NULL, 1));
    CHECK_OK(onefold_dataset_add_dense(empty, "words", model->rule.source[0].projection[0].mean,
                                       MIXED_WORDS, MIXED_WORDS, 1));
    CHECK_OK(onefold_predict(&prediction, NULL, model, empty, 0, 1));
    assert_int_equal(label[0], model->rule.largest);
    assert_true(confidence[0] == 0 && distance[0] == 1);
    onefold_result_free(result);
    onefold_dataset_free(train);
    onefold_dataset_free(empty);
}

static void real_data_keeps_its_labels(void **state)
{
    static const struct {
        const char *path;
        onefold_base base;
        onefold_precision precision;
        int full; /* of a kind with another: in a full run alone */
    } sets[] = {
        {"data/bbcsport/BBCSport.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 0},
        {"data/3sources/3sources.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 1},
        {"data/cora/Cora_2view.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 0},
        {"data/handwritten/Handwritten.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 1},
        {"data/handwritten/Handwritten.mat", ONEFOLD_BASE_NYSTROM, ONEFOLD_DOUBLE, 1},
        {"data/handwritten/Handwritten.mat", ONEFOLD_BASE_NYSTROM, ONEFOLD_SINGLE, 0},
        {"data/msrc/MSRC_v1.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 0},
        {"data/msrc/MSRC_v1.mat", ONEFOLD_BASE_AUTO, ONEFOLD_SINGLE, 1},
        {"data/webkb/WebKB_cornell.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 1},
        {"data/kernels/YALE_Kmatrix.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 0},
        {"data/kernels/AR10P_Kmatrix.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 1},
        {"data/kernels/liver_Kmatrix.mat", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE, 1},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (sets[i].full && !check_everything())
            continue;
        const char *path = check_shared(sets[i].path);
        if (!path)
            skip();
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
        onefold_fit_options options =
            fit_options("auto", sets[i].base, onefold_dataset_describe(data)->classes);
        options.restarts = 3;
        options.landmarks = sets[i].base == ONEFOLD_BASE_NYSTROM ? 400 : 0;
        options.precision = sets[i].precision;
        print_message("  %s\n", sets[i].path);
        round_trip(data, &options, folder_path(state, "model"));
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(onefold_keeps_its_labels, folder_make, folder_remove),
        cmocka_unit_test(parts_of_views_and_samples_that_lack_some),
        cmocka_unit_test_setup_teardown(training_samples_keep_their_labels, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(large_exact_kernels_keep_their_labels, folder_make,
                                        folder_remove),
        cmocka_unit_test(new_samples_join_their_clusters),
        cmocka_unit_test(labels_are_read_off_as_defined),
        cmocka_unit_test(strangers_are_far),
        cmocka_unit_test(any_piece_and_any_threads_give_the_same_bits),
        cmocka_unit_test_setup_teardown(model_bytes_do_not_depend_on_threads, folder_make,
                                        folder_remove),
        cmocka_unit_test(models_are_small_where_they_can_be),
        cmocka_unit_test(a_view_that_is_not_there_is_lacked),
        cmocka_unit_test(data_that_does_not_fit_is_refused),
        cmocka_unit_test(other_methods_have_no_model),
        cmocka_unit_test_setup_teardown(samples_may_lack_views, folder_make, folder_remove),
        cmocka_unit_test(samples_that_say_nothing),
        cmocka_unit_test_setup_teardown(real_data_keeps_its_labels, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
