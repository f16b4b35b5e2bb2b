/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that a signal sets and the cancel hook reads. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    (void)number;
    if (signals)
        _exit(130);
    signals = 1;
}

void cli_interrupt_start(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct sigaction before, ours = {.sa_handler = on_signal};
        sigemptyset(&ours.sa_mask);
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stops[i], &ours, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

int cli_interrupted(void)
{
    return signals != 0;
}
