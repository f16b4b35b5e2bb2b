/* SPDX-License-Identifier: Apache-2.0 */
/* The even sample: its features are those of all samples, row by row, dense, sparse and with
 * missing views; and tables whose columns are shuffled. */
#include "data/dataset.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"
#include "model/fit.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 33000, D = 6 };

/* Three views of D columns. */
static onefold_dataset *made(size_t samples, double density, double missing)
{
    static const size_t columns[] = {D, D, D};
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    synth.samples = samples;
    synth.clusters = 3;
    synth.columns = columns;
    synth.density = density;
    synth.missing = missing;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    return data;
}

static void plan_of(of_arena *arena, const onefold_dataset *data, onefold_fit_options *options,
                    of_fit_plan *plan)
{
    options->clusters = 3;
    options->method = "onefold";
    CHECK_OK(of_fit_plan_make(arena->context, arena, &data->set, options, plan));
}

/* Numbers of a view's own samples, in all samples' numbers. */
static size_t list_present(const of_dataset *dataset, size_t view, size_t *sample)
{
    size_t count = 0;
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, view))
            sample[count++] = j;
    return count;
}

static void check_view(const of_problem *all, const of_problem *some, size_t view)
{
    size_t n = all->dataset->samples, count = some->dataset->samples, of_all = 0, of_some = 0,
           *sample = malloc(n * sizeof *sample), own = list_present(all->dataset, view, sample);
    double x[D], y[D];
    for (size_t i = 0; i < count; i++) {
        size_t j = of_part_start(n, count, i);
        assert_int_equal(of_present_at(some->dataset, i, view),
                         of_present_at(all->dataset, j, view));
        if (!of_present_at(all->dataset, j, view))
            continue;
        while (sample[of_all] < j)
            of_all++;
        assert_true(of_all < own && sample[of_all] == j);
        of_kernel_tile(&all->kernels[view], of_all, 1, x);
        of_kernel_tile(&some->kernels[view], of_some++, 1, y);
        assert_memory_equal(x, y, of_kernel_columns(&all->kernels[view]) * sizeof *x);
    }
    assert_int_equal(some->kernels[view].view->samples, of_some);
    free(sample);
}

static void features_of_the_sample_are_those_of_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        OF_SCRATCH(arena, NULL);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_dataset *data = made(MANY, kind == 1 ? 0.25 : 1, kind == 2 ? 0.3 : 0);
        of_fit_plan plan;
        of_sample sample;
        plan_of(&arena, data, &options, &plan);
        assert_true(of_sample_suits(&plan.problem));
        CHECK_OK(
            of_sample_make(arena.context, &arena, &plan.problem, of_cs_sample_size(MANY), &sample));
        assert_int_equal(sample.problem.dataset->samples, of_cs_sample_size(MANY));
        assert_true((plan.kernels[0].features.start != NULL) == (kind == 1));
        for (size_t i = 0; i < data->set.view_count; i++)
            check_view(&plan.problem, &sample.problem, i);
        onefold_dataset_free(data);
    }
}

/* Every column keeps its values, in another order; a sample without an entry stays without. */
static void shuffled_columns_keep_their_values(void **state)
{
    (void)state;
    enum { FEW = 200 };
    for (int sparse = 0; sparse < 2; sparse++) {
        OF_SCRATCH(arena, NULL);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_dataset *data = made(FEW, sparse ? 0.25 : 1, 0);
        of_fit_plan plan;
        of_sample shuffled;
        plan_of(&arena, data, &options, &plan);
        CHECK_OK(of_sample_null(arena.context, &arena, &plan.problem, OF_NULL_SHUFFLED, &shuffled));
        const of_kernel *was = &plan.problem.kernels[0], *is = &shuffled.problem.kernels[0];
        size_t moved = 0, d = of_kernel_columns(was);
        double sum[2][D] = {{0}}, x[D], y[D];
        assert_int_equal(is->view->samples, FEW);
        for (size_t j = 0; j < FEW; j++) {
            of_kernel_tile(was, j, 1, x);
            of_kernel_tile(is, j, 1, y);
            moved += memcmp(x, y, d * sizeof *x) != 0;
            for (size_t r = 0; r < d; r++) {
                sum[0][r] += sparse ? x[r] != 0 : pow(x[r], 3);
                sum[1][r] += sparse ? y[r] != 0 : pow(y[r], 3);
            }
            if (sparse && was->features.start[j] == was->features.start[j + 1])
                assert_true(is->features.start[j] == is->features.start[j + 1]);
        }
        assert_true(moved > FEW / 2);
        for (size_t r = 0; r < d; r++)
            CHECK_CLOSE(sum[0][r], sum[1][r], 1e-9, 1e-9);
        onefold_dataset_free(data);
    }
}

/* Mixed samples have the means and covariances of the data, within views and between them, and no
 * clusters: two far apart make moments of order four that a normal distribution does not have. */
static void mixed_samples_keep_covariances_alone(void **state)
{
    (void)state;
    enum { N = 8000, TWO = 2 };
    OF_SCRATCH(arena, NULL);
    static double x[N * TWO], noise[N * TWO];
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    of_sample mixed;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (uint64_t v = 0; v < 2; v++) { /* the first column has the clusters, in both views */
        check_random(5, v, TWO, N, noise);
        for (size_t j = 0; j < N; j++) {
            x[j * TWO] = (j % 2 ? 5 : -5) + noise[j * TWO];
            x[j * TWO + 1] = noise[j * TWO] + noise[j * TWO + 1];
        }
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, TWO, TWO, 1));
    }
    plan_of(&arena, data, &options, &plan);
    CHECK_OK(of_sample_null(arena.context, &arena, &plan.problem, OF_NULL_MIXED, &mixed));
    double moment[2][4][4] = {{{0}}}, mean[2][4] = {{0}}, fourth[2] = {0};
    for (int is = 0; is < 2; is++) {
        const of_problem *problem = is ? &mixed.problem : &plan.problem;
        for (size_t j = 0; j < N; j++) {
            double at[4];
            of_kernel_tile(&problem->kernels[0], j, 1, at);
            of_kernel_tile(&problem->kernels[1], j, 1, at + 2);
            for (size_t r = 0; r < 4; r++) {
                mean[is][r] += at[r] / N;
                for (size_t c = 0; c < 4; c++)
                    moment[is][r][c] += at[r] * at[c] / N;
            }
            fourth[is] += pow(at[0], 4) / N;
        }
    }
    for (size_t r = 0; r < 4; r++) {
        CHECK_CLOSE(mean[1][r], mean[0][r], 0, 0.06);
        for (size_t c = 0; c < 4; c++)
            CHECK_CLOSE(moment[1][r][c], moment[0][r][c], 0, 0.08);
    }
    assert_true(moment[0][0][2] > 0.9); /* views have a large covariance */
    assert_true(fourth[0] < 1.3 && fourth[1] > 2.7 && fourth[1] < 3.7); /* normal: 3 */
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_of_the_sample_are_those_of_all),
        cmocka_unit_test(shuffled_columns_keep_their_values),
        cmocka_unit_test(mixed_samples_keep_covariances_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
