/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is present where: dataset->present is samples x views of 0 and 1, a sample contiguous, or
 * NULL where nothing is missing. A view as those present in it see it is a view of fewer samples.
 */
#ifndef OF_DATA_PRESENT_H
#define OF_DATA_PRESENT_H

#include "data/dataset.h"

/* Samples that a view has, and those it lacks. */
size_t of_present_count(const of_dataset *dataset, size_t view);
size_t of_present_missing(const of_dataset *dataset, size_t view);

/* Whether a sample has a view. */
static inline int of_present_at(const of_dataset *dataset, size_t sample, size_t view)
{
    return !dataset->present || dataset->present[sample * dataset->view_count + view];
}

/* Takes the samples with a 0 in keep[0 .. samples-1], `step` apart, out of a view. */
onefold_status of_present_leave_out(of_dataset *dataset, size_t view, const uint8_t *keep,
                                    size_t step);

/* Refuses a sample that no view has, naming it. (A view that nobody has can still be labelled by a
 * model; a fit refuses it.) */
onefold_status of_present_check(const of_dataset *dataset);

/* The samples of a view that are present in it, in their order, as a view with memory from `arena`;
 * `square` takes the same samples of the columns too, as a kernel or a graph needs it. The data
 * set's own view where nothing is missing. */
onefold_status of_present_view(of_arena *arena, const of_dataset *dataset, size_t view, int square,
                               const of_view **compact);

#endif
