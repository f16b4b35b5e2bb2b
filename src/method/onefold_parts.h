/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the method `onefold` (docs/method.md section 10) as they see each other: a pool of
 * base partitions, candidates that fuse some of them, and the choice among their labels.
 */
#ifndef OF_METHOD_ONEFOLD_PARTS_H
#define OF_METHOD_ONEFOLD_PARTS_H

#include "method/method.h"
#include "method/onefold_joint_stack.h"
#include "method/os_lfmvc_cs.h"
#include "partition/view_graph.h"

/* What a base partition is of. */
typedef enum of_pool_kind {
    OF_POOL_KERNEL,
    OF_POOL_KNN,
    OF_POOL_SUBSPACE,
    OF_POOL_KINDS
} of_pool_kind;

/* The partitions that a candidate fuses. */
typedef enum of_candidate_set {
    OF_SET_OPEN,   /* of a pool: every partition, or kernels alone where the joint one is clear */
    OF_SET_ALL,    /* every partition */
    OF_SET_GRAPHS, /* knn and subspace, of views and joint */
    OF_SET_JOINT,  /* the joint ones */
    OF_SET_DISTANCES, /* kernel and knn, of views and joint */
    OF_SET_VIEWS,     /* the views' own, none of the joint ones */
    OF_SET_CLEAR,     /* the joint kernel, as its spectrum shows the clusters */
    OF_SET_KERNELS,   /* the views' kernels, without the constant: as os-lfmvc-cs has them */
    OF_SET_LINKED,    /* the joint knn graph, as it falls apart into the clusters */
    OF_SET_FEW,       /* the joint kernel, as views have few columns */
    OF_SET_APART      /* the knn graphs of those views whose own falls apart into the clusters */
} of_candidate_set;

/* One base partition: of a view, or of all of them together. */
typedef struct of_pool_part {
    of_pool_kind kind;
    size_t view;  /* OF_POOL_JOINT: all views */
    size_t known; /* samples it says something of */
    size_t rank;
    double *H;     /* rows x samples: the constant is not among them; 0 where a sample is unknown;
                      whole on every process, where samples are split */
    double *value; /* rows */
    double residual;
    of_route route;
    int apart;                  /* of a view's knn: it falls apart into the clusters */
    of_view_graph *graph;       /* of a view's knn or subspace */
    of_graph_spectrum spectrum; /* of graphs, joint ones too */
    /* What projects new samples, of a view's kernel that was reached by landmarks. */
    const of_projection *projection;
} of_pool_part;
#define OF_POOL_JOINT SIZE_MAX

typedef struct of_pool {
    const of_problem *problem;
    size_t rows; /* of each partition: what the widest candidate needs beside the constant */
    size_t count;
    of_pool_part *part;
    int formed; /* the joint kernel was formed of the views' own; else rbf ones entered as linear */
    double gap; /* of the joint kernel's spectrum */
    double cut; /* of the joint graph's, or the largest of the views' that fall apart */
    int few;    /* views have few columns, and no partition shows the clusters */
    of_candidate_set shown; /* what shows the clusters by itself; OF_SET_OPEN: nothing does */
    of_candidate_set asked; /* what it was made for; OF_SET_OPEN: the gap and the cuts decide */
} of_pool;

/* Whether the partitions so far show the clusters by themselves, so that no more were made. */
int of_pool_is_clear(const of_pool *pool);

/* Whether there are so many clusters that knn graphs alone are made: the kernels' eigenproblems and
 * the fusion of all partitions take the cube of the rows, which are one for each cluster. */
int of_pool_is_bare(const of_problem *problem);

/* Whether the joint kernel is formed, and whether a view has a partition of a kind. */
int of_pool_is_formed(const of_problem *problem);
int of_pool_has(const of_problem *problem, size_t view, of_pool_kind kind);

/* Rows of a partition beside the constant: of many clusters just those that their one candidate
 * has. */
size_t of_pool_rows(const of_problem *problem);

/* The kinds there are: of many clusters knn alone; without subspaces where one candidate is fitted
 * quickly. */
int of_pool_makes(const of_problem *problem, of_pool_kind kind);

/* Whether candidates of a set need a view's partition of a kind, or the joint one: to fuse it, or,
 * of a view's graph or of its kernel that is formed, for the joint one; or, of a view's kernel, to
 * say what the view shows by itself. */
int of_pool_needs(of_candidate_set set, int formed, of_pool_kind kind, int joint);

/* Whether there are joint partitions: none where the caller has a say in the weights, as a joint
 * one holds every view's share as it is. */
int of_pool_has_joint(const of_problem *problem);

/* ---- asking the pool (onefold_pool_query.c) ---------------------------------------------------
 */

/* A view's partition of a kind, OF_POOL_KINDS: the first of any. NULL: there is none. */
const of_pool_part *of_pool_find(const of_pool *pool, size_t view, size_t kind);

/* The leading rows of sample j's column of a partition, as a column of unit length. */
void of_pool_unit_column(const of_pool *pool, const of_pool_part *part, size_t rows, size_t j,
                         double *x);

/* Whether a view's partition is of what the joint one of a kind is made of: of a graph view there
 * is one, for both kinds of graph. */
int of_pool_joins(const of_pool *pool, const of_pool_part *part, of_pool_kind kind);

/* Whether the joint kernel has a view's, which need not have a partition in the pool. */
int of_pool_joins_kernel(const of_pool *pool, size_t view);

/* Views of sample j that the joint kernel has. */
size_t of_pool_kernels_of(const of_pool *pool, size_t j);

/* The first of a view's landmarks among those of a joint graph, as of_pool_make joined them. */
size_t of_pool_first_landmark(const of_pool *pool, const of_pool_part *own, of_pool_kind kind);

/* ---- making it --------------------------------------------------------------------------------
 */

/* Whether one candidate is asked for, which is fitted without subspaces. */
int of_pool_is_quick(const of_problem *problem);

/* Makes the partitions of the candidates of a set, and the views' graphs that its joint ones are
 * of. Arrays are from `arena`. */
onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            of_candidate_set set, of_pool *pool);

/* Room for rows x samples, in memory or, where the problem says so, in a file. */
onefold_status of_pool_allocate(of_arena *arena, const of_problem *problem, size_t rows,
                                size_t samples, double **numbers);

/* The joint kernel of kernels that are too large to be formed (onefold_joint.c): H (rows x samples)
 * and value. */
onefold_status of_joint_kernel_applied(of_context *context, const of_problem *problem, size_t rows,
                                       double *H, double *value, size_t *rank, double *residual);

/* Bytes that it takes beside H and value, from shapes alone. */
size_t of_joint_kernel_bytes(of_context *context, const of_problem *problem, size_t rows);

/* The gap of a spectrum behind its mu - 1 leading values, in mean spacings of those that follow, of
 * which at least OF_GAP_SPACINGS must be known; 0: they are not, or the last of the leading values
 * is less than OF_CLEAR_SHARE of the first, as where sizes are very unequal: components are those
 * of the large clusters then, which k-means would split. Above OF_CLEAR_GAP the kernel shows the
 * clusters: real sets have up to 9.5 (one has 16, and gains), synthetic ones whose clusters all
 * lead the spectrum 12 and more. Fewer values hold mu clusters too, from log2(mu) of them on, where
 * each view parts the samples in its own way: a gap behind them counts by OF_FEWER_FACTOR, as a few
 * coarse clusters before many fine ones make one as well; real sets have up to 9.6
 * (docs/method.md section 11). */
enum { OF_GAP_SPACINGS = 6, OF_CLEAR_GAP = 10, OF_FEWER_FACTOR = 3 };
#define OF_CLEAR_SHARE 0.25
double of_joint_kernel_gap(size_t rank, const double *value, size_t mu);

/* The gap behind the q leading values alone. */
double of_spectrum_gap(size_t rank, const double *value, size_t q);

/* What cutting a graph once more would cost, over the last of the mu - 1 cuts into mu pieces, each
 * by what a walk leaves its piece with. Above OF_CLEAR_CUT the graph falls apart into the clusters;
 * of 24 real sets one does. 0: not known. */
#define OF_CLEAR_CUT 2.5
double of_graph_cut(size_t rank, const double *value, size_t mu);

/* Of one view's graph more is asked, as the others may know better: that a walk all but never
 * leaves a piece, and that none is so small that it may be a few outliers. */
#define OF_APART_LEAVES 0.01
double of_apart_least(size_t n, size_t pieces); /* samples of the smallest of so many */

/* Samples of the smallest of the pieces that the leading `rows` rows of a graph's partition (H, ldh
 * apart) tell: with the constant they span the pieces' indicators, so that the squares of a
 * sample's column add up to 1 over the size of its piece. */
double of_graph_smallest_piece(size_t rows, size_t n, const double *H, size_t ldh);

/* Looks whether the partitions of a kind that were just made show the clusters. */
void of_pool_look(of_pool *pool, of_pool_kind made);

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct of_candidate {
    of_candidate_set set;
    size_t rows; /* k, the constant among them */
    size_t parts;
    size_t *part; /* places in the pool */
    int constant; /* the first of its rows is the constant */
    int eligible; /* it can be chosen, and keeps its result; else it votes */
    of_cs_result result;
    int32_t *labels;
    double agreement; /* mean of the five highest NMI with other labels */
    char name[48];
} of_candidate;

typedef struct of_contest {
    const of_pool *pool;
    size_t count;
    of_candidate *candidate;
    size_t voters;  /* labellings by k-means on the joint partitions: they vote */
    int32_t **vote; /* voters: labels */
    size_t chosen;
    size_t samples; /* that labels are compared on: all, or at large n an even sample */
    double gap;     /* of the joint kernel's spectrum, of the samples that it was decided by */
    double cut;     /* of the joint graph's, or of a view's that falls apart */
    int yielded;    /* it was chosen as memory had no room for another */
    int likely;     /* it was chosen by how likely few columns are with its labels */
} of_contest;

/* Fits every candidate and chooses. What outlives the call is from `arena`: the results of those
 * that may be chosen from `kept`. */
onefold_status of_contest_run(of_context *context, of_arena *arena, of_arena *kept,
                              const of_pool *pool, of_contest *contest);

/* Fits the chosen one to all samples of a pool that has its partitions, unless the contest was over
 * those. */
onefold_status of_contest_finish(of_context *context, of_arena *arena, of_arena *kept,
                                 const of_pool *pool, of_contest *contest);

/* Whether its partitions show the clusters by themselves, and it had none to compete with. */
int of_candidate_is_alone(const of_candidate *candidate);

/* Whether the candidates of a set fuse a view's partitions of a kind, or the joint one. */
int of_candidate_fuses(of_candidate_set set, of_pool_kind kind, int joint);

/* ---- a sample to compete on (onefold_sample.c) ------------------------------------------------
 */

typedef struct of_sample {
    of_dataset
        dataset; /* its views have the samples that have them, and no more than a kernel needs */
    onefold_fit_options options;
    of_problem problem;
} of_sample;

/* Whether candidates compete on partitions of a sample: samples are many, and no view is of links
 * between them. */
int of_sample_suits(const of_problem *problem);

/* Makes that sample's problem, in place; arrays are from `arena`. */
onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              of_sample *sample);

/* Its bytes; 0 where there is none. */
size_t of_sample_bytes(const of_problem *problem);

/* ---- room for the chosen one (onefold_room.c) -------------------------------------------------
 */

/* What the partitions of a set on all samples, and a fit of them, hold. */
onefold_status of_candidate_set_bytes(of_context *context, const of_problem *problem,
                                      of_candidate_set set, size_t *bytes);

/* What the limit on memory leaves beside what is held, on the process that holds most. */
onefold_status of_contest_room(of_context *context, size_t samples, double *room);

/* Leaves the choice where it is if there is room for its partitions of all samples; else it goes to
 * the one that agrees most of those there is room for. */
onefold_status of_contest_settle(of_context *context, const of_problem *problem, double room,
                                 of_contest *contest);

/* Labels and sizes of a result read again, from its C with column c times the fourth root of the
 * size of cluster c; C is kept so. */
onefold_status of_candidate_label(of_context *context, size_t n, size_t k, size_t mu,
                                  of_cs_result *result);

/* The same for the joint kernel alone: the labels of k-means on its leading components, and the
 * C that gives them (docs/method.md section 11). */
onefold_status of_candidate_label_components(of_context *context, const of_pool *pool,
                                             of_candidate *candidate);

/* Sets every candidate's agreement, and which is chosen: by it, or, of few columns, by how likely
 * they are with its labels. */
onefold_status of_contest_choose(of_context *context, of_contest *contest);

/* NMI of two labellings by 0 .. mu - 1 over the geometric mean of their entropies; two labellings
 * of one cluster agree. */
onefold_status of_contest_agreement(of_context *context, size_t n, size_t mu, const int32_t *a,
                                    const int32_t *b, double *nmi);

/* The columns of all views, as their kernels have them, below each other: *count x samples. */
onefold_status of_likelihood_columns(of_context *context, of_arena *arena,
                                     const of_problem *problem, double **columns, size_t *count);

/* The log-likelihood of a sample of x (d x n) and its label, in the mean and but for what all
 * labellings have in common. */
onefold_status of_label_likelihood(of_context *context, size_t d, size_t n, const double *x,
                                   size_t mu, const int32_t *labels, double *likelihood);

/* Which partitions of a pool the candidates of its set fuse: those of each view together, the joint
 * ones last. */
onefold_status of_candidate_take_parts(of_arena *arena, const of_pool *pool,
                                       of_candidate *candidate);

/* The stack X of a candidate, from `arena`: of an even sample of `count` of the samples (all: their
 * number, of which a process holds its share), scaled so that rows have about unit length. */
onefold_status of_candidate_stack(of_arena *arena, const of_pool *pool,
                                  const of_candidate *candidate, size_t count, of_stack *X);

/* Labels of each view by itself, and how sure the fused ones are, into the outcome. */
onefold_status of_candidate_explain(of_context *context, const of_pool *pool,
                                    const of_candidate *best, of_outcome *outcome);

/* Each view's part in the score of each sample's label, views x samples: what its own partitions
 * add, and its terms of the joint ones. As the candidate's model gives them, up to rounding. */
onefold_status of_candidate_view_parts(of_context *context, const of_pool *pool,
                                       const of_candidate *candidate, double *parts);

/* What labels new samples, from a candidate's partitions and result; arrays are from `arena`. */
onefold_status of_candidate_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_candidate *candidate, of_rule *rule);

/* The most bytes that such projections take. */
onefold_status of_pool_model_bytes(const of_problem *problem, size_t *bytes);

/* The most rows of each partition that a candidate of so many takes. */
size_t of_candidate_most_rows(const of_problem *problem, size_t parts);

/* The most bytes that the partitions of a set and a fit of them hold, from shapes alone; and those
 * of all partitions that can lie in a file. */
onefold_status of_pool_partition_bytes(const of_problem *problem, size_t *bytes);
onefold_status of_pool_cost(of_context *context, const of_problem *problem, of_candidate_set set,
                            size_t *bytes);
void of_contest_time(const of_problem *problem, const of_rates *rates, of_cs_estimate *estimate);
onefold_status of_contest_cost(const of_problem *problem, of_candidate_set set, int threads,
                               size_t *bytes);

#endif
