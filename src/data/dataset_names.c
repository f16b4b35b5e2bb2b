/* SPDX-License-Identifier: Apache-2.0 */
/* Names of columns, samples and classes, and which columns are one category's, copied with the data
 * set. */
#include "data/dataset_names.h"

#include <string.h>

onefold_status of_dataset_names_copy(of_arena *arena, size_t count, const char *const *names,
                                     const char *const **copy)
{
    size_t bytes = 0;
    const char **place;
    char *text;
    for (size_t i = 0; i < count; i++)
        OF_TRY(of_size_add(&bytes, bytes, (names[i] ? strlen(names[i]) : 0) + 1));
    OF_TRY(OF_NEW(arena, &place, count, 1));
    OF_TRY(OF_NEW(arena, &text, bytes, 1));
    for (size_t i = 0; i < count; i++) {
        size_t length = names[i] ? strlen(names[i]) : 0;
        if (length)
            memcpy(text, names[i], length);
        text[length] = '\0';
        place[i] = text;
        text += length + 1;
    }
    *copy = place;
    return ONEFOLD_OK;
}

/* Refuses a view that is not there, or has no columns to speak of. */
static onefold_status check_columns(const of_dataset *set, size_t view)
{
    if (view >= set->view_count)
        return of_fail(ONEFOLD_USAGE, "the columns of view %zu were named, and there are %zu views",
                       view + 1, set->view_count);
    if (set->views[view].storage == OF_KERNEL)
        return of_fail(ONEFOLD_USAGE, "%s is a kernel, and has no columns to name",
                       set->views[view].name);
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_column_names(onefold_dataset *dataset, size_t view,
                                                const char *const *names)
{
    if (!dataset || !names)
        return of_fail(ONEFOLD_USAGE, "naming columns needs a data set and names");
    of_dataset *set = &dataset->set;
    OF_TRY(check_columns(set, view));
    return of_dataset_names_copy(&set->arena, set->views[view].columns, names,
                                 &set->views[view].column_names);
}

onefold_status onefold_dataset_set_column_units(onefold_dataset *dataset, size_t view,
                                                const uint32_t *units)
{
    if (!dataset || !units)
        return of_fail(ONEFOLD_USAGE, "units of columns need a data set and numbers");
    of_dataset *set = &dataset->set;
    uint32_t *copy;
    OF_TRY(check_columns(set, view));
    OF_TRY(OF_NEW(&set->arena, &copy, set->views[view].columns, 1));
    memcpy(copy, units, set->views[view].columns * sizeof *copy);
    set->views[view].column_unit = copy;
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_sample_names(onefold_dataset *dataset, const char *const *names)
{
    if (!dataset || !names)
        return of_fail(ONEFOLD_USAGE, "naming samples needs a data set and names");
    const char *const *copy;
    OF_TRY(of_dataset_names_copy(&dataset->set.arena, dataset->set.samples, names, &copy));
    dataset->set.sample_names = copy;
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_class_names(onefold_dataset *dataset, const char *const *names)
{
    if (!dataset || !names)
        return of_fail(ONEFOLD_USAGE, "naming classes needs a data set and names");
    if (!dataset->set.class_count)
        return of_fail(ONEFOLD_USAGE, "the data set has no true labels whose classes had names");
    const char *const *copy;
    OF_TRY(of_dataset_names_copy(&dataset->set.arena, dataset->set.class_count, names, &copy));
    dataset->set.class_names = copy;
    return ONEFOLD_OK;
}

const char *onefold_dataset_sample_name(const onefold_dataset *dataset, size_t sample)
{
    return dataset && dataset->set.sample_names && sample < dataset->set.samples
               ? dataset->set.sample_names[sample]
               : NULL;
}

const char *onefold_dataset_column_name(const onefold_dataset *dataset, size_t view, size_t column)
{
    if (!dataset || view >= dataset->set.view_count)
        return NULL;
    const of_view *it = &dataset->set.views[view];
    return it->column_names && column < it->columns ? it->column_names[column] : NULL;
}
