/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that lies in a file: mapped, so that the system may write it out and take its pages back.
 * The file has no name by the time it is used, so nothing is left behind however the program ends,
 * and its space is reserved first, so a disk that fills up is an error and not a fault.
 */
#ifndef OF_BASE_SPILL_H
#define OF_BASE_SPILL_H

#include "base/context.h"

/* `size` bytes, all zero, in a nameless file in `folder`. */
onefold_status of_spill_map(of_context *context, const char *folder, size_t size, void **memory);
void of_spill_unmap(void *memory, size_t size);

/* A file that has a name for a moment only, for file systems that know no other; -1 and errno. */
int of_spill_open_unlinked(const char *folder);

#endif
