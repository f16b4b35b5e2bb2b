/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of all that a fit comes to, for tests that it comes to the same bits another way. */
#ifndef OF_TESTS_SUPPORT_BITS_H
#define OF_TESTS_SUPPORT_BITS_H

#include "base/context.h"

typedef struct bits {
    uint64_t labels; /* 0: of a process that has not all of them; the run's number is of all */
    uint64_t run, weights, trace, embedding, model;
    char route[16]; /* of the first view */
} bits;

/* Fits, and hashes what came of it: the embedding where there is one, and the file that the model
 * makes, which is written to `path` and removed. No assertions: ranks call it. */
onefold_status bits_fit(of_context *context, const onefold_dataset *data,
                        const onefold_fit_options *options, const char *path, bits *out);

/* The test fails, naming `what` and what differs, unless they are the same. */
void bits_check(const bits *got, const bits *want, const char *what);

#endif
