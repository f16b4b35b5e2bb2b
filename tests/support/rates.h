/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of a machine that is not there, for tests of estimates: the same numbers everywhere. */
#ifndef OF_TESTS_SUPPORT_RATES_H
#define OF_TESTS_SUPPORT_RATES_H

#include "partition/partition.h"

static const of_work rates_made = {.product = 1e10, .memory = 1e10, .factor = 3e9, .copied = 1e10};

#endif
