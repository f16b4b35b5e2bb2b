/* SPDX-License-Identifier: Apache-2.0 */
/* Labels from an affinity between samples. */
#include "peers/affinity.h"

#include "peers/kernels.h"
#include "peers/spectral.h"

#include <math.h>

onefold_status of_affinity_normalise(of_context *context, size_t n, double *w)
{
    OF_SCRATCH(scratch, context);
    double *scale;
    OF_TRY(OF_NEW(&scratch, &scale, n, 1));
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += w[i + j * n];
        scale[j] = 1 / sqrt(sum + 2e-16);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            w[i + j * n] *= scale[i] * scale[j];
    return ONEFOLD_OK;
}

onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    OF_SCRATCH(scratch, context);
    double *value, *vector;
    OF_TRY(OF_NEW(&scratch, &value, clusters, 1));
    OF_TRY(OF_NEW(&scratch, &vector, n, clusters));
    OF_TRY(of_affinity_normalise(context, n, affinity));
    OF_TRY(of_spectral_top(context, n, clusters, affinity, n, NULL, value, vector, n));
    OF_TRY(of_kernels_report(problem, NULL, outcome));
    return of_spectral_labels(context, problem, end, vector, n, outcome);
}
