/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait for work, shared by all calls of the process. Nobody waits for a thread that
 * has not come: whoever asks for help works on by itself, and a thread that the system lets run
 * late finds the work done. On a machine that is busy with other things a team of two therefore
 * takes no longer than one thread alone, which a barrier that all have to reach would not give.
 */
#ifndef OF_BASE_WORKERS_H
#define OF_BASE_WORKERS_H

/* Works on what `argument` shares out, until there is no more; `number` is 0 for the thread that
 * asks, and differs for all that are inside. */
typedef void (*of_workers_run)(void *argument, int number);

/* Calls run(argument, 0) on this thread, and run(argument, 1 .. most - 1) on those of the other
 * threads that come before that returns. Back when none of them is inside. */
void of_workers_share(int most, of_workers_run run, void *argument);

#endif
