/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows of basis the block eigensolver will go through, from its first few products. */
#ifndef OF_PARTITION_EIGEN_TRIAL_H
#define OF_PARTITION_EIGEN_TRIAL_H

#include "partition/partition.h"

/* For the Krylov route. *rows is left as it was where the trial would take more memory than is
 * allowed: it needs `scratch_bytes` and a partition. */
onefold_status of_eigen_trial_rows(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, size_t scratch_bytes,
                                   double *rows);

#endif
