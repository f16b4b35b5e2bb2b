/* SPDX-License-Identifier: Apache-2.0 */
/* Features of a few samples at a time, dense, as the kernel multiplies them. */
#include "kernel/kernel.h"
#include "linalg/blas.h"

#include <string.h>

static void sparse_rows(const of_sparse *features, size_t first, size_t count, double *tile)
{
    memset(tile, 0, count * features->columns * sizeof *tile);
    for (size_t j = 0; j < count; j++)
        for (size_t e = features->start[first + j]; e < features->start[first + j + 1]; e++)
            tile[j * features->columns + features->index[e]] = features->value[e];
}

/* Kept columns, shifted and scaled. Numbers only move to the front, so this works in place. */
static void prepare(const of_prep *prep, size_t raw_columns, size_t count, double *tile)
{
    for (size_t j = 0; j < count; j++) {
        const double *raw = tile + j * raw_columns;
        double *out = tile + j * prep->columns;
        for (size_t i = 0; i < prep->columns; i++) {
            double x = raw[prep->kept ? prep->kept[i] : i];
            out[i] = (x - (prep->shift ? prep->shift[i] : 0)) * (prep->scale ? prep->scale[i] : 1);
        }
    }
}

void of_kernel_tile(const of_kernel *kernel, size_t first, size_t count, double *tile)
{
    if (kernel->features.start) {
        sparse_rows(&kernel->features, first, count, tile);
        return;
    }
    size_t raw_columns = kernel->view->columns, columns = kernel->prep.columns;
    of_view_tile(kernel->view, first, count, tile, raw_columns);
    if (kernel->prep.kind != OF_PREP_NONE)
        prepare(&kernel->prep, raw_columns, count, tile);
    for (size_t j = 0; kernel->kind == OF_KERNEL_COSINE && j < count; j++) {
        double norm = cblas_dnrm2((int)columns, tile + j * columns, 1);
        for (size_t i = 0; norm > 0 && i < columns; i++)
            tile[j * columns + i] /= norm;
    }
}
