/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions: which route a kernel is to take, and what it takes. */
#include "partition/partition.h"

#include "partition/routes.h"

static size_t (*const bytes_of[])(of_context *context, const of_kernel *kernel, size_t rows) = {
    [OF_ROUTE_GRAM] = of_route_gram_bytes,
    [OF_ROUTE_KRYLOV] = of_route_krylov_bytes,
    [OF_ROUTE_DENSE] = of_route_dense_bytes,
    [OF_ROUTE_TILES] = of_route_tiles_bytes,
};

/* Flops decide, counting what a Krylov space of some 6 k + 80 rows costs. The Gram matrix takes
 * n d^2 and the kernel matrix n^2 d to form, and both are cheap to multiply with after that; the
 * implicit products take 4 n d for each row, or 4 for each entry that is not 0. */
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
    return n <= 4 * space && n * n <= OF_FORMED_BYTES / sizeof(double) ? OF_ROUTE_DENSE
                                                                       : OF_ROUTE_KRYLOV;
}

static int is_formed(size_t n)
{
    return !n || n <= OF_FORMED_BYTES / sizeof(double) / n;
}

/* Operations of the exact route to an rbf kernel's partition: each entry of K is made once where K
 * is formed, and else about a dozen times, and multiplied with the rows of a basis. A formed K is
 * read from memory for every product, which makes an operation on it as long as FORMED others. */
static double exact_work(const of_kernel *kernel, size_t rows)
{
    static const double FORMED = 2.5;
    double n = (double)kernel->view->samples, d = (double)of_kernel_columns(kernel),
           k = (double)rows;
    return is_formed(kernel->view->samples) ? FORMED * n * n * (d + 20 + 2 * (4 * k + 64))
                                            : 12 * n * n * (d + 2 * (k + 8) + 20);
}

/* Exact for as long as that takes no more operations than landmarks would: more samples then never
 * take less time for going through landmarks. Neither threads nor a clock enter: the route, and
 * with it the labels, must not depend on them. */
onefold_base of_partition_base(const of_kernel *kernels, size_t count,
                               const of_partition_options *options)
{
    static const size_t SMALL =
        2048; /* about every sample would be a landmark: nothing is gained */
    double exact = 0, landmarks = 0;
    if (options->base != ONEFOLD_BASE_AUTO)
        return options->base;
    for (size_t i = 0; i < count; i++) {
        size_t rows = of_partition_rows(&kernels[i], options);
        if (kernels[i].kind != OF_KERNEL_RBF || kernels[i].graph ||
            kernels[i].view->samples <= SMALL)
            continue;
        exact += exact_work(&kernels[i], rows);
        landmarks += of_nystrom_work(&kernels[i], rows);
    }
    return exact > landmarks ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_EXACT;
}

static of_route rbf_route(const of_kernel *kernel, const of_partition_options *options)
{
    if (of_partition_base(kernel, 1, options) == ONEFOLD_BASE_NYSTROM)
        return OF_ROUTE_NYSTROM;
    return is_formed(kernel->view->samples) ? OF_ROUTE_DENSE : OF_ROUTE_TILES;
}

onefold_status of_partition_check(const of_kernel *kernel, const of_partition_options *options)
{
    size_t n = kernel->view->samples;
    if (options->landmarks > n)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu landmarks cannot be chosen from %zu samples",
                               options->landmarks, n),
                       "give `landmarks` %zu at most, or leave it out", n);
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
    switch (kernel->kind) {
    case OF_KERNEL_PRECOMPUTED:
        return OF_ROUTE_DENSE;
    case OF_KERNEL_RBF:
        return rbf_route(kernel, options);
    default:
        return linear_route(kernel, of_partition_rows(kernel, options));
    }
}

size_t of_partition_bytes(of_context *context, const of_kernel *kernel, of_route route,
                          const of_partition_options *options)
{
    size_t rows = of_partition_rows(kernel, options);
    context = of_context_or_default(context);
    switch (route) {
    case OF_ROUTE_LANDMARKS:
        return of_route_landmarks_bytes(context, kernel, options);
    case OF_ROUTE_NYSTROM:
        return of_route_nystrom_bytes(context, kernel, rows, options->landmarks);
    default:
        return bytes_of[route](context, kernel, rows);
    }
}

int of_partition_fits_card(of_context *context, const of_kernel *kernel, of_route route,
                           const of_partition_options *options)
{
    int fits = route == OF_ROUTE_NYSTROM
                   ? of_nystrom_fits_card(kernel, of_partition_rows(kernel, options))
               : route == OF_ROUTE_GRAM   ? of_gram_fits_card(kernel)
               : route == OF_ROUTE_KRYLOV ? of_krylov_fits_card(kernel)
                                          : 0;
    /* of samples that are split a card has dense ones */
    return fits && (!of_comm_splits(context, kernel->view->samples) ||
                    (route != OF_ROUTE_KRYLOV && !kernel->features.start));
}

onefold_status of_partition_card_bytes(of_context *context, const of_device_use *use,
                                       const of_kernel *kernel, of_route route,
                                       const of_partition_options *options, size_t *bytes)
{
    *bytes = 0;
    switch (route) {
    case OF_ROUTE_GRAM:
        return of_gram_card_bytes(context, use, kernel, bytes);
    case OF_ROUTE_KRYLOV:
        return kernel->features.start
                   ? of_krylov_card_bytes(kernel, of_partition_rows(kernel, options), bytes)
                   : ONEFOLD_OK;
    case OF_ROUTE_NYSTROM:
        return of_nystrom_card_bytes(kernel, of_partition_rows(kernel, options), options->landmarks,
                                     bytes);
    case OF_ROUTE_TILES:
        return of_tiles_card_bytes(kernel, of_partition_rows(kernel, options), bytes);
    default:
        return ONEFOLD_OK;
    }
}
