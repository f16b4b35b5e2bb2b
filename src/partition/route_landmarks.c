/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of a landmark graph: its ties, and their spectrum. */
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <string.h>

/* H, of which a process may hold its share alone. */
static onefold_status make_rows(of_context *context, of_arena *arena, const of_sparse *ties,
                                of_route_work *work, of_graph_spectrum *spectrum)
{
    OF_SCRATCH(scratch, context);
    size_t n = ties->rows, rows = work->rows;
    of_range own = of_comm_own(context, n);
    double *H;
    if (!of_comm_splits(context, n))
        return of_graph_spectrum_make(context, arena, ties, rows, work->tolerance, work->H.held,
                                      work->H.ld, spectrum);
    OF_TRY(OF_NEW(&scratch, &H, rows, n));
    OF_TRY(of_graph_spectrum_make(context, arena, ties, rows, work->tolerance, H, rows, spectrum));
    for (size_t j = own.first; j < own.end; j++)
        memcpy(of_share_at(work->H, j), H + j * rows, rows * sizeof *H);
    return ONEFOLD_OK;
}

onefold_status of_route_landmarks(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_view_graph graph;
    of_graph_spectrum spectrum;
    of_arena *kept = work->projection ? work->arena : &scratch;
    OF_TRY(of_view_graph_make(context, kept, work->kernel, work->options, &graph));
    OF_TRY(make_rows(context, &scratch, &graph.ties, work, &spectrum));
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
           (of_comm_splits(context, n) ? sizeof(double) * rows * n : 0) +
           of_graph_spectrum_bytes(context, n, landmarks, entries, rows);
}
