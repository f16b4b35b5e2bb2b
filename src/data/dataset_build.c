/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions that build a data set from arrays. */
#include "data/dataset.h"

#include <math.h>

/* Refuses an array of a caller whose last element, or whose size as doubles, is beyond what memory
 * can hold. Every adder asks before it reads the first element. */
static onefold_status check_extents(size_t samples, size_t sample_step, size_t columns,
                                    size_t column_step, of_type type)
{
    size_t last, across, bytes;
    if (__builtin_mul_overflow(samples - 1, sample_step, &last) ||
        __builtin_mul_overflow(columns - 1, column_step, &across) ||
        __builtin_add_overflow(last, across, &last) || __builtin_add_overflow(last, 1, &last) ||
        __builtin_mul_overflow(last, of_type_size(type), &bytes) || bytes > PTRDIFF_MAX ||
        __builtin_mul_overflow(samples, columns, &across) ||
        __builtin_mul_overflow(across, sizeof(double), &bytes) || bytes > PTRDIFF_MAX)
        return of_fail(ONEFOLD_USAGE,
                       "%zu samples and %zu columns in steps of %zu and %zu are more than memory "
                       "can hold",
                       samples, columns, sample_step, column_step);
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_create(onefold_dataset **dataset, onefold_context *context,
                                      size_t samples)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_create was given no place for the data set");
    if (samples == 0)
        return of_fail(ONEFOLD_USAGE, "a data set needs at least one sample");
    OF_TRY(check_extents(samples, 1, 1, 1, OF_F64));
    of_dataset *made;
    OF_TRY(of_dataset_make(&made, of_context_or_default(context), samples));
    *dataset = (onefold_dataset *)made;
    return ONEFOLD_OK;
}

void onefold_dataset_free(onefold_dataset *dataset)
{
    of_dataset_free(dataset ? &dataset->set : NULL);
}

/* Names a view (NULL: by its number), fills in or refuses single missing values, and appends it.
 * Its arrays are borrowed from the caller, or lie in `kept`, which the data set adopts. */
static onefold_status add_view(of_dataset *set, of_arena *kept, const char *name, of_view *view)
{
    OF_SCRATCH(scratch, set->arena.context);
    uint8_t *keep = NULL;
    int unsettled = set->unsettled;
    of_gaps gaps;
    OF_TRY(name ? OF_TEXT(kept, &view->name, "%s", name)
                : OF_TEXT(kept, &view->name, "view %zu", set->view_count + 1));
    OF_TRY(of_gaps_find(set->arena.context, view, NULL, 1, NULL, &gaps));
    if (gaps.entries || gaps.infinite) { /* otherwise no memory per sample is needed */
        OF_TRY(OF_NEW(&scratch, &keep, view->samples, 1));
        OF_TRY(of_gaps_find(set->arena.context, view, NULL, 1, keep, &gaps));
        OF_TRY(of_gaps_find(set->arena.context, view, keep, 1, NULL, &gaps));
        if (!gaps.entries || gaps.infinite || set->impute == ONEFOLD_IMPUTE_NONE ||
            view->storage == OF_KERNEL)
            OF_TRY(of_gaps_refuse(&gaps, view->name, "sample", gaps.sample, gaps.column,
                                  view->column_names ? view->column_names[gaps.column] : NULL));
        else if (set->impute == ONEFOLD_IMPUTE_MODEL)
            unsettled = 1;
        else
            OF_TRY(of_gaps_fill(kept, view, keep, 1, set->impute));
    }
    OF_TRY(of_dataset_push_kept(set, kept, view, keep));
    set->unsettled = unsettled;
    return ONEFOLD_OK;
}

/* Refuses a kernel that is not symmetric, with the first two entries that differ. Some rows at a
 * time are compared with the same columns, so that memory is read in order, whatever the steps. */
static onefold_status check_symmetric(of_context *context, const of_view *kernel)
{
    enum { AT_ONCE = 8 };
    OF_SCRATCH(scratch, context);
    size_t n = kernel->samples;
    of_view transposed = of_matrix_transposed(kernel);
    double *row, *column, largest = 0;
    OF_TRY(OF_NEW(&scratch, &row, AT_ONCE, n));
    OF_TRY(OF_NEW(&scratch, &column, AT_ONCE, n));
    for (size_t j = 0; j < n; j++) {
        of_view_tile(kernel, j, 1, row, n);
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(row[i]));
    }
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        OF_TRY(of_context_check(context));
        of_view_tile(kernel, first, count, row, n);
        of_view_tile(&transposed, first, count, column, n);
        for (size_t b = 0; b < count; b++)
            for (size_t i = 0; i < first + b; i++) {
                double one = row[b * n + i], other = column[b * n + i];
                if (fabs(one - other) > 1e-8 * largest || isnan(one) != isnan(other))
                    return of_fail(ONEFOLD_BAD_DATA,
                                   "a kernel must be symmetric, and entries (%zu, %zu) and (%zu, "
                                   "%zu) are %g and %g",
                                   i + 1, first + b + 1, first + b + 1, i + 1, one, other);
            }
    }
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_truth(onefold_dataset *dataset, const int64_t *labels,
                                         const char *const *class_names)
{
    if (!dataset || !labels)
        return of_fail(ONEFOLD_USAGE, "setting the truth needs a data set and labels");
    return of_dataset_set_labels(&dataset->set, labels, class_names);
}

onefold_status onefold_dataset_set_impute(onefold_dataset *dataset, onefold_impute impute)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_set_impute was given no data set");
    if (!onefold_name(ONEFOLD_NAMES_IMPUTE, impute))
        return of_fail(ONEFOLD_USAGE, "%d is not a way to fill in missing values", (int)impute);
    dataset->set.impute = impute;
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_present(onefold_dataset *dataset, const uint8_t *present)
{
    if (!dataset || !present)
        return of_fail(ONEFOLD_USAGE, "setting who is present needs a data set and an array");
    of_dataset *set = &dataset->set;
    OF_SCRATCH(scratch, set->arena.context);
    OF_SCRATCH(kept, set->arena.context);
    of_dataset trial = *set; /* an error leaves the data set unchanged */
    size_t lacking = 0;
    uint8_t *keep;
    of_gaps gaps;
    OF_TRY(OF_NEW(&scratch, &keep, set->samples, 1));
    OF_TRY(OF_NEW(&kept, &trial.present, set->samples, set->view_count));
    for (size_t i = 0; i < set->view_count; i++) {
        OF_TRY(of_gaps_find(set->arena.context, &set->views[i], NULL, 1, keep, &gaps));
        for (size_t j = 0, at = i; j < set->samples; j++, at += set->view_count) {
            trial.present[at] = keep[j] && present[at];
            lacking += !trial.present[at];
        }
    }
    if (lacking)
        OF_TRY(of_present_check(&trial));
    of_arena_release(&set->arena, set->present);
    set->present = lacking ? trial.present : NULL;
    if (lacking)
        of_arena_adopt(&set->arena, &kept);
    return ONEFOLD_OK;
}

/* ---- dense views and kernels, with copied or borrowed values -------------------------------- */

static onefold_status check_type(onefold_type type)
{
    if ((int)type < 0 || (int)type >= (int)OF_TYPE_COUNT)
        return of_fail(ONEFOLD_USAGE, "there is no type of numbers with the value %d", (int)type);
    return ONEFOLD_OK;
}

/* Replaces the caller's values by a copy with a sample contiguous. */
static onefold_status copy_dense(of_arena *kept, of_view *view)
{
    size_t size = of_type_size(view->type);
    void *copy;
    OF_TRY(of_arena_allocate(kept, &copy, size, view->samples, view->columns));
    of_elements_copy(copy, view->data, size, view->samples, view->sample_step, view->columns,
                     view->column_step);
    view->data = copy;
    view->sample_step = view->columns;
    view->column_step = 1;
    return ONEFOLD_OK;
}

static onefold_status add_dense(onefold_dataset *dataset, const char *name, of_storage storage,
                                const void *values, of_type type, size_t columns,
                                size_t sample_step, size_t column_step, int copy)
{
    if (!dataset || !values)
        return of_fail(ONEFOLD_USAGE, "a view needs a data set to go to and values");
    of_dataset *set = &dataset->set;
    OF_SCRATCH(kept, set->arena.context);
    of_view view = {.storage = storage,
                    .samples = set->samples,
                    .columns = storage == OF_KERNEL ? set->samples : columns,
                    .data = values,
                    .type = type,
                    .sample_step = storage == OF_KERNEL && copy ? set->samples : sample_step,
                    .column_step = column_step};
    OF_TRY(check_type(type));
    if (view.columns == 0)
        return of_fail(ONEFOLD_USAGE, "a view needs at least one column");
    if (!copy && (view.sample_step == 0 || view.column_step == 0))
        return of_fail(ONEFOLD_USAGE, "the steps of a borrowed array must be above 0");
    OF_TRY(check_extents(view.samples, view.sample_step, view.columns, view.column_step, type));
    if (copy)
        OF_TRY(copy_dense(&kept, &view));
    if (storage == OF_KERNEL)
        OF_TRY(check_symmetric(set->arena.context, &view));
    return add_view(set, &kept, name, &view);
}

onefold_status onefold_dataset_add_dense(onefold_dataset *dataset, const char *name,
                                         const double *values, size_t columns, size_t sample_step,
                                         size_t column_step)
{
    return add_dense(dataset, name, OF_DENSE, values, OF_F64, columns, sample_step, column_step, 1);
}

onefold_status onefold_dataset_add_dense_single(onefold_dataset *dataset, const char *name,
                                                const float *values, size_t columns,
                                                size_t sample_step, size_t column_step)
{
    return add_dense(dataset, name, OF_DENSE, values, OF_F32, columns, sample_step, column_step, 1);
}

onefold_status onefold_dataset_add_kernel(onefold_dataset *dataset, const char *name,
                                          const double *values)
{
    return add_dense(dataset, name, OF_KERNEL, values, OF_F64, 0, 0, 1, 1);
}

onefold_status onefold_dataset_borrow_dense(onefold_dataset *dataset, const char *name,
                                            const void *values, onefold_type type, size_t columns,
                                            size_t sample_step, size_t column_step)
{
    return add_dense(dataset, name, OF_DENSE, values, type, columns, sample_step, column_step, 0);
}

onefold_status onefold_dataset_borrow_kernel(onefold_dataset *dataset, const char *name,
                                             const void *values, onefold_type type, size_t row_step,
                                             size_t column_step)
{
    return add_dense(dataset, name, OF_KERNEL, values, type, 0, row_step, column_step, 0);
}

/* ---- sparse views --------------------------------------------------------------------------- */

/* Checks and sorts a sparse view over a caller's arrays, or over copies of them, and appends it.
 * The last start is the number of entries. */
static onefold_status add_sparse(onefold_dataset *dataset, const char *name, size_t columns,
                                 of_array start, of_array index, of_array value, int copy)
{
    if (!dataset || !start.data)
        return of_fail(ONEFOLD_USAGE, "a sparse view needs a data set to go to and starts");
    OF_SCRATCH(kept, dataset->set.arena.context);
    of_sparse sparse;
    size_t samples = dataset->set.samples;
    OF_TRY(check_extents(samples + 1, 1, 1, 1, start.type));
    double entries = of_array_get(&start, samples);
    if (columns == 0)
        return of_fail(ONEFOLD_USAGE, "a view needs at least one column");
    if (columns > UINT32_MAX)
        return of_fail(ONEFOLD_USAGE, "a sparse view has %zu columns, more than %u", columns,
                       UINT32_MAX);
    if (!(entries >= 0) || entries > (double)(PTRDIFF_MAX / sizeof(double)))
        return of_fail(ONEFOLD_BAD_DATA,
                       "the starts of a sparse view must rise from 0 to what memory can hold, not "
                       "to %g",
                       entries);
    start.count = samples + 1;
    index.count = value.count = (size_t)entries;
    if (value.count && (!index.data || !value.data))
        return of_fail(ONEFOLD_USAGE, "a sparse view with entries needs their columns and values");
    OF_TRY(of_matrix_compressed(&kept, samples, columns, &start, &index, &value, copy, &sparse));
    of_view view = of_matrix_sparse(sparse, NULL);
    view.type = value.type;
    return add_view(&dataset->set, &kept, name, &view);
}

onefold_status onefold_dataset_add_sparse(onefold_dataset *dataset, const char *name,
                                          size_t columns, const size_t *start,
                                          const uint32_t *column, const double *value)
{
    return add_sparse(dataset, name, columns, (of_array){.data = start, .type = OF_U64},
                      (of_array){.data = column, .type = OF_U32},
                      (of_array){.data = value, .type = OF_F64}, 1);
}

onefold_status onefold_dataset_borrow_sparse(onefold_dataset *dataset, const char *name,
                                             size_t columns, const void *start, const void *index,
                                             onefold_type index_type, const void *value,
                                             onefold_type value_type)
{
    OF_TRY(check_type(index_type));
    OF_TRY(check_type(value_type));
    if (index_type != ONEFOLD_INT32 && index_type != ONEFOLD_UINT32 &&
        index_type != ONEFOLD_INT64 && index_type != ONEFOLD_UINT64)
        return of_fail(ONEFOLD_USAGE,
                       "starts and column numbers of a sparse view are 32- or 64-bit integers, not "
                       "%s",
                       onefold_name(ONEFOLD_NAMES_TYPE, index_type));
    if (value_type != ONEFOLD_FLOAT64 && value_type != ONEFOLD_FLOAT32)
        return of_fail(ONEFOLD_USAGE, "values of a sparse view are float64 or float32, not %s",
                       onefold_name(ONEFOLD_NAMES_TYPE, value_type));
    return add_sparse(dataset, name, columns, (of_array){.data = start, .type = index_type},
                      (of_array){.data = index, .type = index_type},
                      (of_array){.data = value, .type = value_type}, 0);
}
