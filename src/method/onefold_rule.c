/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What labels new samples with a candidate. A joint partition is linear in what the views have: its
 * rows over a view's kernel or graph stand below those of the view's own partition in one source,
 * as both take the same features, points or ties.
 */
#include "data/present.h"
#include "method/base_stage.h"
#include "method/onefold_parts.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* Sources of a view: its kernel, its graphs, and its kernel once more where the joint kernel needs
 * another form of it than its own partition. */
enum { ALONG = OF_POOL_KINDS, SOURCES, MOST_BLOCKS = 3 };

/* A source as it is put together: the partitions whose rows it has, below each other. */
typedef struct rule_plan {
    size_t view, kind, blocks, rows;
    const of_pool_part *part[MOST_BLOCKS];
    size_t row[MOST_BLOCKS];
} rule_plan;

typedef struct making {
    of_context *context;
    of_arena *arena;
    const of_pool *pool;
    const of_candidate *candidate;
    size_t count;
    rule_plan *plan; /* count */
} making;

/* ---- which sources there are ----------------------------------------------------------------- */

static size_t rank_of(const making *m, const of_pool_part *part)
{
    size_t most = m->candidate->rows - (m->candidate->constant != 0);
    return part->rank < most ? part->rank : most;
}

/* Adds the rows of a partition, if the candidate has it. */
static void add_block(const making *m, rule_plan *plan, size_t view, size_t kind)
{
    const of_pool_part *part = of_pool_find(m->pool, view, kind);
    for (size_t b = 0; part && b < m->candidate->parts; b++)
        if (&m->pool->part[m->candidate->part[b]] == part) {
            plan->part[plan->blocks] = part;
            plan->row[plan->blocks++] = plan->rows;
            plan->rows += rank_of(m, part);
        }
}

/* A view's kernel that was reached by landmarks, or enters the joint one as another. */
static int stands_alone(const of_pool *pool, size_t view)
{
    const of_kernel *kernel = &pool->problem->kernels[view];
    const of_pool_part *own = of_pool_find(pool, view, OF_POOL_KERNEL);
    return (own && own->projection) || (!pool->formed && kernel->kind == OF_KERNEL_RBF);
}

static void plan_source(const making *m, size_t view, size_t kind, rule_plan *plan)
{
    const of_kernel *kernel = &m->pool->problem->kernels[view];
    int joins = m->pool->formed || kernel->kind != OF_KERNEL_PRECOMPUTED;
    *plan = (rule_plan){.view = view, .kind = kind};
    if (kind == OF_POOL_KERNEL || kind == ALONG) {
        if (kind == OF_POOL_KERNEL)
            add_block(m, plan, view, OF_POOL_KERNEL);
        if (joins && stands_alone(m->pool, view) == (kind == ALONG))
            add_block(m, plan, OF_POOL_JOINT, OF_POOL_KERNEL);
        return;
    }
    const of_pool_part *own = of_pool_find(m->pool, view, kind);
    if (!own)
        return;
    add_block(m, plan, view, kind);
    add_block(m, plan, OF_POOL_JOINT, kind);
    if (kernel->kind == OF_KERNEL_GRAPH) /* its links serve for both kinds of joint graph */
        add_block(m, plan, OF_POOL_JOINT, OF_POOL_SUBSPACE);
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* 1 / sqrt(views of sample j that the joint kernel has). */
static double joint_scale(const of_pool *pool, size_t j)
{
    size_t has = of_pool_kernels_of(pool, j);
    return has ? 1 / sqrt((double)has) : 0;
}

/* The eigenvectors of all blocks over the samples that have the view, and their eigenvalues. */
static onefold_status gather_rows(const making *m, of_arena *scratch, const rule_plan *plan,
                                  double **H, double **value)
{
    const of_dataset *dataset = m->pool->problem->dataset;
    size_t n = of_present_count(dataset, plan->view), ld = m->pool->rows;
    OF_TRY(OF_NEW(scratch, H, plan->rows, n));
    OF_TRY(OF_NEW(scratch, value, plan->rows, 1));
    for (size_t b = 0; b < plan->blocks; b++) {
        const of_pool_part *part = plan->part[b];
        size_t rank = rank_of(m, part), at = 0;
        memcpy(*value + plan->row[b], part->value, rank * sizeof **value);
        for (size_t j = 0; j < dataset->samples; j++) {
            if (!of_present_at(dataset, j, plan->view))
                continue;
            double scale = part->view == OF_POOL_JOINT ? joint_scale(m->pool, j) : 1,
                   *h = *H + at++ * plan->rows + plan->row[b];
            for (size_t r = 0; r < rank; r++)
                h[r] = scale * part->H[j * ld + r];
        }
    }
    return ONEFOLD_OK;
}

static onefold_status kernel_source(making *m, const rule_plan *plan, of_projection *projection)
{
    OF_SCRATCH(scratch, m->context);
    const of_problem *problem = m->pool->problem;
    of_kernel kernel = problem->kernels[plan->view];
    double *sign, *H, *value;
    if (plan->part[0]->projection)
        return of_projection_copy(m->arena, plan->part[0]->projection, plan->rows, projection);
    kernel.graph = 0;
    if (plan->kind == ALONG && !m->pool->formed && kernel.kind == OF_KERNEL_RBF)
        kernel.kind = OF_KERNEL_LINEAR;
    OF_TRY(gather_rows(m, &scratch, plan, &H, &value));
    OF_TRY(OF_NEW(&scratch, &sign, plan->rows, 1));
    for (size_t r = 0; r < plan->rows; r++)
        sign[r] = 1;
    projection->precision = problem->options->precision;
    of_route_work work = {.kernel = &kernel,
                          .rows = plan->rows,
                          .rank = plan->rows,
                          .H = of_share_whole(H, plan->rows),
                          .value = value,
                          .projection = projection,
                          .arena = m->arena};
    OF_TRY(of_projection_exact(m->context, &work));
    return of_projection_finish(m->context, m->arena, &kernel, plan->part[0]->route, value, sign,
                                projection);
}

/* ---- graphs -----------------------------------------------------------------------------------
 */

static onefold_status graph_source(making *m, const rule_plan *plan, of_projection *projection)
{
    OF_SCRATCH(scratch, m->context);
    const of_pool_part *own = of_pool_find(m->pool, plan->view, plan->kind);
    size_t landmarks = own->graph->set.count;
    of_projection made = {0};
    double *weight, *value;
    OF_TRY(OF_NEW(&scratch, &weight, plan->rows, landmarks));
    OF_TRY(OF_NEW(&scratch, &value, plan->rows, 1));
    for (size_t b = 0; b < plan->blocks; b++) {
        const of_graph_spectrum *spectrum = &plan->part[b]->spectrum;
        size_t rank = rank_of(m, plan->part[b]),
               first = plan->part[b]->view == OF_POOL_JOINT
                           ? of_pool_first_landmark(m->pool, own, plan->part[b]->kind)
                           : 0;
        memcpy(value + plan->row[b], plan->part[b]->value, rank * sizeof *value);
        for (size_t i = 0; i < landmarks; i++)
            memcpy(weight + i * plan->rows + plan->row[b],
                   spectrum->weight + (first + i) * spectrum->rank, rank * sizeof *weight);
    }
    OF_TRY(of_view_graph_projection(m->context, &scratch, own->graph, plan->rows, weight, value,
                                    own->spectrum.degree, &made));
    return of_projection_copy(m->arena, &made, plan->rows, projection);
}

/* ---- the rule ---------------------------------------------------------------------------------
 */

static onefold_status make_sources(making *m, of_rule *rule)
{
    OF_TRY(OF_NEW(m->arena, &rule->source, m->count, 1));
    for (size_t s = 0; s < m->count; s++) {
        const rule_plan *plan = &m->plan[s];
        of_projection *projection;
        OF_TRY(OF_NEW_ZERO(m->arena, &projection, 1, 1));
        OF_TRY(plan->kind == OF_POOL_KERNEL || plan->kind == ALONG
                   ? kernel_source(m, plan, projection)
                   : graph_source(m, plan, projection));
        rule->source[s] = (of_rule_source){.view = plan->view, .projection = projection};
    }
    rule->sources = m->count;
    return ONEFOLD_OK;
}

static onefold_status make_part(making *m, const of_pool_part *part, of_rule_part *made)
{
    size_t rank = rank_of(m, part);
    double *value;
    uint32_t *source, *row;
    OF_TRY(OF_NEW(m->arena, &value, rank, 1));
    OF_TRY(OF_NEW(m->arena, &source, m->count, 1));
    OF_TRY(OF_NEW(m->arena, &row, m->count, 1));
    memcpy(value, part->value, rank * sizeof *value);
    *made = (of_rule_part){.join = part->view != OF_POOL_JOINT    ? OF_JOIN_ONE
                                   : part->kind == OF_POOL_KERNEL ? OF_JOIN_KERNELS
                                                                  : OF_JOIN_TIES,
                           .known = part->known,
                           .rank = rank,
                           .value = value,
                           .source = source,
                           .row = row};
    for (size_t s = 0; s < m->count; s++)
        for (size_t b = 0; b < m->plan[s].blocks; b++)
            if (m->plan[s].part[b] == part) {
                source[made->terms] = (uint32_t)s;
                row[made->terms++] = (uint32_t)m->plan[s].row[b];
            }
    return ONEFOLD_OK;
}

onefold_status of_candidate_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_candidate *candidate, of_rule *rule)
{
    OF_SCRATCH(scratch, context);
    const of_cs_result *result = &candidate->result;
    size_t p = pool->problem->dataset->view_count, clusters = pool->problem->options->clusters;
    making m = {.context = context, .arena = arena, .pool = pool, .candidate = candidate};
    of_rule_part *parts;
    OF_TRY(OF_NEW(&scratch, &m.plan, SOURCES * p, 1));
    for (size_t i = 0; i < p; i++)
        for (size_t kind = 0; kind < SOURCES; kind++) {
            plan_source(&m, i, kind, &m.plan[m.count]);
            m.count += m.plan[m.count].blocks > 0;
        }
    *rule = (of_rule){.dims = candidate->rows,
                      .constant = candidate->constant,
                      .W = result->W,
                      .beta = result->beta,
                      .C = result->C,
                      .parts = candidate->parts};
    for (size_t c = 1; c < clusters; c++)
        if (result->sizes[c] > result->sizes[rule->largest])
            rule->largest = c;
    OF_TRY(make_sources(&m, rule));
    OF_TRY(OF_NEW(arena, &parts, candidate->parts, 1));
    for (size_t b = 0; b < candidate->parts; b++)
        OF_TRY(make_part(&m, &pool->part[candidate->part[b]], &parts[b]));
    rule->part = parts;
    of_rule_finish(rule);
    return ONEFOLD_OK;
}

/* ---- its size ---------------------------------------------------------------------------------
 */

/* The kernel of a view, and once more for the joint one where that takes another form. */
static onefold_status kernel_bytes(const of_problem *problem, size_t view, size_t *bytes)
{
    of_kernel kernel = problem->kernels[view];
    size_t own, joint = 0, rows = 2 * problem->partition.dims;
    of_route route = problem->routes[view];
    OF_TRY(of_projection_estimate_bytes(&kernel, route, rows, problem->options->landmarks, &own));
    if (kernel.kind == OF_KERNEL_RBF && (route == OF_ROUTE_NYSTROM || kernel.graph)) {
        kernel.graph = 0;
        kernel.kind = of_pool_is_formed(problem) ? OF_KERNEL_RBF : OF_KERNEL_LINEAR;
        OF_TRY(of_projection_estimate_bytes(&kernel, OF_ROUTE_DENSE, rows, 0, &joint));
    }
    return of_size_add(bytes, own, joint);
}

onefold_status of_pool_model_bytes(const of_problem *problem, size_t *bytes)
{
    const onefold_fit_options *o = problem->options;
    size_t p = problem->dataset->view_count, k = o->dims, parts = OF_POOL_KINDS * (p + 1);
    OF_TRY(of_size_multiply(bytes, k * k, parts));
    OF_TRY(of_size_multiply(bytes, *bytes + k * o->clusters + parts * (2 * k + p), sizeof(double)));
    for (size_t i = 0; i < p; i++) {
        size_t own = 0;
        if (of_pool_has(problem, i, OF_POOL_KERNEL))
            OF_TRY(kernel_bytes(problem, i, &own));
        OF_TRY(of_size_add(bytes, *bytes, own));
        for (of_pool_kind kind = OF_POOL_KNN; kind < OF_POOL_KINDS; kind++) {
            of_kernel graph = problem->kernels[i];
            if (!of_pool_has(problem, i, kind))
                continue;
            graph.graph = kind == OF_POOL_KNN ? OF_KERNEL_KNN : OF_KERNEL_SUBSPACE;
            OF_TRY(of_projection_estimate_bytes(&graph, OF_ROUTE_LANDMARKS, 3 * k, o->landmarks,
                                                &own));
            OF_TRY(of_size_add(bytes, *bytes, own));
        }
    }
    return ONEFOLD_OK;
}
