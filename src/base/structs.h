/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that cross the interface begin with their size, as the caller was compiled with it: an
 * older program's is shorter than ours, a newer one's longer, and both work. */
#ifndef OF_BASE_STRUCTS_H
#define OF_BASE_STRUCTS_H

#include <stddef.h>

/* `ours`, of `size` bytes and filled with the defaults, takes what `theirs` holds (NULL: nothing);
 * what theirs is too short for keeps its default. */
void of_struct_read(void *ours, size_t size, const void *theirs);

/* `theirs` gets as much of `ours`, of `size` bytes, as it has room for, and is told how much. */
void of_struct_write(void *theirs, const void *ours, size_t size);

#endif
