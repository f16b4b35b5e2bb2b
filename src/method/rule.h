/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What labels new samples: y = argmax C' sum_b beta_b W_b x_b over base partitions b, each of which
 * is read off the projections of one view, or of several where it is a joint one
 * (docs/model-format.md). A source is one projection of one view; its rows are those of the
 * partitions that need it, one below the other.
 */
#ifndef OF_METHOD_RULE_H
#define OF_METHOD_RULE_H

#include "partition/joint.h"

typedef struct of_rule_source {
    size_t view;
    const of_projection *projection;
    size_t first; /* row, of all sources' below each other (of_rule_finish) */
} of_rule_source;

/* How a partition's h is made of rows of its sources. */
typedef enum of_join {
    OF_JOIN_ONE,     /* one view's own */
    OF_JOIN_KERNELS, /* their weighted sum over the root of the weights that count: a joint kernel
                      */
    OF_JOIN_TIES,    /* their weighted mean over those that tie the sample: a joint graph */
    OF_JOIN_COLUMNS  /* their weighted mean over those that the sample has: joined columns */
} of_join;

typedef struct of_rule_part {
    of_join join;
    size_t known;        /* training samples that it says something of */
    size_t rank;         /* rows of h */
    const double *value; /* rank: eigenvalues */
    size_t terms;
    const uint32_t *source; /* terms: where h is read off, */
    const uint32_t *row;    /* and the first of its rows there */
    const double *weight;   /* terms: what each counts by; NULL: all alike */
} of_rule_part;

typedef struct of_rule {
    size_t dims;        /* k */
    int constant;       /* the first row of each x_b is 1 / sqrt(known), and h follows */
    const double *W;    /* dims x parts * dims; NULL: the method has no model */
    const double *beta; /* parts */
    const double *C;    /* dims x clusters */
    size_t largest;     /* the cluster of samples whose scores are all 0 */
    size_t sources, parts;
    size_t rows; /* of all sources (of_rule_finish) */
    of_rule_source *source;
    const of_rule_part *part;
} of_rule;

/* Some `count` of a rule's samples, as its sources project them. */
typedef struct of_rule_block {
    size_t count, width; /* width: of the arrays' columns */
    double *h;           /* rule's rows x count */
    double *kept;        /* width x sources: as of_projection_apply says of each */
} of_rule_block;

/* Sets where each source's rows begin. */
void of_rule_finish(of_rule *rule);

/* Sources and parts of late fusion as os-lfmvc-cs has it: one partition of each view. */
onefold_status of_rule_plain(of_arena *arena, size_t views, const of_projection *const *projections,
                             of_rule *rule);

/* The column x of sample j of the block (parts * dims), not scaled for what it lacks. */
void of_rule_stack(const of_rule *rule, const of_rule_block *block, size_t j, double *x);

/* The share that term t of partition b has in its x, for a sample of the block: x (dims), a part of
 * what of_rule_stack gives. */
void of_rule_term(const of_rule *rule, const of_rule_block *block, size_t j, size_t b, size_t t,
                  double *x);

/* The root of the share of the sample's length that the partitions leave out, each counted by its
 * weight, over those that say something; 1 where none does. x: as of_rule_stack gives it. */
double of_rule_distance(const of_rule *rule, const of_rule_block *block, size_t j, size_t samples,
                        const double *x);

/* C (k x clusters) of a partition of `known` samples whose x begins with the constant: its score is
 * largest for the nearest of the centres (rows x clusters) of components sqrt(value) h, those from
 * `rank` on 0. */
void of_rule_centres(size_t rows, size_t rank, size_t clusters, size_t known, const double *value,
                     const double *centre, size_t k, double *C);

/* ---- a label, from the scores it was read off ------------------------------------------------ */

/* The cluster of the first of the largest scores: the sample's label. */
size_t of_first_largest(const double *scores, size_t clusters);

/* How sure it is: the margin between the two largest of a sample's scores s (one per cluster: C' h
 * with h its fused embedding) over their length ||s||, cut to 1. From 0, where two clusters suit it
 * alike or it has no view at all, to 1, where one alone does. It does not depend on the scale of h,
 * so that a sample with fewer views is held to the same measure. 1 where there is one cluster and
 * any score. */
double of_confidence(const double *scores, size_t clusters);

/* ---- samples that lack views (docs/method.md section 9) -------------------------------------- */

/* What a view's base partition, which is of unit length over `present` of `samples` samples, is
 * scaled by so that its entries are as large as those of a view that all samples have. */
double of_missing_scale_view(size_t present, size_t samples);

/* What a sample is scaled by, so that its weights have the length they would have if no view was
 * missing: has[0 .. views-1] is 0 where one is. At least one must be there. */
double of_missing_scale_sample(const uint8_t *has, size_t views);

#endif
