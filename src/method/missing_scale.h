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
double of_missing_scale_view(size_t present, size_t samples);

/* What a sample is scaled by, so that its weights have the length they would have if no view was
 * missing: has[0 .. views-1] is 0 where one is. At least one must be there. */
double of_missing_scale_sample(const uint8_t *has, size_t views);

#endif
