/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of anndata's files, by their published encodings. Only for builds with HDF5. */
#ifndef OF_IO_H5AD_H
#define OF_IO_H5AD_H

#include "io/hdf.h"

#ifdef ONEFOLD_WITH_HDF5

enum { OF_ENCODING = 64 };

/* The attribute encoding-type of what is at a path; "" where there is none, or nothing there. */
void of_h5ad_encoding(hid_t parent, const char *path, char text[OF_ENCODING]);

/* A matrix at a path: array of two sides, csr_matrix, csc_matrix. *what is NULL, or what it is
 * instead. */
onefold_status of_h5ad_matrix(of_file *file, of_owner *store, hid_t parent, const char *path,
                              of_matrix *matrix, const char **what);

/* The index of a data frame: the names of samples, or of variables. *names is NULL where there is
 * no frame. */
onefold_status of_h5ad_index(of_file *file, of_owner *store, hid_t parent, const char *frame,
                             size_t *count, const char *const **names);

/* A column of a data frame as labels: numbers, texts, categorical, nullable. Values that are
 * missing are refused. */
onefold_status of_h5ad_column(of_file *file, of_owner *store, hid_t parent, const char *path,
                              of_variable *variable);
#endif

#endif
