/* SPDX-License-Identifier: Apache-2.0 */
/* How the comparison methods begin: the views' whole kernel matrices, their sums, what they cost.
 */
#ifndef OF_PEERS_KERNELS_H
#define OF_PEERS_KERNELS_H

#include "method/method.h"

/* Every view's kernel matrix, samples x samples each and packed, from `arena`. */
onefold_status of_kernels_load(of_context *context, of_arena *arena, const of_problem *problem,
                               of_finish finish, double ***kernel);

/* One of them, samples x samples packed: of a landmark graph that of its walk, which has a trace of
 * its own and is centred by itself. */
onefold_status of_kernels_one(of_context *context, const of_problem *problem, size_t view,
                              of_finish finish, double *kernel);

/* sum = sum_i weight[i] kernel[i], n x n packed, on the team. */
onefold_status of_kernels_combine(of_context *context, size_t n, size_t count,
                                  const double *const *kernel, const double *weight, double *sum);

/* The sum of the diagonal of a packed n x n matrix. */
double of_kernels_trace(size_t n, const double *kernel);

/* Refuses views of which none distinguishes any two samples: every trace is 0. */
onefold_status of_kernels_check(size_t count, const double *trace);

/* A view whose kernel the eigenvectors hold whole costs this share of its trace, not 0 or a
 * rounding error. */
#define OF_KERNELS_FLOOR 1e-12

/* 1 / cost, scaled to sum 1, where a view of trace 0 gets 0: the weights that minimise
 * sum_i w_i^2 cost_i on the simplex. Within bounds (NULL: none) clip(t / cost), with the one t that
 * makes the sum 1; a view of trace 0 then gets the least it may, or what the others cannot take. */
void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight);

/* As equal as the bounds (NULL: none) allow, of sum 1. */
void of_kernels_weigh_alike(size_t count, const of_beta_bounds *bounds, double *weight);

/* A zeroed array of one entry per view in the outcome, with these weights (NULL: none). */
onefold_status of_kernels_report(const of_problem *problem, const double *weight,
                                 of_outcome *outcome);

/* *bytes += matrices * rows * columns numbers; refused where that passes a size_t. */
onefold_status of_estimate_add(size_t *bytes, size_t matrices, size_t rows, size_t columns);

/* *bytes += what making one kernel matrix takes besides the matrix, at most. */
onefold_status of_estimate_add_kernel(size_t *bytes, const of_problem *problem);

/* Seconds that `flops` operations of matrix products take on the team, and that as many take in
 * factorisations, which one thread works: rough figures of today's machines. */
double of_estimate_seconds(of_context *context, double product_flops, double factor_flops);

#endif
