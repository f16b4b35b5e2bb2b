/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many clusters: the parts of onefold_choose, for its own files only.
 *
 * Base partitions are made once, with the rows that the largest number needs; a smaller number uses
 * their leading rows. For each number the samples and subsamples of them are clustered, each with a
 * start of its own; how far labels agree is held against the same for samples drawn from a normal
 * distribution with the same second moments: these have no clusters.
 */
#ifndef OF_MODEL_CHOOSE_H
#define OF_MODEL_CHOOSE_H

#include "method/os_lfmvc_cs.h"
#include "model/choose_joint.h"
#include "model/fit.h"

struct onefold_choice {
    of_arena arena; /* of everything below, and of the choice itself */
    onefold_choose_info info;
    const onefold_choose_point *point; /* by rising number of clusters */
    int joint;                         /* runs were on joint partitions */
    of_joint_pieces pieces;            /* of their graph */
};

/* Samples of which subsamples are drawn: those of the data, or samples without clusters. */
typedef struct of_choose_pool {
    of_stack X; /* views * dims x samples */
    size_t subsamples, size;
    uint32_t *members; /* size x subsamples: rising within a subsample */
} of_choose_pool;

typedef struct of_choose_work {
    of_context *context;
    onefold_fit_options fit; /* resolved for the largest number */
    onefold_choose_options options;
    size_t views, dims;     /* dims: rows of a base partition, as the largest number needs */
    size_t blocks;          /* partitions of the stack: one for each view, or the joint ones: */
    int joint;              /* their first row is the constant, labels are `onefold`'s */
    of_joint_pieces pieces; /* of the joint graph */
    of_choose_pool data, chance; /* chance: samples without clusters */
    double scale;                /* of an objective of the pool to that of all samples */
} of_choose_work;

/* The pools: `X` cut to a bounded number of samples, and as many at most without clusters. Memory
 * is from `arena`. */
onefold_status of_choose_pools(of_choose_work *work, of_arena *arena, const of_stack *X);

/* Samples of the data's pool, of a subsample of it, and of the pool without clusters. */
size_t of_choose_pool_samples(size_t samples);
size_t of_choose_subsample_size(size_t pool, double share);
size_t of_choose_chance_samples(size_t pool);

/* How far labels come back over runs on subsamples of the same samples. `labels` is samples x runs,
 * OF_CHOOSE_ABSENT where a sample is not in a run. Every run is held against the others over the
 * samples they share; the one whose median adjusted Rand index is largest stands for all, as one
 * that ended in a poor optimum should not. `weakest` is the least, over its clusters, of the median
 * Jaccard index with the best match in the other runs; a cluster without samples has 0. */
enum { OF_CHOOSE_ABSENT = -1 };
typedef struct of_choose_return {
    double median, deviation, weakest; /* deviation: of the index over the other runs */
} of_choose_return;
onefold_status of_choose_compare(of_context *context, size_t clusters, const int32_t *labels,
                                 size_t samples, size_t runs, of_choose_return *found);

/* Everything of a point but its gaps and its evidence. */
onefold_status of_choose_point(of_choose_work *work, size_t clusters, onefold_choose_point *point);

/* The caller's options in our sizes, into `work`; those that cannot be, and those that choosing
 * makes no use of, are refused. */
onefold_status of_choose_copy_options(of_choose_work *work, const of_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_choose_options *options);
onefold_status of_choose_check_options(const of_dataset *dataset,
                                       const onefold_choose_options *options);

/* The largest number to try where none is given: what the samples allow. */
size_t of_choose_standard_most(const of_dataset *dataset, const onefold_choose_options *options);

/* Refuses what would need more memory than the context allows. */
onefold_status of_choose_check_memory(const of_choose_work *work, const of_fit_plan *plan);

/* The evidence of each point. Chance does not rise with the number of clusters: a level that was
 * drawn lower than that of a larger number is set to it. */
void of_choose_weigh(onefold_choose_point *points, size_t count);

/* The number that the points speak for, 0 for none; `joint`: of runs on joint partitions, whose
 * graph may say how many there are, or how many at the most. */
size_t of_choose_suggest(const onefold_choose_point *points, size_t count, int joint,
                         of_joint_pieces pieces);

/* What is said of it: sentences from the choice's arena. */
onefold_status of_choose_reasons(onefold_choice *choice);

#endif
