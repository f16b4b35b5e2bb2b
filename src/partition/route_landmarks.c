/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of a landmark graph: its ties, and their spectrum. */
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <string.h>

onefold_status of_route_landmarks(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_view_graph graph;
    of_graph_spectrum spectrum;
    of_arena *kept = work->projection ? work->arena : &scratch;
    OF_TRY(of_view_graph_make(context, kept, work->kernel, work->options, &graph));
    OF_TRY(of_graph_spectrum_make(context, &scratch, &graph.ties, work->rows, work->tolerance,
                                  work->H.held, work->H.ld, &spectrum));
    memcpy(work->value, spectrum.value, work->rows * sizeof *work->value);
    work->rank = spectrum.rank;
    work->residual = spectrum.residual;
    if (!work->projection)
        return ONEFOLD_OK;
    return of_view_graph_projection(context, work->arena, &graph, spectrum.rank, spectrum.weight,
                                    spectrum.value, spectrum.degree, work->projection);
}

size_t of_route_landmarks_bytes(of_context *context, const of_kernel *kernel,
                                const of_partition_options *options)
{
    size_t landmarks, entries, n = kernel->view->samples,
                               rows = options->dims < n ? options->dims : n;
    of_view_graph_size(kernel, options, &landmarks, &entries);
    return of_view_graph_bytes(context, kernel, options) +
           of_graph_spectrum_bytes(context, n, landmarks, entries, rows);
}
