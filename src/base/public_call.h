/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A public call that may take long. Where the caller has hooks, a thread of our own does the work,
 * and the calling thread waits for it: it asks `cancel` 40 times a second and repeats the last
 * progress ten times a second, whatever the work is in the middle of. Hooks are thus called on the
 * calling thread only. Without hooks the calling thread works itself.
 */
#ifndef OF_BASE_PUBLIC_CALL_H
#define OF_BASE_PUBLIC_CALL_H

#include "base/context.h"

typedef onefold_status (*of_call_work)(of_context *context, void *arguments);

/* Runs `work`, with BLAS on one thread, and returns its status; its error is that of the calling
 * thread. `stage` is what progress speaks of until the work says more. Inside another call it is
 * only a function call. */
onefold_status of_call(of_context *context, const char *stage, of_call_work work, void *arguments);

#endif
