/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of HDF5 files share: attributes, types, elements, texts. Only for builds with
 * HDF5. */
#ifndef OF_IO_HDF_H
#define OF_IO_HDF_H

#include "io/file.h"

#ifdef ONEFOLD_WITH_HDF5
#include <hdf5.h>

/* Opens the file of a path for reading and gives its root to `read`, with HDF5 to itself: as Debian
 * builds it, it serves one thread at a time. What it would print is not printed. Closing the file
 * closes all that `read` left open. All of it happens in a child process where there can be one
 * (of_fence_read). */
onefold_status of_hdf_read(of_file *file, const char *format,
                           onefold_status (*read)(of_file *file, hid_t root));

/* "it cannot be read: the file is truncated or damaged". */
onefold_status of_hdf_damaged(void);

/* The text of an attribute, of fixed or variable length, "" where there is none or it is too long
 * for the room. */
void of_hdf_text_attribute(hid_t object, const char *name, char *text, size_t room);

/* The number of an attribute; 0 where there is none. */
unsigned long long of_hdf_number_attribute(hid_t object, const char *name);

/* The type of numbers as they are stored (OF_TYPE_COUNT: none of ours), and what HDF5 calls it in
 * memory. An enum of one byte, as h5py writes truth values, is OF_U8. */
of_type of_hdf_type(hid_t dataset, hid_t *native);

/* The sides of a data set in HDF5's order, how many there are, and their product. */
onefold_status of_hdf_sides(hid_t dataset, size_t side[H5S_MAX_RANK], int *rank, size_t *elements);

/* The name of member `number` of a group: its length, which may be beyond the room; below 0 where
 * it cannot be read. */
ssize_t of_hdf_member(hid_t group, hsize_t number, char *name, size_t room);

/* Reads all elements into the store, after holding their number against what the file can hold. A
 * filter that is not in this build is named. */
onefold_status of_hdf_elements(of_file *file, of_owner *store, hid_t dataset, hid_t native,
                               size_t size, size_t elements, const void **data);

/* All numbers of the data set at a path below `parent`, which has one side or two; none, and
 * the type OF_TYPE_COUNT, where their type is none of ours. */
onefold_status of_hdf_array(of_file *file, of_owner *store, hid_t parent, const char *path,
                            of_array *array);

/* `count` texts of a data set or an attribute, of fixed or variable length, into the store. */
onefold_status of_hdf_texts(of_file *file, of_owner *store, hid_t from, size_t count,
                            const char **texts);
#endif

#endif
