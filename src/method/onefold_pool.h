/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` on all samples (docs/method.md section 11): samples of a problem, the graphs
 * of its views, and the labelling by the recipe that was chosen.
 */
#ifndef OF_METHOD_ONEFOLD_POOL_H
#define OF_METHOD_ONEFOLD_POOL_H

#include "method/method.h"
#include "method/os_lfmvc_cs.h"
#include "partition/joint.h"

enum {
    OF_POOL_STARTS = 2,         /* of a fit; 10 where the effort is thorough */
    OF_POOL_CENTRE_STEPS = 100, /* of k-means, at most */
    OF_POOL_COMPONENTS = 64     /* of joined columns in k-means of many samples, at least */
};
#define OF_POOL_PRIOR 0.1 /* weight of the cluster sizes in a vote */

/* ---- problems derived from a problem (problem_sample.c) -------------------------------------- */

typedef struct of_sample {
    of_dataset dataset; /* each view has the samples that have it */
    onefold_fit_options options;
    of_problem problem;
} of_sample;

/* Whether the labels of a sample are extended to all: there are many samples, and no view is a
 * graph or a precomputed kernel. */
int of_sample_suits(const of_problem *problem);

/* Makes the problem of an even sample of `count` samples, in place; arrays are from `arena`. */
onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              size_t count, of_sample *sample);

/* Starts the same problem with other kernels. Its fit keeps labels alone. */
void of_sample_derive(const of_problem *problem, of_kernel *kernels, of_sample *made);

/* ---- graphs of views ------------------------------------------------------------------------- */

typedef struct of_pool {
    const of_problem *problem;
    size_t n, p, mu;
    size_t rows; /* of the widest labelling, without the constant */
    of_joint_views views;
    of_sparse *ties; /* p, with rows of all samples: neighbours that vote */
} of_pool;

/* Makes the graphs of joint partitions of `kinds` (bits), and with `voters` the ties of all views.
 * Arrays are from `arena`. */
onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int voters, of_pool *pool);

/* Whether a view is of dense columns. */
int of_pool_dense(const of_problem *problem, size_t view);

/* The most frequent label of each sample's neighbours in each view (n x p; -1: no neighbours). */
onefold_status of_pool_own_labels(of_context *context, const of_pool *pool, const int32_t *labels,
                                  int32_t *own);

/* ---- labellings (onefold_label.c) ------------------------------------------------------------ */

typedef struct of_labelling {
    size_t parts, rows; /* rows: k, with the constant */
    const of_joint *part[OF_JOINT_KINDS];
    of_cs_result result;   /* restarts is 0 for k-means */
    const double *weights; /* p: of the views */
} of_labelling;

/* Fits a labelling whose parts are set. What outlives the call is from `arena`. */
onefold_status of_labelling_fit(of_context *context, of_arena *arena, const of_pool *pool,
                                of_labelling *labelling);

/* K-means of the joint kernel `kind` with these weights (p) of kernels (p), from `labels` of the
 * samples place[0 .. known - 1] (rising). With all samples known their labels stay. The labels of
 * the result are those of the nearest mean in all columns. */
onefold_status of_labelling_kmeans(of_context *context, of_arena *arena, const of_pool *pool,
                                   const of_kernel *kernels, of_joint_kind kind,
                                   const double *weights, size_t known, const size_t *place,
                                   const int32_t *labels, of_labelling *labelling);

/* Multiplies column c of C by the root of the size of cluster c, and updates labels and sizes. */
onefold_status of_labelling_by_size(of_context *context, size_t n, size_t k, size_t mu,
                                    of_cs_result *result);

/* The stack of a labelling's partitions: the constant and the leading rows of each. */
onefold_status of_labelling_stack(of_arena *arena, const of_pool *pool,
                                  const of_labelling *labelling, of_stack *X);

/* The rule that labels new samples; arrays are from `arena`. */
onefold_status of_labelling_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_labelling *labelling, of_rule *rule);

#endif
