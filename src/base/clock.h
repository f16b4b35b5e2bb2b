/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds, for reports only: nothing numerical may depend on them. */
#ifndef OF_BASE_CLOCK_H
#define OF_BASE_CLOCK_H

double of_clock_seconds(void);
#endif
