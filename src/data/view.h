/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix over numbers that lie in memory or in a mapped file. A dense matrix keeps its stored
 * type and any strides, so MATLAB's order needs no transposed copy. Files hold matrices; a view is
 * a matrix whose rows are the samples.
 */
#ifndef OF_DATA_VIEW_H
#define OF_DATA_VIEW_H

#include "base/memory.h"
#include "linalg/sparse.h"

/*
 * Owner: reference-counted memory or mapped file that the numbers of a matrix lie in. Its holders
 * are a file that is being read, the views of a data set, and other owners; the last one to release
 * it frees it. The count is not thread-safe.
 */
typedef struct of_owner of_owner;
struct of_owner {
    of_arena arena; /* the owner itself and its memory */
    size_t holders;
    void *map; /* a mapped file, or NULL */
    size_t map_size;
    of_owner **other; /* owners that this one holds, because its numbers lie in theirs too */
    size_t others, room;
};

/* An owner with one holder, the caller. */
onefold_status of_owner_make(of_owner **owner, of_context *context);

/* Adds a holder; removes one. NULL is allowed. */
of_owner *of_owner_retain(of_owner *owner);
void of_owner_release(of_owner *owner);

/* Makes the owner a holder of `other` until it ends. NULL, the owner itself and an owner that it
 * already holds change nothing. */
onefold_status of_owner_hold(of_owner *owner, of_owner *other);

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

/* Values that are computed on demand: lines of a long text that is read once. */
typedef struct of_view_source of_view_source;
struct of_view_source {
    /* As of_view_read. Several threads call it at once. */
    onefold_status (*read)(const of_view_source *source, size_t first, size_t count, double *out,
                           size_t ldo);
    /* As of_view_release; NULL: there is nothing to release. */
    void (*release)(const of_view_source *source, size_t first, size_t count);
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
    of_sparse sparse;                /* OF_SPARSE: by row, */
    unsigned char by_column;         /* or by column, with sparse.rows columns; never in a view */
    const char *const *column_names; /* NULL, or one per column */
    const char *const *row_names;    /* NULL, or one per row; views: NULL */
    const uint32_t *column_unit;  /* NULL, or a number per column: columns with the same number are
                                     the words of one category, and weigh as one column */
    int passing;                  /* data lies in a mapped file that is read once, row by row */
    const of_view_source *source; /* dense: computes the values, and data is NULL */
    of_owner *owner;              /* of the numbers; NULL: they outlive the matrix */
} of_matrix;

/* A dense matrix with contiguous rows that start `step` numbers apart. */
static inline of_matrix of_matrix_over(const void *data, of_type type, size_t rows, size_t columns,
                                       size_t step, of_owner *owner)
{
    return (of_matrix){.rows = rows,
                       .columns = columns,
                       .data = data,
                       .type = type,
                       .row_step = step,
                       .column_step = 1,
                       .owner = owner};
}

/* A sparse matrix, by row. */
static inline of_matrix of_matrix_sparse(of_sparse sparse, of_owner *owner)
{
    return (of_matrix){.storage = OF_SPARSE,
                       .rows = sparse.rows,
                       .columns = sparse.columns,
                       .type = OF_F64,
                       .sparse = sparse,
                       .owner = owner};
}

size_t of_type_size(of_type type); /* bytes */

/* Gathers lines of `length` elements of `size` bytes into contiguous memory. Lines are `line_step`
 * elements apart, and elements within a line `step`. */
void of_elements_copy(void *to, const void *from, size_t size, size_t lines, size_t line_step,
                      size_t length, size_t step);

/* Element `at` of an array. */
double of_type_get(of_type type, const void *data, size_t at);

/* A contiguous array of numbers of any type. */
typedef struct of_array {
    const void *data;
    of_type type;
    size_t count;
    of_owner *owner;
} of_array;

static inline double of_array_get(const of_array *array, size_t at)
{
    return of_type_get(array->type, array->data, at);
}

/* A sparse matrix of `lines` lines from its three arrays. An index outside is refused, lines are
 * sorted, and entries of the same place are added. Sorted 32-bit indices and doubles are borrowed,
 * unless `copy`; everything else is allocated from `arena`. */
onefold_status of_matrix_compressed(of_arena *arena, size_t lines, size_t width,
                                    const of_array *start, const of_array *index,
                                    const of_array *value, int copy, of_sparse *made);

/* The same from a list of entries: a row and a column, from 0, for each value. */
onefold_status of_matrix_coordinates(of_arena *arena, size_t rows, size_t columns,
                                     const of_array *row, const of_array *column,
                                     const of_array *value, of_sparse *made);

/* The transposed matrix; nothing is copied. */
static inline of_matrix of_matrix_transposed(const of_matrix *matrix)
{
    of_matrix other = *matrix;
    other.rows = matrix->columns;
    other.columns = matrix->rows;
    other.row_step = matrix->column_step;
    other.column_step = matrix->row_step;
    other.by_column = !matrix->by_column;
    other.column_names = matrix->row_names;
    other.row_names = matrix->column_names;
    other.column_unit = NULL;
    return other;
}

static inline int of_matrix_is_vector(const of_matrix *matrix)
{
    return matrix->rows == 1 || matrix->columns == 1;
}

/* Whether the matrix has `length` rows or columns. */
static inline int of_matrix_has_side(const of_matrix *matrix, size_t length)
{
    return matrix->rows == length || matrix->columns == length;
}

/* Element (row, column) of a matrix without a source. */
double of_matrix_get(const of_matrix *matrix, size_t row, size_t column);

/* ---- views ---------------------------------------------------------------------------------- */

/* A matrix whose rows are the samples. */
typedef of_matrix of_view;

/* Samples first .. first+count-1 as doubles, columns x count, a sample contiguous. Any storage. NaN
 * where a source fails. */
OF_PRIVATE void of_view_tile(const of_view *view, size_t first, size_t count, double *out,
                             size_t ldo);

/* The same; the error of a source that fails. */
onefold_status of_view_read(const of_view *view, size_t first, size_t count, double *out,
                            size_t ldo);

/* Releases the memory behind samples first .. first+count-1 of a view that is passing. Reading them
 * again reads the file again. */
void of_view_release(const of_view *view, size_t first, size_t count);

size_t of_view_bytes(const of_view *view);

/* Signs of the values of samples first .. first+count-1. A NaN is no nonzero. A view with a source
 * counts as empty. */
typedef struct of_signs {
    size_t nonzeros;
    int negative; /* some value is negative */
} of_signs;
OF_PRIVATE of_signs of_view_signs(const of_view *view, size_t first, size_t count);

/* Whether every value of samples first .. first+count-1 is finite; 1 for a view with a source. */
int of_view_is_finite(const of_view *view, size_t first, size_t count);

/* The same for `count` doubles, or floats where `single`, from number `first` on, `step` apart. */
int of_all_finite(int single, const void *data, size_t first, size_t count, size_t step);

#endif
