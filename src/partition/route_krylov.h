/* SPDX-License-Identifier: Apache-2.0 */
/* The Krylov route on the side of the columns, where there are fewer of them than samples, and the
 * partition of a weighted sum of kernels. */
#ifndef OF_PARTITION_ROUTE_KRYLOV_H
#define OF_PARTITION_ROUTE_KRYLOV_H

#include "data/dataset.h"
#include "partition/routes.h"

/* Whether the route works on that side: sparse features of at most half as many columns as samples,
 * and of no more than 2^16. */
int of_krylov_uses_features(const of_kernel *kernel);

/*
 * The partition of several kernels together: the leading eigenvectors of
 *
 *     K = sum_i w_i diag(s) K_i diag(s),
 *
 * K_i 0 where a sample lacks view i. What no view shows alone is seen in the sum.
 */

typedef struct of_joint_kernel {
    const of_dataset *dataset;
    const of_kernel *kernels; /* one for each view */
    const double *weights;    /* of views; 0: it takes no part */
    const double *scale;      /* samples: s */
} of_joint_kernel;

/* H, value and rank of `work`, of so many rows and to its tolerance; rank 0 where no view takes
 * part. Where samples are split, each process has its own share of H. */
onefold_status of_joint_kernel_solve(of_context *context, const of_joint_kernel *joint,
                                     of_route_work *work);

#endif
