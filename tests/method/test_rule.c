/* SPDX-License-Identifier: Apache-2.0 */
/* What labels new samples gives the samples of the fit their columns of the stack again, for every
 * candidate that may be chosen, of views of every kind and where samples lack some; its terms make
 * up the whole, and each view's part in a label that the fit knows; distances are what they say. */
#include "data/dataset.h"
#include "data/present.h"
#include "method/missing_scale.h"
#include "method/onefold_parts.h"
#include "model/fit.h"
#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 160, BLOCK = 32, MOST_ROWS = 400, MOST_SOURCES = 32 };

/* The sources of a block of samples. The links of those that were fitted are rows of A + A' + I,
 * which a row of A alone cannot tell. */
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
        p.joined = 1;
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
    double distance = of_rule_distance(rule, block, at, n);
    assert_true(distance >= 0 && distance <= 1);
}

/* Each view's part in the score of cluster y, term by term. */
static void parts_of_sample(const of_candidate *candidate, const of_rule *rule,
                            const of_rule_block *block, size_t at, size_t n, size_t y,
                            double *parts)
{
    double x[MOST_ROWS];
    size_t k = rule->dims;
    for (size_t b = 0; b < rule->parts; b++)
        for (size_t t = 0; t < rule->part[b].terms; t++) {
            size_t view = rule->source[rule->part[b].source[t]].view;
            of_rule_term(rule, block, at, b, t, x);
            for (size_t q = 0; q < k; q++)
                for (size_t r = 0; r < k; r++)
                    parts[view] += candidate->result.C[q + y * k] * candidate->result.beta[b] *
                                   candidate->result.W[q + (b * k + r) * k] * x[r] *
                                   of_missing_scale_view(rule->part[b].known, n);
        }
}

static void check_candidate(const of_pool *pool, const of_candidate *candidate, double near)
{
    OF_SCRATCH(arena, NULL);
    size_t n = pool->problem->dataset->samples;
    static double h[MOST_ROWS * 4 * BLOCK], kept[MOST_SOURCES * BLOCK];
    of_rule rule;
    of_stack X;
    CHECK_OK(of_candidate_stack(&arena, pool, candidate, pool->problem->dataset->samples, &X));
    CHECK_OK(of_candidate_rule(arena.context, &arena, pool, candidate, &rule));
    size_t p = pool->problem->dataset->view_count;
    double *parts, largest = 0;
    CHECK_OK(OF_NEW(&arena, &parts, p, n));
    CHECK_OK(of_candidate_view_parts(arena.context, pool, candidate, parts));
    for (size_t e = 0; e < p * n; e++)
        largest = fmax(largest, fabs(parts[e]));
    assert_true(largest > 0);
    assert_true(rule.rows <= MOST_ROWS * 4 && rule.sources <= MOST_SOURCES);
    assert_true(rule.parts * rule.dims <= MOST_ROWS && rule.parts == candidate->parts);
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        of_rule_block block = {count, BLOCK, h, kept};
        project(&arena, pool->problem, &rule, first, count, &block);
        for (size_t j = 0; j < count; j++) {
            double slow[MOST_SOURCES] = {0};
            check_sample(pool->problem, &rule, &block, j,
                         (const double *)X.data + (first + j) * X.ld, near);
            parts_of_sample(candidate, &rule, &block, j, n,
                            (size_t)candidate->result.labels[first + j], slow);
            for (size_t i = 0; i < p; i++)
                CHECK_CLOSE(parts[(first + j) * p + i], slow[i], 0, near * largest);
        }
    }
}

/* Sample j of a partition, of unit length. */
static void unit_sample(const of_pool *pool, const of_pool_part *part, size_t j, double *x)
{
    double square = 0;
    for (size_t r = 0; r < part->rank; r++)
        square += part->H[j * pool->rows + r] * part->H[j * pool->rows + r];
    for (size_t r = 0; r < part->rank; r++)
        x[r] = part->H[j * pool->rows + r] / sqrt(square);
}

/* What a view says that the candidate has no partition of: for each sample the cluster whose mean
 * is nearest in the view's first one. Returns of how many samples it is not the fused label. */
static size_t check_nearest(const of_pool *pool, const of_pool_part *part, size_t mu,
                            const int32_t *labels, const int32_t *own)
{
    const of_dataset *dataset = pool->problem->dataset;
    size_t others = 0;
    double x[MOST_ROWS], *mean = calloc(mu * part->rank, sizeof *mean),
                         *size = calloc(mu, sizeof *size);
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, part->view)) {
            unit_sample(pool, part, j, x);
            size[labels[j]]++;
            for (size_t r = 0; r < part->rank; r++)
                mean[(size_t)labels[j] * part->rank + r] += x[r];
        }
    for (size_t j = 0; j < dataset->samples; j++) {
        double nearest = INFINITY, to_own = INFINITY;
        if (!of_present_at(dataset, j, part->view)) {
            assert_int_equal(own[j], -1);
            continue;
        }
        unit_sample(pool, part, j, x);
        for (size_t c = 0; c < mu; c++) {
            double square = 0;
            for (size_t r = 0; r < part->rank; r++)
                square += pow(x[r] - mean[c * part->rank + r] / size[c], 2);
            if (size[c] > 0 && square < nearest)
                nearest = square;
            if (own[j] == (int32_t)c)
                to_own = square;
        }
        assert_true(to_own <= nearest + 1e-9);
        others += own[j] != labels[j];
    }
    free(mean);
    free(size);
    return others;
}

/* Views that the candidate fuses only with the others say what is nearest to them. */
static size_t check_own_labels(const of_pool *pool, const of_candidate *candidate)
{
    OF_SCRATCH(arena, NULL);
    of_outcome outcome = {.arena = of_arena_make(arena.context)};
    size_t n = pool->problem->dataset->samples, others = 0;
    CHECK_OK(of_candidate_explain(arena.context, pool, candidate, &outcome));
    assert_non_null(outcome.own_labels);
    for (size_t i = 0; i < pool->problem->dataset->view_count; i++) {
        size_t fused = 0;
        for (size_t b = 0; b < candidate->parts; b++)
            fused += pool->part[candidate->part[b]].view == i;
        if (!fused)
            others += check_nearest(pool, of_pool_find(pool, i, OF_POOL_KINDS),
                                    pool->problem->options->clusters, candidate->result.labels,
                                    outcome.own_labels + i * n);
    }
    of_arena_free(&outcome.arena);
    return others;
}

/* Every candidate that keeps its result. */
static void check_fit(const onefold_dataset *data, const char *kernel, onefold_base base,
                      size_t clusters, double near, size_t eligible)
{
    OF_SCRATCH(arena, NULL);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    of_fit_plan plan;
    of_pool pool;
    of_contest contest;
    size_t checked = 0, others = 0;
    options.clusters = clusters;
    options.method = "onefold";
    options.kernel = kernel;
    options.base = base;
    options.landmarks = base == ONEFOLD_BASE_NYSTROM ? 40 : 0;
    options.keep_model = 1;
    CHECK_OK(of_fit_plan_make(arena.context, &arena, &data->set, &options, &plan));
    CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, OF_SET_OPEN, &pool));
    CHECK_OK(of_contest_run(arena.context, &arena, &arena, &pool, &contest));
    for (size_t i = 0; i < contest.count; i++)
        if (contest.candidate[i].eligible) {
            print_message("  %s, %s: %s\n", kernel, base == ONEFOLD_BASE_NYSTROM ? "nystrom" : "",
                          contest.candidate[i].name);
            check_candidate(&pool, &contest.candidate[i], near);
            others += check_own_labels(&pool, &contest.candidate[i]);
            checked++;
        }
    assert_int_equal(checked, eligible);
    print_message("  %zu labels of views by themselves are not the fused ones\n", others);
}

static void views_of_every_kind(void **state)
{
    (void)state;
    onefold_dataset *data = mixed(TRAIN, 0, TRAIN), *given = mixed_some(TRAIN, 0, TRAIN, 8);
    check_fit(data, "auto", ONEFOLD_BASE_EXACT, MIXED_CLUSTERS, 1e-5, 1); /* the gap is clear */
    check_fit(data, "auto", ONEFOLD_BASE_EXACT, MIXED_CLUSTERS + 2, 1e-5, 3);
    check_fit(data, "rbf,rbf,graph,auto", ONEFOLD_BASE_NYSTROM, MIXED_CLUSTERS + 2, 1e-3, 3);
    check_fit(given, "auto", ONEFOLD_BASE_AUTO, MIXED_CLUSTERS, 1e-5, 1);
    onefold_dataset_free(data);
    onefold_dataset_free(given);
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
        check_fit(data, "auto", ONEFOLD_BASE_EXACT, 3, 1e-5, 1);
        check_fit(data, "auto", ONEFOLD_BASE_EXACT, 4, 1e-5, 3);
        check_fit(data, sparse ? "auto" : "rbf", ONEFOLD_BASE_NYSTROM, 3, 1e-3, 1);
        check_fit(data, sparse ? "auto" : "rbf", ONEFOLD_BASE_NYSTROM, 4, 1e-3, 3);
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
