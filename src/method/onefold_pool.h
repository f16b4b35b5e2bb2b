/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` (docs/method.md section 11): weighted joint partitions of all views, a pool
 * of labellings computed from them, and one score for every labelling.
 */
#ifndef OF_METHOD_ONEFOLD_POOL_H
#define OF_METHOD_ONEFOLD_POOL_H

#include "method/method.h"
#include "method/os_lfmvc_cs.h"
#include "partition/joint.h"

/* The constants that affect labels, beside the landmarks (1000) and neighbours (8) of a graph and
 * the directions of a subspace (3 for each cluster). docs/quality.md has the effect of each. */
enum {
    OF_POOL_STARTS = 2,         /* of a fit; 10 where the effort is thorough */
    OF_POOL_CENTRE_STARTS = 3,  /* of k-means, beside the one from the best labelling so far */
    OF_POOL_CENTRE_STEPS = 100, /* of k-means, at most */
    OF_POOL_STEPS = 10,         /* of k-means in all columns, and in a view alone, at most */
    OF_POOL_WIDER = 2,          /* neighbours that vote on labels, over the neighbours of a graph */
    OF_POOL_CLUSTER_SHARE = 4   /* neighbours that vote: at most mean cluster size over this */
};
#define OF_POOL_PRIOR 0.1      /* weight of the cluster sizes in a vote */
#define OF_POOL_DOUBT 0.03     /* error of evidence, which is added to that of every view */
#define OF_POOL_SPREAD 0.25    /* least variance of a column, over the mean within clusters */
#define OF_POOL_MOST_WORK 2e12 /* operations: a labelling that takes more is left out */

/* ---- problems derived from a problem (problem_sample.c) -------------------------------------- */

typedef struct of_sample {
    of_dataset dataset; /* each view has the samples that have it */
    onefold_fit_options options;
    of_problem problem;
} of_sample;

/* Whether labellings are compared on a sample: there are many samples, and no view is a graph or a
 * precomputed kernel. */
int of_sample_suits(const of_problem *problem);

/* Makes the problem of an even sample of `count` samples, in place; arrays are from `arena`. */
onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              size_t count, of_sample *sample);

/* The same problem without clusters: every column shuffled by itself, or samples mixed, which keeps
 * the covariance of columns and views (kernel/kernel.h); arrays are from `arena`. */
typedef enum of_null { OF_NULL_SHUFFLED, OF_NULL_MIXED } of_null;
onefold_status of_sample_null(of_context *context, of_arena *arena, const of_problem *problem,
                              of_null kind, of_sample *null);

/* ---- graphs of views, neighbours ------------------------------------------------------------- */

typedef struct of_pool {
    const of_problem *problem;
    size_t n, p, mu;
    size_t rows; /* of the widest labelling, without the constant */
    of_joint_views views;
    size_t voters;    /* graphs whose neighbours vote: the views, then the joined columns */
    of_sparse *ties;  /* one per voter, with rows of all samples */
    double *vote;     /* voters: the weight of a vote in each */
    of_joint columns; /* the joined columns; weights NULL: not made */
    double chance;    /* share of information on labels in shuffled columns */
} of_pool;

/* Makes the graphs of joint partitions of `kinds` (bits), and the ties of all views, or of those of
 * dense columns alone. Arrays are from `arena`. */
onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int dense_alone, of_pool *pool);

/* Whether a view is of dense columns. */
int of_pool_dense(const of_problem *problem, size_t view);

/* Sets the weights of votes in views, and adds the neighbours in the joined columns. The weights
 * must outlive the pool. */
onefold_status of_pool_vote_by(of_context *context, of_arena *arena, of_pool *pool,
                               const double *weights);

/* ---- labellings (onefold_label.c) ------------------------------------------------------------ */

/* The information of neighbours on labels, in nats: of all views (`all`) with the entropy of the
 * labels, and of each view (p) on the samples with ties there, with the entropy of their labels. */
typedef struct of_information {
    double all, entropy;
    double *view, *view_entropy;
} of_information;

typedef struct of_labelling {
    char name[48];        /* its joint partitions and their rows */
    const char *weighed;  /* the kind of weights, or the name of the one view */
    unsigned kinds;       /* bits: its joint partitions */
    int by_kmeans;        /* k-means on the components; otherwise a fit of section 3 */
    size_t parts, rows;   /* rows: k, with the constant */
    size_t starts, steps; /* steps: of k-means, at most */
    const of_joint *part[OF_JOINT_KINDS];
    of_cs_result result; /* restarts is 0 for k-means */
    int32_t *labels;
    const int32_t *from;   /* labels of one more start of k-means; or NULL */
    const double *weights; /* p: of the views */
    of_information info;
    double agreement, score;
    int joint; /* of all views, not of one alone */
} of_labelling;

/* The labellings of a round that a problem affords, by its sizes alone: at most OF_LABELLINGS. */
enum { OF_LABELLINGS = 4 };
size_t of_labelling_plan(const of_problem *problem, of_labelling *plan, int *left_out);

/* The labelling from joined columns alone, or from a graph alone with one start. */
of_labelling of_labelling_single(const of_problem *problem, of_joint_kind kind);

/* Fits a labelling whose parts are set. What outlives the call is from `arena`. */
onefold_status of_labelling_make(of_context *context, of_arena *arena, const of_pool *pool,
                                 of_labelling *labelling);

/* More steps of k-means, in all columns, for a labelling by k-means without an empty cluster. It
 * comes after the choice: neighbours in the components do not see the other columns. */
onefold_status of_labelling_refine(of_context *context, of_arena *arena, const of_pool *pool,
                                   of_labelling *labelling);

/* Multiplies column c of C by the root of the size of cluster c, and updates labels and sizes. */
onefold_status of_labelling_by_size(of_context *context, size_t n, size_t k, size_t mu,
                                    of_cs_result *result);

/* The stack of a labelling's partitions: the constant and the leading rows of each. */
onefold_status of_labelling_stack(of_arena *arena, const of_pool *pool,
                                  const of_labelling *labelling, of_stack *X);

/* The rule that labels new samples; arrays are from `arena`. */
onefold_status of_labelling_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_labelling *labelling, of_rule *rule);

/* ---- the score (onefold_score.c) ------------------------------------------------------------- */

onefold_status of_information_make(of_arena *arena, size_t p, of_information *info);
onefold_status of_pool_information(of_context *context, const of_pool *pool, const int32_t *labels,
                                   of_information *info);

/* The most frequent label of each sample's neighbours in each view (n x p; -1: no neighbours). */
onefold_status of_pool_own_labels(of_context *context, const of_pool *pool, const int32_t *labels,
                                  int32_t *own);

/* The labels (or NULL) from the joint graph or the joined columns with these weights, and the
 * information of neighbours on them. `info` stays zero where there is no such partition. */
onefold_status of_pool_label(of_context *context, const of_pool *pool, of_joint_kind kind,
                             const double *weights, int32_t *labels, of_information *info);

/* nu of section 11: the information on the labelling by columns of tables without clusters, over
 * the geometric mean of its entropy and log mu. */
onefold_status of_pool_chance(of_context *context, const of_pool *null, const double *weights,
                              double *chance);

/* The information beyond chance, over the geometric mean of the entropy and log mu: the score of a
 * labelling, and a term of the evidence of a view. */
double of_pool_score(const of_pool *pool, double info, double entropy, double chance);

/* The agreement of each labelling: mean NMI with the half of the other labellings of all views that
 * agrees with it most, as the others may have found other clusters. It is printed, and
 * onefold_choose uses it. */
onefold_status of_pool_agree(of_context *context, const of_pool *pool, size_t count,
                             of_labelling *labellings);

#endif
