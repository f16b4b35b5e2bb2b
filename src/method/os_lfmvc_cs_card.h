/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit on a card takes. */
#ifndef OF_METHOD_OS_LFMVC_CS_CARD_H
#define OF_METHOD_OS_LFMVC_CS_CARD_H

#include "method/method.h"

/* Turns the CPU's estimate of a fit into that of a card, its start left out. */
onefold_status of_cs_card_time(of_context *context, const of_problem *problem,
                               of_method_estimate *estimate);

#endif
