/* SPDX-License-Identifier: Apache-2.0 */
/* Views over arrays that stay the caller's: checked, and pointed to where they lie. */
#include "data/dataset.h"

#include <stdlib.h>

_Static_assert((int)ONEFOLD_FLOAT64 == OF_F64 && (int)ONEFOLD_FLOAT32 == OF_F32 &&
                   (int)ONEFOLD_INT8 == OF_I8 && (int)ONEFOLD_UINT8 == OF_U8 &&
                   (int)ONEFOLD_INT16 == OF_I16 && (int)ONEFOLD_UINT16 == OF_U16 &&
                   (int)ONEFOLD_INT32 == OF_I32 && (int)ONEFOLD_UINT32 == OF_U32 &&
                   (int)ONEFOLD_INT64 == OF_I64 && (int)ONEFOLD_UINT64 == OF_U64,
               "the public types are numbered as the internal ones");

static onefold_status check_type(onefold_type type)
{
    if ((int)type < 0 || (int)type >= (int)OF_TYPE_COUNT)
        return of_fail(ONEFOLD_USAGE, "there is no type of numbers with the value %d", (int)type);
    return ONEFOLD_OK;
}

/* The last element of samples x columns must be one that memory can hold. */
static onefold_status check_steps(size_t samples, size_t columns, size_t sample_step,
                                  size_t column_step, of_type type)
{
    size_t last, across, bytes;
    if (columns == 0)
        return of_fail(ONEFOLD_USAGE, "a view needs at least one column");
    if (sample_step == 0 || column_step == 0)
        return of_fail(ONEFOLD_USAGE, "the steps of a borrowed array must be above 0");
    if (__builtin_mul_overflow(samples - 1, sample_step, &last) ||
        __builtin_mul_overflow(columns - 1, column_step, &across) ||
        __builtin_add_overflow(last, across, &last) ||
        __builtin_mul_overflow(last, of_type_size(type), &bytes) || bytes > PTRDIFF_MAX ||
        __builtin_mul_overflow(samples, columns, &across) ||
        __builtin_mul_overflow(across, sizeof(double), &bytes))
        return of_fail(ONEFOLD_USAGE,
                       "%zu samples and %zu columns in steps of %zu and %zu are more than memory "
                       "can hold",
                       samples, columns, sample_step, column_step);
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_borrow_dense(onefold_dataset *dataset, const char *name,
                                            const void *values, onefold_type type, size_t columns,
                                            size_t sample_step, size_t column_step)
{
    if (!dataset || !values)
        return of_fail(ONEFOLD_USAGE, "a view needs a data set to go to and values");
    of_dataset *set = &dataset->set;
    OF_TRY(check_type(type));
    OF_TRY(check_steps(set->samples, columns, sample_step, column_step, (of_type)type));
    OF_SCRATCH(kept, set->arena.context);
    of_view view = {.storage = OF_DENSE,
                    .samples = set->samples,
                    .columns = columns,
                    .data = values,
                    .type = (of_type)type,
                    .sample_step = sample_step,
                    .column_step = column_step};
    return of_dataset_add_view(set, &kept, name, &view);
}

onefold_status onefold_dataset_borrow_kernel(onefold_dataset *dataset, const char *name,
                                             const void *values, onefold_type type, size_t row_step,
                                             size_t column_step)
{
    if (!dataset || !values)
        return of_fail(ONEFOLD_USAGE, "a kernel needs a data set to go to and values");
    of_dataset *set = &dataset->set;
    OF_TRY(check_type(type));
    OF_TRY(check_steps(set->samples, set->samples, row_step, column_step, (of_type)type));
    OF_SCRATCH(kept, set->arena.context);
    of_view view = {.storage = OF_KERNEL,
                    .samples = set->samples,
                    .columns = set->samples,
                    .data = values,
                    .type = (of_type)type,
                    .sample_step = row_step,
                    .column_step = column_step};
    OF_TRY(of_dataset_check_symmetric(set->arena.context, &view));
    return of_dataset_add_view(set, &kept, name, &view);
}

/* ---- sparse ------------------------------------------------------------------------------- */

/* Starts that rise from 0, to an end that memory can hold. A negative one is read as a huge one. */
static onefold_status check_starts(const of_csr *sparse, onefold_type type)
{
    size_t before = 0, most = type == ONEFOLD_INT32    ? INT32_MAX
                              : type == ONEFOLD_UINT32 ? UINT32_MAX
                                                       : PTRDIFF_MAX / sizeof(double);
    for (size_t j = 0; j <= sparse->rows; j++) {
        size_t start = of_csr_start(sparse, j);
        if (start < before || start > most || (j == 0 && start != 0))
            return of_fail(ONEFOLD_BAD_DATA,
                           "the starts of a sparse view must rise from 0, and that of sample %zu "
                           "does not",
                           j ? j : 1);
        before = start;
    }
    return ONEFOLD_OK;
}

/* Column numbers lie inside; *rising is 0 where some sample's do not rise. */
static onefold_status check_columns(const of_csr *sparse, int *rising)
{
    *rising = 1;
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t first = of_csr_start(sparse, j), end = of_csr_start(sparse, j + 1);
        uint64_t before = 0;
        for (size_t e = first; e < end; e++) {
            uint64_t column = sparse->wide_index ? ((const uint64_t *)sparse->index)[e]
                                                 : ((const uint32_t *)sparse->index)[e];
            if (column >= sparse->columns)
                return of_fail(ONEFOLD_BAD_DATA,
                               "sample %zu has an entry outside the %zu columns of a sparse view",
                               j + 1, sparse->columns);
            *rising &= e == first || column > before;
            before = column;
        }
    }
    return ONEFOLD_OK;
}

typedef struct entry {
    uint32_t column;
    double value;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* A copy with every sample's entries in order; a column that is there twice is refused. */
static onefold_status sort_columns(of_arena *kept, of_csr *sparse)
{
    OF_SCRATCH(scratch, kept->context);
    size_t entries = of_csr_entries(sparse), longest = 0;
    uint32_t *index;
    double *value;
    entry *room;
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t count = of_csr_start(sparse, j + 1) - of_csr_start(sparse, j);
        longest = count > longest ? count : longest;
    }
    OF_TRY(OF_NEW(&scratch, &room, longest, 1));
    OF_TRY(OF_NEW(kept, &index, entries, 1));
    OF_TRY(OF_NEW(kept, &value, entries, 1));
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t first = of_csr_start(sparse, j), count = of_csr_start(sparse, j + 1) - first;
        for (size_t e = 0; e < count; e++)
            room[e] = (entry){of_csr_index(sparse, first + e), of_csr_value(sparse, first + e)};
        qsort(room, count, sizeof *room, compare_entries);
        for (size_t e = 0; e < count; e++) {
            if (e > 0 && room[e].column == room[e - 1].column)
                return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu has column %zu twice", j + 1,
                                       (size_t)room[e].column + 1),
                               "add such entries up first");
            index[first + e] = room[e].column;
            value[first + e] = room[e].value;
        }
    }
    sparse->index = index;
    sparse->value = value;
    sparse->wide_index = sparse->single_value = 0;
    return ONEFOLD_OK;
}

static onefold_status check_sparse_types(onefold_type index_type, onefold_type value_type)
{
    OF_TRY(check_type(index_type));
    OF_TRY(check_type(value_type));
    if (index_type != ONEFOLD_INT32 && index_type != ONEFOLD_UINT32 &&
        index_type != ONEFOLD_INT64 && index_type != ONEFOLD_UINT64)
        return of_fail(ONEFOLD_USAGE,
                       "starts and column numbers of a sparse view are 32- or 64-bit integers, not "
                       "%s",
                       onefold_type_name((of_type)index_type));
    if (value_type != ONEFOLD_FLOAT64 && value_type != ONEFOLD_FLOAT32)
        return of_fail(ONEFOLD_USAGE, "values of a sparse view are float64 or float32, not %s",
                       onefold_type_name((of_type)value_type));
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_borrow_sparse(onefold_dataset *dataset, const char *name,
                                             size_t columns, const void *start, const void *index,
                                             onefold_type index_type, const void *value,
                                             onefold_type value_type)
{
    if (!dataset || !start)
        return of_fail(ONEFOLD_USAGE, "a sparse view needs a data set to go to and starts");
    if (columns == 0)
        return of_fail(ONEFOLD_USAGE, "a view needs at least one column");
    if (columns > UINT32_MAX)
        return of_fail(ONEFOLD_USAGE, "a sparse view has %zu columns, more than %u", columns,
                       UINT32_MAX);
    OF_TRY(check_sparse_types(index_type, value_type));
    of_dataset *set = &dataset->set;
    int narrow = of_type_size((of_type)index_type) == 4, rising;
    of_csr sparse = {.rows = set->samples,
                     .columns = columns,
                     .start = start,
                     .index = index,
                     .value = value,
                     .narrow_start = (unsigned char)narrow,
                     .wide_index = (unsigned char)!narrow,
                     .single_value = value_type == ONEFOLD_FLOAT32};
    OF_SCRATCH(kept, set->arena.context);
    OF_TRY(check_starts(&sparse, index_type));
    if (of_csr_entries(&sparse) && (!index || !value))
        return of_fail(ONEFOLD_USAGE, "a sparse view with entries needs their columns and values");
    OF_TRY(check_columns(&sparse, &rising));
    if (!rising)
        OF_TRY(sort_columns(&kept, &sparse));
    of_view view = {.storage = OF_SPARSE,
                    .samples = set->samples,
                    .columns = columns,
                    .type = (of_type)value_type,
                    .sparse = sparse};
    return of_dataset_add_view(set, &kept, name, &view);
}
