/* SPDX-License-Identifier: Apache-2.0 */
/* Starting threads. */
#include "base/thread.h"

#include <signal.h>
#include <stdlib.h>

typedef struct start {
    void *(*run)(void *);
    void *argument;
} start;

static void *enter(void *opaque)
{
    start begun = *(start *)opaque;
    free(opaque);
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
