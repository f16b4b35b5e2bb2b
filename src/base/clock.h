/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds, for reports only: nothing numerical may depend on them. */
#ifndef OF_BASE_CLOCK_H
#define OF_BASE_CLOCK_H

double of_clock_seconds(void);        /* since some fixed moment */
double of_clock_thread_seconds(void); /* that this thread has been working */

#endif
