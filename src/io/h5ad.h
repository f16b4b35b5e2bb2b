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

/* ---- the file as a whole, in parts -------------------------------------------------------- */

enum { OF_H5AD_NAME = 512 };

/* The data of one set of variables: the file itself, or a modality. */
typedef struct of_h5ad_part {
    of_file *file;
    hid_t group;
    const char *modality; /* NULL: the file itself */
    size_t samples;       /* of the file */
    const char *const *names;
    of_owner *store;    /* of the names, and of what follows */
    const size_t *from; /* the row of each sample, SIZE_MAX where it has none; NULL: its own */
    size_t own;         /* rows it has */
} of_h5ad_part;

/* A variable of the file that is not read, and what it is. */
onefold_status of_h5ad_add_other(of_file *file, const char *name, const char *what);

/* Every matrix of a part that is wanted: X, layers and obsm; or every member of a folder. */
onefold_status of_h5ad_add_matrices(const of_h5ad_part *of);
onefold_status of_h5ad_add_members(const of_h5ad_part *of, const char *folder);

/* The matrices of every modality of an .h5mu (h5ad_modalities.c). */
onefold_status of_h5ad_add_modalities(of_h5ad_part *of, hid_t root);
#endif

#endif
