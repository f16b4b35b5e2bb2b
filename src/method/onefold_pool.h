/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` (docs/method.md section 11): joint partitions of all views with weights, a
 * pool of labellings read off them, and one score that judges every labelling.
 */
#ifndef OF_METHOD_ONEFOLD_POOL_H
#define OF_METHOD_ONEFOLD_POOL_H

#include "method/method.h"
#include "method/os_lfmvc_cs.h"
#include "partition/view_graph.h"

/* The constants that decide labels, beside the landmarks (1000) and neighbours (8) of a graph and
 * the directions of a subspace (3 for each cluster). docs/quality.md has what changing each does.
 */
enum {
    OF_POOL_STARTS = 2,       /* of a fit; 10 where the effort is thorough */
    OF_POOL_CENTRE_STARTS = 3 /* of k-means */
};
#define OF_POOL_PRIOR 0.1      /* of a vote: how much of a neighbour the sizes count for */
#define OF_POOL_DOUBT 0.02     /* of evidence: how far it may be off, and so what every view has */
#define OF_POOL_MOST_WORK 2e12 /* operations: a labelling that takes more is left out */

/* ---- what views bring ------------------------------------------------------------------------ */

typedef struct of_pool {
    const of_problem *problem;
    size_t n, p, mu;
    size_t rows;                    /* of a joint partition, beside the constant */
    const of_view_graph **knn;      /* p; NULL: a kernel that is given */
    const of_view_graph **subspace; /* p: the same graph, where a view is of links */
    size_t tellers;                 /* by whose ties neighbours tell: the views, and behind them */
    of_sparse *ties;                /* their joined columns; rows of all samples */
    double *voice;                  /* tellers: what the votes of each count by */
    double chance;                  /* what neighbours tell of nothing, over the labels' entropy */
} of_pool;

/* Joint partitions: the eigenvectors of a weighted sum over views. */
typedef enum of_joint_kind {
    OF_JOINT_COLUMNS,  /* of linear kernels of columns that keep their lengths */
    OF_JOINT_KERNEL,   /* of linear kernels of samples of length 1, and of kernels that are given */
    OF_JOINT_GRAPH,    /* of landmark graphs over the columns */
    OF_JOINT_SUBSPACE, /* of landmark graphs over directions among principal components */
    OF_JOINT_KINDS
} of_joint_kind;
enum { OF_JOINT_ALL = (1 << OF_JOINT_KINDS) - 1 };

typedef struct of_joint {
    of_joint_kind kind;
    const double *weights; /* p, that add up to 1 */
    size_t rank;
    double *H;                  /* pool->rows x n; whole on every process */
    double *value;              /* pool->rows */
    of_graph_spectrum spectrum; /* of graphs */
} of_joint;

/* Makes the graphs that joint partitions of `kinds` (bits) need, and `ties` where they are wanted.
 * Arrays are from `arena`. */
onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int ties, of_pool *pool);

/* From now on views tell by these weights, and their joined columns tell as one more. */
onefold_status of_pool_tell_by(of_context *context, of_arena *arena, of_pool *pool,
                               const double *weights);

/* Whether a view takes part in joint partitions of a kind. */
int of_pool_joins(const of_problem *problem, size_t view, of_joint_kind kind);

/* The kernel by which a view takes part in joint kernels. */
of_kernel of_pool_kernel(const of_pool *pool, size_t view, of_joint_kind kind);

/* What sample j is scaled by for the views that it lacks, w the weights of those it has that join:
 * 1 / sqrt(sum w), so that its length stays, or of joined columns 1 / sum w, so that its place
 * does (of_join_least). 0 where it has none. */
double of_pool_scale(const of_pool *pool, const double *weights, of_joint_kind kind, size_t j);

/* Makes one; rank 0 where no view of positive weight joins. */
onefold_status of_joint_make(of_context *context, of_arena *arena, const of_pool *pool,
                             of_joint_kind kind, const double *weights, of_joint *joint);

/* ---- labellings (onefold_label.c) ------------------------------------------------------------ */

/* What neighbours tell of labels, in nats: all views together, and the entropy of the sizes; and
 * each view by itself of the samples that it ties, with the entropy of these (p each). */
typedef struct of_told {
    double all, entropy;
    double *view, *view_entropy;
} of_told;

typedef struct of_labelling {
    char name[48];       /* what it is read off */
    const char *weighed; /* how views weigh in it, or the view that it is of */
    unsigned kinds;      /* bits: the joint partitions that it is read off */
    int by_centres;      /* k-means on the components; otherwise a fit of section 3 */
    size_t parts, rows;  /* rows: k, the constant among them */
    size_t starts;
    const of_joint *part[OF_JOINT_KINDS];
    of_cs_result result; /* restarts is 0 where it is by centres */
    int32_t *labels;
    const int32_t *known;  /* of the even sample, where that has been labelled; or NULL */
    const double *weights; /* p: of the views in it */
    of_told told;
    double agreement, score;
    int eligible; /* it may be chosen: it is not of one view by itself */
} of_labelling;

/* The labellings of a round that a problem affords, by its sizes alone: at most OF_LABELLINGS. */
enum { OF_LABELLINGS = 4 };
size_t of_labelling_plan(const of_problem *problem, of_labelling *plan, int *left_out);

/* The one that is read off joined columns, or off a graph, alone. */
of_labelling of_labelling_off(const of_problem *problem, of_joint_kind kind);

/* Fits a labelling whose parts are there. What outlives the call is from `arena`. */
onefold_status of_labelling_make(of_context *context, of_arena *arena, const of_pool *pool,
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

onefold_status of_told_make(of_arena *arena, size_t p, of_told *told);
onefold_status of_pool_told(of_context *context, const of_pool *pool, const int32_t *labels,
                            of_told *told);

/* The label that most neighbours of a sample have, in each view (n x p; -1: it has none there). */
onefold_status of_pool_own_labels(of_context *context, const of_pool *pool, const int32_t *labels,
                                  int32_t *own);

/* The share of labels that neighbours tell of nothing, in a pool of tables without clusters.
 * `view`: what that view tells of the labelling off its graph, over the entropy of that. p: what
 * all tell of the labelling off the columns that these weights join, over the geometric mean of its
 * entropy and the largest that there is, since one that sets few outliers apart tells little. */
onefold_status of_pool_chance(of_context *context, const of_pool *null, const double *weights,
                              size_t view, double *chance);

/* What is told beyond chance, over the geometric mean of the entropy of the sizes and the largest
 * that there is: the score of a labelling, by all views, and the evidence of one. */
double of_pool_beyond(const of_pool *pool, double told, double entropy, double chance);

/* How far each agrees with others that may be chosen: the mean NMI of that half of them that agrees
 * most, since labellings that found other clusters say nothing of these. It is told, and decides
 * nothing. */
onefold_status of_pool_agree(of_context *context, const of_pool *pool, size_t count,
                             of_labelling *labellings);

/* ---- a sample to compete on (onefold_sample.c) ----------------------------------------------- */

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

/* Its bytes; 0 where there is none. */
size_t of_sample_bytes(const of_problem *problem);

/* The same problem without clusters: with every column shuffled by itself, or with samples mixed,
 * which keeps what columns and views have in common (kernel/resample.h); arrays are from `arena`.
 */
typedef enum of_null { OF_NULL_SHUFFLED, OF_NULL_MIXED } of_null;
onefold_status of_sample_null(of_context *context, of_arena *arena, const of_problem *problem,
                              of_null kind, of_sample *null);

#endif
