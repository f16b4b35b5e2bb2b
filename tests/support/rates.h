/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of a machine that is not there, for tests of estimates: the same numbers everywhere. */
#ifndef OF_TESTS_SUPPORT_RATES_H
#define OF_TESTS_SUPPORT_RATES_H

#include "partition/partition_estimate.h"

static const of_rates rates_made = {.product = 1e10,
                                    .thin = 1e10,
                                    .loop = 1e9,
                                    .memory = 1e10,
                                    .exponential = 5e8,
                                    .sparse = 1e9,
                                    .sparse_far = 5e8,
                                    .factor = 3e9,
                                    .polar = 1e-5,
                                    .threads = 1,
                                    .slowdown = 1};

#endif
