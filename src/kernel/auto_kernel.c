/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of `auto`: a kernel from a view's storage, shape, signs and share of entries not 0. */
#include "base/comm.h"
#include "base/team.h"
#include "kernel/prep.h"

#include <math.h>
#include <stdatomic.h>

#define SPARSE_BELOW 0.3 /* of the entries are not 0 */
enum { PIECE = 4096 };   /* samples looked at by one thread at a time */

typedef struct signs {
    size_t nonzeros;
    int negative;
} signs;

static void look(size_t count, const double *value, signs *seen)
{
    for (size_t i = 0; i < count; i++) {
        seen->nonzeros += value[i] != 0;
        seen->negative |= value[i] < 0;
    }
}

static void look_sparse(const of_csr *sparse, signs *seen)
{
    for (size_t e = 0; e < of_csr_entries(sparse); e++) {
        double value = of_csr_value(sparse, e);
        look(1, &value, seen);
    }
}

/* Samples first .. end-1 of a dense view in blocks that fit on the stack. */
static void look_dense(const of_view *view, size_t first, size_t end, signs *seen)
{
    enum { SAMPLES = 16, COLUMNS = 128 };
    double block[SAMPLES * COLUMNS];
    size_t size = of_type_size(view->type);
    for (size_t j = first; j < end; j += SAMPLES)
        for (size_t i = 0; i < view->columns; i += COLUMNS) {
            of_view part = *view;
            part.data = (const char *)view->data + i * view->column_step * size;
            part.columns = view->columns - i < COLUMNS ? view->columns - i : COLUMNS;
            size_t samples = end - j < SAMPLES ? end - j : SAMPLES;
            of_view_tile(&part, j, samples, block, part.columns);
            look(samples * part.columns, block, seen);
        }
}

static double enough_of(const of_view *view)
{
    return SPARSE_BELOW * (double)view->samples * (double)view->columns;
}

typedef struct look_task {
    const of_view *view;
    of_range own;
    double enough;
    atomic_size_t nonzeros;
    atomic_int negative;
} look_task;

/* A piece of the samples, unless enough has been seen: which pieces were then looked at does not
 * matter to what is decided. */
static onefold_status look_at_piece(void *opaque, size_t piece, int worker)
{
    look_task *task = opaque;
    size_t first = task->own.first + piece * PIECE, left = task->own.end - first;
    signs seen = {0, 0};
    (void)worker;
    if ((double)atomic_load(&task->nonzeros) >= task->enough)
        return ONEFOLD_OK;
    look_dense(task->view, first, first + (left < PIECE ? left : PIECE), &seen);
    atomic_fetch_add(&task->nonzeros, seen.nonzeros);
    if (seen.negative)
        atomic_store(&task->negative, 1);
    return ONEFOLD_OK;
}

/* Sparse views are held whole, of a dense one every process sees its share. Without a context, on
 * the calling thread. */
static onefold_status look_at(of_context *context, const of_view *view, of_range own, signs *seen)
{
    look_task task = {.view = view, .own = own, .enough = enough_of(view)};
    size_t pieces = (own.end - own.first + PIECE - 1) / PIECE;
    *seen = (signs){0, 0};
    if (view->storage == OF_SPARSE)
        look_sparse(&view->sparse, seen);
    if (view->storage != OF_DENSE)
        return ONEFOLD_OK;
    if (context)
        OF_TRY(of_team_run(context, pieces, look_at_piece, &task));
    for (size_t piece = 0; !context && piece < pieces; piece++)
        OF_TRY(look_at_piece(&task, piece, 0));
    *seen = (signs){atomic_load(&task.nonzeros), atomic_load(&task.negative)};
    return ONEFOLD_OK;
}

/* Whether the entries of a square sparse view pair up, (i, j) with (j, i), just as often as chance
 * would have it: then its columns are not its samples. Links between samples pair up more often, as
 * do those inside groups even where each is drawn by itself, or, of papers that cite older ones,
 * hardly ever. Where too few pairs are expected to tell,
 * the view is taken for links. Rows at even steps are looked at. */
static int pairs_as_by_chance(const of_csr *a)
{
    enum { MOST = 512 };
    size_t step = (a->rows + MOST - 1) / MOST, into[MOST] = {0}, entries = of_csr_entries(a),
           work = 100000000, found = 0;
    double expected = 0;
    for (size_t e = 0; e < entries; e++)
        if (of_csr_index(a, e) % step == 0)
            into[of_csr_index(a, e) / step]++;
    for (size_t i = 0; i < a->rows && work; i += step)
        for (size_t e = of_csr_start(a, i); e < of_csr_start(a, i + 1) && work; e++) {
            size_t j = of_csr_index(a, e), first = of_csr_start(a, j), end = of_csr_start(a, j + 1);
            if (j == i)
                continue;
            expected += (double)into[i / step] * (double)(end - first) / (double)entries;
            for (; first < end && work; first++, work--)
                found += of_csr_index(a, first) == i;
        }
    return expected >= 10 && fabs((double)found - expected) < 3 * sqrt(expected) + expected / 20;
}

static of_kernel_kind decide(const of_view *view, signs seen, of_prep_kind *prep,
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
        *reason = "three entries in ten or more are not zero";
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
    signs seen;
    (void)look_at(NULL, view, (of_range){0, view->samples}, &seen); /* there it cannot fail */
    return decide(view, seen, &prep, reason);
}

of_kernel_kind of_auto_kernel_shape(const of_view *view, of_prep_kind *prep, const char **reason)
{
    signs full = {view->storage == OF_SPARSE ? of_csr_entries(&view->sparse)
                                             : view->samples * view->columns,
                  0};
    return decide(view, full, prep, reason);
}

onefold_status of_auto_kernel_prep(of_context *context, const of_view *view, of_kernel_kind *kind,
                                   of_prep_kind *prep, const char **reason)
{
    signs seen;
    OF_TRY(look_at(context, view, of_comm_own(context, view->samples), &seen));
    if (view->storage == OF_DENSE) {
        double counts[2] = {(double)seen.nonzeros, seen.negative};
        OF_TRY(of_comm_total(context, view->samples, 2, counts));
        seen = (signs){(size_t)counts[0], counts[1] > 0};
    }
    *kind = decide(view, seen, prep, reason);
    return ONEFOLD_OK;
}
