/* SPDX-License-Identifier: Apache-2.0 */
/* Starting threads, and knowing after fork() which of them are of this process. */
#include "base/thread.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int forked;         /* this process is the child of one that had the library */
static _Thread_local int started; /* by of_thread_start, in this process */

typedef struct start {
    void *(*run)(void *);
    void *argument;
} start;

static void note_fork(void)
{
    atomic_store(&forked, 1);
    started = 0;
}

/* When the library is loaded: the host may use OpenMP before it calls us. */
__attribute__((constructor)) static void watch_for_fork(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
}

int of_thread_is_stale(void)
{
    return atomic_load(&forked) && !started;
}

static void *enter(void *opaque)
{
    start begun = *(start *)opaque;
    free(opaque);
    started = 1;
    return begun.run(begun.argument);
}

int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    enum { STACK = 8 << 20 };
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    pthread_attr_t attributes;
    start *begun = malloc(sizeof *begun);
    if (!begun)
        return -1;
    *begun = (start){run, argument};
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sigdelset(&blocked, ours[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int failed = pthread_create(thread, &attributes, enter, begun);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed)
        free(begun);
    return failed;
}
