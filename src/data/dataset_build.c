/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of data sets: building one from arrays. */
#include "data/gaps.h"
#include "data/present.h"

#include <math.h>
#include <string.h>

onefold_status onefold_dataset_create(onefold_dataset **dataset, onefold_context *context,
                                      size_t samples)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_create was given no place for the data set");
    if (samples == 0)
        return of_fail(ONEFOLD_USAGE, "a data set needs at least one sample");
    of_dataset *made;
    OF_TRY(of_dataset_make(&made, of_context_or_default(context), samples));
    *dataset = (onefold_dataset *)made;
    return ONEFOLD_OK;
}

void onefold_dataset_free(onefold_dataset *dataset)
{
    of_dataset_free(dataset ? &dataset->set : NULL);
}

/* Single missing entries are filled or refused; those of whole samples stay. */
static onefold_status settle_gaps(of_dataset *set, of_arena *kept, of_view *view,
                                  const uint8_t *keep)
{
    of_gaps gaps;
    OF_TRY(of_gaps_find(set->arena.context, view, keep, 1, &gaps));
    if (gaps.entries && !gaps.infinite && set->impute != ONEFOLD_IMPUTE_NONE &&
        view->storage != OF_KERNEL) {
        set->unsettled |= set->impute == ONEFOLD_IMPUTE_MODEL;
        return set->impute == ONEFOLD_IMPUTE_MODEL ? ONEFOLD_OK
                                                   : of_gaps_fill(kept, view, keep, 1, set->impute);
    }
    return of_gaps_refuse(&gaps, view->name, "sample", gaps.sample, gaps.column,
                          view->column_names ? view->column_names[gaps.column] : NULL);
}

onefold_status of_dataset_add_view(of_dataset *set, of_arena *kept, const char *name, of_view *view)
{
    OF_SCRATCH(scratch, set->arena.context);
    char *copy = NULL;
    uint8_t *keep;
    size_t missing;
    int clean;
    if (name)
        OF_TRY(of_arena_string(kept, &copy, "%s", name));
    else
        OF_TRY(of_arena_string(kept, &copy, "view %zu", set->view_count + 1));
    view->name = copy;
    OF_TRY(of_gaps_clean(set->arena.context, view, &clean));
    if (clean) {
        OF_TRY(of_dataset_push(set, view));
        of_arena_adopt(&set->arena, kept);
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(&scratch, &keep, view->samples, 1));
    OF_TRY(of_gaps_samples(set->arena.context, view, keep, &missing, &clean));
    OF_TRY(settle_gaps(set, kept, view, keep));
    OF_TRY(of_dataset_push(set, view));
    of_arena_adopt(&set->arena, kept);
    return of_present_leave_out(set, set->view_count - 1, keep, 1);
}

/* Copies a dense view of any steps so that a sample is contiguous. */
static onefold_status add_dense(of_dataset *set, const char *name, const void *values, of_type type,
                                size_t columns, size_t sample_step, size_t column_step)
{
    OF_SCRATCH(kept, set->arena.context);
    size_t size = of_type_size(type);
    char *copy;
    OF_TRY(of_arena_allocate(&kept, (void **)&copy, size, set->samples, columns));
    for (size_t j = 0; j < set->samples; j++) {
        const char *from = (const char *)values + j * sample_step * size;
        char *to = copy + j * columns * size;
        if (column_step == 1)
            memcpy(to, from, columns * size);
        else if (type == OF_F64)
            for (size_t i = 0; i < columns; i++)
                ((double *)to)[i] = ((const double *)from)[i * column_step];
        else
            for (size_t i = 0; i < columns; i++)
                ((float *)to)[i] = ((const float *)from)[i * column_step];
    }
    of_view view = {.storage = OF_DENSE,
                    .samples = set->samples,
                    .columns = columns,
                    .data = copy,
                    .type = type,
                    .sample_step = columns,
                    .column_step = 1};
    return of_dataset_add_view(set, &kept, name, &view);
}

static onefold_status check_given(const onefold_dataset *dataset, const void *values,
                                  size_t columns)
{
    if (!dataset || !values)
        return of_fail(ONEFOLD_USAGE, "a view needs a data set to go to and values");
    if (columns == 0)
        return of_fail(ONEFOLD_USAGE, "a view needs at least one column");
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_add_dense(onefold_dataset *dataset, const char *name,
                                         const double *values, size_t columns, size_t sample_step,
                                         size_t column_step)
{
    OF_TRY(check_given(dataset, values, columns));
    return add_dense(&dataset->set, name, values, OF_F64, columns, sample_step, column_step);
}

onefold_status onefold_dataset_add_dense_single(onefold_dataset *dataset, const char *name,
                                                const float *values, size_t columns,
                                                size_t sample_step, size_t column_step)
{
    OF_TRY(check_given(dataset, values, columns));
    return add_dense(&dataset->set, name, values, OF_F32, columns, sample_step, column_step);
}

static void sort_row(uint32_t *index, double *value, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t e = gap; e < count; e++) {
            uint32_t i = index[e];
            double v = value[e];
            size_t at = e;
            for (; at >= gap && index[at - gap] > i; at -= gap) {
                index[at] = index[at - gap];
                value[at] = value[at - gap];
            }
            index[at] = i;
            value[at] = v;
        }
}

/* A copied sparse view: rows are sorted; what points outside, or twice to one place, is refused. */
static onefold_status check_rows(const of_sparse *sparse, uint32_t *index, double *value)
{
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t first = sparse->start[j], count = sparse->start[j + 1] - first;
        sort_row(index + first, value + first, count);
        for (size_t e = first; e < first + count; e++) {
            if (index[e] >= sparse->columns)
                return of_fail(ONEFOLD_BAD_DATA,
                               "sample %zu has an entry in column %zu of a view of %zu columns",
                               j + 1, (size_t)index[e] + 1, sparse->columns);
            if (e > first && index[e] == index[e - 1])
                return of_fail(ONEFOLD_BAD_DATA, "sample %zu has column %zu twice", j + 1,
                               (size_t)index[e] + 1);
        }
    }
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_add_sparse(onefold_dataset *dataset, const char *name,
                                          size_t columns, const size_t *start,
                                          const uint32_t *column, const double *value)
{
    OF_TRY(check_given(dataset, start, columns));
    if (columns > UINT32_MAX)
        return of_fail(ONEFOLD_USAGE, "a sparse view of %zu columns: more than can be numbered",
                       columns);
    of_dataset *set = &dataset->set;
    for (size_t j = 0; j < set->samples; j++)
        if (start[0] != 0 || start[j] > start[j + 1])
            return of_fail(ONEFOLD_BAD_DATA,
                           "the starts of a sparse view must rise from 0, and "
                           "that of sample %zu does not",
                           j + 1);
    if (start[set->samples] && (!column || !value))
        return of_fail(ONEFOLD_USAGE, "a sparse view of %zu entries was given no %s",
                       start[set->samples], column ? "values" : "columns");
    OF_SCRATCH(kept, set->arena.context);
    size_t entries = start[set->samples], *starts;
    uint32_t *indices;
    double *values;
    OF_TRY(OF_NEW(&kept, &starts, set->samples + 1, 1));
    OF_TRY(OF_NEW(&kept, &indices, entries, 1));
    OF_TRY(OF_NEW(&kept, &values, entries, 1));
    memcpy(starts, start, (set->samples + 1) * sizeof *starts);
    if (entries) {
        memcpy(indices, column, entries * sizeof *indices);
        memcpy(values, value, entries * sizeof *values);
    }
    of_sparse sparse = {set->samples, columns, starts, indices, values};
    of_view view = {.storage = OF_SPARSE,
                    .samples = set->samples,
                    .columns = columns,
                    .type = OF_F64,
                    .sparse = of_csr_of(&sparse)};
    OF_TRY(check_rows(&sparse, indices, values));
    return of_dataset_add_view(set, &kept, name, &view);
}

/* Rows beside the same columns, some at a time, so that any steps are followed as memory lies. */
onefold_status of_dataset_check_symmetric(of_context *context, const of_view *kernel)
{
    enum { AT_ONCE = 8 };
    OF_SCRATCH(scratch, context);
    size_t n = kernel->samples;
    of_view turned = *kernel;
    double *row, *column, largest = 0;
    turned.sample_step = kernel->column_step;
    turned.column_step = kernel->sample_step;
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
        of_view_tile(&turned, first, count, column, n);
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

onefold_status onefold_dataset_add_kernel(onefold_dataset *dataset, const char *name,
                                          const double *values)
{
    OF_TRY(check_given(dataset, values, 1));
    of_dataset *set = &dataset->set;
    size_t n = set->samples;
    OF_SCRATCH(kept, set->arena.context);
    double *copy;
    OF_TRY(OF_NEW(&kept, &copy, n, n));
    memcpy(copy, values, n * n * sizeof *copy);
    of_view view = {.storage = OF_KERNEL,
                    .samples = n,
                    .columns = n,
                    .data = copy,
                    .type = OF_F64,
                    .sample_step = n,
                    .column_step = 1};
    OF_TRY(of_dataset_check_symmetric(set->arena.context, &view));
    return of_dataset_add_view(set, &kept, name, &view);
}

onefold_status onefold_dataset_set_truth(onefold_dataset *dataset, const int64_t *labels)
{
    if (!dataset || !labels)
        return of_fail(ONEFOLD_USAGE, "setting the truth needs a data set and labels");
    return of_dataset_set_labels(&dataset->set, labels);
}

onefold_status onefold_dataset_set_impute(onefold_dataset *dataset, onefold_impute impute)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_set_impute was given no data set");
    if (!onefold_impute_name(impute))
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
    of_dataset trial = *set; /* what fails leaves the data set as it was */
    trial.arena = of_arena_make(set->arena.context);
    trial.present = NULL;
    onefold_status status = ONEFOLD_OK;
    uint8_t *keep;
    OF_TRY(OF_NEW(&scratch, &keep, set->samples, 1));
    for (size_t i = 0; i < set->view_count && status == ONEFOLD_OK; i++) {
        size_t missing;
        int clean;
        status = of_gaps_samples(set->arena.context, &set->views[i], keep, &missing, &clean);
        for (size_t j = 0; j < set->samples; j++)
            keep[j] = keep[j] && present[j * set->view_count + i];
        if (status == ONEFOLD_OK)
            status = of_present_leave_out(&trial, i, keep, 1);
    }
    if (status == ONEFOLD_OK)
        status = of_present_check(&trial);
    if (status == ONEFOLD_OK) {
        of_arena_release(&set->arena, set->present);
        set->present = trial.present;
        of_arena_adopt(&set->arena, &trial.arena);
    }
    of_arena_free(&trial.arena);
    return status;
}
