/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading in a child process, for formats whose library is not ours: what crashes there, takes too
 * long or asks for too much memory is an error of the file here. The child's arrays come back
 * in shared memory, and every size and place that it names is checked before it is used.
 */
#ifndef OF_IO_FENCE_H
#define OF_IO_FENCE_H

#include "io/file.h"

/* Has `read` add its variables to the file in a child process. It reads in this process where the
 * system gives no child, though it has memory for one, where processes of an MPI job read together
 * (their libraries do not like it), and where context->unfenced says so. */
onefold_status of_fence_read(of_file *file, onefold_status (*read)(of_file *file, void *user),
                             void *user);

/* ---- between the two processes (fence.c) ------------------------------------------ */

/* Shared memory, mapped at the same place in both. */
typedef struct of_fence_room {
    char *base;
    size_t size, used; /* in bytes; the parent has `used` from the child, and checks it */
} of_fence_room;

/* In the parent: the variables that the child has left at `told`, which hold `owner`. All of them,
 * and all that they point to, must lie in the room. */
onefold_status of_fence_take(of_file *file, const of_fence_room *room, of_owner *owner,
                             of_top *told, size_t count);

#endif
