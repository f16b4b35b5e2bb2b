/* SPDX-License-Identifier: Apache-2.0 */
/* The named columns that the points of a report can be coloured by. */
#include "report/report_columns.h"

#ifdef ONEFOLD_WITH_JSON
#include "data/present.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 12, MOST = 200, ROOM = 200000, NONE = 255, STEPS = 254, MOST_RANKS = 64 };

static int has(const of_report_columns *columns, size_t view, size_t index)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->column[c].view == view && columns->column[c].index == index)
            return 1;
    return 0;
}

static void offer(of_report_columns *columns, size_t most, size_t view, size_t index)
{
    if (columns->count < most && !has(columns, view, index))
        columns->column[columns->count++] = (of_report_column){view, index};
}

/* The strongest of every cluster and view, then the second ones, ... */
static onefold_status offer_strong(of_report_columns *columns, const of_dataset *set, size_t most)
{
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    OF_TRY(onefold_result_describe(columns->result, &info));
    for (size_t rank = 0; rank < MOST_RANKS && columns->count < most; rank++)
        for (size_t c = 0; c < info.clusters; c++)
            for (size_t v = 0; v < set->view_count; v++) {
                onefold_column column = ONEFOLD_COLUMN_INIT;
                if (rank >= onefold_result_column_count(columns->result, v, c))
                    continue;
                OF_TRY(onefold_result_column(columns->result, v, c, rank, &column));
                offer(columns, most, v, column.index);
            }
    return ONEFOLD_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The different words of a column about the samples, in order; those that have none are left out.
 */
static onefold_status list_words(of_arena *arena, const of_dataset *set, size_t index,
                                 const char ***words, size_t *count)
{
    const of_metadata *metadata = &set->metadata[index];
    OF_TRY(OF_NEW(arena, words, set->samples, 1));
    *count = 0;
    for (size_t j = 0; j < set->samples; j++)
        if (metadata->text[j][0])
            (*words)[(*count)++] = metadata->text[j];
    qsort(*words, *count, sizeof **words, compare_texts);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || strcmp((*words)[i], (*words)[kept - 1]) != 0)
            (*words)[kept++] = (*words)[i];
    *count = kept;
    return ONEFOLD_OK;
}

/* Columns about the samples that have few words. */
static onefold_status offer_metadata(of_report_columns *columns, const of_dataset *set, size_t most)
{
    enum { MOST_WORDS = 32 };
    for (size_t i = 0; i < set->metadata_count; i++) {
        OF_SCRATCH(scratch, columns->report->context);
        const char **words;
        size_t count;
        OF_TRY(list_words(&scratch, set, i, &words, &count));
        if (count > 1 && count <= MOST_WORDS)
            offer(columns, most, OF_REPORT_METADATA, i);
    }
    return ONEFOLD_OK;
}

onefold_status of_report_columns_choose(of_report_columns *columns, of_arena *arena, size_t shown)
{
    size_t most = shown ? ROOM / shown : MOST;
    most = most < FEWEST ? FEWEST : most > MOST ? MOST : most;
    if (!columns->report->dataset)
        return ONEFOLD_OK;
    const of_dataset *set = &columns->report->dataset->set;
    OF_TRY(OF_NEW(arena, &columns->column, most, 1));
    OF_TRY(offer_metadata(columns, set, most));
    OF_TRY(offer_strong(columns, set, most));
    for (size_t v = 0; v < set->view_count; v++)
        for (size_t i = 0; set->views[v].column_names && i < set->views[v].columns; i++) {
            if (columns->count >= most)
                break;
            offer(columns, most, v, i);
        }
    return ONEFOLD_OK;
}

/* The numbers of the words, in order, at every stride-th point. */
static onefold_status read_words(const of_report_columns *columns, size_t index,
                                 const size_t *sample, size_t members, size_t stride,
                                 double *values)
{
    OF_SCRATCH(scratch, columns->report->context);
    const of_dataset *set = &columns->report->dataset->set;
    const char **words;
    size_t count;
    OF_TRY(list_words(&scratch, set, index, &words, &count));
    for (size_t m = 0; m < members; m++) {
        const char *text = set->metadata[index].text[sample ? sample[m * stride] : m * stride];
        const char **at = bsearch(&text, words, count, sizeof *words, compare_texts);
        values[m] = at ? (double)(at - words) : NAN;
    }
    return ONEFOLD_OK;
}

/* The values (members x count) at every stride-th point; NaN where a sample lacks the view. */
static onefold_status read_values(const of_report_columns *columns, const size_t *sample,
                                  size_t shown, size_t stride, double *values)
{
    OF_SCRATCH(scratch, columns->report->context);
    const of_dataset *set = &columns->report->dataset->set;
    size_t members = (shown + stride - 1) / stride;
    for (size_t c = 0; c < columns->count; c++)
        if (columns->column[c].view == OF_REPORT_METADATA)
            OF_TRY(read_words(columns, columns->column[c].index, sample, members, stride,
                              values + c * members));
    for (size_t v = 0; v < set->view_count; v++) {
        double *row;
        size_t wanted = 0;
        for (size_t c = 0; c < columns->count; c++)
            wanted += columns->column[c].view == v;
        if (!wanted)
            continue;
        OF_TRY(of_context_check(columns->report->context));
        OF_TRY(OF_NEW(&scratch, &row, set->views[v].columns, 1));
        for (size_t m = 0; m < members; m++) {
            size_t j = sample ? sample[m * stride] : m * stride;
            int there = of_present_at(set, j, v);
            if (there)
                of_view_tile(&set->views[v], j, 1, row, set->views[v].columns);
            for (size_t c = 0; c < columns->count; c++)
                if (columns->column[c].view == v)
                    values[c * members + m] = there ? row[columns->column[c].index] : NAN;
        }
    }
    return ONEFOLD_OK;
}

/* One about the samples has its words, in order. */
static onefold_status metadata_object(const of_report_columns *columns, size_t c, json_t **made)
{
    OF_SCRATCH(scratch, columns->report->context);
    const of_dataset *set = &columns->report->dataset->set;
    size_t index = columns->column[c].index, count;
    const char **words;
    json_t *object = json_object(), *list = json_array();
    onefold_status status = list_words(&scratch, set, index, &words, &count);
    int failed = 0;
    for (size_t w = 0; status == ONEFOLD_OK && w < count; w++)
        failed |= json_array_append_new(list, of_json_text(words[w])) != 0;
    failed |= of_json_put(object, "view", of_json_text("about the samples")) |
              of_json_put(object, "name", of_json_text(set->metadata[index].name)) |
              of_json_put(object, "low", of_json_real(0)) |
              of_json_put(object, "high", of_json_real(count ? (double)count - 1 : 0)) |
              of_json_put(object, "words", list);
    *made = of_json_keep(object, failed);
    return status;
}

static json_t *column_object(const of_report_columns *columns, size_t c, double low, double high)
{
    const of_dataset *set = &columns->report->dataset->set;
    const of_view *view = &set->views[columns->column[c].view];
    json_t *object = json_object();
    int failed =
        of_json_put(object, "view", of_json_text(view->name)) |
        of_json_put(object, "name", of_json_text(view->column_names[columns->column[c].index])) |
        of_json_put(object, "low", of_json_real(low)) |
        of_json_put(object, "high", of_json_real(high));
    return of_json_keep(object, failed);
}

onefold_status of_report_columns_put(of_report_columns *columns, const size_t *sample, size_t shown,
                                     size_t stride, json_t **list)
{
    OF_SCRATCH(scratch, columns->report->context);
    size_t members = (shown + stride - 1) / stride;
    double *values;
    unsigned char *bytes;
    *list = json_array();
    if (!columns->count)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &values, members, columns->count));
    OF_TRY(OF_NEW(&scratch, &bytes, members, columns->count));
    OF_TRY(read_values(columns, sample, shown, stride, values));
    for (size_t c = 0; c < columns->count; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t m = 0; m < members; m++) {
            low = fmin(low, values[c * members + m]);
            high = fmax(high, values[c * members + m]);
        }
        for (size_t m = 0; m < members; m++) {
            double v = values[c * members + m];
            bytes[c * members + m] =
                isnan(v) ? NONE
                         : (unsigned char)(high > low ? (v - low) / (high - low) * STEPS + 0.5 : 0);
        }
        json_t *object;
        if (columns->column[c].view == OF_REPORT_METADATA)
            OF_TRY(metadata_object(columns, c, &object));
        else
            object = column_object(columns, c, low, high);
        columns->report->failed |= json_array_append_new(*list, object) != 0;
    }
    return of_page_block(columns->report->page, "columns", bytes, members * columns->count);
}

#endif
