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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_of_the_sample_are_those_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
