/* SPDX-License-Identifier: Apache-2.0 */
/* The method onefold on data of few columns, as everyone tries it first: moons, rings, blobs of
 * equal and unequal spread and size, stretched ones, each in two noisy views, some beside noise. */
#include "data/dataset.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- shapes --------------------------------------------------------------------------------- */

enum { MOST = 1000, VIEWS = 2 };

typedef struct shape {
    const char *name;
    size_t samples, clusters;
    double least; /* NMI */
    /* Where sample j of a cluster lies, from a uniform and two normal numbers. */
    void (*place)(size_t cluster, double uniform, const double *normal, double *at);
    const size_t *size; /* shares of the clusters; NULL: alike */
    double noise;       /* of each view, beside what `place` makes */
    size_t hiding;      /* columns of one more view, which is noise; 0: there is none */
} shape;

static void moon(size_t c, double uniform, const double *normal, double *at)
{
    double t = PI * uniform;
    (void)normal;
    at[0] = c ? 1 - cos(t) : cos(t);
    at[1] = c ? 0.5 - sin(t) : sin(t);
}

static void ring(size_t c, double uniform, const double *normal, double *at)
{
    double t = 2 * PI * uniform, radius = (double)c + 1;
    (void)normal;
    at[0] = radius * cos(t);
    at[1] = radius * sin(t);
}

static const double CENTRE[10][2] = {{-5, 0}, {0, 4},  {5, -2},  {1, -6}, {-4, 7},
                                     {7, 5},  {-9, 5}, {-7, -6}, {9, 0},  {4, 10}};

static void blob(size_t c, double uniform, const double *normal, double *at)
{
    (void)uniform;
    for (size_t r = 0; r < 2; r++)
        at[r] = CENTRE[c][r] + normal[r];
}

static void varied(size_t c, double uniform, const double *normal, double *at)
{
    static const double spread[] = {1, 2, 0.5};
    (void)uniform;
    for (size_t r = 0; r < 2; r++)
        at[r] = CENTRE[c][r] + spread[c] * normal[r];
}

static const size_t UNEQUAL[] = {20, 6, 2, 1};

/* Each view is the plane with its own noise, and the second is turned and enlarged. */
static void make_shape(const shape *s, uint64_t seed, onefold_dataset **data)
{
    static double uniform[MOST], normal[2 * MOST], noise[2 * MOST], view[2 * MOST];
    static int64_t truth[MOST];
    size_t all = 0, shares = 0;
    for (size_t c = 0; c < s->clusters; c++)
        shares += s->size ? s->size[c] : 1;
    for (size_t c = 0, upto = 0; c < s->clusters; c++) {
        upto += s->size ? s->size[c] : 1;
        for (; all < s->samples * upto / shares; all++)
            truth[all] = (int64_t)c;
    }
    check_random(seed, 1, 2, s->samples, normal);
    CHECK_OK(onefold_dataset_create(data, NULL, s->samples));
    for (size_t v = 0; v < VIEWS; v++) {
        check_random(seed, 2 + v, 2, s->samples, noise);
        for (size_t j = 0; j < s->samples; j++) /* along a moon or a ring each view has its own */
            uniform[j] = check_uniform(&seed);
        for (size_t j = 0; j < s->samples; j++) {
            double at[2];
            s->place((size_t)truth[j], uniform[j], normal + 2 * j, at);
            for (size_t r = 0; r < 2; r++)
                at[r] += s->noise * noise[r + 2 * j];
            view[2 * j] = v ? 0.6 * at[0] - 0.8 * at[1] : at[0];
            view[2 * j + 1] = v ? 5 * (0.8 * at[0] + 0.6 * at[1]) : at[1];
        }
        CHECK_OK(onefold_dataset_add_dense(*data, NULL, view, 2, 2, 1));
    }
    static double hiding[30 * MOST];
    if (s->hiding) {
        check_random(seed, 2 + VIEWS, s->hiding, s->samples, hiding);
        CHECK_OK(onefold_dataset_add_dense(*data, NULL, hiding, s->hiding, s->hiding, 1));
    }
    CHECK_OK(onefold_dataset_set_truth(*data, truth, NULL));
}

static double fit_shape(const shape *s, const onefold_dataset *data, onefold_effort effort)
{
    onefold_result *result = NULL;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    static int32_t again[MOST];
    options.clusters = s->clusters;
    options.effort = effort;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const int32_t *labels = onefold_result_describe(result)->labels;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, labels, data->set.truth, s->samples));
    prediction.labels = again; /* a model gives the samples of the fit their labels */
    CHECK_OK(onefold_predict(&prediction, NULL, onefold_result_describe(result)->model, data, 0,
                             s->samples));
    assert_memory_equal(again, labels, s->samples * sizeof *again);
    onefold_result_free(result);
    return scores.nmi_max;
}

static const shape SHAPES[] = {
    {"two moons", 400, 2, 0.95, moon, NULL, 0.05, 0},
    {"noisy moons", 1000, 2, 0.85, moon, NULL, 0.1, 0},
    {"two rings", 400, 2, 0.98, ring, NULL, 0.1, 0},
    {"three rings", 900, 3, 0.98, ring, NULL, 0.1, 0},
    {"three blobs", 300, 3, 0.97, blob, NULL, 0.3, 0},
    {"ten blobs", 1000, 10, 0.90, blob, NULL, 0.5, 0},
    {"unequal spread", 600, 3, 0.85, varied, NULL, 0.2, 0},
    {"unequal sizes", 580, 4, 0.90, blob, UNEQUAL, 0.3, 0},
    {"three rings beside noise", 900, 3, 0.98, ring, NULL, 0.07, 30},
    {"three rings beside few columns of noise", 900, 3, 0.98, ring, NULL, 0.07, 2},
};

static void what_everyone_tries_first_is_found(void **state)
{
    (void)state;
    size_t below = 0;
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        for (uint64_t seed = 1; seed <= (SHAPES[i].hiding ? 1 : 2); seed++) {
            const shape *s = &SHAPES[i];
            onefold_dataset *data = NULL;
            make_shape(s, seed, &data);
            double nmi = fit_shape(s, data, ONEFOLD_EFFORT_NORMAL);
            print_message("%s, seed %d: NMI %.3f\n", s->name, (int)seed, nmi);
            below += nmi < s->least;
            onefold_dataset_free(data);
        }
    assert_int_equal(below, 0);
}

/* A view of noise with two far islands of 8 samples also has three pieces, but the clusters are in
 * the other view. With islands of 60 either could be right. */
static void islands_of_outliers_are_no_clusters(void **state)
{
    (void)state;
    enum { N = 600, NOISE = 5, COLUMNS = 20, MU = 3, ISLAND = 8 };
    static double noise[NOISE * N], view[COLUMNS * N];
    double centre[COLUMNS * MU];
    static int32_t truth[N];
    for (uint64_t seed = 1; seed <= 2; seed++) {
        onefold_dataset *data = NULL;
        onefold_result *result = NULL;
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        check_random(seed, 1, NOISE, N, noise);
        check_random(seed, 2, COLUMNS, N, view);
        check_random(seed, 3, COLUMNS, MU, centre);
        for (size_t j = 0; j < N; j++) {
            truth[j] = (int32_t)(j % MU);
            for (size_t r = 0; r < NOISE; r++)
                noise[r + j * NOISE] += j < ISLAND ? 40 : j < 2 * ISLAND ? -40 : 0;
            for (size_t r = 0; r < COLUMNS; r++)
                view[r + j * COLUMNS] += 1.5 * centre[r + (size_t)truth[j] * COLUMNS];
        }
        CHECK_OK(onefold_dataset_create(&data, NULL, N));
        CHECK_OK(onefold_dataset_add_dense(data, NULL, noise, NOISE, NOISE, 1));
        CHECK_OK(onefold_dataset_add_dense(data, NULL, view, COLUMNS, COLUMNS, 1));
        options.clusters = MU;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, onefold_result_describe(result)->labels,
                               truth, N));
        print_message("islands, seed %d: NMI %.3f\n", (int)seed, scores.nmi_max);
        assert_true(scores.nmi_max > 0.95);
        onefold_result_free(result);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_of_outliers_are_no_clusters),
        cmocka_unit_test(what_everyone_tries_first_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
