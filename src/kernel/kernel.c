/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by name, the rule of `auto`, making the kernel of a view, and its features. */
#include "kernel/kernel.h"

#include "base/comm.h"
#include "linalg/blas.h"
#include "linalg/simd.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- the rule of `auto`: a kernel from storage, shape, signs and the share of nonzeros ------ */

#define SPARSE_BELOW 0.3 /* share of nonzeros */
enum { PIECE = 4096 };   /* samples that one thread scans at a time */

/* Nonzeros from which on a view is not sparse. */
static double enough_of(const of_view *view)
{
    return SPARSE_BELOW * (double)view->samples * (double)view->columns;
}

typedef struct scan_task {
    const of_view *view;
    of_range own;
    double enough;
    atomic_size_t nonzeros;
    atomic_int negative;
} scan_task;

/* Scans a piece of the samples, unless enough nonzeros were found. The decision does not depend on
 * which pieces are skipped. */
static onefold_status scan_piece(void *opaque, size_t piece)
{
    scan_task *task = opaque;
    size_t first = task->own.first + piece * PIECE,
           end = of_size_least(first + PIECE, task->own.end);
    if ((double)atomic_load(&task->nonzeros) >= task->enough)
        return ONEFOLD_OK;
    of_signs seen = of_view_signs(task->view, first, end - first);
    atomic_fetch_add(&task->nonzeros, seen.nonzeros);
    if (seen.negative)
        atomic_store(&task->negative, 1);
    return ONEFOLD_OK;
}

/* Counts nonzeros and finds negative entries: of a sparse view all, of a dense one in samples
 * `own`. Without a context, on the calling thread. */
static onefold_status scan(of_context *context, const of_view *view, of_range own, of_signs *seen)
{
    scan_task task = {.view = view, .own = own, .enough = enough_of(view)};
    size_t pieces = (own.end - own.first + PIECE - 1) / PIECE;
    *seen = (of_signs){0, 0};
    if (view->storage == OF_SPARSE)
        *seen = of_view_signs(view, 0, view->samples);
    if (view->storage != OF_DENSE)
        return ONEFOLD_OK;
    if (context)
        OF_TRY(of_team_run(context, pieces, scan_piece, &task));
    for (size_t piece = 0; !context && piece < pieces; piece++)
        OF_TRY(scan_piece(&task, piece));
    *seen = (of_signs){atomic_load(&task.nonzeros), atomic_load(&task.negative)};
    return ONEFOLD_OK;
}

/* Whether entries (i, j) and (j, i) of a square sparse view occur together as often as by chance:
 * then its columns are not its samples. Links between samples occur together more often; citations
 * of older papers hardly ever. Where too few pairs are expected to decide, the view counts as
 * links. Only rows at even steps are read. */
static int pairs_as_by_chance(const of_sparse *a)
{
    enum { MOST = 512 };
    size_t step = (a->rows + MOST - 1) / MOST, into[MOST] = {0}, entries = of_sparse_entries(a),
           work = 100000000, found = 0;
    double expected = 0;
    for (size_t e = 0; e < entries; e++)
        if (a->index[e] % step == 0)
            into[a->index[e] / step]++;
    for (size_t i = 0; i < a->rows && work; i += step)
        for (size_t e = a->start[i]; e < a->start[i + 1] && work; e++) {
            size_t j = a->index[e], first = a->start[j], end = a->start[j + 1];
            if (j == i)
                continue;
            expected += (double)into[i / step] * (double)(end - first) / (double)entries;
            for (; first < end && work; first++, work--)
                found += a->index[first] == i;
        }
    return expected >= 10 && fabs((double)found - expected) < 3 * sqrt(expected) + expected / 20;
}

static of_kernel_kind decide(const of_view *view, of_signs seen, of_prep_kind *prep,
                             const char **reason)
{
    *prep = OF_PREP_NONE;
    if (view->storage == OF_KERNEL) {
        *reason = "the file gives a kernel";
        return OF_KERNEL_PRECOMPUTED;
    }
    if (view->column_unit) {
        *prep = OF_PREP_STANDARDISE;
        *reason = "there are categories among the columns";
        return OF_KERNEL_RBF;
    }
    if ((double)seen.nonzeros >= enough_of(view)) {
        *prep = OF_PREP_STANDARDISE;
        *reason = "at least 30 % of the entries are not zero";
        return OF_KERNEL_RBF;
    }
    if (seen.negative) {
        *reason = "sparse, with negative entries";
        return OF_KERNEL_COSINE;
    }
    if (view->samples == view->columns &&
        !(view->storage == OF_SPARSE && pairs_as_by_chance(&view->sparse))) {
        *reason = "square, sparse and without negative entries";
        return OF_KERNEL_GRAPH;
    }
    *prep = OF_PREP_TFIDF;
    *reason = "sparse and without negative entries: tf-idf";
    return OF_KERNEL_COSINE;
}

onefold_status onefold_dataset_kernel(const onefold_dataset *dataset, size_t view,
                                      const char **kernel, const char **reason)
{
    if (!dataset || !kernel || !reason || view >= dataset->set.view_count)
        return of_fail(ONEFOLD_USAGE, "the kernel of view %zu was asked for, and there are %zu",
                       view + 1, dataset ? dataset->set.view_count : 0);
    OF_SCRATCH(scratch, dataset->set.arena.context);
    const of_view *present;
    OF_TRY(of_kernel_view(&scratch, &dataset->set, view, OF_KERNEL_AUTO, &present));
    *kernel = of_kernel_name(of_auto_kernel(present, reason));
    return ONEFOLD_OK;
}

of_kernel_kind of_auto_kernel(const of_view *view, const char **reason)
{
    of_prep_kind prep;
    of_signs seen;
    (void)scan(NULL, view, (of_range){0, view->samples}, &seen); /* cannot fail without context */
    return decide(view, seen, &prep, reason);
}

onefold_status of_kernel_view(of_arena *arena, const of_dataset *dataset, size_t index,
                              of_kernel_kind kind, const of_view **view)
{
    const of_view *whole = &dataset->views[index];
    int square = whole->storage == OF_KERNEL || of_kernel_is_square(kind);
    if (of_kernel_stands_for_auto(kind) && !square && whole->samples == whole->columns &&
        of_present_missing(dataset, index)) {
        /* a graph, or a view that happens to have as many columns as samples */
        OF_SCRATCH(scratch, arena->context);
        const char *reason;
        OF_TRY(of_present_view(&scratch, dataset, index, 1, view));
        square = of_kernel_is_links(of_auto_kernel(*view, &reason));
    }
    return of_present_view(arena, dataset, index, square, view);
}

onefold_status of_kernel_zero(of_context *context, const of_view *view)
{
    OF_COUNTED(context);
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA,
                "view '%s' does not distinguish its samples: its kernel is zero once centred",
                view->name),
        "leave the view out with `views`; where its values differ by very little, scale it up or "
        "subtract an offset from its columns");
}

static const of_kernel_row automatic = {.name = "auto"}, knn = {.name = "knn"},
                           subspace = {.name = "subspace"};
const of_kernel_row *const of_kernel_rows[OF_KERNEL_KINDS] = {
    [OF_KERNEL_AUTO] = &automatic,
    [OF_KERNEL_LINEAR] = &of_kernel_linear,
    [OF_KERNEL_COSINE] = &of_kernel_cosine,
    [OF_KERNEL_RBF] = &of_kernel_rbf,
    [OF_KERNEL_GRAPH] = &of_kernel_graph,
    [OF_KERNEL_PRECOMPUTED] = &of_kernel_precomputed,
    [OF_KERNEL_LAPLACIAN] = &of_kernel_laplacian,
    [OF_KERNEL_KNN] = &knn,
    [OF_KERNEL_SUBSPACE] = &subspace,
};

/* Resolves AUTO and checks that the kind suits the view. *kernel has no features yet. */
static onefold_status resolve(of_context *context, const of_view *view, of_kernel_kind kind,
                              int *compress, of_kernel *kernel)
{
    of_kernel_kind graph =
        of_kernel_stands_for_auto(kind) && kind != OF_KERNEL_AUTO ? kind : OF_KERNEL_AUTO;
    of_prep_kind prep = OF_PREP_NONE;
    const char *reason = "asked for", *name = view->name ? view->name : "a view";
    int by_auto = of_kernel_stands_for_auto(kind);
    of_signs seen = {0, 0};
    *compress = view->storage == OF_SPARSE || by_auto;
    if (view->columns > INT_MAX) /* BLAS has int sizes */
        return of_fail(ONEFOLD_UNSUPPORTED, "%s has %zu columns, more than %d", name, view->columns,
                       INT_MAX);
    if (by_auto)
        OF_TRY(scan(context, view, of_comm_own(context, view->samples), &seen));
    if (by_auto && view->storage == OF_DENSE) {
        double counts[2] = {(double)seen.nonzeros, seen.negative};
        OF_TRY(of_comm_total(context, view->samples, 2, counts));
        seen = (of_signs){(size_t)counts[0], counts[1] > 0};
    }
    if (by_auto)
        kind = decide(view, seen, &prep, &reason);
    int given = of_kernel_is_given(kind), square = of_kernel_is_square(kind);
    if (square && view->columns != view->samples)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%s has %zu samples and %zu columns, and \"%s\" "
                               "needs as many columns as samples",
                               name, view->samples, view->columns, of_kernel_name(kind)),
                       "choose another kernel for it, or auto");
    if ((view->storage == OF_KERNEL && !square) || (graph && given))
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%s is a kernel already, so \"%s\" cannot be made of it", name,
                               of_kernel_name(square ? graph : kind)),
                       "use precomputed for it, or auto");
    *kernel = (of_kernel){.kind = kind, .graph = graph, .view = view, .width = 1, .reason = reason};
    kernel->prep = (of_prep){.kind = prep, .columns = view->columns};
    return ONEFOLD_OK;
}

const char *of_kernel_name(of_kernel_kind kind)
{
    return of_kernel_rows[kind]->name;
}

const char *onefold_kernel_name(size_t index)
{
    return index < OF_KERNEL_KINDS ? of_kernel_rows[index]->name : NULL;
}

const char *of_kernel_title(const of_kernel *kernel)
{
    return of_kernel_name(kernel->graph ? kernel->graph : kernel->kind);
}

onefold_status of_kernel_parse(of_kernel_kind *kind, const char *name)
{
    const char *names[OF_KERNEL_KINDS];
    char list[256];
    size_t used = 0;
    for (size_t i = 0; i < OF_KERNEL_KINDS; i++) {
        names[i] = of_kernel_rows[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *kind = (of_kernel_kind)i;
            return ONEFOLD_OK;
        }
        const char *before = i == 0 ? "" : i + 1 < OF_KERNEL_KINDS ? ", " : " and ";
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
    }
    onefold_status status = of_fail(ONEFOLD_USAGE, "there is no kernel \"%s\"", name);
    const char *near = onefold_nearest(name, names, OF_KERNEL_KINDS);
    return near ? of_hint(status, "did you mean \"%s\"?", near)
                : of_hint(status, "kernels are %s", list);
}

onefold_status of_kernel_make(of_context *context, of_arena *arena, const of_view *view,
                              of_kernel_kind kind, of_kernel *kernel)
{
    int compress;
    of_kernel made;
    OF_TRY(resolve(context, view, kind, &compress, &made));
    OF_TRY(of_kernel_rows[made.kind]->prepare(context, arena, compress, &made));
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

OF_SIMD static void standardise(size_t count, const double *shift, const double *scale, double *x)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (x[i] - shift[i]) * scale[i];
}

void of_kernel_prepare(of_kernel_kind kind, const of_prep *prep, size_t raw_columns, size_t count,
                       double *tile)
{
    size_t d = prep->columns;
    for (size_t j = 0; j < count; j++) {
        const double *raw = tile + j * raw_columns;
        double *x = tile + j * d;
        for (size_t i = 0; prep->kept && i < d; i++)
            x[i] = raw[prep->kept[i]];
        if (prep->shift && prep->scale) /* a damaged model may lack them */
            standardise(d, prep->shift, prep->scale, x);
        double norm = of_kernel_has_unit_length(kind) ? cblas_dnrm2((int)d, x, 1) : 0;
        for (size_t i = 0; norm > 0 && i < d; i++)
            x[i] /= norm;
    }
}

void of_kernel_tile(const of_kernel *kernel, size_t first, size_t count, double *tile)
{
    const of_sparse *sparse = &kernel->features;
    if (sparse->start) {
        memset(tile, 0, count * sparse->columns * sizeof *tile);
        for (size_t j = 0; j < count; j++)
            for (size_t e = sparse->start[first + j]; e < sparse->start[first + j + 1]; e++)
                tile[j * sparse->columns + sparse->index[e]] = sparse->value[e];
        return;
    }
    of_view_tile(kernel->view, first, count, tile, kernel->view->columns);
    of_kernel_prepare(kernel->kind, &kernel->prep, kernel->view->columns, count, tile);
}
