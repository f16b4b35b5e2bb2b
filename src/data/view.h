/* SPDX-License-Identifier: Apache-2.0 */
/* One view of the samples: a dense or sparse matrix, or a kernel, read as doubles. */
#ifndef OF_DATA_VIEW_H
#define OF_DATA_VIEW_H

#include "data/matrix.h"

/* A view is a matrix of which the rows are the samples. */
typedef of_matrix of_view;

/* Samples first .. first+count-1 as doubles, columns x count, a sample contiguous. Any storage. Of
 * a view without data, NaN where its source cannot be read. */
void of_view_tile(const of_view *view, size_t first, size_t count, double *out, size_t ldo);

/* The same for a view whose values may turn out to be unreadable as they are asked for. */
onefold_status of_view_read(const of_view *view, size_t first, size_t count, double *out,
                            size_t ldo);

/* Releases the memory behind samples first .. first+count-1 of a view that is passing. They can
 * still be read: from the file again. */
void of_view_release(const of_view *view, size_t first, size_t count);

/* Releases the whole pages that start at or before `from` and end at or before `to`, of a mapped
 * file. */
void of_pages_release(const void *from, const void *to);

size_t of_view_bytes(const of_view *view);
size_t of_view_nonzeros(const of_view *view); /* of a view without data, 0 */

/* Looks for a value that is NaN or infinite: non-zero with the first one, by sample and then by
 * column, or 0. */
int of_view_find_bad(const of_view *view, size_t *sample, size_t *column, double *value);

#endif
