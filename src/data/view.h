/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One view of the samples: dense in the type it was stored in and with any strides (so a file can
 * be mapped and MATLAB's order needs no transposed copy), sparse by sample, or a kernel.
 */
#ifndef OF_DATA_VIEW_H
#define OF_DATA_VIEW_H

#include "data/csr.h"

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

typedef struct of_view {
    const char *name;
    of_storage storage;
    size_t samples, columns; /* a kernel has columns = samples */
    /* dense and kernel: (sample j, column i) is element j * sample_step + i * column_step of data
     */
    const void *data;
    of_type type;
    size_t sample_step, column_step;
    of_csr sparse;                   /* OF_SPARSE: rows are samples */
    const char *const *column_names; /* NULL, or one per column */
    int passing; /* data lies in a file mapped to be read, sample by sample, and is read once */
    const of_view_source *source; /* dense and passing: values come from here; data may be NULL */
} of_view;

size_t of_type_size(of_type type); /* bytes */

/* Samples first .. first+count-1 as doubles, columns x count, a sample contiguous. Any storage. Of
 * a view without data, NaN where its source cannot be read. */
void of_view_tile(const of_view *view, size_t first, size_t count, double *out, size_t ldo);

/* The same for a view whose values may turn out to be unreadable as they are asked for. */
onefold_status of_view_read(const of_view *view, size_t first, size_t count, double *out,
                            size_t ldo);

/* Releases the memory behind samples first .. first+count-1 of a view that is passing. They can
 * still be read: from the file again. */
void of_view_release(const of_view *view, size_t first, size_t count);

/* Releases the whole pages that start at or before `from` and end at or before `to`, of a mapped
 * file. */
void of_pages_release(const void *from, const void *to);

size_t of_view_bytes(const of_view *view);
size_t of_view_nonzeros(const of_view *view); /* of a view without data, 0 */

/* Looks for a value that is NaN or infinite: non-zero with the first one, by sample and then by
 * column, or 0. */
int of_view_find_bad(const of_view *view, size_t *sample, size_t *column, double *value);

#endif
