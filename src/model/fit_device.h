/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a fit is worth a card. */
#ifndef OF_MODEL_FIT_DEVICE_H
#define OF_MODEL_FIT_DEVICE_H

#include "model/fit.h"

/* `estimate` is the CPU's, and becomes that of where the fit would be done. Where the context
 * leaves the choice to us, the card is opened if the fit gains by it. */
onefold_status of_fit_choose_device(of_context *context, of_fit_plan *plan,
                                    of_method_estimate *estimate);

/* The same before a fit, which has made no estimate yet. */
onefold_status of_fit_consider_card(of_context *context, of_fit_plan *plan);

#endif
