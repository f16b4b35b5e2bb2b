/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a fit by the paper's own method, for tests whose subject it is. */
#ifndef OF_TESTS_SUPPORT_PAPER_OPTIONS_H
#define OF_TESTS_SUPPORT_PAPER_OPTIONS_H

#include "onefold.h"

static inline onefold_fit_options paper_options(void)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    return options;
}

/* Options of the solver, which a plan has filled in. */
static inline onefold_fit_options solver_options(void)
{
    onefold_fit_options options = paper_options();
    options.restarts = 10;
    return options;
}

#endif
