/* SPDX-License-Identifier: Apache-2.0 */
/* Raw samples on their way to a GPU that works them: the columns of a dense view, or the entries of
 * sparse features; in pieces, of which one is copied by all threads while the GPU works another. */
#ifndef OF_PARTITION_RAW_PIECES_H
#define OF_PARTITION_RAW_PIECES_H

#include "base/device.h"
#include "kernel/kernel.h"
#include "partition/projection.h"

typedef struct of_raw {
    of_context *context;
    const of_kernel *kernel; /* of a dense one `view` alone is looked at */
    size_t columns;          /* as they lie */
    int sparse;              /* entries of its features */
    int doubles;             /* numbers are doubles, else floats */
    size_t row;              /* bytes of a sample, which the GPU spreads out where it is sparse */
    size_t piece, bytes;     /* samples of a piece, a multiple of 128; the most bytes it takes */
} of_raw;

of_raw of_raw_make(of_context *context, const of_kernel *kernel);

/* Samples first .. first+count-1 as samples 0 .. of what `there` has been told of (project_begin or
 * features_start, with pieces as above). *finite (or NULL) is whether all numbers of dense views
 * are. */
onefold_status of_raw_send(const of_raw *raw, const of_device_use *use, of_device_stack *there,
                           size_t first, size_t count, int *finite);

/* The same samples through a projection to points, into rows row .. of a stack. */
onefold_status of_raw_project(const of_raw *raw, const of_device_use *use, of_device_stack *there,
                              const of_projection *p, size_t row, size_t first, size_t count,
                              int *finite);

/* Whether one of the numbers is not finite. */
int of_raw_unusable(size_t count, const double *x);

#endif
