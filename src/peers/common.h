/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparison methods share: kernel matrices, features, labels from an embedding. */
#ifndef OF_PEERS_COMMON_H
#define OF_PEERS_COMMON_H

#include "data/dataset.h"
#include "linalg/kmeans.h"
#include "method/method.h"

/* How the comparison methods begin: the views' whole kernel matrices, their sums, what they cost.
 */

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

/* The sum of the diagonal of a packed n x n matrix; 1 where bytes are counted. */
double of_kernels_trace(const of_context *context, size_t n, const double *kernel);

/* Refuses views of which none distinguishes any two samples: every trace is 0. */
onefold_status of_kernels_check(size_t count, const double *trace);

/* A view whose kernel the eigenvectors hold whole costs this share of its trace, not 0 or a
 * rounding error. */
#define OF_KERNELS_FLOOR 1e-12

/* 1 / cost, scaled to sum 1, where a view of trace 0 gets 0: the weights that minimise
 * sum_i w_i^2 cost_i on the simplex. Within bounds (NULL: none) clip(t / cost), with the one t that
 * makes the sum 1; a view of trace 0 then gets the least it may, or what the others cannot take.
 * `cost` and `trace` NULL: all alike. */
void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight);

/* A zeroed array of one entry per view in the outcome, with these weights (NULL: none). */
onefold_status of_kernels_report(const of_problem *problem, const double *weight,
                                 of_outcome *outcome);

/* The largest row sum of |A - B| (rows x columns, packed; B NULL: 0). */
onefold_status of_largest_row(of_context *context, size_t rows, size_t columns, const double *a,
                              const double *b, double *largest);

/* How far a run has come: what the struct of every method that iterates begins with. */
enum { OF_DETAIL = 96 };
typedef struct of_peer_run {
    of_context *context;
    double objective;
    size_t iteration; /* how many there have been */
    int converged;
    char detail[OF_DETAIL]; /* what progress says */
} of_peer_run;

/* One iteration of such a run. */
typedef onefold_status (*of_peer_step)(void *run);

/* Iterates until it has converged, `most` times at the most; fills what the outcome says of it. */
onefold_status of_peer_iterate(void *run, of_peer_step step, double most, of_outcome *outcome);

/*
 * How the comparison methods end: leading eigenvectors of a symmetric matrix, their rows scaled to
 * unit length, k-means, labels. The bits do not depend on the number of threads.
 */

/* The `count` largest eigenvalues (not moduli) of symmetric A (n x n, whole, packed, kept),
 * descending, and their vectors (n x count), orthonormal, each with its entry of largest modulus
 * positive (the first such entry among equals). ||A v - lambda v|| is at most 1e-10 of the largest
 * eigenvalue. */
onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               double *value /* count */, double *vector);

/* Adds the work that it is, `times` over. */
void of_spectral_work(size_t n, size_t count, double times, of_work *work);

/* The k-means options every method that ends in k-means has: the last entries of its table. */
/* clang-format off */
#define OF_SPECTRAL_OPTIONS                                                                        \
    {"kmeans-start", "plusplus|samples", 0, 0, 1,                                                  \
     "k-means starts from k-means++ or from distinct random samples"},                             \
    {"replicates", NULL, 10, 1, 1 << 20, "k-means starts in each repeat, the best kept"}
/* clang-format on */
enum { OF_SPECTRAL_OPTION_COUNT = 2 };

/* What the files of the comparison methods have by the same names, for their of_method. */
#define OF_PEER_PARTS                                                                              \
    .options = options, .option_count = sizeof options / sizeof *options, .work = count_work,      \
    .run = run, .ends_in_kmeans = 1

/* Repeats of k-means, side by side: each is the same whoever works it. */
typedef struct of_repeats {
    of_context *context;
    of_kmeans_options options; /* the index is that of the repeat */
    size_t rows, samples;
    const double *x; /* rows x samples */
    int32_t *labels; /* samples x repeats */
    of_kmeans_result *result;
} of_repeats;
onefold_status of_kmeans_repeat(of_repeats *r, size_t count);

/* Labels from an embedding U (samples x clusters): its rows are scaled to unit length (a zero row
 * stays zero) and clustered options->restarts times with 100 iterations at most; the repeat of
 * least cost is the answer. Fills the outcome's labels, embedding, and what it says of restarts,
 * whose objective is the k-means cost. `end` points to the method's last OF_SPECTRAL_OPTION_COUNT
 * options. */
onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *u, size_t ldu, of_outcome *outcome);

/* Labels from an affinity between samples: normalised spectral clustering. */

/* W (n x n, symmetric) becomes D^-1/2 W D^-1/2, D = diag of |row sums| + more; where that is 0 it
 * leaves a zero row. */
onefold_status of_affinity_normalise(of_context *context, size_t n, double more, double *affinity);

/* Normalises the affinity (samples x samples, destroyed) and clusters by its leading eigenvectors.
 * `end` points to the method's last OF_SPECTRAL_OPTION_COUNT options. Fills the outcome's labels,
 * embedding, views and restarts. */
onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome);

/* Views as the subspace methods take them: features by sample, every sample of unit length. */

/* The features of a view (columns x samples, packed, to be filled), each sample scaled to unit
 * length; a sample that is zero, or absent from the view, is zero. A kernel's rows are its
 * features.
 */
onefold_status of_features_load(of_context *context, const of_dataset *dataset, size_t view,
                                double *features);

/* Features up to a rotation, which is all that methods on self-representation see of them:
 * X = Q diag(value) basis' with Q'Q = I. */
typedef struct of_reduced_features {
    size_t rank;   /* <= min(rows, samples); directions at rounding level are left out */
    double *value; /* rank, descending */
    double *basis; /* samples x rank, orthonormal columns */
} of_reduced_features;

/* Reduces X (rows x samples, packed, destroyed). Arrays are from `arena`. */
onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced);

#endif
