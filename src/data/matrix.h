/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix wherever its numbers lie: dense in the type it was stored in and with any strides (so a
 * file can be mapped and MATLAB's order needs no transposed copy), or sparse. Files hold matrices,
 * and a view is one whose rows are the samples (data/view.h).
 */
#ifndef OF_DATA_MATRIX_H
#define OF_DATA_MATRIX_H

#include "data/csr.h"
#include "data/owner.h"

/* The public enums, by shorter names. */
typedef onefold_type of_type;
#define OF_F64 ONEFOLD_FLOAT64
#define OF_F32 ONEFOLD_FLOAT32
#define OF_I8 ONEFOLD_INT8
#define OF_U8 ONEFOLD_UINT8
#define OF_I16 ONEFOLD_INT16
#define OF_U16 ONEFOLD_UINT16
#define OF_I32 ONEFOLD_INT32
#define OF_U32 ONEFOLD_UINT32
#define OF_I64 ONEFOLD_INT64
#define OF_U64 ONEFOLD_UINT64
#define OF_TYPE_COUNT ((of_type)10)

typedef onefold_storage of_storage;
#define OF_DENSE ONEFOLD_STORAGE_DENSE
#define OF_SPARSE ONEFOLD_STORAGE_SPARSE
#define OF_KERNEL ONEFOLD_STORAGE_KERNEL

/* Values that are made when they are asked for: lines of a long text that is read once. */
typedef struct of_view_source of_view_source;
struct of_view_source {
    /* As of_view_read. Called by several threads at once. */
    onefold_status (*read)(const of_view_source *source, size_t first, size_t count, double *out,
                           size_t ldo);
    /* As of_view_release; NULL where it holds nothing, or the view has data. */
    void (*forget)(const of_view_source *source, size_t first, size_t count);
};

typedef struct of_matrix {
    const char *name;
    of_storage storage;
    union {
        size_t rows, samples; /* the rows of a view are samples */
    };
    size_t columns; /* a kernel has columns = samples */
    /* dense and kernel: (r, c) is element r * row_step + c * column_step of data */
    const void *data;
    of_type type;
    union {
        size_t row_step, sample_step;
    };
    size_t column_step;
    of_csr sparse;           /* OF_SPARSE: by row, */
    unsigned char by_column; /* or by column: sparse.rows is their number; never in a view */
    const char *const *column_names; /* NULL, or one per column */
    const char *const *row_names;    /* NULL, or one per row; not of a view */
    const uint32_t *column_unit; /* NULL, or a number per column: those with the same are the words
                                    of one category, and weigh as one column */
    int passing; /* data lies in a file mapped to be read, row by row, and is read once */
    const of_view_source *source; /* dense: values come from here; data may be NULL */
    of_owner *owner; /* what the numbers lie in, or NULL where they outlive the matrix anyway */
} of_matrix;

size_t of_type_size(of_type type); /* bytes */

/* Element `at` of an array of any type. */
double of_type_get(of_type type, const void *data, size_t at);

/* (row, column) of a matrix that has data. */
double of_matrix_get(const of_matrix *matrix, size_t row, size_t column);

#endif
