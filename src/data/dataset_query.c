/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of data sets: asking what one holds. */
#include "base/structs.h"
#include "data/present.h"

size_t onefold_dataset_samples(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.samples : 0;
}

size_t onefold_dataset_view_count(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.view_count : 0;
}

size_t onefold_dataset_class_count(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.class_count : 0;
}

const int32_t *onefold_dataset_truth(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.truth : NULL;
}

const char *onefold_dataset_class_name(const onefold_dataset *dataset, size_t class_index)
{
    return dataset && class_index < dataset->set.class_count ? dataset->set.class_names[class_index]
                                                             : NULL;
}

size_t onefold_dataset_note_count(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.note_count : 0;
}

const char *onefold_dataset_note(const onefold_dataset *dataset, size_t index)
{
    return dataset && index < dataset->set.note_count ? dataset->set.notes[index] : NULL;
}

size_t onefold_dataset_assumption_count(const onefold_dataset *dataset)
{
    return dataset ? dataset->set.assumption_count : 0;
}

const char *onefold_dataset_assumption(const onefold_dataset *dataset, size_t index)
{
    return dataset && index < dataset->set.assumption_count ? dataset->set.assumptions[index]
                                                            : NULL;
}

onefold_status onefold_dataset_view(const onefold_dataset *dataset, size_t index,
                                    onefold_view_info *info)
{
    if (!dataset || !info)
        return of_fail(ONEFOLD_USAGE, "asking about a view needs a data set and a place for it");
    if (index >= dataset->set.view_count)
        return of_fail(ONEFOLD_USAGE, "view %zu was asked for, and there are %zu", index + 1,
                       dataset->set.view_count);
    const of_view *view = &dataset->set.views[index];
    onefold_view_info all = {.name = view->name,
                             .storage = view->storage,
                             .type = view->type,
                             .columns = view->columns,
                             .nonzeros = of_view_nonzeros(view),
                             .bytes = of_view_bytes(view),
                             .missing = of_present_missing(&dataset->set, index),
                             .named = view->column_names != NULL};
    return OF_STRUCT_WRITE(info, &all, onefold_view_info);
}

onefold_status onefold_dataset_values(double *values, const onefold_dataset *dataset, size_t view,
                                      size_t first, size_t count)
{
    if (!values || !dataset)
        return of_fail(ONEFOLD_USAGE, "values need a data set and a place for them");
    if (view >= dataset->set.view_count)
        return of_fail(ONEFOLD_USAGE, "view %zu was asked for, and there are %zu", view + 1,
                       dataset->set.view_count);
    if (first > dataset->set.samples || count > dataset->set.samples - first)
        return of_fail(ONEFOLD_USAGE, "samples %zu to %zu were asked for, and there are %zu", first,
                       first + count, dataset->set.samples);
    const of_view *found = &dataset->set.views[view];
    return of_view_read(found, first, count, values, found->columns);
}

int onefold_dataset_present(const onefold_dataset *dataset, size_t sample, size_t view)
{
    return dataset && sample < dataset->set.samples && view < dataset->set.view_count &&
           of_present_at(&dataset->set, sample, view) != 0;
}
