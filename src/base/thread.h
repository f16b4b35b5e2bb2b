/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of our own. */
#ifndef OF_BASE_THREAD_H
#define OF_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread with room for deep calls; signals that the host waits for are left to the threads
 * of the host. 0, or what pthread_create says. */
int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
