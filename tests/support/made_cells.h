/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells made by HDF5 itself: four cells, two genes, right but for what a test
 * changes.
 */
#ifndef OF_TESTS_SUPPORT_MADE_CELLS_H
#define OF_TESTS_SUPPORT_MADE_CELLS_H

#include "onefold.h"

#ifdef ONEFOLD_WITH_HDF5
#include <hdf5.h>

enum { CELLS = 4, GENES = 2 };
extern const double cells_numbers[CELLS * GENES]; /* 1 2, 3 4, 5 6, 7 8 */
extern const char *const cells_names[CELLS];      /* a b c d */
extern const char *const cells_genes[GENES];      /* g h */

hid_t cells_text_type(size_t size);

/* An attribute of texts: one, or a list of `count`; of `size` bytes each, or 0: as they are. */
void cells_set_texts(hid_t object, const char *name, const char *const *texts, size_t count,
                     size_t size);

void cells_set_text(hid_t object, const char *name, const char *text);

void cells_set_numbers(hid_t object, const char *name, const double *values, size_t count);

/* A dataset with its encoding ("": none); rank sides. */
void cells_put(hid_t where, const char *path, hid_t type, hid_t native, int rank,
               const hsize_t *sides, const void *values, const char *encoding);

void cells_put_numbers(hid_t where, const char *path, size_t rows, size_t columns,
                       const double *values, const char *encoding);

void cells_put_texts(hid_t where, const char *path, size_t count, const char *const *texts);

hid_t cells_put_group(hid_t where, const char *path, const char *encoding);

void cells_put_frame(hid_t where, const char *path, size_t count, const char *const *names);

/* obs, var, X. */
void cells_put_whole(hid_t where);

void cells_put_modality(hid_t where, const char *name, size_t rows);

/* Two modalities of all cells, in no order, without maps. */
void cells_make_mudata(hid_t file);

/* A sparse matrix of 4 x 2 at X: 1 in each row's first column. */
void cells_put_sparse(hid_t file);

void cells_put_nullable(hid_t file, size_t values, size_t mask);

void cells_put_map(hid_t file, size_t count, const double *rows);

void cells_put_codes(hid_t file, const double *codes, int words);

void cells_put_masked(hid_t file, const double *mask);

void cells_no_change(hid_t file);

const char *cells_file(void **state, void (*change)(hid_t file));

onefold_read_options cells_asked(const char *views, const char *truth);

#endif
#endif
