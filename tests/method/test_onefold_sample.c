/* SPDX-License-Identifier: Apache-2.0 */
/* The sample that candidates compete on: its features are those of all samples, row by row, dense,
 * sparse and where samples lack views; and the partitions made for one kind of candidate are those
 * that it fuses, to the bit. */
#include "data/present.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs.h"
#include "model/fit.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 33000, D = 6 };

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
        size_t j = of_cs_sample_at(n, count, i);
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
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_dataset *data;
        const size_t columns[] = {D, D, D};
        of_fit_plan plan;
        of_sample sample;
        synth.samples = MANY;
        synth.clusters = 3;
        synth.columns = columns;
        synth.density = kind == 1 ? 0.25 : 1;
        synth.missing = kind == 2 ? 0.3 : 0;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
        plan_of(&arena, data, &options, &plan);
        assert_true(of_sample_suits(&plan.problem));
        CHECK_OK(of_sample_make(arena.context, &arena, &plan.problem, &sample));
        assert_int_equal(sample.problem.dataset->samples, of_cs_sample_size(MANY));
        assert_true((plan.kernels[0].features.start != NULL) == (kind == 1));
        for (size_t i = 0; i < data->set.view_count; i++)
            check_view(&plan.problem, &sample.problem, i);
        onefold_dataset_free(data);
    }
}

static const of_pool_part *find(const of_pool *pool, const of_pool_part *like)
{
    for (size_t b = 0; b < pool->count; b++)
        if (pool->part[b].view == like->view && pool->part[b].kind == like->kind)
            return &pool->part[b];
    return NULL;
}

static void a_set_has_the_partitions_it_fuses(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    of_pool all;
    synth.samples = 150;
    synth.clusters = 3;
    synth.balance = 0.05; /* else the joint kernel shows the clusters, and there is no more */
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    plan_of(&arena, data, &options, &plan);
    CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, OF_SET_ALL, &all));
    for (of_candidate_set set = OF_SET_ALL; set <= OF_SET_KERNELS; set++) {
        of_pool some;
        size_t fused = 0;
        CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, set, &some));
        for (size_t b = 0; b < all.count; b++) {
            const of_pool_part *part = &all.part[b], *own = find(&some, part);
            int fuses = of_candidate_fuses(set, part->kind, part->view == OF_POOL_JOINT);
            assert_true(!fuses || own);
            fused += fuses != 0;
            if (own)
                assert_memory_equal(own->H, part->H, all.rows * 150 * sizeof *part->H);
        }
        /* joint ones are made of all views' own, and the joint kernel has them beside it */
        size_t want = set == OF_SET_JOINT ? all.count : fused;
        if (set == OF_SET_CLEAR)
            want += plan.problem.dataset->view_count;
        assert_true(fused > 0 && some.count == want);
    }
    onefold_dataset_free(data);
}

/* What a contest has settled on a sample stays, whatever the spectrum of all samples shows. */
static void a_settled_set_keeps_its_graphs(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    of_pool open, all;
    synth.samples = 150;
    synth.clusters = 3;
    synth.separation = 8;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    plan_of(&arena, data, &options, &plan);
    CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, OF_SET_OPEN, &open));
    CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, OF_SET_ALL, &all));
    assert_true(of_pool_is_clear(&open) && !of_pool_is_clear(&all));
    assert_int_equal(OF_POOL_KINDS * open.count, all.count);
    onefold_dataset_free(data);
}

/* A pool that is made for the graphs that fall apart has at least one, even where none does: the
 * contest on a sample has said so. */
static void a_settled_graph_is_there(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    of_pool pool;
    size_t apart = 0, best = 0;
    double cut[16];
    synth.samples = 150;
    synth.clusters = 3;
    synth.separation = 1;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    plan_of(&arena, data, &options, &plan);
    CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, OF_SET_APART, &pool));
    assert_int_equal(pool.count, plan.problem.dataset->view_count);
    for (size_t b = 0; b < pool.count; b++) {
        assert_int_equal(pool.part[b].kind, OF_POOL_KNN);
        cut[b] = of_graph_cut(pool.part[b].rank, pool.part[b].value, 3);
        assert_true(cut[b] < OF_CLEAR_CUT);
        best = cut[b] > cut[best] ? b : best;
        apart += pool.part[b].apart != 0;
    }
    of_candidate candidate = {.set = OF_SET_APART};
    CHECK_OK(of_candidate_take_parts(&arena, &pool, &candidate));
    assert_true(apart == 1 && candidate.parts == 1 && candidate.part[0] == best);
    onefold_dataset_free(data);
}

/* The estimate of each set's partitions is what making them holds, or somewhat more. */
static void a_set_holds_what_was_estimated(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    size_t least = 0, most = 0;
    synth.samples = 4000;
    synth.clusters = 3;
    options.landmarks = 150;
    options.base = ONEFOLD_BASE_NYSTROM; /* as of many samples; no joint kernel is formed */
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    plan_of(&arena, data, &options, &plan);
    assert_false(of_pool_is_formed(&plan.problem));
    for (of_candidate_set set = OF_SET_ALL; set <= OF_SET_APART; set++) {
        of_context *context;
        of_pool pool;
        of_candidate one = {.set = set, .constant = 1};
        of_stack X;
        size_t estimated;
        CHECK_OK(onefold_context_create(&context, NULL));
        of_arena held = of_arena_make(context);
        CHECK_OK(of_pool_make(context, &held, &plan.problem, set, &pool));
        CHECK_OK(of_candidate_take_parts(&held, &pool, &one));
        one.rows = of_candidate_most_rows(&plan.problem, one.parts);
        CHECK_OK(of_candidate_stack(&held, &pool, &one, synth.samples, &X));
        CHECK_OK(of_pool_cost(context, &plan.problem, set, &estimated));
        size_t peak = onefold_context_peak_bytes(context);
        print_message("set %d: %zu bytes held, %zu estimated\n", (int)set, peak, estimated);
        assert_true(peak <= estimated && estimated <= 4 * peak);
        of_arena_free(&held);
        onefold_context_free(context);
        least = set == OF_SET_CLEAR ? estimated : least;
        most = set == OF_SET_ALL ? estimated : most;
    }
    assert_true(least < most);
    onefold_dataset_free(data);
}

/* The choice stays where there is room for it, else goes to the next that agrees, else is refused.
 */
static void memory_has_a_say_in_the_choice(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *data;
    of_fit_plan plan;
    size_t all, graphs, joint;
    of_candidate candidate[] = {
        {.set = OF_SET_GRAPHS, .eligible = 1, .agreement = 0.7},
        {.set = OF_SET_ALL, .eligible = 1, .agreement = 0.9},
        {.set = OF_SET_CLEAR, .eligible = 0, .agreement = 0.95}, /* it only votes */
        {.set = OF_SET_JOINT, .eligible = 1, .agreement = 0.8},
    };
    synth.samples = 4000;
    synth.clusters = 3;
    options.base = ONEFOLD_BASE_NYSTROM;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    plan_of(&arena, data, &options, &plan);
    of_context *context = arena.context;
    CHECK_OK(of_candidate_set_bytes(context, &plan.problem, OF_SET_ALL, &all));
    CHECK_OK(of_candidate_set_bytes(context, &plan.problem, OF_SET_GRAPHS, &graphs));
    CHECK_OK(of_candidate_set_bytes(context, &plan.problem, OF_SET_JOINT, &joint));
    assert_true(graphs < joint && joint < all);
    const struct {
        size_t room, chosen;
    } cases[] = {{all, 1}, {all - 1, 3}, {joint, 3}, {joint - 1, 0}, {graphs, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        of_contest contest = {.candidate = candidate, .count = 4, .chosen = 1};
        CHECK_OK(of_contest_settle(context, &plan.problem, (double)cases[i].room, &contest));
        assert_int_equal(contest.chosen, cases[i].chosen);
        assert_int_equal(contest.yielded, cases[i].chosen != 1);
    }
    of_contest contest = {.candidate = candidate, .count = 4, .chosen = 1};
    assert_int_equal(of_contest_settle(context, &plan.problem, (double)graphs - 1, &contest),
                     ONEFOLD_NO_MEMORY);
    assert_non_null(strstr(onefold_last_error(), "would need"));
    assert_non_null(strstr(onefold_last_error(), "4000 samples"));
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_of_the_sample_are_those_of_all),
        cmocka_unit_test(a_set_has_the_partitions_it_fuses),
        cmocka_unit_test(a_settled_set_keeps_its_graphs),
        cmocka_unit_test(a_settled_graph_is_there),
        cmocka_unit_test(a_set_holds_what_was_estimated),
        cmocka_unit_test(memory_has_a_say_in_the_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
