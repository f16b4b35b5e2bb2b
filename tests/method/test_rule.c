/* SPDX-License-Identifier: Apache-2.0 */
/* The rule gives the samples of the fit their columns of the stack, for every labelling, every kind
 * of view and missing views; its terms add up to the column; distances are as defined. */
#include "data/dataset.h"
#include "method/onefold_pool.h"
#include "method/rule.h"
#include "model/fit.h"
#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 160, BLOCK = 32, MOST_ROWS = 400, MOST_SOURCES = 32 };

/* The sources of a block of samples. Fitted samples have rows of A + A' + I, which do not follow
 * from rows of A alone. */
static void project(of_arena *arena, const of_problem *problem, const of_rule *rule, size_t first,
                    size_t count, of_rule_block *block)
{
    const of_dataset *dataset = problem->dataset;
    for (size_t s = 0; s < rule->sources; s++) {
        size_t view = rule->source[s].view;
        of_projection p = *rule->source[s].projection;
        of_fresh fresh = {.view = &dataset->views[view],
                          .present = dataset->present ? dataset->present + view : NULL,
                          .step = dataset->view_count};
        if (problem->kernels[view].kind == OF_KERNEL_GRAPH)
            fresh.ready = &problem->kernels[view].features;
        double *room;
        CHECK_OK(OF_NEW(arena, &room, of_projection_room(&p, fresh.view, count), 1));
        CHECK_OK(of_projection_apply(&p, &fresh, first, count, room,
                                     block->h + rule->source[s].first, rule->rows,
                                     block->kept + s * block->width));
        of_arena_release(arena, room);
    }
}

static void check_sample(const of_problem *problem, const of_rule *rule, const of_rule_block *block,
                         size_t at, const double *want, double near)
{
    double x[MOST_ROWS], term[MOST_ROWS], sum[MOST_ROWS];
    size_t n = problem->dataset->samples, k = rule->dims;
    of_rule_stack(rule, block, at, x);
    double length = 0, scaled = 0; /* the sample's own scale, which no label depends on */
    for (size_t b = 0; b < rule->parts; b++) {
        memset(sum, 0, sizeof sum);
        for (size_t t = 0; t < rule->part[b].terms; t++) {
            of_rule_term(rule, block, at, b, t, term);
            for (size_t r = 0; r < k; r++)
                sum[r] += term[r];
        }
        for (size_t r = 0; r < k; r++) {
            CHECK_CLOSE(sum[r], x[b * k + r], 1e-12, 1e-12);
            x[b * k + r] *= of_missing_scale_view(rule->part[b].known, n);
            length += x[b * k + r] * x[b * k + r];
            scaled += x[b * k + r] * want[b * k + r];
        }
    }
    for (size_t b = 0; b < rule->parts; b++)
        for (size_t r = 0; r < k; r++)
            CHECK_CLOSE(scaled / length * x[b * k + r], want[b * k + r], 0,
                        near * scaled / length / sqrt((double)n));
    if (!problem->dataset->present)
        assert_true(fabs(scaled / length - 1) < near);
    of_rule_stack(rule, block, at, x);
    double distance = of_rule_distance(rule, block, at, n, x);
    assert_true(distance >= 0 && distance <= 1);
}

static void check_labelling(const of_pool *pool, const of_labelling *one, double near)
{
    OF_SCRATCH(arena, NULL);
    size_t n = pool->n;
    static double h[MOST_ROWS * 4 * BLOCK], kept[MOST_SOURCES * BLOCK];
    of_rule rule;
    of_stack X;
    CHECK_OK(of_labelling_stack(&arena, pool, one, &X));
    CHECK_OK(of_labelling_rule(arena.context, &arena, pool, one, &rule));
    assert_true(rule.rows <= MOST_ROWS * 4 && rule.sources <= MOST_SOURCES);
    assert_true(rule.parts * rule.dims <= MOST_ROWS && rule.parts == one->parts);
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        of_rule_block block = {count, BLOCK, h, kept};
        project(&arena, pool->problem, &rule, first, count, &block);
        for (size_t j = 0; j < count; j++)
            check_sample(pool->problem, &rule, &block, j,
                         (const double *)X.data + (first + j) * X.rows, near);
    }
}

/* Fits of the joint graph, and of the joint kernel and both graphs. */
static void check_fits(of_arena *arena, const of_pool *pool, const double *weights, double near)
{
    of_joint joint[OF_JOINT_KINDS];
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        CHECK_OK(of_joint_make(arena->context, arena, &pool->views, kind, weights, pool->rows,
                               &joint[kind]));
    for (int all = 0; all < 2; all++) {
        of_labelling one = {.rows = pool->rows + 1, .weights = weights};
        for (unsigned kind = OF_JOINT_KERNEL; kind < OF_JOINT_KINDS; kind++)
            if (joint[kind].rank && (all || kind == OF_JOINT_GRAPH))
                one.part[one.parts++] = &joint[kind];
        CHECK_OK(of_labelling_fit(arena->context, arena, pool, &one));
        check_labelling(pool, &one, near);
    }
}

/* K-means of joined columns and of the joint kernel, from labels of all samples and of every
 * second one. */
static void check_kmeans(of_arena *arena, const of_pool *pool, const double *weights, double near)
{
    static int32_t labels[TRAIN];
    static size_t place[TRAIN];
    for (int half = 0; half < 2; half++)
        for (int unit = 0; unit < 2; unit++) {
            size_t known = half ? pool->n / 2 : pool->n;
            of_labelling one = {.weights = weights};
            for (size_t j = 0; j < known; j++) {
                place[j] = half ? 2 * j : j;
                labels[j] = (int32_t)(place[j] * pool->mu / pool->n);
            }
            CHECK_OK(of_labelling_kmeans(arena->context, arena, pool, pool->problem->kernels,
                                         unit ? OF_JOINT_KERNEL : OF_JOINT_COLUMNS, weights, known,
                                         place, labels, &one));
            assert_true(one.parts == 1 && one.rows <= pool->mu);
            check_labelling(pool, &one, near);
        }
}

/* Every labelling, with equal and with unequal weights. */
static void check_fit(const onefold_dataset *data, const char *kernel, size_t clusters, double near)
{
    for (int alike = 0; alike < 2; alike++) {
        OF_SCRATCH(arena, NULL);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        of_fit_plan plan;
        of_pool pool;
        size_t p = data->set.view_count;
        double weights[16], sum = 0;
        options.clusters = clusters;
        options.method = "onefold";
        options.kernel = kernel;
        options.keep_model = 1;
        for (size_t i = 0; i < p; i++)
            sum += weights[i] = alike ? 1 : (double)(i + 1);
        for (size_t i = 0; i < p; i++)
            weights[i] /= sum;
        CHECK_OK(of_fit_plan_make(arena.context, &arena, &data->set, &options, &plan));
        CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, (1 << OF_JOINT_KINDS) - 1, 0,
                              &pool));
        check_fits(&arena, &pool, weights, near);
        check_kmeans(&arena, &pool, weights, near);
    }
}

static void views_of_every_kind(void **state)
{
    (void)state;
    onefold_dataset *data = mixed(TRAIN, 0, TRAIN);
    check_fit(data, "auto", MIXED_CLUSTERS, 1e-3);
    check_fit(data, "rbf,rbf,graph,auto", MIXED_CLUSTERS + 2, 1e-3);
    onefold_dataset_free(data);
}

static void samples_that_lack_views(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_dataset *data;
        synth.samples = TRAIN;
        synth.clusters = 3;
        synth.missing = 0.25;
        synth.density = sparse ? 0.2 : 1;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
        check_fit(data, "auto", 3, 1e-3);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_every_kind),
        cmocka_unit_test(samples_that_lack_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
