/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of our own, and what fork() leaves behind. An OpenMP runtime keeps its threads for the
 * thread that first asked for them; in a child of fork() they are gone, and the runtime waits for
 * them for ever. A thread that is started after the fork has a team of its own, and works.
 */
#ifndef OF_BASE_THREAD_H
#define OF_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread with room for deep calls; signals that the host waits for are left to the threads
 * of the host. 0, or what pthread_create says. */
int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* Whether this process came out of a fork() and this thread is none of ours: what uses OpenMP is
 * then run by a thread that of_thread_start starts. */
int of_thread_is_stale(void);

#endif
