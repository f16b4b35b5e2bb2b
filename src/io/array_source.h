/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a file that lie sample by sample, read as they are asked for. */
#ifndef OF_IO_ARRAY_SOURCE_H
#define OF_IO_ARRAY_SOURCE_H

#include "data/view.h"
#include "io/file.h"

/* Gives a view whose data lies in the file's mapping, sample by sample, a source that reads it from
 * the file instead: how much of a mapping a touch brings into memory is up to the system, and may
 * be megabytes. Memory is from `arena`; the file's descriptor must outlive the view. */
onefold_status of_array_source_make(of_arena *arena, const char *file, of_view *view);

#endif
