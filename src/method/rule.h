/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule that labels new samples (docs/model-format.md): y = argmax C' sum_b beta_b W_b x_b over
 * base partitions b. Each x_b is computed from the projection of one view, or of several where the
 * partition is a joint one. A source is one projection of one view; it has rows for every partition
 * that uses it.
 */
#ifndef OF_METHOD_RULE_H
#define OF_METHOD_RULE_H

#include "partition/joint.h"

typedef struct of_rule_source {
    size_t view;
    const of_projection *projection;
    size_t first; /* its first row among the rows of all sources (of_rule_finish) */
} of_rule_source;

/* How the h of a partition is computed from its terms, by the weights of those a sample has. */
typedef enum of_join {
    OF_JOIN_ONE,     /* the one term */
    OF_JOIN_KERNELS, /* a joint kernel: weighted sum, over the root of the sum of weights */
    OF_JOIN_TIES,    /* a joint graph: weighted mean of the terms with ties of the sample */
    OF_JOIN_COLUMNS  /* joined columns: weighted mean, with the divisor of of_join_least */
} of_join;

typedef struct of_rule_part {
    of_join join;
    size_t known;        /* training samples in the partition */
    size_t rank;         /* rows of h */
    const double *value; /* rank: eigenvalues */
    size_t terms;
    const uint32_t *source; /* of each term */
    const uint32_t *row;    /* the first row of each term in its source */
    const double *weight;   /* of each term; NULL: 1 */
} of_rule_part;

static inline double of_rule_weight(const of_rule_part *part, size_t term)
{
    return part->weight ? part->weight[term] : 1;
}

typedef struct of_rule {
    size_t dims;        /* k */
    int constant;       /* the first row of each x_b is 1 / sqrt(known), the rows of h follow */
    const double *W;    /* dims x parts * dims; NULL: the method has no model */
    const double *beta; /* parts */
    const double *C;    /* dims x clusters */
    size_t largest;     /* the cluster of samples whose scores are all 0 */
    size_t sources, parts;
    size_t rows; /* of all sources (of_rule_finish) */
    /* What becomes of a margin between the two largest scores: the share of subsamples in which
     * samples of such a margin stay with their cluster. Both rise. */
    size_t knots; /* 0: the margin stays */
    const double *margin, *share;
    of_rule_source *source;
    const of_rule_part *part;
} of_rule;

/* A block of samples, projected by all sources of a rule. */
typedef struct of_rule_block {
    size_t count, width; /* samples, and the leading dimension of `kept` */
    double *h;           /* rule->rows x count */
    double *kept;        /* width x sources: `kept` of of_projection_apply */
} of_rule_block;

/* Sets the first row of each source, and the number of rows. */
void of_rule_finish(of_rule *rule);

/* Sources and parts of os-lfmvc-cs: one partition of each view. */
onefold_status of_rule_plain(of_arena *arena, size_t views, const of_projection *const *projections,
                             of_rule *rule);

/* The column x of sample j of the block (parts * dims), without of_missing_scale_sample. */
void of_rule_stack(const of_rule *rule, const of_rule_block *block, size_t j, double *x);

/* x (dims): the summand of term t in the x_b of of_rule_stack, for sample j of the block. */
void of_rule_term(const of_rule *rule, const of_rule_block *block, size_t j, size_t b, size_t t,
                  double *x);

/* The root of the share of the sample's squared length outside the partitions: their mean by beta^2
 * over the partitions with a view of the sample; 1 without any. x is from of_rule_stack. */
double of_rule_distance(const of_rule *rule, const of_rule_block *block, size_t j, size_t samples,
                        const double *x);

/* C (k x clusters) whose largest score is the nearest of the centres (rows x clusters), for a
 * partition of `known` samples with a constant first row. Centres are in components sqrt(value) h;
 * components from `rank` on are 0. */
void of_rule_centres(size_t rows, size_t rank, size_t clusters, size_t known, const double *value,
                     const double *centre, size_t k, double *C);

/* ---- the scores C'h of a sample -------------------------------------------------------------- */

/* The label: the first cluster of largest score. */
size_t of_first_largest(const double *scores, size_t clusters);

/* The confidence of a margin, by the knots of the rule. */
double of_rule_confidence(const of_rule *rule, double margin);

/* The margin between the two largest scores s, over ||s||, at most 1. It is 0 where
 * two clusters have the largest score or all scores are 0, and does not depend on the scale of h,
 * and so on the number of views of the sample. With one cluster it is 1, unless the score is 0. */
double of_confidence(const double *scores, size_t clusters);

/* The first cluster of largest size. */
static inline size_t of_largest_cluster(const size_t *sizes, size_t clusters)
{
    size_t largest = 0;
    for (size_t c = 1; c < clusters; c++)
        largest = sizes[c] > sizes[largest] ? c : largest;
    return largest;
}

/* ---- samples that lack views (docs/method.md section 9) -------------------------------------- */

/* sqrt(n_i / n), the scale of a base partition over `present` of `samples` samples: entries become
 * as large as those of a view that all samples have. */
double of_missing_scale_view(size_t present, size_t samples);

/* sqrt(p / |V_j|), the scale of a sample: has[0 .. views-1] is 0 for missing views, and not 0 for
 * at least one. */
double of_missing_scale_sample(const uint8_t *has, size_t views);

#endif
