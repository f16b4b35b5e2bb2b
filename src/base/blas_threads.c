/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads of OpenBLAS, counted in and out. Another BLAS leaves its names NULL. */
#include "base/blas_threads.h"

#include <pthread.h>

extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned calls;   /* that are at work */
static int host_threads; /* what there were before the first of them */
static int owed;         /* host_threads is still to be put back, and not to be read again */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* The calls of other threads go on in the parent alone; what they will put back there is put back
 * here by the next call. */
static void in_child(void)
{
    owed = owed || calls > 0;
    calls = 0;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_for_fork(void)
{
    (void)pthread_atfork(before_fork, after_fork, in_child);
}

void of_blas_enter(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return;
    pthread_mutex_lock(&lock);
    if (calls++ == 0) {
        int now = openblas_get_num_threads();
        if (!owed || now != 1)
            host_threads = now;
        owed = 0;
        if (now != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void of_blas_leave(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return;
    pthread_mutex_lock(&lock);
    /* a number that the host has set meanwhile stays */
    if (calls && --calls == 0 && host_threads > 1 && openblas_get_num_threads() == 1)
        openblas_set_num_threads(host_threads);
    pthread_mutex_unlock(&lock);
}
