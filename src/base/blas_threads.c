/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads of OpenBLAS, counted in and out. Another BLAS leaves its names NULL. */
#include "base/blas_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

onefold_status of_blas_room(int threads)
{
    enum { BUFFER = 128 << 20 }; /* the largest that OpenBLAS takes for a thread */
    static atomic_int known;     /* so many have had room before */
    struct rlimit space;
    if (!openblas_set_num_threads || threads <= atomic_load(&known) ||
        getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
        return ONEFOLD_OK;
    size_t size = (size_t)threads * BUFFER;
    void *probe = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED)
        return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                               "the limit of address space (%zu MB) leaves no room for what "
                               "OpenBLAS reserves for %d thread%s",
                               (size_t)(space.rlim_cur >> 20), threads, threads == 1 ? "" : "s"),
                       "take fewer threads with `threads`, or raise the limit (ulimit -v)");
    munmap(probe, size);
    atomic_store(&known, threads);
    return ONEFOLD_OK;
}
