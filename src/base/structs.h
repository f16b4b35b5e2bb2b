/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that cross the interface begin with their size, as the caller was compiled with it: an
 * older program's is shorter than ours, a newer one's longer. Both work, unless a longer one asks
 * for something that is not known here. */
#ifndef OF_BASE_STRUCTS_H
#define OF_BASE_STRUCTS_H

#include "base/status.h"

/* `ours`, of `size` bytes and filled with the defaults, takes what `theirs` holds (NULL: nothing);
 * what theirs is too short for keeps its default. Refused are a size that is none and a longer
 * struct with something in what is beyond ours; `type` names it in the sentence. */
onefold_status of_struct_read(void *ours, size_t size, const void *theirs, const char *type);

/* `theirs` gets as much of `ours`, of `size` bytes, as it has room for, and is told how much. */
onefold_status of_struct_write(void *theirs, const void *ours, size_t size, const char *type);

#define OF_STRUCT_READ(ours, theirs, type) of_struct_read((ours), sizeof(type), (theirs), #type)
#define OF_STRUCT_WRITE(theirs, ours, type) of_struct_write((theirs), (ours), sizeof(type), #type)

#endif
