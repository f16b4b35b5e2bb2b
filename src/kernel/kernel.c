/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by name, what `auto` picks, making the kernel of a view, and its features as they are
 * used. */
#include "kernel/kernel.h"

#include "base/nearest.h"
#include "kernel/prep.h"
#include "linalg/blas.h"

#include <string.h>

static const char *const names[] = {"auto",  "linear",      "cosine", "rbf",
                                    "graph", "precomputed", "knn",    "subspace"};
enum { NAME_COUNT = sizeof names / sizeof *names };

const char *of_kernel_name(of_kernel_kind kind)
{
    return names[kind];
}

size_t onefold_kernel_count(void)
{
    return NAME_COUNT;
}

const char *onefold_kernel_name(size_t index)
{
    return index < NAME_COUNT ? names[index] : NULL;
}

const char *of_kernel_title(const of_kernel *kernel)
{
    return names[kernel->graph ? kernel->graph : kernel->kind];
}

onefold_status of_kernel_parse(of_kernel_kind *kind, const char *name)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *kind = (of_kernel_kind)i;
            return ONEFOLD_OK;
        }
    onefold_status status = of_fail(ONEFOLD_USAGE, "there is no kernel \"%s\"", name);
    const char *near = of_nearest(name, names, NAME_COUNT);
    if (near)
        return of_hint(status, "did you mean \"%s\"?", near);
    return of_hint(status,
                   "kernels are auto, linear, cosine, rbf, graph, precomputed, knn and subspace");
}

/* Refuses a kernel that a view has not the shape for. */
static onefold_status kind_suits(const of_view *view, of_kernel_kind kind)
{
    const char *name = view->name ? view->name : "a view";
    if ((kind == OF_KERNEL_GRAPH || kind == OF_KERNEL_PRECOMPUTED) &&
        view->columns != view->samples)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%s has %zu samples and %zu columns, and \"%s\" "
                               "needs as many columns as samples",
                               name, view->samples, view->columns, names[kind]),
                       "choose another kernel for it, or auto");
    if (view->storage == OF_KERNEL && kind != OF_KERNEL_GRAPH && kind != OF_KERNEL_PRECOMPUTED)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%s is a kernel already, so \"%s\" cannot be made of it", name,
                               names[kind]),
                       "use precomputed for it, or auto");
    return ONEFOLD_OK;
}

static of_kernel_kind graph_of(of_kernel_kind kind)
{
    return kind == OF_KERNEL_KNN || kind == OF_KERNEL_SUBSPACE ? kind : 0;
}

/* Whether a kind is left to `auto`, and whether cosine would then have sparse features. */
static int is_left(const of_view *view, of_kernel_kind kind, int *compress)
{
    int left = kind == OF_KERNEL_AUTO || graph_of(kind);
    *compress = view->storage == OF_SPARSE || left;
    return left;
}

/* A kernel of a kind that suits the view, nothing made of it yet. */
static onefold_status begin(const of_view *view, of_kernel_kind kind, of_kernel_kind graph,
                            const char *reason, of_kernel *kernel)
{
    OF_TRY(kind_suits(view, kind));
    if (graph && kind == OF_KERNEL_PRECOMPUTED)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%s is a kernel already, so \"%s\" cannot be made of it",
                               view->name ? view->name : "a view", names[graph]),
                       "use precomputed for it, or auto");
    *kernel = (of_kernel){.kind = kind, .graph = graph, .view = view, .width = 1, .reason = reason};
    return ONEFOLD_OK;
}

onefold_status of_kernel_resolve_shape(const of_view *view, of_kernel_kind *kind,
                                       of_prep_kind *prep, int *compress, of_kernel *kernel)
{
    const char *reason = "asked for";
    of_kernel_kind graph = graph_of(*kind);
    *prep = OF_PREP_NONE;
    if (is_left(view, *kind, compress))
        *kind = of_auto_kernel_shape(view, prep, &reason);
    return begin(view, *kind, graph, reason, kernel);
}

onefold_status of_kernel_make(of_context *context, of_arena *arena, const of_view *view,
                              of_kernel_kind kind, uint64_t seed, of_kernel *kernel)
{
    (void)seed;
    int compress, left = is_left(view, kind, &compress);
    of_prep_kind prep = OF_PREP_NONE;
    of_kernel made;
    const char *reason = "asked for";
    of_kernel_kind graph = graph_of(kind);
    if (left)
        OF_TRY(of_auto_kernel_prep(context, view, &kind, &prep, &reason));
    OF_TRY(begin(view, kind, graph, reason, &made));
    made.prep.columns = view->columns;
    switch (kind) {
    case OF_KERNEL_RBF:
        OF_TRY(of_prep_standardise(context, arena, &made));
        break;
    case OF_KERNEL_GRAPH:
        OF_TRY(of_prep_graph(context, arena, &made));
        break;
    case OF_KERNEL_COSINE:
        if (prep == OF_PREP_TFIDF)
            OF_TRY(of_prep_tfidf(context, arena, &made));
        else if (compress)
            OF_TRY(of_prep_unit_rows(context, arena, &made));
        break;
    case OF_KERNEL_LINEAR:
        if (view->storage == OF_SPARSE)
            OF_TRY(of_csr_native(arena, &view->sparse, &made.features));
        break;
    default:
        break;
    }
    *kernel = made;
    return ONEFOLD_OK;
}

size_t of_kernel_columns(const of_kernel *kernel)
{
    return kernel->prep.columns;
}

size_t of_kernel_tile_rows(const of_kernel *kernel)
{
    return kernel->features.start ? kernel->prep.columns : kernel->view->columns;
}

/* ---- features of a few samples, dense, as the kernel multiplies them --------------------- */

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
