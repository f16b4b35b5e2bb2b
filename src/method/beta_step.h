/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of the views: a quadratic form on the non-negative part of the unit sphere. */
#ifndef OF_METHOD_BETA_STEP_H
#define OF_METHOD_BETA_STEP_H

#include "base/memory.h"

/* Raises b'Ab + f'b over ||b|| = 1, b >= 0 (docs/method.md section 4). A is p x p, symmetric; b is
 * the point to start from, of length 1 and >= 0, and becomes the maximiser: the global one where it
 * has no zero entry that is held back, else the best of p + 2 ascents. Never worse than it was. */
onefold_status of_beta_step(of_context *context, size_t p, const double *A, const double *f,
                            double *b);

#endif
