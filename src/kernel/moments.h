/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance of every column of a view, in one pass over it. */
#ifndef OF_KERNEL_MOMENTS_H
#define OF_KERNEL_MOMENTS_H

#include "data/view.h"

/* mean, variance (divided by the samples) and mean square of each column; dense and sparse. */
onefold_status of_moments(of_context *context, const of_view *view, double *mean, double *variance,
                          double *square);

/* The same of the values times `factor`, a power of two. */
onefold_status of_moments_times(of_context *context, const of_view *view, double factor,
                                double *mean, double *variance, double *square);

#endif
