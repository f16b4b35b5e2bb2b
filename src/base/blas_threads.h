/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenBLAS changes bits with its number of threads, which is one for the whole process: while any
 * call of the library works it is 1, and when the last one ends it is what the host had.
 */
#ifndef OF_BASE_BLAS_THREADS_H
#define OF_BASE_BLAS_THREADS_H

#include "base/status.h"

/* Every public call that computes is between these two. Any thread; calls may lie inside others. */
void of_blas_enter(void);
void of_blas_leave(void);

/* ONEFOLD_NO_MEMORY where the process has a limit of address space that so many threads' buffers
 * would pass: OpenBLAS asks for them for ever. */
onefold_status of_blas_room(int threads);

#endif
