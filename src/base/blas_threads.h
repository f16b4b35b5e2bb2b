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

/* The largest buffer that OpenBLAS takes for a thread. */
enum { OF_BLAS_BUFFER = 128 << 20 };

/* Whoever calls BLAS asks this first: ONEFOLD_NO_MEMORY where the system has no room for the
 * buffers of so many threads, as OpenBLAS would ask for them for ever. Under a limit of address
 * space they are taken at once, so that no later allocation leaves OpenBLAS without. */
onefold_status of_blas_room(int threads);

#endif
