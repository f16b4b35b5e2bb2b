/* SPDX-License-Identifier: Apache-2.0 */
/* A whole point of the curve, stability and its chance level, against a slow restatement of
 * docs/choose.md: from the data to the figures. */
#include "model/choose.h"

#include "base/random.h"
#include "oracle/choose.h"
#include "oracle/literal_kernel.h"
#include "oracle/plain.h"
#include "oracle/plain_eigen.h"
#include "support/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 84, VIEWS = 2, COLUMNS = 10, MOST = 4, DIMS = 2 * MOST, ROWS = VIEWS * DIMS, BACK = 5 };

/* Two views of four clusters that overlap: stability is neither 0 nor 1. */
static void make_values(uint64_t seed, double *values)
{
    for (size_t v = 0; v < VIEWS; v++) {
        double *x = values + v * N * COLUMNS;
        check_random(seed, v, COLUMNS, N, x);
        for (size_t j = 0; j < N; j++) {
            x[j * COLUMNS + j % 4] += 3.5;
            x[j * COLUMNS + 4 + j % 4 / 2] += 1;
        }
    }
}

static onefold_dataset *dataset_of(const double *values)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < VIEWS; v++)
        CHECK_OK(
            onefold_dataset_add_dense(data, NULL, values + v * N * COLUMNS, COLUMNS, COLUMNS, 1));
    return data;
}

/* Base partitions as docs/method.md section 6 writes them: eigenvectors of the finished kernel. */
static void make_partitions(const double *values, double *X)
{
    double *kernel = plain_new(N, N), *value = plain_new(DIMS, 1), *vector = plain_new(N, DIMS);
    for (size_t v = 0; v < VIEWS; v++) {
        literal_rbf(N, COLUMNS, values + v * N * COLUMNS, kernel);
        literal_finish(N, 0, kernel);
        plain_eigen_top(N, DIMS, kernel, value, vector);
        for (size_t r = 0; r < DIMS; r++) {
            size_t at = 0;
            for (size_t j = 0; j < N; j++)
                at = fabs(vector[j + r * N]) > fabs(vector[at + r * N]) ? j : at;
            for (size_t j = 0; j < N; j++)
                X[v * DIMS + r + j * ROWS] =
                    vector[at + r * N] > 0 ? vector[j + r * N] : -vector[j + r * N];
        }
    }
    free(kernel);
    free(value);
    free(vector);
}

static choose_literal literal_of(size_t clusters, uint64_t seed)
{
    return (choose_literal){.views = VIEWS,
                            .dims = DIMS,
                            .seed = seed,
                            .clusters = clusters,
                            .restarts = 2,
                            .subsamples = BACK,
                            .max_iterations = 100,
                            .share = 0.6,
                            .tolerance = 1e-6};
}

static void options_of(uint64_t seed, onefold_fit_options *fit, onefold_choose_options *choose)
{
    *fit = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    *choose = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    fit->seed = seed;
    fit->kernel = "rbf";
    fit->restarts = 2;
    choose->most = MOST;
    choose->subsamples = BACK;
    choose->share = 0.6;
}

static void check_data_point(const onefold_choose_point *got, const choose_literal_point *want)
{
    CHECK_CLOSE(got->stability, want->stability, 0, 1e-12);
    CHECK_CLOSE(got->deviation, want->deviation, 0, 1e-12);
    CHECK_CLOSE(got->weakest, want->weakest, 0, 1e-12);
    CHECK_CLOSE(got->objective, want->objective, 1e-7, 0);
    assert_int_equal(got->clusters_used, want->clusters_used);
}

/* ---- from data to stability --------------------------------------------------------------- */

static void the_curve_is_that_of_a_slow_restatement(void **state)
{
    (void)state;
    static double values[VIEWS * N * COLUMNS], X[ROWS * N];
    int between = 0;
    for (uint64_t seed = 0; seed < 2; seed++) {
        onefold_fit_options fit;
        onefold_choose_options choose;
        onefold_choice *choice = NULL;
        make_values(seed, values);
        make_partitions(values, X);
        onefold_dataset *data = dataset_of(values);
        options_of(seed, &fit, &choose);
        CHECK_OK(onefold_choose(&choice, NULL, data, &fit, &choose));
        const onefold_choose_info *info = onefold_choice_describe(choice);
        assert_int_equal(info->points, MOST - 1);
        for (size_t c = 0; c < info->points; c++) {
            choose_literal literal = literal_of(2 + c, seed);
            choose_literal_point want = choose_literal_data(&literal, N, X);
            onefold_choose_point point = ask_point(choice, c);
            check_data_point(&point, &want);
            between += want.stability > 0.05 && want.stability < 0.95;
        }
        onefold_choice_free(choice);
        onefold_dataset_free(data);
    }
    assert_true(between >= 2); /* the cases are not all plain to see */
}

/* ---- the level of chance ------------------------------------------------------------------ */

/* Normal samples with the second moments of X: V sqrt(values / count) times independent normal
 * numbers. Eigenvectors have no sign of their own: each is turned to fit. */
static void check_without_clusters(const of_choose_pool *pool, const double *X, uint64_t seed)
{
    size_t count = pool->X.samples;
    double *flipped = plain_flip(ROWS, N, X), *M = plain_times(ROWS, N, ROWS, X, flipped);
    double *value = plain_new(ROWS, 1), *V = plain_new(ROWS, ROWS), *Z = plain_new(ROWS, count);
    plain_eigen_top(ROWS, ROWS, M, value, V);
    for (size_t j = 0; j < count; j++) {
        of_random random = of_random_make(seed, OF_PURPOSE_SUBSAMPLE, (2ull << 32) + j);
        for (size_t r = 0; r < ROWS; r++)
            Z[r + j * ROWS] = of_random_normal(&random) * sqrt(value[r] / (double)count);
    }
    for (size_t r = 0; r < ROWS; r++) { /* row r of V' times the pool is row r of Z, or minus it */
        double sign = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t j = 0; j < count; j++) {
                double along = 0;
                for (size_t i = 0; i < ROWS; i++)
                    along += V[i + r * ROWS] * ((const double *)pool->X.data)[i + j * pool->X.ld];
                if (pass == 0)
                    sign += along * Z[r + j * ROWS];
                else
                    CHECK_CLOSE(sign > 0 ? along : -along, Z[r + j * ROWS], 0, 1e-10);
            }
    }
    free(flipped);
    free(M);
    free(value);
    free(V);
    free(Z);
}

static void check_draws(const of_choose_pool *pool, uint64_t seed, uint64_t stream)
{
    uint32_t members[N];
    for (size_t b = 0; b < pool->subsamples; b++) {
        choose_literal_draw(seed, stream + b, pool->X.samples, pool->size, members);
        assert_memory_equal(members, pool->members + b * pool->size, pool->size * sizeof *members);
    }
}

static void chance_is_that_of_a_slow_restatement(void **state)
{
    (void)state;
    static double values[VIEWS * N * COLUMNS], X[ROWS * N];
    const uint64_t seed = 3;
    double least = 1;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_choose_work work = {
        .context = scratch.context, .views = VIEWS, .blocks = VIEWS, .dims = DIMS};
    make_values(seed, values);
    make_partitions(values, X);
    options_of(seed, &work.fit, &work.options);
    work.fit.clusters = MOST;
    of_stack stack = of_stack_double(X, ROWS, N, ROWS);
    CHECK_OK(of_choose_pools(&work, &scratch, &stack));
    assert_int_equal(work.data.X.samples, N);
    assert_int_equal(work.data.subsamples, BACK);
    assert_int_equal(work.chance.subsamples, 6);
    check_draws(&work.data, seed, 0);
    check_draws(&work.chance, seed, 1ull << 32);
    check_without_clusters(&work.chance, X, seed);
    for (size_t c = 2; c <= MOST; c++) {
        choose_literal literal = literal_of(c, seed);
        onefold_choose_point got;
        CHECK_OK(of_choose_point(&work, c, &got));
        choose_literal_point want = choose_literal_data(&literal, N, X),
                             none = choose_literal_chance(&literal, N, X, work.chance.X.samples,
                                                          work.chance.X.data);
        check_data_point(&got, &want);
        CHECK_CLOSE(got.chance, none.stability, 0, 1e-12);
        CHECK_CLOSE(got.weakest_chance, none.weakest, 0, 1e-12);
        least = fmin(least, none.stability);
    }
    /* samples without clusters have none to find, though halving them may come out alike */
    assert_true(least < 0.5);
}

/* Of many samples an even choice of them is the pool, the first among them, of unit rows again. */
static void many_samples_are_thinned_evenly(void **state)
{
    (void)state;
    enum { MANY = 20000, FEW = 3 };
    OF_SCRATCH(scratch, NULL);
    double *X = plain_new(FEW, MANY);
    size_t count = of_choose_pool_samples(MANY), last = 0;
    check_random(9, 0, FEW, MANY, X);
    of_stack stack = of_stack_double(X, FEW, MANY, FEW);
    of_choose_work work = {.context = scratch.context,
                           .options = {.subsamples = 2, .share = 0.5},
                           .views = 1,
                           .dims = FEW,
                           .blocks = 1};
    CHECK_OK(of_choose_pools(&work, &scratch, &stack));
    assert_int_equal(work.data.X.samples, count);
    assert_true(count < MANY);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)((unsigned long long)MANY * i / count), ld;
        double room[FEW];
        const double *got = of_stack_tile(&work.data.X, i, 1, room, &ld);
        assert_true(i == 0 ? at == 0 : at > last);
        for (size_t r = 0; r < FEW; r++)
            CHECK_CLOSE(got[r], X[at * FEW + r] * sqrt((double)MANY / (double)count), 1e-14, 0);
        last = at;
    }
    assert_true(MANY - last <= 3);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_samples_are_thinned_evenly),
        cmocka_unit_test(the_curve_is_that_of_a_slow_restatement),
        cmocka_unit_test(chance_is_that_of_a_slow_restatement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
