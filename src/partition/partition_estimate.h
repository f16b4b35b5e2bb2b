/* SPDX-License-Identifier: Apache-2.0 */
/* What a base partition will take: the route, how often the view is read, and about how long. */
#ifndef OF_PARTITION_PARTITION_ESTIMATE_H
#define OF_PARTITION_PARTITION_ESTIMATE_H

#include "partition/machine_rates.h"
#include "partition/partition.h"

typedef struct of_partition_estimate {
    of_route route;
    size_t scratch_bytes;
    size_t passes;    /* over the view or its features; those of an iterative route are typical */
    size_t landmarks; /* of the nystrom route, else 0 */
    double seconds;
} of_partition_estimate;

onefold_status of_partition_estimate_time(of_context *context, const of_kernel *kernel,
                                          of_route route, const of_partition_options *options,
                                          const of_rates *rates, of_partition_estimate *estimate);

#endif
