/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that a signal sets and the cancel hook reads. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* seconds that the work has to stop in */
static volatile sig_atomic_t stopping;
static volatile sig_atomic_t ending; /* what there is to say has been said */
static struct timespec first;        /* when the first signal came */

/* One press may come as two signals, to a process and to its group: those count as one. */
static void on_signal(int number)
{
    (void)number;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since =
        (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec);
    if (stopping && since > 0.25)
        _exit(130);
    if (!stopping) {
        first = now;
        alarm(PATIENCE);
    }
    stopping = 1;
}

/* Work that does not come back, as in a library that waits for memory: nothing of it is kept. */
static void on_alarm(int number)
{
    static const char said[] = "onefold: interrupted\n";
    (void)number;
    if (!ending && write(STDERR_FILENO, said, sizeof said - 1) < 0)
        _exit(130);
    _exit(130);
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

/* From here on one signal ends the program. Under a limit of address space a thread of OpenBLAS may
 * ask for its buffer for ever, and its end would be waited for; after an interruption a
 * factorisation may still be at work that nobody waits for: nobody else's clean-up is run. */
static void end(int status, void *nothing)
{
    (void)nothing;
    struct rlimit space;
    struct sigaction now;
    ending = 1;
    for (size_t i = 0; i < STOPS; i++)
        if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(stops[i], SIG_DFL);
    if (stopping || (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)) {
        fflush(NULL);
        _exit(status);
    }
}

void cli_interrupt_start(void)
{
    on_exit(end, NULL);
    signal(SIGALRM, on_alarm);
    for (size_t i = 0; i < STOPS; i++) {
        struct sigaction before, ours = {.sa_handler = on_signal};
        sigfillset(&ours.sa_mask); /* one at a time */
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stops[i], &ours, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

int cli_interrupted(void)
{
    return stopping;
}
