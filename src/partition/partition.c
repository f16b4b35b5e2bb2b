/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions: the route of a kernel, and the memory that it takes. */
#include "partition/partition.h"

#include "linalg/factor.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>
#include <string.h>

/* ---- the route of landmark graphs ------------------------------------------------------------ */

/* Computes the spectrum and H, of which a process may hold its share alone. */
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
    OF_COUNTED(context);
    for (size_t j = own.first; j < own.end; j++)
        memcpy(of_share_at(work->H, j), H + j * rows, rows * sizeof *H);
    return ONEFOLD_OK;
}

static onefold_status route_landmarks(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_view_graph graph;
    of_graph_spectrum spectrum;
    of_arena *kept = work->projection ? work->arena : &scratch;
    OF_TRY(of_view_graph_make(context, kept, work->kernel, work->options, &graph));
    OF_TRY(make_rows(context, &scratch, &graph.ties, work, &spectrum));
    if (!of_counts(context))
        memcpy(work->value, spectrum.value, work->rows * sizeof *work->value);
    work->rank = spectrum.rank;
    work->residual = spectrum.residual;
    if (!work->projection)
        return ONEFOLD_OK;
    return of_view_graph_projection(context, work->arena, &graph, spectrum.rank, spectrum.weight,
                                    spectrum.value, spectrum.degree, work->projection);
}

/* ---- taking a route -------------------------------------------------------------------------- */

static const of_route_run run[] = {
    [OF_ROUTE_GRAM] = of_route_gram,       [OF_ROUTE_KRYLOV] = of_route_krylov,
    [OF_ROUTE_DENSE] = of_route_dense,     [OF_ROUTE_TILES] = of_route_tiles,
    [OF_ROUTE_NYSTROM] = of_route_nystrom, [OF_ROUTE_LANDMARKS] = route_landmarks,
};

void of_route_nothing(const of_context *context, of_route_work *work)
{
    for (size_t r = 0; r < work->rows && !of_counts(context); r++)
        work->value[r] = 0;
    for (size_t r = 0; work->sign && r < work->rows; r++)
        work->sign[r] = 1;
    work->rank = 0;
    work->residual = 0;
}

void of_route_clear(of_context *context, const of_route_work *work)
{
    of_range own = of_comm_own(context, work->kernel->view->samples);
    for (size_t j = own.first; !work->sign && j < own.end && !of_counts(context); j++)
        for (size_t r = work->rank; r < work->rows; r++)
            of_share_at(work->H, j)[r] = 0;
}

/* Refuses routes that need the whole kernel, where samples are split over processes. */
static onefold_status check_split(of_context *context, const of_kernel *kernel, of_route route)
{
    if ((route != OF_ROUTE_TILES && route != OF_ROUTE_DENSE) || of_counts(context) ||
        !of_comm_splits(context, kernel->view->samples))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                           "the %s route is not split over processes, and %zu samples are",
                           onefold_name(ONEFOLD_NAMES_ROUTE, of_route_public(route)),
                           kernel->view->samples),
                   "start one process, or take `base` nystrom");
}

/* Sets the signs of rows in host memory; rows beyond the number of samples become zero. */
static onefold_status set_signs(of_context *context, const of_route_work *work, size_t dims,
                                double *sign)
{
    size_t n = work->kernel->view->samples;
    of_range own = of_comm_own(context, n);
    if (work->rows)
        OF_TRY(of_sign_rows(context, n, work->rows, work->H, sign));
    for (size_t j = own.first; j < own.end && !of_counts(context); j++)
        for (size_t r = work->rows; r < dims; r++)
            of_share_at(work->H, j)[r] = 0;
    return ONEFOLD_OK;
}

onefold_status of_partition_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                 of_route route, const of_partition_options *options, of_share H,
                                 of_partition *partition)
{
    OF_SCRATCH(scratch, context);
    int there = options->there && of_partition_fits_device(context, kernel, route, options);
    double *sign;
    of_route_work work = {.kernel = kernel,
                          .rows = of_partition_rows(kernel, options),
                          .tolerance = options->tolerance,
                          .options = options,
                          .H = H,
                          .arena = arena};
    OF_TRY(of_partition_check(kernel, options));
    OF_TRY(check_split(context, kernel, route));
    OF_TRY(OF_NEW_ZERO(arena, &work.value, options->dims, 1));
    if (options->project)
        OF_TRY(OF_NEW_ZERO(arena, &work.projection, 1, 1));
    OF_TRY(OF_NEW(&scratch, &sign, options->dims, 1));
    work.sign = there ? sign : NULL;
    if (work.rows)
        OF_TRY(run[route](context, &work));
    if (!there)
        OF_TRY(set_signs(context, &work, options->dims, sign));
    if (work.rows && work.projection && route != OF_ROUTE_LANDMARKS) { /* that one has finished */
        work.projection->precision = options->precision;
        OF_TRY(
            of_projection_finish(context, arena, kernel, route, work.value, sign, work.projection));
    }
    *partition = (of_partition){.route = route,
                                .rank = work.rank,
                                .residual = work.residual,
                                .values = work.value,
                                .converged = route == OF_ROUTE_NYSTROM ||
                                             work.residual <= options->tolerance,
                                .projection = work.projection,
                                .on_gpu = work.on_gpu};
    return ONEFOLD_OK;
}

/* ---- choosing a route ------------------------------------------------------------------------ */

/* Whether the matrix of a kernel is formed: it takes at most 256 MB. */
static int is_formed(size_t n)
{
    return !n || n <= ((size_t)256 << 20) / sizeof(double) / n;
}

/* The route of fewest flops, for a Krylov space of about 6 k + 80 rows. The Gram matrix takes n d^2
 * and the kernel matrix n^2 d to form, and products with either are cheap. Implicit products take
 * 4 n d for each row, or 4 for each nonzero. */
static of_route linear_route(const of_kernel *kernel, size_t rows)
{
    enum { GRAM_MOST = 1024, GRAM_MOST_SPARSE = 256, SMALL = 256 };
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel), space = 6 * rows + 80;
    if (kernel->features.start) {
        if (d <= GRAM_MOST_SPARSE && d < n)
            return OF_ROUTE_GRAM;
        return n <= SMALL || n <= space ? OF_ROUTE_DENSE : OF_ROUTE_KRYLOV;
    }
    if (d < n && d <= GRAM_MOST && d <= 4 * space)
        return OF_ROUTE_GRAM;
    return n <= 4 * space && is_formed(n) ? OF_ROUTE_DENSE : OF_ROUTE_KRYLOV;
}

/* Numbers that the Nystrom route holds: the samples that landmarks are chosen from
 * (kernel/landmarks.c), the landmarks, and about ten matrices of landmarks by landmarks. */
static double held_by_landmarks(const of_kernel *kernel, size_t rows)
{
    static const double MOST_DRAWN = 1 << 23, MATRICES = 10;
    double n = (double)kernel->view->samples, d = (double)of_kernel_columns(kernel),
           l = (double)of_nystrom_landmarks(kernel, rows, 0);
    return fmin(d * fmin(n, 20 * l), MOST_DRAWN) + d * l + MATRICES * l * l;
}

/* Exact while the kernel matrices are formed and take no more memory than landmarks would. At that
 * size landmarks take about as long, or longer, so neither memory nor time drops as samples are
 * added. Neither threads nor a clock matter: the labels must not depend on them. */
onefold_base of_partition_base(const of_kernel *kernels, size_t count,
                               const of_partition_options *options)
{
    double exact = 0, landmarks = 0;
    if (options->base != ONEFOLD_BASE_AUTO)
        return options->base;
    for (size_t i = 0; i < count; i++) {
        double n = (double)kernels[i].view->samples;
        if (!of_kernel_rows[kernels[i].kind]->has_landmarks || kernels[i].graph)
            continue;
        if (!is_formed(kernels[i].view->samples))
            return ONEFOLD_BASE_NYSTROM;
        exact += n * n;
        landmarks += held_by_landmarks(&kernels[i], of_partition_rows(&kernels[i], options));
    }
    return exact > landmarks ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_EXACT;
}

onefold_status of_partition_check(const of_kernel *kernel, const of_partition_options *options)
{
    size_t n = kernel->view->samples;
    if (options->base == ONEFOLD_BASE_NYSTROM && !kernel->graph &&
        of_kernel_has_distances(kernel->kind) && !of_kernel_rows[kernel->kind]->has_landmarks)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED, "the kernel %s has no landmarks", of_kernel_title(kernel)),
            "use `base` exact or auto, or the kernel rbf");
    if (options->landmarks > n)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu landmarks cannot be chosen from %zu samples",
                               options->landmarks, n),
                       "give `landmarks` %zu at most, or leave it out", n);
    if (options->landmarks > OF_EIGH_MOST && options->base == ONEFOLD_BASE_NYSTROM &&
        of_kernel_rows[kernel->kind]->has_landmarks && !kernel->graph)
        return of_fail(ONEFOLD_UNSUPPORTED,
                       "%zu landmarks are more than LAPACK can count the pairs of, which is %d",
                       options->landmarks, OF_EIGH_MOST);
    if (options->landmarks && options->landmarks < options->dims)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu landmarks span fewer than %zu dimensions",
                               options->landmarks, options->dims),
                       "give `landmarks` %zu or more, or leave it out", options->dims);
    return ONEFOLD_OK;
}

of_route of_partition_route(const of_kernel *kernel, const of_partition_options *options)
{
    if (kernel->graph)
        return OF_ROUTE_LANDMARKS;
    const of_kernel_row *row = of_kernel_rows[kernel->kind];
    switch (row->entries) {
    case OF_ENTRIES_GIVEN:
        break;
    case OF_ENTRIES_DISTANCES:
        if (row->has_landmarks && of_partition_base(kernel, 1, options) == ONEFOLD_BASE_NYSTROM)
            return OF_ROUTE_NYSTROM;
        return is_formed(kernel->view->samples) ? OF_ROUTE_DENSE : OF_ROUTE_TILES;
    case OF_ENTRIES_PRODUCTS:
        return linear_route(kernel, of_partition_rows(kernel, options));
    }
    return OF_ROUTE_DENSE;
}

/* Bytes that a route holds on a GPU (src/gpu). gram: features, and partial sums; krylov: sparse
 * features twice, and products; nystrom: features and kernel values of the samples summed; tiles:
 * features, and vectors of samples. */
static onefold_status count_on_gpu(of_context *context, const of_kernel *kernel, of_route route,
                                   const of_partition_options *options, size_t *bytes)
{
    static const size_t PARTIAL = (size_t)256 << 20, SEGMENT = 1024, TILE = 128;
    size_t rows = of_partition_rows(kernel, options), deep = rows > 8 ? rows : 8, all, each = 0,
           more = 0, d = of_kernel_columns(kernel);
    *bytes = 0;
    if (!context || !of_device_for(context, kernel->view->samples))
        return ONEFOLD_OK;
    of_range own = of_comm_own(context, kernel->view->samples);
    size_t n = own.end - own.first, padded = (n + TILE - 1) / TILE * TILE;
    if (route == OF_ROUTE_GRAM) {
        each = sizeof(double) * d;
        more = sizeof(double) * d * d * (padded / TILE + 1);
        more = more < PARTIAL ? more : PARTIAL + 32 * sizeof(double) * d * d;
    } else if (route == OF_ROUTE_KRYLOV && kernel->features.start) {
        size_t entries = kernel->features.start[kernel->view->samples];
        OF_TRY(of_size_multiply(&more, entries, 2 * (sizeof(uint32_t) + sizeof(double))));
        more += sizeof(double) * (deep * (entries / SEGMENT + 3 * d) + 3 * d);
        each = sizeof(double) * (deep + 2);
    } else if (route == OF_ROUTE_NYSTROM) {
        n = n < OF_NYSTROM_LARGE ? n : OF_NYSTROM_LARGE;
        each = sizeof(double) * (d + rows + of_nystrom_landmarks(kernel, rows, options->landmarks));
    } else if (route == OF_ROUTE_TILES) {
        n = padded;
        each = sizeof(double) * (d + 1 + 2 * of_eigen_deepest(rows, of_tiles_block(n, rows)));
    }
    OF_TRY(of_size_multiply(&all, n, each));
    return of_size_add(bytes, all, more);
}

onefold_status of_partition_bytes(of_context *context, const of_kernel *kernel, of_route route,
                                  const of_partition_options *options, of_partition_size *size)
{
    OF_COUNTING(counting, context);
    OF_SCRATCH(arena, counting);
    of_partition_options here = *options;
    of_partition partition;
    here.there = NULL;
    OF_TRY(of_partition_make(counting, &arena, kernel, route, &here,
                             of_share_whole(NULL, options->dims), &partition));
    size->memory = of_count_peak(counting);
    size->projection = partition.projection ? of_projection_bytes(partition.projection) : 0;
    return count_on_gpu(context, kernel, route, options, &size->gpu);
}

int of_partition_fits_device(of_context *context, const of_kernel *kernel, of_route route,
                             const of_partition_options *options)
{
    enum { MOST_ROWS = 95 }; /* src/gpu/project.cu */
    size_t n = kernel->view->samples;
    if (!of_kernel_columns(kernel))
        return 0;
    /* where samples are split, a GPU takes only dense features */
    if (of_comm_splits(context, n) && (route == OF_ROUTE_KRYLOV || kernel->features.start))
        return 0;
    switch (route) {
    case OF_ROUTE_GRAM:
        return !of_kernel_is_links(kernel->kind);
    case OF_ROUTE_KRYLOV: /* products with sparse features of fewer columns than samples */
        return of_krylov_uses_features(kernel) && n <= UINT32_MAX;
    case OF_ROUTE_NYSTROM:
        return of_kernel_rows[kernel->kind]->has_landmarks &&
               (n <= OF_NYSTROM_LARGE ||
                (!kernel->features.start && of_partition_rows(kernel, options) <= MOST_ROWS));
    default:
        return 0;
    }
}
