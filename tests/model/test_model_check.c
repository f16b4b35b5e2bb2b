/* SPDX-License-Identifier: Apache-2.0 */
/* Models that contradict themselves in one place, with a right checksum: each is refused, and by
 * a sentence that says what and where. */
#include "model/model.h"

#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SAMPLES = 24, ROWS = 6 };

/* Models that have, between them, a projection of every form, kernel and storage. */
enum { RBF, LINEAR, KNN, SUBSPACE, JOINT, MODELS };
static const struct {
    const char *method, *kernels;
} made_by[MODELS] = {{"os-lfmvc-cs", "rbf,rbf,graph,auto"},
                     {"os-lfmvc-cs", "linear,auto,cosine,auto"},
                     {"os-lfmvc-cs", "knn,knn,knn,auto"},
                     {"os-lfmvc-cs", "subspace,subspace,subspace,auto"},
                     {"onefold", NULL}};

static void *whole[MODELS]; /* their bytes */
static size_t size[MODELS];

static int make_models(void **state)
{
    (void)state;
    onefold_dataset *data = mixed(SAMPLES, 0, SAMPLES);
    for (size_t i = 0; i < MODELS; i++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result = NULL;
        options.clusters = MIXED_CLUSTERS;
        options.method = made_by[i].method;
        options.kernel = made_by[i].kernels;
        options.base = i == JOINT ? ONEFOLD_BASE_AUTO : ONEFOLD_BASE_EXACT;
        options.keep_model = 1;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        CHECK_OK(onefold_model_encode(&whole[i], &size[i], NULL,
                                      onefold_result_describe(result)->model));
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
    return 0;
}

static int end_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        onefold_free(whole[i]);
    return 0;
}

/* ---- damages ------------------------------------------------------------------------------ */

typedef enum object { OF_MODEL, OF_VIEW, OF_SOURCE, OF_INNER, OF_PART } object;

/* What is put into the field: a number, one into its array at `at`, or other arrays. */
typedef enum put { INT, SIZE, REAL, REAL_AT, INDEX_AT, START_AT, NOTHING, ZEROS, UPWARDS } put;

typedef struct damage {
    int model;
    object object;
    size_t which, offset;
    put put;
    double value;
    const char *sentence; /* NULL: the next line is a part of the same damage */
    size_t at;
} damage;

#define MODEL_(field) OF_MODEL, 0, offsetof(onefold_model, field)
#define VIEW_(i, field) OF_VIEW, i, offsetof(of_model_view, field)
#define SOURCE_(i, field) OF_SOURCE, i, offsetof(of_projection, field)
#define INNER_(i, field) OF_INNER, i, offsetof(of_projection, field)
#define PART_(i, field) OF_PART, i, offsetof(of_rule_part, field)

static char *place_of(const onefold_model *model, const damage *d)
{
    const of_projection *p = d->object == OF_SOURCE || d->object == OF_INNER
                                 ? model->rule.source[d->which].projection
                                 : NULL;
    const void *start = d->object == OF_MODEL    ? (const void *)model
                        : d->object == OF_VIEW   ? (const void *)&model->view[d->which]
                        : d->object == OF_SOURCE ? (const void *)p
                        : d->object == OF_INNER  ? (const void *)p->inner
                                                 : (const void *)&model->rule.part[d->which];
    return (char *)(uintptr_t)start + d->offset;
}

static void apply(onefold_model *model, const damage *d)
{
    static const double zeros[64];
    static uint32_t upwards[64];
    for (uint32_t i = 0; i < 64; i++)
        upwards[i] = i;
    char *place = place_of(model, d);
    void *array;
    memcpy(&array, place, sizeof array);
    switch (d->put) {
    case INT:
        memcpy(place, &(int){(int)d->value}, sizeof(int));
        break;
    case SIZE:
        memcpy(place, &(size_t){(size_t)d->value}, sizeof(size_t));
        break;
    case REAL:
        memcpy(place, &d->value, sizeof d->value);
        break;
    case REAL_AT:
        ((double *)array)[d->at] = d->value;
        break;
    case INDEX_AT:
        ((uint32_t *)array)[d->at] = (uint32_t)d->value;
        break;
    case START_AT:
        ((size_t *)array)[d->at] = (size_t)d->value;
        break;
    case NOTHING:
        memset(place, 0, sizeof array);
        break;
    case ZEROS:
        memcpy(place, &(const void *){zeros}, sizeof array);
        break;
    case UPWARDS:
        memcpy(place, &(const void *){upwards}, sizeof array);
        break;
    }
}

/* Applies the damage at *line and those that belong to it to a fresh copy, and writes and reads it:
 * one of both refuses it with the sentence of the last. */
static void expect_refused(const damage *table, size_t *line)
{
    onefold_model *model = NULL, *read = NULL;
    size_t bytes_size = 0;
    void *bytes = NULL;
    size_t which = (size_t)table[*line].model;
    CHECK_OK(onefold_model_decode(&model, NULL, whole[which], size[which]));
    while (!table[*line].sentence)
        apply(model, &table[(*line)++]);
    apply(model, &table[*line]);
    onefold_status status = onefold_model_encode(&bytes, &bytes_size, NULL, model);
    if (status == ONEFOLD_OK)
        status = onefold_model_decode(&read, NULL, bytes, bytes_size);
    if (status != ONEFOLD_BAD_DATA || !strstr(onefold_last_error(), table[*line].sentence))
        fail_msg("line %zu: %s: %s, and not: %s", *line, onefold_name(ONEFOLD_NAMES_STATUS, status),
                 onefold_last_error(), table[*line].sentence);
    assert_null(read);
    onefold_free(bytes);
    onefold_model_free(model);
}

static void expect_all_refused(const damage *table, size_t count)
{
    for (size_t line = 0; line < count; line++)
        expect_refused(table, &line);
}

#define EXPECT_REFUSED(table) expect_all_refused(table, sizeof table / sizeof *table)

/* ---- the tables --------------------------------------------------------------------------- */

static void what_columns_go_through(void **state)
{
    (void)state;
    static const damage table[] = {
        {LINEAR, SOURCE_(0, columns), SIZE, MIXED_DENSE - 1, NULL},
        {LINEAR, SOURCE_(0, prep.columns), SIZE, MIXED_DENSE - 1,
         "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, prep.kept), INDEX_AT, 0, "numbers are out of order", 1},
        {LINEAR, SOURCE_(0, prep.kept), UPWARDS, 0, "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, prep.kept), INDEX_AT, MIXED_DENSE, "a number is out of range", 5},
        {RBF, SOURCE_(0, prep.scale), NOTHING, 0, "projection 1 contradicts itself"},
        {LINEAR, SOURCE_(1, prep.scale), NOTHING, 0, "projection 2 contradicts itself"},
        {LINEAR, SOURCE_(0, prep.scale), ZEROS, 0, "projection 1 contradicts itself"},
        {LINEAR, SOURCE_(0, prep.shift), ZEROS, 0, "projection 1 contradicts itself"},
        {RBF, SOURCE_(1, prep.shift), ZEROS, 0, "projection 2 contradicts itself"},
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_COSINE, "projection 1 contradicts itself"},
        {LINEAR, SOURCE_(0, kernel), INT, OF_KERNEL_RBF, "projection 1 contradicts itself"},
        {LINEAR, SOURCE_(1, kernel), INT, OF_KERNEL_LINEAR, "projection 2 contradicts itself"},
        {LINEAR, SOURCE_(1, sparse), INT, 0, "projection 2 contradicts itself"},
        {RBF, SOURCE_(0, prep.scale), REAL_AT, -1, "projection 1 contradicts itself", 5},
        {RBF, SOURCE_(0, prep.scale), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, SOURCE_(0, prep.shift), REAL_AT, INFINITY, "a number is not finite", 0},
        {RBF, SOURCE_(0, prep.kind), INT, 3, "a number is out of range"},
        {RBF, SOURCE_(0, prep.columns), SIZE, 8, "a number is out of range"},
    };
    EXPECT_REFUSED(table);
}

static void projections_of_each_form(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_KNN, "a number is out of range"},
        {RBF, SOURCE_(0, route), INT, 99, "a number is out of range"},
        {RBF, SOURCE_(0, form), INT, 4, "a number is out of range"},
        {RBF, SOURCE_(0, sparse), INT, 2, "a number is out of range"},
        {RBF, SOURCE_(0, samples), SIZE, SAMPLES + 1, "a number is out of range"},
        {RBF, SOURCE_(0, raw_columns), SIZE, 0, "a number is out of range"},
        {RBF, SOURCE_(0, rank), SIZE, 0, "a number is out of range"},
        {RBF, SOURCE_(0, value), REAL_AT, 0, "projection 1 contradicts itself", ROWS - 1},
        {RBF, SOURCE_(0, value), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, SOURCE_(0, floor), REAL, -1, "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, floor), REAL, NAN, "a number is not finite"},
        {RBF, SOURCE_(0, weight), REAL_AT, NAN, "a number is not finite", 0},
        {LINEAR, SOURCE_(0, mean), REAL_AT, NAN, "a number is not finite", 0},
        /* forms that are of other kernels */
        {LINEAR, SOURCE_(0, kernel), INT, OF_KERNEL_AUTO, "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_LINEAR, "projection 1 contradicts itself"},
        {RBF, SOURCE_(3, mean), ZEROS, 0, NULL},
        {RBF, SOURCE_(3, form), INT, OF_PROJECT_FEATURES, "projection 4 contradicts itself"},
        {RBF, SOURCE_(2, samples), SIZE, SAMPLES - 1, "projection 3 contradicts itself"},
        {RBF, SOURCE_(3, samples), SIZE, SAMPLES - 1, "projection 4 contradicts itself"},
        {RBF, SOURCE_(2, sparse), INT, 0, "projection 3 contradicts itself"},
        {RBF, SOURCE_(3, sparse), INT, 1, "projection 4 contradicts itself"},
        /* points */
        {RBF, SOURCE_(1, sparse), INT, 0, "projection 2 contradicts itself"},
        {RBF, SOURCE_(0, columns), SIZE, 0, NULL},
        {RBF, SOURCE_(0, prep.columns), SIZE, 0, "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, scale), REAL, 0, "projection 1 contradicts itself"},
        {RBF, SOURCE_(0, scale), REAL, INFINITY, "a number is not finite"},
        {RBF, SOURCE_(0, points), SIZE, 0, "a number is out of range"},
        {RBF, SOURCE_(0, mean_of_all), REAL, NAN, "a number is not finite"},
        {RBF, SOURCE_(0, point_mean), REAL_AT, NAN, "a number is not finite", 3},
        {RBF, SOURCE_(0, row_mean), REAL_AT, NAN, "a number is not finite", 3},
        {RBF, SOURCE_(1, sparse_at.start), START_AT, 1, "numbers are out of order", 0},
        {RBF, SOURCE_(1, sparse_at.start), START_AT, 1e6, "numbers are out of order", 1},
        {RBF, SOURCE_(1, sparse_at.index), INDEX_AT, 49, "a number is out of range", 0},
        {RBF, SOURCE_(1, sparse_at.index), INDEX_AT, 48, "numbers are out of order", 0},
        /* rows of a kernel */
        {RBF, SOURCE_(3, mean_of_all), REAL, NAN, "a number is not finite"},
        {RBF, SOURCE_(3, point_mean), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, SOURCE_(3, sample_scale), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, SOURCE_(3, sample_scale), REAL_AT, -1, "projection 4 contradicts itself", 0},
        {RBF, SOURCE_(3, same_diagonal), INT, 2, "a number is out of range"},
        {RBF, SOURCE_(3, diagonal), REAL, NAN, "a number is not finite"},
    };
    EXPECT_REFUSED(table);
}

static void landmark_graphs(void **state)
{
    (void)state;
    static const damage table[] = {
        {KNN, VIEW_(2, kernel), INT, OF_KERNEL_AUTO, NULL},
        {KNN, SOURCE_(2, kernel), INT, OF_KERNEL_AUTO, "projection 3 contradicts itself"},
        {KNN, VIEW_(2, kernel), INT, OF_KERNEL_PRECOMPUTED, NULL},
        {KNN, SOURCE_(2, kernel), INT, OF_KERNEL_PRECOMPUTED, "projection 3 contradicts itself"},
        {KNN, SOURCE_(2, sparse), INT, 0, "projection 3 contradicts itself"},
        {KNN, SOURCE_(2, points), SIZE, SAMPLES, "projection 3 contradicts itself"},
        {KNN, SOURCE_(2, common), REAL, 0, "projection 3 contradicts itself"},
        {KNN, SOURCE_(2, common), REAL, NAN, "a number is not finite"},
        {KNN, SOURCE_(0, neighbours), SIZE, 0, "projection 1 contradicts itself"},
        {KNN, SOURCE_(0, neighbours), SIZE, SAMPLES + 1, "a number is out of range"},
        {KNN, SOURCE_(0, points), SIZE, 0, "a number is out of range"},
        {KNN, SOURCE_(0, degree), REAL_AT, -1, "projection 1 contradicts itself", SAMPLES - 1},
        {KNN, SOURCE_(0, degree), REAL_AT, NAN, "a number is not finite", 0},
        {KNN, SOURCE_(0, at), NOTHING, 0, "projection 1 contradicts itself"},
        {KNN, SOURCE_(0, at), REAL_AT, NAN, "a number is not finite", 0},
        {KNN, SOURCE_(0, prep.shift), NOTHING, 0, NULL},
        {KNN, SOURCE_(0, sparse), INT, 1, "projection 1 contradicts itself"},
        {KNN, SOURCE_(1, sparse_at.start), NOTHING, 0, "projection 2 contradicts itself"},
        {KNN, SOURCE_(1, sparse_at.start), START_AT, 1, "numbers are out of order", 0},
        {KNN, SOURCE_(1, sparse_at.start), START_AT, 1e6, "numbers are out of order", 1},
        {KNN, SOURCE_(1, sparse_at.index), INDEX_AT, 24, "a number is out of range", 0},
        {KNN, SOURCE_(1, sparse_at.index), INDEX_AT, 23, "numbers are out of order", 0},
        {SUBSPACE, SOURCE_(0, at), NOTHING, 0, "projection 1 contradicts itself"},
        {SUBSPACE, SOURCE_(0, graph), INT, OF_KERNEL_KNN, "projection 1 contradicts itself"},
        {SUBSPACE, INNER_(0, samples), SIZE, SAMPLES - 1, "projection 1 contradicts itself"},
        {SUBSPACE, INNER_(0, raw_columns), SIZE, MIXED_DENSE + 1,
         "projection 1 contradicts itself"},
        {SUBSPACE, INNER_(0, form), INT, OF_PROJECT_TIES, "a number is out of range"},
        {SUBSPACE, INNER_(0, value), REAL_AT, -1, "projection 1 contradicts itself", 0},
        {SUBSPACE, INNER_(0, floor), REAL, -1, "projection 1 contradicts itself"},
    };
    EXPECT_REFUSED(table);
}

static void views_and_their_projections(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, VIEW_(2, fill), ZEROS, 0, "view 3 contradicts itself"},
        {RBF, VIEW_(3, fill), ZEROS, 0, "view 4 contradicts itself"},
        {RBF, VIEW_(0, raw_columns), SIZE, 8, "projection 1 contradicts itself"},
        {RBF, VIEW_(3, kernel), INT, OF_KERNEL_RBF, "projection 4 contradicts itself"},
        {RBF, VIEW_(2, kernel), INT, OF_KERNEL_RBF, "projection 3 contradicts itself"},
        {RBF, VIEW_(2, storage), INT, 9, "a number is out of range"},
        {RBF, VIEW_(2, kernel), INT, 9, "a number is out of range"},
        {RBF, VIEW_(2, raw_columns), SIZE, 0, "a number is out of range"},
    };
    EXPECT_REFUSED(table);
}

static void partitions_and_the_rule(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, MODEL_(rule.constant), INT, 1, "partition 1 contradicts itself"},
        {RBF, MODEL_(rule.constant), INT, 2, "a number is out of range"},
        {RBF, PART_(1, value), REAL_AT, 0, "partition 2 contradicts itself", 0},
        {RBF, PART_(0, join), INT, 4, "a number is out of range"},
        {RBF, PART_(0, known), SIZE, 0, "a number is out of range"},
        {RBF, PART_(0, rank), SIZE, ROWS + 1, "a number is out of range"},
        {RBF, PART_(0, terms), SIZE, 0, "a number is out of range"},
        {RBF, PART_(0, source), INDEX_AT, 4, "a number is out of range", 0},
        {RBF, PART_(0, row), INDEX_AT, 7, "partition 1 contradicts itself", 0},
        {RBF, PART_(0, row), INDEX_AT, 1, "partition 1 contradicts itself", 0},
        {JOINT, PART_(0, join), INT, OF_JOIN_ONE, "partition 1 contradicts itself"},
        {JOINT, PART_(0, join), INT, OF_JOIN_TIES, "partition 1 contradicts itself"},
        {KNN, PART_(0, join), INT, OF_JOIN_KERNELS, "partition 1 contradicts itself"},
        {RBF, MODEL_(rule.beta), REAL_AT, -1, "partition 4 contradicts itself", 3},
        {RBF, MODEL_(rule.beta), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, MODEL_(rule.W), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, MODEL_(rule.C), REAL_AT, NAN, "a number is not finite", 0},
        {RBF, MODEL_(rule.sources), SIZE, 0, "a number is out of range"},
        {RBF, MODEL_(rule.parts), SIZE, 0, "a number is out of range"},
        {RBF, MODEL_(info.samples), SIZE, 0, "a number is out of range"},
        {RBF, MODEL_(info.views), SIZE, 0, "a number is out of range"},
        {RBF, MODEL_(rule.dims), SIZE, 0, "a number is out of range"},
        {RBF, MODEL_(info.clusters), SIZE, ROWS + 1, "a number is out of range"},
        {RBF, MODEL_(rule.largest), SIZE, MIXED_CLUSTERS, "a number is out of range"},
        {RBF, MODEL_(info.precision), INT, 3, "a number is out of range"},
        {RBF, MODEL_(info.distance_mean), REAL, NAN, "a number is not finite"},
        {RBF, MODEL_(info.distance_most), REAL, NAN, "a number is not finite"},
    };
    EXPECT_REFUSED(table);
}

/* The same models without damage are read, and written as they were. */
static void whole_models_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        onefold_model *model = NULL;
        void *again = NULL;
        size_t count = 0;
        CHECK_OK(onefold_model_decode(&model, NULL, whole[i], size[i]));
        CHECK_OK(onefold_model_encode(&again, &count, NULL, model));
        assert_int_equal(count, size[i]);
        assert_memory_equal(again, whole[i], count);
        onefold_free(again);
        onefold_model_free(model);
    }
}

/* What a model gives for the samples, with one number of its file replaced: it is refused when it
 * is read or asked, or all that it gives is finite. */
static void check_forged(onefold_context *context, const onefold_dataset *data,
                         const unsigned char *bytes, size_t count)
{
    enum { MOST_NUMBERS = SAMPLES * 64 };
    static double confidence[SAMPLES], distance[SAMPLES], embedding[MOST_NUMBERS],
        part[MOST_NUMBERS];
    int32_t labels[SAMPLES];
    onefold_model *model = NULL;
    onefold_prediction given = ONEFOLD_PREDICTION_INIT;
    given.labels = labels;
    given.confidence = confidence;
    given.distance = distance;
    given.embedding = embedding;
    given.view_part = part;
    if (onefold_model_decode(&model, context, bytes, count) != ONEFOLD_OK)
        return;
    const onefold_model_info *info = onefold_model_describe(model);
    assert_true(info->dims * SAMPLES <= MOST_NUMBERS && info->views * SAMPLES <= MOST_NUMBERS);
    onefold_status status = onefold_predict(&given, context, model, data, 0, SAMPLES);
    if (status != ONEFOLD_OK)
        assert_int_equal(status, ONEFOLD_BAD_DATA);
    for (size_t j = 0; status == ONEFOLD_OK && j < SAMPLES; j++) {
        assert_true(labels[j] >= 0 && (size_t)labels[j] < info->clusters);
        assert_true(confidence[j] >= 0 && confidence[j] <= 1);
        assert_true(distance[j] >= 0 && distance[j] <= 1);
        for (size_t r = 0; r < info->dims; r++)
            assert_true(isfinite(embedding[j * info->dims + r]));
        for (size_t i = 0; i < info->views; i++)
            assert_true(isfinite(part[j * info->views + i]));
    }
    onefold_model_free(model);
}

/* The numbers of a model with a right checksum may be anything: finite each, and too large to be
 * multiplied. */
static void forged_numbers_give_no_nan(void **state)
{
    (void)state;
    static const double numbers[] = {1e300, 1.7e308};
    enum { HEAD = 24, TAIL = 4, AROUND = 8 };
    onefold_dataset *data = mixed(SAMPLES, 0, SAMPLES);
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    for (size_t i = 0; i < MODELS; i++) {
        unsigned char *forged = malloc(size[i]), kept[AROUND];
        assert_non_null(forged);
        memcpy(forged, whole[i], size[i]);
        for (size_t at = HEAD; at + AROUND + TAIL <= size[i]; at++)
            for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
                memcpy(kept, forged + at, AROUND);
                memcpy(forged + at, &numbers[n], AROUND);
                uint32_t sum = (uint32_t)crc32(0, forged, (uInt)(size[i] - TAIL));
                memcpy(forged + size[i] - TAIL, &sum, TAIL);
                check_forged(context, data, forged, size[i]);
                memcpy(forged + at, kept, AROUND);
            }
        free(forged);
    }
    onefold_context_free(context);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_models_are_read),       cmocka_unit_test(what_columns_go_through),
        cmocka_unit_test(projections_of_each_form),    cmocka_unit_test(landmark_graphs),
        cmocka_unit_test(views_and_their_projections), cmocka_unit_test(partitions_and_the_rule),
        cmocka_unit_test(forged_numbers_give_no_nan),
    };
    return cmocka_run_group_tests(tests, make_models, end_models);
}
