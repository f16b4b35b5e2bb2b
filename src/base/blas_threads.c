/* SPDX-License-Identifier: Apache-2.0 */
/* Holds OpenBLAS to one thread while calls run. With another BLAS the weak symbols are NULL. */
#include "base/blas_threads.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

/* OpenBLAS takes the buffer of a call with the first, and gives it back with the second. */
extern void *blas_memory_alloc(int) __attribute__((weak));
extern void blas_memory_free(void *) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned calls;   /* running now */
static int host_threads; /* OpenBLAS's number of threads before the first of them */
static int unrestored;   /* a fork came before host_threads was restored */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* The parent's calls do not go on in the child, so the child's next call restores host_threads. */
static void in_child(void)
{
    unrestored = unrestored || calls > 0;
    calls = 0;
    pthread_mutex_unlock(&lock);
}

static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void watch_for_fork(void)
{
    (void)pthread_atfork(before_fork, after_fork, in_child);
}

void of_blas_enter(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return;
    (void)pthread_once(&watched, watch_for_fork);
    pthread_mutex_lock(&lock);
    if (calls++ == 0) {
        int now = openblas_get_num_threads();
        if (!unrestored || now != 1)
            host_threads = now;
        unrestored = 0;
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
    /* a number that the host set meanwhile stays */
    if (calls && --calls == 0 && host_threads > 1 && openblas_get_num_threads() == 1)
        openblas_set_num_threads(host_threads);
    pthread_mutex_unlock(&lock);
}

enum { MOST_BUFFERS = 128 }; /* OpenBLAS's table of buffers is not much longer */

/* Whether the system has room for `count` buffers, mapped one by one as OpenBLAS does. */
static int have_room(int count)
{
    void *probe[MOST_BUFFERS];
    int got = 0;
    for (; got < count; got++) {
        probe[got] =
            mmap(NULL, OF_BLAS_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (probe[got] == MAP_FAILED)
            break;
    }
    for (int i = 0; i < got; i++)
        munmap(probe[i], OF_BLAS_BUFFER);
    return got == count;
}

/* Makes OpenBLAS take its buffers now and keep them, so later allocations cannot use their room. */
static void take_buffers(int count)
{
    void *buffer[MOST_BUFFERS];
    if (!blas_memory_alloc || !blas_memory_free)
        return;
    for (int i = 0; i < count; i++)
        buffer[i] = blas_memory_alloc(0);
    for (int i = 0; i < count; i++)
        blas_memory_free(buffer[i]);
}

onefold_status of_blas_room(int threads)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static atomic_int known; /* this many had room before */
    int count = threads < MOST_BUFFERS ? threads : MOST_BUFFERS;
    if (!openblas_set_num_threads || count <= atomic_load(&known))
        return ONEFOLD_OK;
    pthread_mutex_lock(&one);
    int room = have_room(count);
    if (room && of_address_limit() != SIZE_MAX)
        take_buffers(count);
    if (room)
        atomic_store(&known, count);
    pthread_mutex_unlock(&one);
    if (room)
        return ONEFOLD_OK;
    char limit[32], text[64] = "";
    if (of_address_limit() != SIZE_MAX)
        snprintf(text, sizeof text, " of address space (%s)",
                 of_size_text(limit, of_address_limit()));
    return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                           "the limit%s leaves no room for what OpenBLAS reserves for %d thread%s",
                           text, threads, threads == 1 ? "" : "s"),
                   threads > 1 ? "take fewer threads with `threads`, or raise the limit (ulimit -v)"
                               : "raise the limit (ulimit -v)");
}
