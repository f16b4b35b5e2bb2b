/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that a signal sets and the cancel hook reads. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopping;
static struct timespec first; /* when the first signal came */

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
    if (!stopping)
        first = now;
    stopping = 1;
}

void cli_interrupt_start(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
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
