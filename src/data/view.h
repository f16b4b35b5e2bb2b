/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix wherever its numbers lie: dense in the type it was stored in and with any strides (so a
 * file can be mapped and MATLAB's order needs no transposed copy), or sparse. Files hold matrices,
 * and a view is one whose rows are the samples.
 */
#ifndef OF_DATA_VIEW_H
#define OF_DATA_VIEW_H

#include "base/memory.h"
#include "linalg/sparse.h"

/*
 * What the numbers of a matrix lie in: memory, or a mapped file. It has a count of holders (a file
 * that is being read, the views of a data set, other owners) and ends with the last of them. The
 * count is not for two threads at once.
 */

typedef struct of_owner of_owner;
struct of_owner {
    of_arena arena; /* the owner itself and all memory that it has */
    size_t holders;
    void *map; /* a mapped file, or NULL */
    size_t map_size;
    of_owner **other; /* owners that it holds, as its numbers lie in theirs too */
    size_t others, room;
};

/* An owner with one holder, the caller. */
onefold_status of_owner_make(of_owner **owner, of_context *context);

/* One holder more, and one less. NULL is allowed. */
of_owner *of_owner_retain(of_owner *owner);
void of_owner_release(of_owner *owner);

/* The owner holds another one for as long as it lives. Itself, NULL and one that it holds already
 * are allowed, and change nothing. */
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
    of_sparse sparse;        /* OF_SPARSE: by row, */
    unsigned char by_column; /* or by column: sparse.rows is their number; never in a view */
    const char *const *column_names; /* NULL, or one per column */
    const char *const *row_names;    /* NULL, or one per row; not of a view */
    const uint32_t *column_unit; /* NULL, or a number per column: those with the same are the words
                                    of one category, and weigh as one column */
    int passing; /* data lies in a file mapped to be read, row by row, and is read once */
    const of_view_source *source; /* dense: values come from here, and data is NULL */
    of_owner *owner; /* what the numbers lie in, or NULL where they outlive the matrix anyway */
} of_matrix;

/* A dense matrix whose rows lie one after the other, `step` numbers apart. */
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

/* A sparse one, by row. */
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

/* Copies lines of `length` elements of `size` bytes to where they follow each other: lines are
 * `line_step` elements apart and their elements `step`. */
void of_elements_copy(void *to, const void *from, size_t size, size_t lines, size_t line_step,
                      size_t length, size_t step);

/* Element `at` of an array of any type. */
double of_type_get(of_type type, const void *data, size_t at);

/* Numbers of any type in a row. */
typedef struct of_array {
    const void *data;
    of_type type;
    size_t count;
    of_owner *owner; /* what they lie in */
} of_array;

static inline double of_array_get(const of_array *array, size_t at)
{
    return of_type_get(array->type, array->data, at);
}

/* A sparse matrix of `lines` from three arrays, which are checked: what points outside is refused,
 * lines are sorted, entries of the same place added. Indices of 32 bits and doubles that are in
 * order are used where they lie, unless `copy`; all else is from `arena`. */
onefold_status of_matrix_compressed(of_arena *arena, size_t lines, size_t width,
                                    const of_array *start, const of_array *index,
                                    const of_array *value, int copy, of_sparse *made);

/* The same of a list of entries: as many rows and columns, from 0, as values. */
onefold_status of_matrix_coordinates(of_arena *arena, size_t rows, size_t columns,
                                     const of_array *row, const of_array *column,
                                     const of_array *value, of_sparse *made);

/* The matrix with rows and columns exchanged; nothing is copied. */
static inline of_matrix of_matrix_turned(const of_matrix *matrix)
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

/* (row, column) of a matrix that has data. */
double of_matrix_get(const of_matrix *matrix, size_t row, size_t column);

/* ---- views ---------------------------------------------------------------------------------- */

/* A view is a matrix of which the rows are the samples. */
typedef of_matrix of_view;

/* Samples first .. first+count-1 as doubles, columns x count, a sample contiguous. Any storage. Of
 * a view without data, NaN where its source cannot be read. */
void of_view_tile(const of_view *view, size_t first, size_t count, double *out, size_t ldo);

/* The same for a view whose values may turn out to be unreadable as they are asked for. */
onefold_status of_view_read(const of_view *view, size_t first, size_t count, double *out,
                            size_t ldo);

/* Releases the memory behind samples first .. first+count-1 of a view that is passing. They can
 * still be read: from the file again. */
void of_view_release(const of_view *view, size_t first, size_t count);

size_t of_view_bytes(const of_view *view);

/* What samples first .. first+count-1 hold that is not 0, where NaN is none; of a view without
 * data, nothing. */
typedef struct of_signs {
    size_t nonzeros;
    int negative; /* there is a negative one */
} of_signs;
of_signs of_view_signs(const of_view *view, size_t first, size_t count);

/* Whether every value of samples first .. first+count-1 is finite. Of a view without data, 1. */
int of_view_is_finite(const of_view *view, size_t first, size_t count);

/* The same of doubles, or of floats where `single`: `count` of them from number `first` on, each
 * `step` behind the last. */
int of_all_finite(int single, const void *data, size_t first, size_t count, size_t step);

#endif
