/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What labels new samples with a labelling. A joint partition is linear in what the views have: of
 * a joint kernel h = s sum_i w_i K_i(x, .) (s H)' / lambda, s one over the root of the weights of
 * the views that a sample has; of a joint graph h = W z, z the weighted mean of the views' ties.
 * Each partition has one source for each view that joins it.
 */
#include "data/dataset.h"
#include "method/onefold_pool.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

typedef struct making {
    of_context *context;
    of_arena *arena;
    const of_pool *pool;
    const of_joint *joint;
    size_t rank; /* rows of the partition that the labelling has, beside the constant */
    size_t view;
} making;

static onefold_status kernel_source(making *m, of_projection *projection)
{
    OF_SCRATCH(scratch, m->context);
    const of_dataset *dataset = m->pool->problem->dataset;
    of_kernel kernel = of_pool_kernel(m->pool, m->view, m->joint->kind);
    size_t n = of_present_count(dataset, m->view), at = 0;
    double *sign, *H;
    OF_TRY(OF_NEW(&scratch, &H, m->rank, n));
    OF_TRY(OF_NEW(&scratch, &sign, m->rank, 1));
    for (size_t r = 0; r < m->rank; r++)
        sign[r] = 1;
    for (size_t j = 0; j < dataset->samples; j++) {
        if (!of_present_at(dataset, j, m->view))
            continue;
        double scale = of_pool_scale(m->pool, m->joint->weights, m->joint->kind, j);
        for (size_t r = 0; r < m->rank; r++)
            H[at * m->rank + r] = scale * m->joint->H[j * m->pool->rows + r];
        at++;
    }
    projection->precision = m->pool->problem->options->precision;
    of_route_work work = {.kernel = &kernel,
                          .rows = m->rank,
                          .rank = m->rank,
                          .H = of_share_whole(H, m->rank),
                          .value = m->joint->value,
                          .projection = projection,
                          .arena = m->arena};
    OF_TRY(of_projection_exact(m->context, &work));
    return of_projection_finish(m->context, m->arena, &kernel, OF_ROUTE_KRYLOV, m->joint->value,
                                sign, projection);
}

/* Landmarks of views that join follow each other. */
static onefold_status graph_source(making *m, const of_view_graph **graphs,
                                   of_projection *projection)
{
    OF_SCRATCH(scratch, m->context);
    const of_graph_spectrum *spectrum = &m->joint->spectrum;
    const of_view_graph *own = graphs[m->view];
    of_projection made = {0};
    size_t first = 0;
    double *weight, *degree;
    for (size_t i = 0; i < m->view; i++)
        first += graphs[i] && m->joint->weights[i] > 0 ? graphs[i]->set.count : 0;
    OF_TRY(OF_NEW(&scratch, &weight, m->rank, own->set.count));
    OF_TRY(OF_NEW_ZERO(&scratch, &degree, own->set.count, 1));
    for (size_t i = 0; i < own->set.count; i++)
        memcpy(weight + i * m->rank, spectrum->weight + (first + i) * spectrum->rank,
               m->rank * sizeof *weight);
    for (size_t e = 0; e < own->ties.start[own->ties.rows]; e++)
        degree[own->ties.index[e]] += own->ties.value[e];
    OF_TRY(of_view_graph_projection(m->context, &scratch, own, m->rank, weight, m->joint->value,
                                    degree, &made));
    return of_projection_copy(m->arena, &made, m->rank, projection);
}

static onefold_status make_part(making *m, of_rule *rule, of_rule_part *part)
{
    const of_pool *pool = m->pool;
    int graph = m->joint->kind == OF_JOINT_GRAPH || m->joint->kind == OF_JOINT_SUBSPACE;
    const of_view_graph **graphs = m->joint->kind == OF_JOINT_GRAPH ? pool->knn : pool->subspace;
    uint32_t *source, *row;
    double *weight, *value;
    OF_TRY(OF_NEW(m->arena, &source, pool->p, 1));
    OF_TRY(OF_NEW_ZERO(m->arena, &row, pool->p, 1));
    OF_TRY(OF_NEW(m->arena, &weight, pool->p, 1));
    OF_TRY(OF_NEW(m->arena, &value, m->rank, 1));
    memcpy(value, m->joint->value, m->rank * sizeof *value);
    *part = (of_rule_part){.join = graph                                ? OF_JOIN_TIES
                                   : m->joint->kind == OF_JOINT_COLUMNS ? OF_JOIN_COLUMNS
                                                                        : OF_JOIN_KERNELS,
                           .known = pool->n,
                           .rank = m->rank,
                           .value = value,
                           .source = source,
                           .row = row,
                           .weight = weight};
    for (m->view = 0; m->view < pool->p; m->view++) {
        of_projection *projection;
        if (!(m->joint->weights[m->view] > 0) ||
            !of_pool_joins(pool->problem, m->view, m->joint->kind))
            continue;
        OF_TRY(OF_NEW_ZERO(m->arena, &projection, 1, 1));
        OF_TRY(graph ? graph_source(m, graphs, projection) : kernel_source(m, projection));
        weight[part->terms] = m->joint->weights[m->view];
        source[part->terms++] = (uint32_t)rule->sources;
        rule->source[rule->sources++] = (of_rule_source){.view = m->view, .projection = projection};
    }
    return ONEFOLD_OK;
}

onefold_status of_labelling_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_labelling *labelling, of_rule *rule)
{
    const of_cs_result *result = &labelling->result;
    of_rule_part *parts;
    *rule = (of_rule){.dims = labelling->rows,
                      .constant = 1,
                      .W = result->W,
                      .beta = result->beta,
                      .C = result->C,
                      .parts = labelling->parts};
    for (size_t c = 1; c < pool->mu; c++)
        if (result->sizes[c] > result->sizes[rule->largest])
            rule->largest = c;
    OF_TRY(OF_NEW(arena, &rule->source, labelling->parts, pool->p));
    OF_TRY(OF_NEW(arena, &parts, labelling->parts, 1));
    for (size_t b = 0; b < labelling->parts; b++) {
        const of_joint *joint = labelling->part[b];
        size_t most = labelling->rows - 1;
        making m = {context, arena, pool, joint, joint->rank < most ? joint->rank : most, 0};
        OF_TRY(make_part(&m, rule, &parts[b]));
    }
    rule->part = parts;
    of_rule_finish(rule);
    return ONEFOLD_OK;
}
