/* SPDX-License-Identifier: Apache-2.0 */
/* Labels from an affinity between samples: normalised spectral clustering. */
#ifndef OF_PEERS_AFFINITY_H
#define OF_PEERS_AFFINITY_H

#include "method/method.h"

/* W (n x n, symmetric, not negative) becomes D^-1/2 W D^-1/2, D = diag of row sums + 2e-16. */
onefold_status of_affinity_normalise(of_context *context, size_t n, double *affinity);

/* Normalises the affinity (samples x samples, destroyed) and clusters by its leading eigenvectors.
 * `end` points to the method's last OF_SPECTRAL_OPTION_COUNT options. Fills the outcome's labels,
 * embedding, views and restarts. */
onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome);

#endif
