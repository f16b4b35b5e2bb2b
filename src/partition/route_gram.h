/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the gram route as they see each other. */
#ifndef OF_PARTITION_ROUTE_GRAM_H
#define OF_PARTITION_ROUTE_GRAM_H

#include "partition/routes.h"

/* Leading eigenpairs of G (d x d, of which the lower triangle is given): work's values, rank and
 * residual, and the weights (rank x d) that make H of psi. */
onefold_status of_gram_solve(of_context *context, of_arena *arena, size_t d, double *gram,
                             of_route_work *work, double **weight);

/* The route on the card of work->options, into its stack (route_gram_device.c). */
onefold_status of_gram_on_card(of_context *context, of_route_work *work);

#endif
