/* SPDX-License-Identifier: Apache-2.0 */
/* How many samples there are: the side that all the views, and the labels, have in common. */
#include "io/read.h"

static onefold_status no_common_side(const of_reading *reading)
{
    size_t common[2], last = 1;
    while (last < reading->views.count && of_sides_common(reading->views.found, last + 1, common))
        last++;
    const of_matrix *first = &reading->views.found[0].matrix,
                    *odd = &reading->views.found[last].matrix;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the views have different numbers of samples: %s is %zu x %zu and %s is "
                           "%zu x %zu",
                           first->name, first->rows, first->columns, odd->name, odd->rows,
                           odd->columns),
                   "every view needs the same samples: pick those that have them with `views`");
}

static onefold_status labels_do_not_fit(const of_reading *reading, const of_labels *labels)
{
    const of_matrix *first = &reading->views.found[0].matrix;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%s has %zu labels, and no side of all the views is that long (%s is "
                           "%zu x %zu)",
                           labels->name, labels->length, first->name, first->rows, first->columns),
                   reading->labels.truth
                       ? "name other labels with `truth`"
                       : "go on without them with `no_truth`, or name others with "
                         "`truth`");
}

/* Lists of (sample, column, value) have no side that is the samples. */
static int find_triplets(of_reading *reading)
{
    for (size_t i = 0; i <= reading->labels.count; i++) {
        reading->samples.count = i < reading->labels.count ? reading->labels.length[i] : 0;
        if (i == reading->labels.count && reading->labels.count > 0)
            break;
        size_t common[2];
        if (i == reading->labels.count &&
            (reading->views.count < 2 ||
             of_sides_common(reading->views.found, reading->views.count, common) != 1))
            break;
        if (of_triplets_are(reading->views.found, reading->views.count, &reading->samples.count)) {
            reading->samples.labels = i < reading->labels.count ? &reading->labels.list[i] : NULL;
            reading->samples.triplets = 1;
            return 1;
        }
    }
    return 0;
}

/* They were matched by id: labels that have them too are in their order already. */
static onefold_status take_matched(of_reading *reading, const onefold_read_options *options)
{
    reading->samples.count = reading->match.samples;
    for (size_t i = 0; i < reading->labels.count && !reading->samples.labels; i++)
        if (reading->labels.list[i].length == reading->samples.count)
            reading->samples.labels = &reading->labels.list[i];
    if (!reading->samples.labels && reading->labels.truth && !options->no_truth)
        return labels_do_not_fit(reading, &reading->labels.list[0]);
    reading->samples.side = "as their ids say";
    return ONEFOLD_OK;
}

/* A list of names that only one side of a matrix is as long as names features: the samples are the
 * other side. */
static size_t side_of_unnamed(const of_reading *reading)
{
    for (size_t m = 0; m < reading->views.count; m++) {
        const of_matrix *matrix = &reading->views.found[m].matrix;
        const of_found *found = &reading->views.found[m];
        if (matrix->rows != matrix->columns && found->listed_rows != found->listed_columns)
            return found->listed_rows ? matrix->columns : matrix->rows;
    }
    return 0;
}

/* Files of single cells say it; labels were named. */
static onefold_status take_rows(of_reading *reading, const onefold_read_options *options)
{
    size_t n = reading->views.found[0].matrix.rows;
    for (size_t m = 1; m < reading->views.count; m++)
        if (reading->views.found[m].matrix.rows != n)
            return no_common_side(reading);
    reading->samples.count = n;
    reading->samples.side = "as the file says";
    if (reading->labels.count && reading->labels.length[0] == n)
        reading->samples.labels = &reading->labels.list[0];
    else if (reading->labels.truth && !options->no_truth)
        return labels_do_not_fit(reading, &reading->labels.list[0]);
    return ONEFOLD_OK;
}

static int are_cells(const of_reading *reading)
{
    for (size_t m = 0; m < reading->views.count; m++)
        if (!reading->views.found[m].file->cells)
            return 0;
    return 1;
}

onefold_status of_reading_find_samples(of_reading *reading, const onefold_read_options *options)
{
    if (reading->match.samples)
        return take_matched(reading, options);
    if (are_cells(reading))
        return take_rows(reading, options);
    size_t common[2], sides = of_sides_common(reading->views.found, reading->views.count, common);
    for (size_t i = 0; i < reading->labels.count; i++)
        for (size_t s = 0; s < sides; s++)
            if (reading->labels.length[i] == common[s]) {
                reading->samples.count = common[s];
                reading->samples.labels = &reading->labels.list[i];
                return ONEFOLD_OK;
            }
    if (find_triplets(reading))
        return ONEFOLD_OK;
    if (sides == 0)
        return no_common_side(reading);
    if (reading->labels.count && !options->no_truth &&
        (reading->labels.truth || reading->labels.list[0].surely > 1))
        return labels_do_not_fit(reading, &reading->labels.list[0]);
    const of_matrix *first = &reading->views.found[0].matrix;
    if (sides == 1) {
        reading->samples.count = common[0];
        reading->samples.side = reading->views.count > 1 ? "the side all the views share" : NULL;
        if (first->rows != common[0] && first->row_names && !reading->views.found[0].listed_rows &&
            reading->views.count > 1)
            return of_reading_say(reading, OF_SAID_COLUMNS_BY_LENGTH, first->name, common[0]);
    } else if (options->samples_are == ONEFOLD_SIDE_AUTO && side_of_unnamed(reading)) {
        reading->samples.count = side_of_unnamed(reading);
        reading->samples.side = "as the other side has the names of features";
    } else if (options->samples_are == ONEFOLD_SIDE_COLUMNS) {
        reading->samples.count = first->columns;
        reading->samples.side = "as was asked for";
    } else {
        reading->samples.count = first->rows;
        reading->samples.side = options->samples_are == ONEFOLD_SIDE_ROWS
                                    ? "as was asked for"
                                    : "assumed, as nothing tells which side they are";
        int headed = reading->views.found[0].file->ids_headed;
        if (headed && options->samples_are == ONEFOLD_SIDE_AUTO)
            reading->samples.side = "as a column has their ids";
        else if (options->samples_are == ONEFOLD_SIDE_AUTO &&
                 !first->row_names == !first->column_names) /* a header alone names features */
            return of_reading_say(reading, OF_SAID_ROWS, first->name);
    }
    return ONEFOLD_OK;
}
