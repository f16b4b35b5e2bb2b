/* SPDX-License-Identifier: Apache-2.0 */
/* The samples a kernel is over: those present in its view. */
#include "data/present.h"

#include "kernel/kernel.h"

/* Kernels and graphs have the samples on both sides. */
static int both_sides(const of_view *view, of_kernel_kind kind)
{
    return view->storage == OF_KERNEL || kind == OF_KERNEL_GRAPH || kind == OF_KERNEL_PRECOMPUTED;
}

onefold_status of_kernel_view(of_arena *arena, const of_dataset *dataset, size_t index,
                              of_kernel_kind kind, const of_view **view)
{
    const of_view *whole = &dataset->views[index];
    int square = both_sides(whole, kind);
    int found = kind == OF_KERNEL_AUTO || kind == OF_KERNEL_KNN || kind == OF_KERNEL_SUBSPACE;
    if (found && !square && whole->samples == whole->columns &&
        of_present_missing(dataset, index)) {
        /* It is a graph, or a view that happens to have as many columns as samples. */
        OF_SCRATCH(scratch, arena->context);
        const char *reason;
        OF_TRY(of_present_view(&scratch, dataset, index, 1, view));
        square = of_auto_kernel(*view, &reason) == OF_KERNEL_GRAPH;
    }
    return of_present_view(arena, dataset, index, square, view);
}
