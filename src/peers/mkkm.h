/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiple kernel k-means (Huang, Chuang, Chen 2012) on kernel matrices that are given:
 *
 *     min over H, t   tr(K_t (I - HH')),  K_t = sum_i t_i^2 K_i,  H'H = I,  t >= 0, sum t = 1
 */
#ifndef OF_PEERS_MKKM_H
#define OF_PEERS_MKKM_H

#include "base/memory.h"
#include "method/beta_bounds.h"

/* Where a run stands. Matrices are column-major and packed. */
typedef struct of_mkkm {
    size_t samples, views, clusters;
    const double *const *kernel;  /* views, each samples x samples; the caller's */
    const of_beta_bounds *bounds; /* on t; NULL: none */
    double *trace;                /* views: tr(K_i) */
    double *weight;               /* views: t */
    double *cost;                 /* views: a_i = tr(K_i (I - HH')), held to 1e-12 tr(K_i) */
    double *sum;                  /* samples x samples: the K_t that gave H */
    double *value;                /* clusters: its largest eigenvalues */
    double *vector;               /* samples x clusters: H */
    double *product;              /* samples x clusters: scratch */
    double objective;             /* sum_i t_i^2 a_i, with the new t */
    size_t iterations;
} of_mkkm;

/* A run before its first iteration: t = 1/views, or as near to it as the bounds (NULL: none) allow
 * (without them a view of trace 0 has no part in it). Memory is from `arena`; the kernels and
 * bounds must outlive it. */
onefold_status of_mkkm_start(of_arena *arena, size_t samples, size_t views, size_t clusters,
                             const double *const *kernel, const of_beta_bounds *bounds,
                             of_mkkm *run);

/* One iteration: H, a, t, objective. */
onefold_status of_mkkm_step(of_context *context, of_mkkm *run);

#endif
