/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks in one test program: a thread and a context for each, which exchange memory. */
#ifndef OF_TESTS_SUPPORT_RANKS_H
#define OF_TESTS_SUPPORT_RANKS_H

#include "base/comm.h"

/* The samples of a fit's arrays on one of so many ranks: all of n on rank 0, else its own. */
of_range ranks_held(int ranks, int rank, size_t split_above, size_t n);

/* What a rank does. No assertions in it: it is not the test's own thread. */
typedef onefold_status (*ranks_work)(of_context *context, int rank, void *user);

/* Runs `work` on every rank, each with `threads` threads, splitting what has more than
 * `split_above` samples. outcome[r] is what it came to on rank r, with its sentence. */
void ranks_run(int ranks, int threads, size_t split_above, ranks_work work, void *user,
               of_error *outcome);

/* The same where all must succeed. */
void ranks_run_ok(int ranks, int threads, size_t split_above, ranks_work work, void *user);

#endif
