/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that lack views, in late fusion (docs/method.md section 9): what a column of the stacked
 * base partitions is scaled by, in a fit and when a new sample is labelled.
 */
#ifndef OF_METHOD_MISSING_SCALE_H
#define OF_METHOD_MISSING_SCALE_H

#include <stddef.h>
#include <stdint.h>

/* What a view's base partition, which is of unit length over `present` of `samples` samples, is
 * scaled by so that its entries are as large as those of a view that all samples have. */
double of_present_view_scale(size_t present, size_t samples);

/* What a sample is scaled by, so that its weights have the length they would have if no view was
 * missing: has[0 .. views-1] is 0 where one is. At least one must be there. */
double of_present_sample_scale(const uint8_t *has, size_t views);

/* A sample's column of the stack (views * dims numbers), where x holds each view's h_i by rows:
 * blocks of views it lacks become 0, the others are scaled by view_scale[i] (of
 * of_present_view_scale; NULL: all 1) times of_present_sample_scale. `has` NULL: it has all. */
void of_present_scale_sample(size_t views, size_t dims, const double *view_scale,
                             const uint8_t *has, double *x);

#endif
