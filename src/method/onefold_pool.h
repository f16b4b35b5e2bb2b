/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` (docs/method.md section 11): joint partitions of all views with weights, a
 * pool of labellings read off them, and one score that judges every labelling.
 */
#ifndef OF_METHOD_ONEFOLD_POOL_H
#define OF_METHOD_ONEFOLD_POOL_H

#include "method/method.h"
#include "method/os_lfmvc_cs.h"
#include "partition/joint.h"

/* The constants that decide labels, beside the landmarks (1000) and neighbours (8) of a graph and
 * the directions of a subspace (3 for each cluster). docs/quality.md has what changing each does.
 */
enum {
    OF_POOL_STARTS = 2,         /* of a fit; 10 where the effort is thorough */
    OF_POOL_CENTRE_STARTS = 3,  /* of k-means, beside the best labelling so far */
    OF_POOL_CENTRE_STEPS = 100, /* of k-means, at most; */
    OF_POOL_STEPS = 10,         /* and of k-means in all columns, and in a view alone */
    OF_POOL_WIDER = 2,          /* times the neighbours of a graph: those that vote on labels, */
    OF_POOL_CLUSTER_SHARE = 4   /* at most this part of a cluster of mean size votes */
};
#define OF_POOL_PRIOR 0.1      /* of a vote: how much of a neighbour the sizes count for */
#define OF_POOL_DOUBT 0.03     /* of evidence: how far it may be off, and so what every view has */
#define OF_POOL_SPREAD 0.25    /* of the mean variance within clusters: least of a column */
#define OF_POOL_MOST_WORK 2e12 /* operations: a labelling that takes more is left out */

/* ---- problems made of a problem, whose kernels keep its means, scales and widths ------------- */

typedef struct of_sample {
    of_dataset dataset; /* its views have the samples that have them, and what a kernel needs */
    onefold_fit_options options;
    of_problem problem;
} of_sample;

/* Whether labellings compete on a sample: samples are many, and no view is of links between them
 * or a kernel that is given. */
int of_sample_suits(const of_problem *problem);

/* Makes the problem of an even sample of so many samples, in place; arrays are from `arena`. */
onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              size_t count, of_sample *sample);

/* The same problem without clusters: with every column shuffled by itself, or with samples mixed,
 * which keeps what columns and views have in common (kernel/kernel.h); arrays are from `arena`.
 */
typedef enum of_null { OF_NULL_SHUFFLED, OF_NULL_MIXED } of_null;
onefold_status of_sample_null(of_context *context, of_arena *arena, const of_problem *problem,
                              of_null kind, of_sample *null);

/* ---- what views bring ------------------------------------------------------------------------ */

typedef struct of_pool {
    const of_problem *problem;
    size_t n, p, mu;
    size_t rows; /* of the widest labelling, beside the constant */
    of_joint_views views;
    size_t voters;    /* by whose ties neighbours vote: the views, and behind them */
    of_sparse *ties;  /* their joined columns; rows of all samples */
    double *vote;     /* voters: what a vote in each counts */
    of_joint columns; /* joined by these weights; weights NULL: not made */
    double chance;    /* information on labels of no clusters, over their entropy */
} of_pool;

/* Makes the graphs that joint partitions of `kinds` (bits) need, and ties of all views or of those
 * of dense columns. Arrays are from `arena`. */
onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int dense_alone, of_pool *pool);

/* Whether a view is of dense columns. */
int of_pool_dense(const of_problem *problem, size_t view);

/* From now on votes in views count by these weights, which must outlive the pool, and neighbours in
 * the joined columns vote too. */
onefold_status of_pool_vote_by(of_context *context, of_arena *arena, of_pool *pool,
                               const double *weights);

/* ---- labellings (onefold_label.c) ------------------------------------------------------------ */

/* The information of neighbours on labels, in nats: of all views, and the entropy of the sizes; and
 * each view by itself of the samples that it ties, with the entropy of these (p each). */
typedef struct of_information {
    double all, entropy;
    double *view, *view_entropy;
} of_information;

typedef struct of_labelling {
    char name[48];        /* what it is read off */
    const char *weighed;  /* how views weigh in it, or the view that it is of */
    unsigned kinds;       /* bits: the joint partitions that it is read off */
    int by_centres;       /* k-means on the components; otherwise a fit of section 3 */
    size_t parts, rows;   /* rows: k, the constant among them */
    size_t starts, steps; /* steps: of k-means, at most */
    const of_joint *part[OF_JOINT_KINDS];
    of_cs_result result; /* restarts is 0 where it is by centres */
    int32_t *labels;
    const int32_t *from;   /* labels that k-means begins from, too; or NULL */
    const double *weights; /* p: of the views in it */
    of_information info;
    double agreement, score;
    int joint; /* it is of all views, not of one by itself */
} of_labelling;

/* The labellings of a round that a problem affords, by its sizes alone: at most OF_LABELLINGS. */
enum { OF_LABELLINGS = 4 };
size_t of_labelling_plan(const of_problem *problem, of_labelling *plan, int *left_out);

/* The one that is read off joined columns, or off a graph, alone: that from one start. */
of_labelling of_labelling_off(const of_problem *problem, of_joint_kind kind);

/* Fits a labelling whose parts are there. What outlives the call is from `arena`. */
onefold_status of_labelling_make(of_context *context, of_arena *arena, const of_pool *pool,
                                 of_labelling *labelling);

/* One that is by centres: more steps of k-means, in all columns. Neighbours in the components
 * cannot see what these leave out, so that it is chosen before. Where no cluster is empty. */
onefold_status of_labelling_refine(of_context *context, of_arena *arena, const of_pool *pool,
                                   of_labelling *labelling);

/* Labels and sizes of a fit's result read again, from its C with column c times the root of
 * the size of cluster c; C is kept so. */
onefold_status of_labelling_by_size(of_context *context, size_t n, size_t k, size_t mu,
                                    of_cs_result *result);

/* Its stack of partitions: the constant and the leading rows of each. */
onefold_status of_labelling_stack(of_arena *arena, const of_pool *pool,
                                  const of_labelling *labelling, of_stack *X);

/* What labels new samples; arrays are from `arena`. */
onefold_status of_labelling_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_labelling *labelling, of_rule *rule);

/* ---- the score (onefold_score.c) ------------------------------------------------------------- */

onefold_status of_information_make(of_arena *arena, size_t p, of_information *info);
onefold_status of_pool_inform(of_context *context, const of_pool *pool, const int32_t *labels,
                              of_information *info);

/* The label that most neighbours of a sample have, in each view (n x p; -1: it has none there). */
onefold_status of_pool_own_labels(of_context *context, const of_pool *pool, const int32_t *labels,
                                  int32_t *own);

/* The labelling off the graph, or off the columns, that these weights join, and the information
 * that neighbours have on it: labels (or NULL) and `info`, which is all zero before, and stays so
 * where there is none. */
onefold_status of_pool_label(of_context *context, const of_pool *pool, of_joint_kind kind,
                             const double *weights, int32_t *labels, of_information *info);

/* The information, in tables without clusters, on the labelling off the columns, over the geometric
 * mean of its entropy and the largest that there is, since one that sets few outliers apart has
 * little. */
onefold_status of_pool_chance(of_context *context, const of_pool *null, const double *weights,
                              double *chance);

/* The information beyond chance, over the geometric mean of the entropy of the sizes and the
 * largest that there is: the score of a labelling, by all views, and the evidence of one. */
double of_pool_beyond(const of_pool *pool, double info, double entropy, double chance);

/* How far each agrees with others of all views: the mean NMI of that half of them that agrees most,
 * since labellings that found other clusters say nothing of these. It is printed, and counts in
 * onefold_choose; here it decides nothing. */
onefold_status of_pool_agree(of_context *context, const of_pool *pool, size_t count,
                             of_labelling *labellings);

#endif
