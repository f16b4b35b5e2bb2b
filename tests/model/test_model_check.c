/* SPDX-License-Identifier: Apache-2.0 */
/* Models that contradict themselves in one place, with a right checksum: each is refused, and by
 * the sentence that says why. */
#include "model/model.h"

#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        {LINEAR, SOURCE_(0, prep.columns), SIZE, MIXED_DENSE - 1, "and it does not say which"},
        {RBF, SOURCE_(0, prep.kept), INDEX_AT, 0, "the kept columns are out of order", 1},
        {LINEAR, SOURCE_(0, prep.kept), UPWARDS, 0, "the kept columns are out of order"},
        {RBF, SOURCE_(0, prep.kept), INDEX_AT, MIXED_DENSE, "kept columns has 7 of 7", 5},
        {RBF, SOURCE_(0, prep.scale), NOTHING, 0, "columns are scaled, and it does not say how"},
        {LINEAR, SOURCE_(1, prep.scale), NOTHING, 0, "columns are scaled, and it does not say how"},
        {LINEAR, SOURCE_(0, prep.scale), ZEROS, 0, "columns are scaled, and it does not say how"},
        {LINEAR, SOURCE_(0, prep.shift), ZEROS, 0, "columns are shifted that must not be"},
        {RBF, SOURCE_(1, prep.shift), ZEROS, 0, "columns are shifted that must not be"},
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_COSINE, "an rbf kernel goes with standardised"},
        {LINEAR, SOURCE_(0, kernel), INT, OF_KERNEL_RBF, "an rbf kernel goes with standardised"},
        {LINEAR, SOURCE_(1, kernel), INT, OF_KERNEL_LINEAR, "tf-idf goes with a cosine kernel"},
        {LINEAR, SOURCE_(1, sparse), INT, 0, "tf-idf goes with a cosine kernel"},
        {RBF, SOURCE_(0, prep.scale), REAL_AT, -1, "a column has a negative scale", 5},
        {RBF, SOURCE_(0, prep.scale), REAL_AT, NAN, "scales is not finite", 0},
        {RBF, SOURCE_(0, prep.shift), REAL_AT, INFINITY, "shifts is not finite", 0},
        {RBF, SOURCE_(0, prep.kind), INT, 3, "the preparing is 3"},
        {RBF, SOURCE_(0, prep.columns), SIZE, 8, "the kept columns is 8"},
    };
    EXPECT_REFUSED(table);
}

static void projections_of_each_form(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_KNN, "a kernel is 6"},
        {RBF, SOURCE_(0, route), INT, 99, "a route is 99"},
        {RBF, SOURCE_(0, form), INT, 4, "the form of a projection is 4"},
        {RBF, SOURCE_(0, sparse), INT, 2, "how features are taken is 2"},
        {RBF, SOURCE_(0, samples), SIZE, SAMPLES + 1, "the samples of a view is 25"},
        {RBF, SOURCE_(0, raw_columns), SIZE, 0, "the columns of a view is 0"},
        {RBF, SOURCE_(0, rank), SIZE, 0, "the rank of a view is 0"},
        {RBF, SOURCE_(0, value), REAL_AT, 0, "an eigenvalue is not positive", ROWS - 1},
        {RBF, SOURCE_(0, value), REAL_AT, NAN, "eigenvalues is not finite", 0},
        {RBF, SOURCE_(0, floor), REAL, -1, "the least length is negative"},
        {RBF, SOURCE_(0, floor), REAL, NAN, "the least length is not finite"},
        {RBF, SOURCE_(0, weight), REAL_AT, NAN, "weights is not finite", 0},
        {LINEAR, SOURCE_(0, mean), REAL_AT, NAN, "means of features is not finite", 0},
        /* forms that are of other kernels */
        {LINEAR, SOURCE_(0, kernel), INT, OF_KERNEL_AUTO, "another form of projection"},
        {RBF, SOURCE_(0, kernel), INT, OF_KERNEL_LINEAR, "another form of projection"},
        {RBF, SOURCE_(3, mean), ZEROS, 0, NULL},
        {RBF, SOURCE_(3, form), INT, OF_PROJECT_FEATURES, "another form of projection"},
        {RBF, SOURCE_(2, samples), SIZE, SAMPLES - 1, "a graph or kernel is not square"},
        {RBF, SOURCE_(3, samples), SIZE, SAMPLES - 1, "a graph or kernel is not square"},
        {RBF, SOURCE_(2, sparse), INT, 0, "a graph or kernel has other features"},
        {RBF, SOURCE_(3, sparse), INT, 1, "a graph or kernel has other features"},
        /* points */
        {RBF, SOURCE_(1, sparse), INT, 0, "dense features are held against sparse points"},
        {RBF, SOURCE_(0, columns), SIZE, 0, NULL},
        {RBF, SOURCE_(0, prep.columns), SIZE, 0, "an rbf kernel has no column"},
        {RBF, SOURCE_(0, scale), REAL, 0, "an rbf kernel has no width"},
        {RBF, SOURCE_(0, scale), REAL, INFINITY, "the scale of an rbf kernel is not finite"},
        {RBF, SOURCE_(0, points), SIZE, 0, "the number of points is 0"},
        {RBF, SOURCE_(0, mean_of_all), REAL, NAN, "the mean of a kernel is not finite"},
        {RBF, SOURCE_(0, point_mean), REAL_AT, NAN, "means of points is not finite", 3},
        {RBF, SOURCE_(0, row_mean), REAL_AT, NAN, "weights of points is not finite", 3},
        {RBF, SOURCE_(1, sparse_at.start), START_AT, 1, "the points do not follow each other", 0},
        {RBF, SOURCE_(1, sparse_at.start), START_AT, 1e6, "the points do not follow each other", 1},
        {RBF, SOURCE_(1, sparse_at.index), INDEX_AT, 49, "columns of points has 49 of 49", 0},
        {RBF, SOURCE_(1, sparse_at.index), INDEX_AT, 48, "the columns of a point are out of", 0},
        /* rows of a kernel */
        {RBF, SOURCE_(3, mean_of_all), REAL, NAN, "the mean of a kernel is not finite"},
        {RBF, SOURCE_(3, point_mean), REAL_AT, NAN, "means of a kernel is not finite", 0},
        {RBF, SOURCE_(3, sample_scale), REAL_AT, NAN, "scales of a kernel is not finite", 0},
        {RBF, SOURCE_(3, sample_scale), REAL_AT, -1, "a kernel has negative scales", 0},
        {RBF, SOURCE_(3, same_diagonal), INT, 2, "whether a diagonal is constant is 2"},
        {RBF, SOURCE_(3, diagonal), REAL, NAN, "a diagonal is not finite"},
    };
    EXPECT_REFUSED(table);
}

static void landmark_graphs(void **state)
{
    (void)state;
    static const damage table[] = {
        {KNN, VIEW_(2, kernel), INT, OF_KERNEL_AUTO, NULL},
        {KNN, SOURCE_(2, kernel), INT, OF_KERNEL_AUTO, "a landmark graph is over another kernel"},
        {KNN, VIEW_(2, kernel), INT, OF_KERNEL_PRECOMPUTED, NULL},
        {KNN, SOURCE_(2, kernel), INT, OF_KERNEL_PRECOMPUTED, "is over another kernel"},
        {KNN, SOURCE_(2, sparse), INT, 0, "a graph has other landmarks than its samples"},
        {KNN, SOURCE_(2, points), SIZE, SAMPLES, "a graph has other landmarks than its samples"},
        {KNN, SOURCE_(2, common), REAL, 0, "a graph has other landmarks than its samples"},
        {KNN, SOURCE_(2, common), REAL, NAN, "the weight of the shared landmark is not finite"},
        {KNN, SOURCE_(0, neighbours), SIZE, 0, "a sample has no neighbours"},
        {KNN, SOURCE_(0, neighbours), SIZE, SAMPLES + 1, "the number of neighbours is 25"},
        {KNN, SOURCE_(0, points), SIZE, 0, "the number of landmarks is 0"},
        {KNN, SOURCE_(0, degree), REAL_AT, -1, "a landmark has a negative degree", SAMPLES - 1},
        {KNN, SOURCE_(0, degree), REAL_AT, NAN, "degrees of landmarks is not finite", 0},
        {KNN, SOURCE_(0, at), NOTHING, 0, "features are held against other landmarks"},
        {KNN, SOURCE_(0, at), REAL_AT, NAN, "landmarks is not finite", 0},
        {KNN, SOURCE_(0, prep.shift), NOTHING, 0, NULL},
        {KNN, SOURCE_(0, sparse), INT, 1, "features are held against other landmarks"},
        {KNN, SOURCE_(1, sparse_at.start), NOTHING, 0, "there are no landmarks"},
        {KNN, SOURCE_(1, sparse_at.start), START_AT, 1, "the landmarks do not follow each", 0},
        {KNN, SOURCE_(1, sparse_at.start), START_AT, 1e6, "the landmarks do not follow each", 1},
        {KNN, SOURCE_(1, sparse_at.index), INDEX_AT, 24, "landmarks of columns has 24 of 24", 0},
        {KNN, SOURCE_(1, sparse_at.index), INDEX_AT, 23, "the landmarks of a column are out", 0},
        {SUBSPACE, SOURCE_(0, at), NOTHING, 0, "components are compared with other landmarks"},
        {SUBSPACE, SOURCE_(0, graph), INT, OF_KERNEL_KNN, "are compared with other landmarks"},
        {SUBSPACE, INNER_(0, samples), SIZE, SAMPLES - 1, "components are of other samples"},
        {SUBSPACE, INNER_(0, raw_columns), SIZE, MIXED_DENSE + 1, "components are of other sam"},
        {SUBSPACE, INNER_(0, form), INT, OF_PROJECT_TIES, "the form of a projection is 3"},
        {SUBSPACE, INNER_(0, value), REAL_AT, -1, "an eigenvalue is not positive", 0},
        {SUBSPACE, INNER_(0, floor), REAL, -1, "the least length is negative"},
    };
    EXPECT_REFUSED(table);
}

static void views_and_their_projections(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, VIEW_(2, fill), ZEROS, 0, "links or kernels are filled in"},
        {RBF, VIEW_(3, fill), ZEROS, 0, "links or kernels are filled in"},
        {RBF, VIEW_(0, raw_columns), SIZE, 8, "a projection has other columns than its view"},
        {RBF, VIEW_(3, kernel), INT, OF_KERNEL_RBF, "of another kernel than its view"},
        {RBF, VIEW_(2, kernel), INT, OF_KERNEL_RBF, "of another kernel than its view"},
        {RBF, VIEW_(2, storage), INT, 9, "how a view is stored is 9"},
        {RBF, VIEW_(2, kernel), INT, 9, "a kernel is 9"},
        {RBF, VIEW_(2, raw_columns), SIZE, 0, "the columns of a view is 0"},
    };
    EXPECT_REFUSED(table);
}

static void partitions_and_the_rule(void **state)
{
    (void)state;
    static const damage table[] = {
        {RBF, MODEL_(rule.constant), INT, 1, "a partition has more rows than there are dims"},
        {RBF, MODEL_(rule.constant), INT, 2, "whether partitions have the constant is 2"},
        {RBF, PART_(1, value), REAL_AT, 0, "an eigenvalue is not positive", 0},
        {RBF, PART_(0, join), INT, 4, "how a partition is made is 4"},
        {RBF, PART_(0, known), SIZE, 0, "the samples of a partition is 0"},
        {RBF, PART_(0, rank), SIZE, ROWS + 1, "the rank of a partition is 7"},
        {RBF, PART_(0, terms), SIZE, 0, "the terms of a partition is 0"},
        {RBF, PART_(0, source), INDEX_AT, 4, "terms has 4 of 4", 0},
        {RBF, PART_(0, row), INDEX_AT, 7, "a partition has rows that its projection lacks", 0},
        {RBF, PART_(0, row), INDEX_AT, 1, "a partition has rows that its projection lacks", 0},
        {JOINT, PART_(0, join), INT, OF_JOIN_ONE, "a view's own partition is of several views"},
        {JOINT, PART_(0, join), INT, OF_JOIN_TIES, "kernels are joined with graphs"},
        {KNN, PART_(0, join), INT, OF_JOIN_KERNELS, "kernels are joined with graphs"},
        {RBF, MODEL_(rule.beta), REAL_AT, -1, "a partition has a negative weight", 3},
        {RBF, MODEL_(rule.beta), REAL_AT, NAN, "the weights is not finite", 0},
        {RBF, MODEL_(rule.W), REAL_AT, NAN, "the rotations is not finite", 0},
        {RBF, MODEL_(rule.C), REAL_AT, NAN, "the centroids is not finite", 0},
        {RBF, MODEL_(rule.sources), SIZE, 0, "the number of projections is 0"},
        {RBF, MODEL_(rule.parts), SIZE, 0, "the number of partitions is 0"},
        {RBF, MODEL_(info.samples), SIZE, 0, "the number of samples is 0"},
        {RBF, MODEL_(info.views), SIZE, 0, "the number of views is 0"},
        {RBF, MODEL_(rule.dims), SIZE, 0, "the number of dims is 0"},
        {RBF, MODEL_(info.clusters), SIZE, ROWS + 1, "the number of clusters is 7"},
        {RBF, MODEL_(rule.largest), SIZE, MIXED_CLUSTERS, "the largest cluster is 3"},
        {RBF, MODEL_(info.precision), INT, 3, "the precision is 3"},
        {RBF, MODEL_(info.distance_mean), REAL, NAN, "the mean distance is not finite"},
        {RBF, MODEL_(info.distance_most), REAL, NAN, "the largest distance is not finite"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_models_are_read),       cmocka_unit_test(what_columns_go_through),
        cmocka_unit_test(projections_of_each_form),    cmocka_unit_test(landmark_graphs),
        cmocka_unit_test(views_and_their_projections), cmocka_unit_test(partitions_and_the_rule),
    };
    return cmocka_run_group_tests(tests, make_models, end_models);
}
