/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a label is, from the scores it was read off: for the samples of a fit and for new ones.
 */
#ifndef OF_METHOD_CONFIDENCE_H
#define OF_METHOD_CONFIDENCE_H

#include <stddef.h>

/* The margin between the two largest of a sample's scores s (one per cluster: C' h with h its fused
 * embedding) over their length ||s||, cut to 1. From 0, where two clusters suit it alike or it has
 * no view at all, to 1, where one alone does. It does not depend on the scale of h, so that a
 * sample with fewer views is held to the same measure. 1 where there is one cluster and any score.
 */
double of_confidence(const double *scores, size_t clusters);

/* The cluster of the first of the largest scores: the sample's label. */
size_t of_first_largest(const double *scores, size_t clusters);

#endif
