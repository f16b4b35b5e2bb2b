/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenBLAS's results depend on its number of threads, a setting of the whole process. It is 1 while
 * any call of the library runs; the last call to end restores the host's number.
 */
#ifndef OF_BASE_BLAS_THREADS_H
#define OF_BASE_BLAS_THREADS_H

#include "base/status.h"

/* Every public call that computes runs between these two. Any thread; calls may be nested. */
OF_PRIVATE void of_blas_enter(void);
OF_PRIVATE void of_blas_leave(void);

/* The largest buffer that OpenBLAS takes for a thread. */
enum { OF_BLAS_BUFFER = 128 << 20 };

/* Called before BLAS is: ONEFOLD_NO_MEMORY where the system has no room for the buffers of so many
 * threads; OpenBLAS would retry for ever. Under a limit of address space OpenBLAS takes its buffers
 * here, before other allocations use the room. */
OF_PRIVATE onefold_status of_blas_room(int threads);

#endif
