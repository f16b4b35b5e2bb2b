/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points of a fit, as blocks of the page: places in 16 bits, labels in 8 or 16, the rest in 8.
 * Of many samples a seeded draw is shown. Columns, and pictures after the first, have every
 * stride-th point, so that the page stays small.
 */
#include "report/report.h"

#include "data/dataset.h"
#include "io/build.h"
#include "linalg/blas.h"
#include "model/fit.h"
#include "report/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The `view` of a column that describes the samples. */
#define METADATA SIZE_MAX

typedef struct point_column {
    size_t view, index;
    const char **words; /* METADATA: its different words, sorted */
    size_t word_count;
} point_column;

typedef struct points {
    of_report *report;
    of_arena *arena;
    const onefold_fit_info *info;
    const of_dataset *set;     /* or NULL */
    const of_picture *picture; /* or NULL */
    of_points *data;
    size_t stride; /* of the points of columns and later pictures */
    point_column *column;
    size_t column_count;
    size_t picture_count;
} points;

/* A missing value, in blocks of one byte and of two. */
enum { NONE = 255, WIDE_NONE = 65535 };

static size_t sample_at(const of_points *p, size_t point)
{
    return p->sample ? p->sample[point] : point;
}

/* The number of points of a column or later picture, and the sample of one. */
static size_t later_points(const points *p)
{
    return (p->data->shown + p->stride - 1) / p->stride;
}

static size_t later_sample(const points *p, size_t m)
{
    return sample_at(p->data, m * p->stride);
}

/* ---- values of each sample ------------------------------------------------------------------ */

/* Whole numbers as a block, each in `width` bytes, low byte first. */
static onefold_status put_numbers(of_page *page, const char *name, const uint32_t *number,
                                  size_t count, size_t width)
{
    OF_SCRATCH(scratch, page->file.context);
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, count, width));
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < width; b++)
            bytes[width * i + b] = (unsigned char)(number[i] >> 8 * b & 255);
    return of_page_block(page, name, bytes, width * count, SIZE_MAX, NULL);
}

/* Labels, each in one byte, or in two if `wide`. */
static onefold_status put_labels(of_report *report, const of_points *p, const char *name,
                                 const int32_t *labels, int wide)
{
    OF_SCRATCH(scratch, report->context);
    int none = wide ? WIDE_NONE : NONE;
    uint32_t *number;
    if (!labels)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &number, p->shown, 1));
    for (size_t i = 0; i < p->shown; i++) {
        int32_t label = labels[sample_at(p, i)];
        number[i] = (uint32_t)(label < 0 || label > none ? none : label);
    }
    return put_numbers(report->page, name, number, p->shown, wide ? 2 : 1);
}

/* The confidence, and the drawn samples. */
static onefold_status put_confidence(of_report *report, const of_points *p)
{
    enum { STEPS = 250 }; /* the confidence 1 */
    OF_SCRATCH(scratch, report->context);
    uint32_t *number;
    OF_TRY(OF_NEW(&scratch, &number, p->shown, 1));
    for (size_t i = 0; p->confidence && i < p->shown; i++) {
        double v = p->confidence[sample_at(p, i)];
        number[i] = isnan(v) ? NONE : (uint32_t)(fmin(1, fmax(0, v)) * STEPS + 0.5);
    }
    if (p->confidence)
        OF_TRY(put_numbers(report->page, "confidence", number, p->shown, 1));
    if (!p->sample)
        return ONEFOLD_OK;
    for (size_t i = 0; i < p->shown; i++)
        number[i] = (uint32_t)p->sample[i];
    return put_numbers(report->page, "ids", number, p->shown, 4);
}

/* The names of the points, or of every second, fourth, ... point, as there is room. */
static onefold_status put_names(of_report *report, of_points *p)
{
    enum { NAME_ROOM = 450000 }; /* deflated, up to 100 000 points; for more, in proportion */
    OF_SCRATCH(scratch, report->context);
    size_t room = p->shown > 100000 ? p->shown / 2 * 9 : NAME_ROOM;
    const char **name;
    if (!p->shown || !p->names)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &name, p->shown, 1));
    for (size_t stride = 1;; stride *= 2) {
        OF_JSON(list) = {.in_page = 1};
        size_t count = 0, most = stride < p->shown ? room : SIZE_MAX;
        OF_TRY(of_context_check(report->context));
        for (size_t i = 0; i < p->shown; i += stride)
            name[count++] = p->names[sample_at(p, i)];
        of_json_put(&list, "T", name, count);
        OF_TRY(of_json_check(&list));
        OF_TRY(of_page_block(report->page, "names-json", list.text, list.length, most,
                             &p->name_bytes));
        if (p->name_bytes > most)
            continue;
        of_json_put(report->extra, "name_stride:n", stride);
        return ONEFOLD_OK;
    }
}

static onefold_status put_samples(of_report *report, of_arena *arena, of_points *p)
{
    size_t *sample;
    int wide = p->clusters > NONE, wide_truth = p->truth && p->classes > NONE;
    p->shown = p->samples < report->request->points ? p->samples : report->request->points;
    if (p->shown < p->samples) {
        OF_TRY(OF_NEW(arena, &sample, p->shown, 1));
        of_layout_draw(p->samples, p->shown, p->seed, 1, sample);
        p->sample = sample;
    }
    OF_TRY(put_labels(report, p, "labels", p->labels, wide));
    OF_TRY(put_labels(report, p, "labels-b", p->other, wide));
    OF_TRY(put_labels(report, p, "truth", p->truth, wide_truth));
    OF_TRY(put_confidence(report, p));
    OF_TRY(put_names(report, p));
    of_json_put(report->extra, "shown:n of:n wide_labels:f wide_truth:f", p->shown, p->samples,
                wide, wide_truth);
    return ONEFOLD_OK;
}

/* ---- columns, by which points can be coloured ------------------------------------------------ */

enum {
    FEWEST = 12,
    MOST_COLUMNS = 200,
    COLUMN_ROOM = 200000,
    COLUMN_STEPS = 254,
    MOST_RANKS = 64,
    MOST_WORDS = 32
};

static void offer_column(points *p, size_t most, point_column one)
{
    for (size_t c = 0; c < p->column_count; c++)
        if (p->column[c].view == one.view && p->column[c].index == one.index)
            return;
    if (p->column_count < most)
        p->column[p->column_count++] = one;
}

/* Offers a column of metadata, if it has 2 to MOST_WORDS words. */
static onefold_status offer_words(points *p, size_t most, size_t index)
{
    OF_SCRATCH(scratch, p->report->context);
    const of_metadata *metadata = &p->set->metadata[index];
    point_column one = {.view = METADATA, .index = index};
    const char **all;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &all, p->set->samples, 1));
    OF_TRY(OF_NEW(p->arena, &one.words, MOST_WORDS, 1));
    for (size_t j = 0; j < p->set->samples; j++)
        if (metadata->text[j][0])
            all[count++] = metadata->text[j];
    qsort(all, count, sizeof *all, of_compare_texts);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(all[i], all[i - 1]) != 0) {
            if (one.word_count == MOST_WORDS)
                return ONEFOLD_OK;
            one.words[one.word_count++] = all[i];
        }
    if (one.word_count > 1)
        offer_column(p, most, one);
    return ONEFOLD_OK;
}

/* Metadata first; then the columns that set clusters apart, the strongest of every cluster and view
 * before the second ones; then named columns in order; as many as there is room for. */
static onefold_status choose_columns(points *p)
{
    size_t most = p->data->shown ? COLUMN_ROOM / p->data->shown : MOST_COLUMNS;
    most = most < FEWEST ? FEWEST : most > MOST_COLUMNS ? MOST_COLUMNS : most;
    if (!p->set)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(p->arena, &p->column, most, 1));
    for (size_t i = 0; i < p->set->metadata_count; i++)
        OF_TRY(offer_words(p, most, i));
    for (size_t rank = 0; rank < MOST_RANKS && p->column_count < most; rank++)
        for (size_t c = 0; c < p->info->clusters; c++)
            for (size_t v = 0; v < p->set->view_count; v++) {
                const onefold_column *column =
                    onefold_result_column(p->report->request->result, v, c, rank);
                if (column)
                    offer_column(p, most, (point_column){.view = v, .index = column->index});
            }
    for (size_t v = 0; v < p->set->view_count; v++)
        for (size_t i = 0; p->set->views[v].column_names && i < p->set->views[v].columns; i++) {
            if (p->column_count >= most)
                break;
            offer_column(p, most, (point_column){.view = v, .index = i});
        }
    return ONEFOLD_OK;
}

/* The values (later_points x columns) of columns of views; NaN: the view is missing. */
static onefold_status read_values(const points *p, double *values)
{
    OF_SCRATCH(scratch, p->report->context);
    for (size_t v = 0; v < p->set->view_count; v++) {
        const of_view *view = &p->set->views[v];
        double *row;
        size_t wanted = 0;
        for (size_t c = 0; c < p->column_count; c++)
            wanted += p->column[c].view == v;
        if (!wanted)
            continue;
        OF_TRY(of_context_check(p->report->context));
        OF_TRY(OF_NEW(&scratch, &row, view->columns, 1));
        for (size_t m = 0; m < later_points(p); m++) {
            int present = of_present_at(p->set, later_sample(p, m), v);
            if (present)
                of_view_tile(view, later_sample(p, m), 1, row, view->columns);
            for (size_t c = 0; c < p->column_count; c++)
                if (p->column[c].view == v)
                    values[c * later_points(p) + m] = present ? row[p->column[c].index] : NAN;
        }
    }
    return ONEFOLD_OK;
}

/* The values of a column as steps from the least, *low, to the largest, *high. */
static void step_values(size_t count, const double *values, unsigned char *steps, double *low,
                        double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t m = 0; m < count; m++) {
        *low = fmin(*low, values[m]);
        *high = fmax(*high, values[m]);
    }
    for (size_t m = 0; m < count; m++) {
        double part = *high > *low ? (values[m] - *low) / (*high - *low) : 0;
        steps[m] = isnan(values[m]) ? NONE : (unsigned char)(part * COLUMN_STEPS + 0.5);
    }
}

/* The values of all columns as a block, and their names. */
static onefold_status put_columns(points *p)
{
    OF_SCRATCH(scratch, p->report->context);
    size_t count = later_points(p), size = count * p->column_count;
    double *values, low, high;
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &values, size, 1));
    OF_TRY(OF_NEW(&scratch, &bytes, size, 1));
    of_json_put(p->report->extra, "columns:[");
    if (p->column_count)
        OF_TRY(read_values(p, values));
    for (size_t c = 0; c < p->column_count; c++) {
        point_column column = p->column[c];
        double *own = values + c * count;
        if (column.view == METADATA) { /* the index of each sample's word */
            const of_metadata *metadata = &p->set->metadata[column.index];
            for (size_t m = 0; m < count; m++) {
                const char **at = bsearch(&metadata->text[later_sample(p, m)], column.words,
                                          column.word_count, sizeof *at, of_compare_texts);
                own[m] = at ? (double)(at - column.words) : NAN;
            }
            of_json_put(p->report->extra, "{ view:t name:t low:r high:r words:T }",
                        "about the samples", metadata->name, 0.0, (double)column.word_count - 1,
                        column.words, column.word_count);
        }
        step_values(count, own, bytes + c * count, &low, &high);
        if (column.view == METADATA)
            continue;
        const of_view *view = &p->set->views[column.view];
        of_json_put(p->report->extra, "{ view:t name:t low:r high:r }", view->name,
                    view->column_names[column.index], low, high);
    }
    of_json_put(p->report->extra, "]");
    return p->column_count ? of_page_block(p->report->page, "columns", bytes, size, SIZE_MAX, NULL)
                           : ONEFOLD_OK;
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* A picture: places (2 x count) in a square of 65535 steps, with the same scale on both sides, x of
 * all points, then y. WIDE_NONE: not a finite number. */
static onefold_status put_picture(points *p, const char *title, size_t count, const double *place)
{
    OF_SCRATCH(scratch, p->report->context);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    uint32_t *step;
    char block[32];
    OF_TRY(OF_NEW(&scratch, &step, 2, count));
    for (size_t e = 0; e < 2 * count; e++)
        if (isfinite(place[e])) {
            low[e % 2] = fmin(low[e % 2], place[e]);
            high[e % 2] = fmax(high[e % 2], place[e]);
        }
    double side = fmax(high[0] - low[0], high[1] - low[1]);
    for (size_t r = 0; r < 2; r++)
        for (size_t j = 0; j < count; j++) {
            double v = place[2 * j + r], part = 0.5;
            if (side > 0)
                part += (v - (low[r] + high[r]) / 2) / side;
            step[r * count + j] = WIDE_NONE;
            if (isfinite(v))
                step[r * count + j] = (uint32_t)(fmin(1, fmax(0, part)) * (WIDE_NONE - 1) + 0.5);
        }
    snprintf(block, sizeof block, "picture-%zu", p->picture_count++);
    of_json_put(p->report->extra, "t", title);
    return put_numbers(p->report->page, block, step, 2 * count, 2);
}

static const char *layout_title(onefold_layout_kind kind)
{
    return kind == ONEFOLD_LAYOUT_PCA ? "all views, principal components" : "all views, t-SNE";
}

/* The fused embedding of all points in the chosen layout, and of every stride-th point in the other
 * layout. */
static onefold_status put_fused(points *p, onefold_layout_options options)
{
    size_t rows = p->info->embedding_rows;
    const double *x = p->info->embedding;
    onefold_layout_kind kind;
    double *place;
    OF_TRY(OF_NEW(p->arena, &place, 2, p->data->shown));
    if (p->data->sample) {
        double *drawn;
        OF_TRY(OF_NEW(p->arena, &drawn, rows, p->data->shown));
        for (size_t i = 0; i < p->data->shown; i++)
            memcpy(drawn + i * rows, x + p->data->sample[i] * rows, rows * sizeof *drawn);
        x = drawn;
    }
    OF_TRY(of_layout_make(p->report->context, rows, p->data->shown, x, rows, p->info->clusters_used,
                          &options, place, &kind));
    OF_TRY(put_picture(p, layout_title(kind), p->data->shown, place));
    options.kind = kind == ONEFOLD_LAYOUT_PCA ? ONEFOLD_LAYOUT_TSNE : ONEFOLD_LAYOUT_PCA;
    OF_TRY(of_layout_make(p->report->context, rows, later_points(p), x, rows * p->stride,
                          p->info->clusters_used, &options, place, &kind));
    if (kind != options.kind)
        return ONEFOLD_OK; /* too few samples for t-SNE */
    return put_picture(p, layout_title(kind), later_points(p), place);
}

static onefold_status put_pictures(points *p)
{
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    options.seed = p->info->seed;
    if (p->report->request->layout)
        OF_TRY(of_layout_options_read(&options, p->report->request->layout));
    OF_TRY(of_blas_room(p->report->context->threads));
    of_blas_enter();
    onefold_status status = put_fused(p, options);
    of_blas_leave();
    OF_TRY(status);
    OF_SCRATCH(scratch, p->report->context);
    double *place;
    char *title;
    OF_TRY(OF_NEW(&scratch, &place, 2, later_points(p)));
    for (size_t v = 0; p->picture && v < p->info->views; v++) {
        OF_TRY(of_arena_string(&scratch, &title, "%.200s by itself", p->info->view[v]->name));
        for (size_t i = 0; i < later_points(p); i++)
            for (size_t r = 0; r < 2; r++)
                place[2 * i + r] =
                    p->picture->places[2 * (v * p->info->samples + later_sample(p, i)) + r];
        OF_TRY(put_picture(p, title, later_points(p), place));
    }
    return ONEFOLD_OK;
}

/* ---- parts of views ------------------------------------------------------------------------- */

enum {
    PARTS = 100,         /* steps of the parts of a sample */
    FEW_PARTS = 20,      /* the same with many samples or views */
    FINE_PARTS = 200000, /* samples times views up to which PARTS is used */
    BUDGET = 300000,     /* bytes after the first picture, before they are deflated */
    MIN_BUDGET = 40000
};

/* The part of each view, view by view, and the view of the largest part. Cumulative sums over views
 * are rounded to steps, so that the parts of a sample add up to all steps. */
static onefold_status put_parts(points *p)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes, *largest;
    size_t views = p->info->views, shown = p->data->shown,
           steps = views * shown > FINE_PARTS || views > PARTS ? FEW_PARTS : PARTS;
    OF_TRY(OF_NEW(&scratch, &bytes, shown, views));
    OF_TRY(OF_NEW(&scratch, &largest, shown, 1));
    for (size_t i = 0; i < shown; i++) {
        const float *part = p->picture->parts + sample_at(p->data, i) * views;
        float most = -1;
        double sum = 0, all = 0;
        size_t given = 0;
        for (size_t v = 0; v < views; v++)
            sum += part[v] > 0 ? part[v] : 0;
        largest[i] = NONE;
        for (size_t v = 0; v < views; v++) {
            all += part[v] > 0 ? part[v] / sum * (double)steps : 0;
            size_t own = (size_t)(all + 0.5) - given;
            given += own;
            bytes[v * shown + i] = isnan(part[v]) ? NONE : (unsigned char)own;
            if (part[v] > most && v < NONE) {
                most = part[v];
                largest[i] = (unsigned char)v;
            }
        }
    }
    of_json_put(p->report->extra, "part_steps:n", steps);
    OF_TRY(of_page_block(p->report->page, "loudest", largest, shown, SIZE_MAX, NULL));
    if (views * shown + p->data->name_bytes > 2 * BUDGET)
        return ONEFOLD_OK;
    return of_page_block(p->report->page, "parts", bytes, views * shown, SIZE_MAX, NULL);
}

/* ---- the points --------------------------------------------------------------------------- */

/* Columns, parts and pictures of a result. */
static onefold_status put_fit(points *p)
{
    OF_TRY(choose_columns(p));
    if (p->picture && p->picture->parts)
        OF_TRY(put_parts(p));
    /* Columns and later pictures have as many points as there is room for besides names. */
    size_t each = 4 * (1 + (p->picture ? p->info->views : 0)) + p->column_count;
    size_t room =
        p->data->name_bytes < BUDGET - MIN_BUDGET ? BUDGET - p->data->name_bytes : MIN_BUDGET;
    size_t few = room > each ? room / each : 1;
    if (p->data->shown > few)
        p->stride = (p->data->shown + few - 1) / few;
    of_json_put(p->report->extra, "stride:n pictures:[", p->stride); /* their titles */
    OF_TRY(put_pictures(p));
    of_json_put(p->report->extra, "]");
    return put_columns(p);
}

onefold_status of_report_points(of_report *report, of_points *data)
{
    OF_SCRATCH(scratch, report->context);
    const onefold_result *result = report->request->result;
    points p = {.report = report,
                .arena = &scratch,
                .set = report->request->dataset ? &report->request->dataset->set : NULL,
                .data = data,
                .stride = 1};
    of_json_put(report->extra, "points:{");
    OF_TRY(put_samples(report, &scratch, data));
    if (result) {
        p.info = onefold_result_describe(result);
        p.picture = result->picture;
        OF_TRY(put_fit(&p));
    }
    of_json_put(report->extra, "}");
    return ONEFOLD_OK;
}
