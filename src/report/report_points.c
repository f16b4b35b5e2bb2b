/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is drawn of the samples of a fit, as blocks of the page: places in 16 bits, labels, the rest
 * in 8. Beyond a number of samples a seeded draw of them is shown; pictures and columns after the
 * first have every so manyth of those, so that the page stays small.
 */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "base/random.h"
#include "data/dataset.h"
#include "linalg/blas.h"
#include "model/result.h"
#include "report/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* In place of a view: the column is one about the samples. */
#define METADATA SIZE_MAX

typedef struct point_column {
    size_t view, index;
} point_column;

typedef struct point_columns {
    of_report *report;
    const onefold_result *result;
    point_column *column;
    size_t count;
} point_columns;

/* ---- the named columns that points can be coloured by --------------------------------------- */

enum {
    FEWEST = 12,
    MOST_COLUMNS = 200,
    COLUMN_ROOM = 200000,
    NONE = 255,
    STEPS = 254,
    MOST_RANKS = 64
};

static int has(const point_columns *columns, size_t view, size_t index)
{
    for (size_t c = 0; c < columns->count; c++)
        if (columns->column[c].view == view && columns->column[c].index == index)
            return 1;
    return 0;
}

static void offer_column(point_columns *columns, size_t most, size_t view, size_t index)
{
    if (columns->count < most && !has(columns, view, index))
        columns->column[columns->count++] = (point_column){view, index};
}

/* The strongest of every cluster and view, then the second ones, ... */
static onefold_status offer_strong(point_columns *columns, const of_dataset *set, size_t most)
{
    const onefold_fit_info *info = onefold_result_describe(columns->result);
    for (size_t rank = 0; rank < MOST_RANKS && columns->count < most; rank++)
        for (size_t c = 0; c < info->clusters; c++)
            for (size_t v = 0; v < set->view_count; v++) {
                const onefold_column *column = onefold_result_column(columns->result, v, c, rank);
                if (column)
                    offer_column(columns, most, v, column->index);
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
static onefold_status offer_metadata(point_columns *columns, const of_dataset *set, size_t most)
{
    enum { MOST_WORDS = 32 };
    for (size_t i = 0; i < set->metadata_count; i++) {
        OF_SCRATCH(scratch, columns->report->context);
        const char **words;
        size_t count;
        OF_TRY(list_words(&scratch, set, i, &words, &count));
        if (count > 1 && count <= MOST_WORDS)
            offer_column(columns, most, METADATA, i);
    }
    return ONEFOLD_OK;
}

/* Those that set clusters apart first, then by their order, as many as `shown` points leave room
 * for: all of them where there are few points. Memory is from `arena`. */
static onefold_status columns_choose(point_columns *columns, of_arena *arena, size_t shown)
{
    size_t most = shown ? COLUMN_ROOM / shown : MOST_COLUMNS;
    most = most < FEWEST ? FEWEST : most > MOST_COLUMNS ? MOST_COLUMNS : most;
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
            offer_column(columns, most, v, i);
        }
    return ONEFOLD_OK;
}

/* The numbers of the words, in order, at every stride-th point. */
static onefold_status read_words(const point_columns *columns, size_t index, const size_t *sample,
                                 size_t members, size_t stride, double *values)
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
static onefold_status read_values(const point_columns *columns, const size_t *sample, size_t shown,
                                  size_t stride, double *values)
{
    OF_SCRATCH(scratch, columns->report->context);
    const of_dataset *set = &columns->report->dataset->set;
    size_t members = (shown + stride - 1) / stride;
    for (size_t c = 0; c < columns->count; c++)
        if (columns->column[c].view == METADATA)
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
static onefold_status metadata_object(const point_columns *columns, size_t c, json_t **made)
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

static json_t *column_object(const point_columns *columns, size_t c, double low, double high)
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

/* Their values at every stride-th point as the block `columns`, 254 steps between the least and the
 * largest, and what they are called into *list. `sample`: NULL where points are samples. */
static onefold_status columns_put(point_columns *columns, const size_t *sample, size_t shown,
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
        if (columns->column[c].view == METADATA)
            OF_TRY(metadata_object(columns, c, &object));
        else
            object = column_object(columns, c, low, high);
        columns->report->failed |= json_array_append_new(*list, object) != 0;
    }
    return of_page_block(columns->report->page, "columns", bytes, members * columns->count);
}

/* ---- the names of the samples --------------------------------------------------------------- */

enum {
    MOST_NAME = 400,   /* bytes of a name that are kept */
    NAME_ROOM = 450000 /* deflated, for up to 100 000 points; beyond, in proportion */
};

typedef struct shown_names {
    const onefold_dataset *dataset;
    const size_t *sample; /* NULL: points are samples */
    size_t shown, stride; /* every stride-th has its name in the page */
} shown_names;

static const char *name_at(const shown_names *names, size_t i)
{
    size_t point = i * names->stride;
    return onefold_dataset_describe(names->dataset)
        ->sample_names[names->sample ? names->sample[point] : point];
}

static size_t count_of(const shown_names *names)
{
    return (names->shown + names->stride - 1) / names->stride;
}

/* Bytes of a name that are kept: whole characters of UTF-8. */
static size_t kept_length(const char *name)
{
    size_t length = strnlen(name, MOST_NAME + 1);
    if (length <= MOST_NAME)
        return length;
    for (length = MOST_NAME; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
        length--;
    return length;
}

/* The names' bytes from `arena`; *length is that of each, 0 where they differ. */
static onefold_status spell(of_arena *arena, const shown_names *names, unsigned char **bytes,
                            size_t *size, size_t *length)
{
    size_t count = count_of(names), at = 0;
    *size = 0;
    *length = kept_length(name_at(names, 0));
    for (size_t i = 0; i < count; i++) {
        size_t own = kept_length(name_at(names, i));
        *length = own == *length ? own : 0;
        *size += own + 1;
    }
    OF_TRY(OF_NEW(arena, bytes, *size, 1));
    for (size_t i = 0; i < count; i++) {
        const char *name = name_at(names, i);
        size_t own = kept_length(name);
        if (*length) {
            for (size_t k = 0; k < own; k++)
                (*bytes)[k * count + i] = (unsigned char)name[k];
        } else {
            memcpy(*bytes + at, name, own);
            (*bytes)[at + own] = 0;
            at += own + 1;
        }
    }
    if (*length)
        *size = *length * count;
    return ONEFOLD_OK;
}

/* The names of the points shown, as many as there is room for, as a block; how they lie in it goes
 * into `about`, and the bytes they take deflated into *packed. `sample`: NULL where points are
 * samples. */
static onefold_status put_names(of_report *report, const size_t *sample, size_t shown,
                                json_t *about, size_t *packed)
{
    shown_names names = {report->dataset, sample, shown, 1};
    size_t room = shown > 100000 ? shown / 2 * 9 : NAME_ROOM;
    *packed = 0;
    if (!report->dataset || !shown || !onefold_dataset_describe(report->dataset)->sample_names)
        return ONEFOLD_OK;
    for (;; names.stride *= 2) {
        OF_SCRATCH(scratch, report->context);
        unsigned char *bytes;
        size_t size, length;
        OF_TRY(of_context_check(report->context));
        OF_TRY(spell(&scratch, &names, &bytes, &size, &length));
        OF_TRY(of_page_deflated(report->page, bytes, size, packed));
        if (*packed > room && names.stride < shown)
            continue;
        report->failed |= of_json_put(about, "name_length", of_json_whole(length)) |
                          of_json_put(about, "name_stride", of_json_whole(names.stride));
        return of_page_block(report->page, "names", bytes, size);
    }
}

/* ---- points --------------------------------------------------------------------------------- */

enum {
    WIDE_NONE = 65535,
    SURE = 250,     /* 1, of what is from 0 to 1 */
    PARTS = 100,    /* the whole, of a view's part; */
    FEW_PARTS = 20, /* where there are many samples, or many views */
    FINE_PARTS = 200000,
    BUDGET = 300000, /* bytes of what comes after the first picture, before they are deflated */
    MIN_BUDGET = 40000
};

typedef struct points {
    of_report *report;
    of_arena *arena;
    const onefold_fit_info *info;
    const of_picture *picture; /* may be NULL */
    size_t *sample;            /* which are shown; NULL: all */
    size_t shown, stride;
    size_t name_bytes; /* that names take, deflated */
    json_t *about, *pictures;
} points;

static size_t sample_of(const points *p, size_t point)
{
    return p->sample ? p->sample[point] : point;
}

static onefold_status draw(points *p, size_t most)
{
    size_t n = p->info->samples;
    p->shown = n < most ? n : most;
    if (p->shown == n)
        return ONEFOLD_OK;
    of_random random = of_random_make(p->info->seed, OF_PURPOSE_LAYOUT, 1);
    OF_TRY(OF_NEW(p->arena, &p->sample, p->shown, 1));
    for (size_t j = 0, taken = 0; taken < p->shown; j++)
        if ((double)(n - j) * of_random_uniform(&random) < (double)(p->shown - taken))
            p->sample[taken++] = j;
    return ONEFOLD_OK;
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* Puts places (2 x count) into a square of 65535 steps, both sides alike; one that is no number
 * gets the value after the last. x of all, then y, low byte first. */
static void square(size_t count, const double *place, unsigned char *out)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
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
            unsigned step = WIDE_NONE;
            if (isfinite(v))
                step = (unsigned)(fmin(1, fmax(0, part)) * (WIDE_NONE - 1) + 0.5);
            out[2 * (r * count + j)] = (unsigned char)(step & 255);
            out[2 * (r * count + j) + 1] = (unsigned char)(step >> 8);
        }
}

static onefold_status put_picture(points *p, const char *name, size_t count, const double *place)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes;
    char block[32];
    OF_TRY(OF_NEW(&scratch, &bytes, 4, count));
    square(count, place, bytes);
    snprintf(block, sizeof block, "picture-%zu", json_array_size(p->pictures));
    p->report->failed |= json_array_append_new(p->pictures, of_json_text(name)) != 0;
    return of_page_block(p->report->page, block, bytes, 4 * count);
}

/* The fused embedding of the points shown. */
static onefold_status gather(points *p, const double **x)
{
    size_t rows = p->info->embedding_rows;
    double *out;
    *x = p->info->embedding;
    if (!p->sample)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(p->arena, &out, rows, p->shown));
    for (size_t i = 0; i < p->shown; i++)
        memcpy(out + i * rows, p->info->embedding + p->sample[i] * rows, rows * sizeof *out);
    *x = out;
    return ONEFOLD_OK;
}

/* The points of a later picture: every stride-th. */
static size_t members(const points *p)
{
    return (p->shown + p->stride - 1) / p->stride;
}

static const char *layout_name(onefold_layout_kind kind)
{
    return kind == ONEFOLD_LAYOUT_PCA ? "all views, principal components" : "all views, t-SNE";
}

/* The layout that was chosen, and the other one, of every stride-th point. */
static onefold_status put_fused(points *p, onefold_layout_kind kind, const double *x,
                                const double *first, const onefold_layout_options *options)
{
    OF_SCRATCH(scratch, p->report->context);
    size_t count = members(p), rows = p->info->embedding_rows;
    onefold_layout_options other = *options;
    double *place;
    OF_TRY(put_picture(p, layout_name(kind), p->shown, first));
    OF_TRY(OF_NEW(&scratch, &place, 2, count));
    other.kind = kind == ONEFOLD_LAYOUT_PCA ? ONEFOLD_LAYOUT_TSNE : ONEFOLD_LAYOUT_PCA;
    OF_TRY(of_layout_make(p->report->context, rows, count, x, rows * p->stride,
                          p->info->clusters_used, &other, place, &kind));
    if (kind != other.kind)
        return ONEFOLD_OK; /* samples are too few for it */
    return put_picture(p, layout_name(kind), count, place);
}

static onefold_status put_view(points *p, size_t v)
{
    OF_SCRATCH(scratch, p->report->context);
    size_t count = members(p);
    double *place;
    char *name;
    const onefold_view_fit *view = p->info->view[v];
    OF_TRY(OF_NEW(&scratch, &place, 2, count));
    OF_TRY(of_arena_string(&scratch, &name, "%.200s by itself", view->name));
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < 2; r++)
            place[2 * i + r] =
                p->picture->places[2 * (v * p->info->samples + sample_of(p, i * p->stride)) + r];
    return put_picture(p, name, count, place);
}

static onefold_status put_pictures(points *p)
{
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    onefold_layout_kind kind;
    const double *x;
    double *first;
    options.seed = p->info->seed;
    if (p->report->asked->layout)
        OF_TRY(of_layout_options_read(&options, p->report->asked->layout));
    OF_TRY(OF_NEW(p->arena, &first, 2, p->shown));
    OF_TRY(gather(p, &x));
    OF_TRY(of_blas_room(p->report->context->threads));
    of_blas_enter();
    onefold_status status =
        of_layout_make(p->report->context, p->info->embedding_rows, p->shown, x,
                       p->info->embedding_rows, p->info->clusters_used, &options, first, &kind);
    if (status == ONEFOLD_OK)
        status = put_fused(p, kind, x, first, &options);
    of_blas_leave();
    OF_TRY(status);
    for (size_t v = 0; p->picture && v < p->info->views; v++)
        OF_TRY(put_view(p, v));
    return ONEFOLD_OK;
}

/* ---- numbers of each point ---------------------------------------------------------------- */

/* Labels of the points shown, in one byte or two; below 0 is none. */
static onefold_status put_labels(points *p, const char *name, const int32_t *labels, int wide)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, p->shown, 2));
    for (size_t i = 0; i < p->shown; i++) {
        int32_t label = labels[sample_of(p, i)];
        unsigned value = label < 0 || label >= (wide ? WIDE_NONE : NONE)
                             ? (unsigned)(wide ? WIDE_NONE : NONE)
                             : (unsigned)label;
        bytes[wide ? 2 * i : i] = (unsigned char)(value & 255);
        if (wide)
            bytes[2 * i + 1] = (unsigned char)(value >> 8);
    }
    return of_page_block(p->report->page, name, bytes, p->shown * (wide ? 2 : 1));
}

/* A number from 0 to 1 in `steps`; NONE where it is no number. */
static unsigned char step_of(double value, double steps)
{
    return isnan(value) ? NONE : (unsigned char)(fmin(1, fmax(0, value)) * steps + 0.5);
}

static onefold_status put_confidence(points *p)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, p->shown, 1));
    for (size_t i = 0; i < p->shown; i++)
        bytes[i] = step_of(p->info->confidence[sample_of(p, i)], SURE);
    return of_page_block(p->report->page, "confidence", bytes, p->shown);
}

/* A sample's parts in whole steps that add up to `steps`: rounded down, then one more for those
 * that lost most. A view that the sample lacks has NONE. */
static void round_parts(size_t views, const float *part, size_t steps, unsigned char *out)
{
    double sum = 0;
    size_t given = 0, counted = 0;
    for (size_t v = 0; v < views; v++) {
        sum += part[v] > 0 ? part[v] : 0;
        counted += !isnan(part[v]);
    }
    for (size_t v = 0; v < views; v++) {
        out[v] = isnan(part[v])
                     ? NONE
                     : (unsigned char)(sum > 0 ? fmax(0, part[v]) / sum * (double)steps : 0);
        given += isnan(part[v]) ? 0 : out[v];
    }
    for (; sum > 0 && counted && given < steps; given++) {
        size_t most = 0;
        double lost = -2;
        for (size_t v = 0; v < views; v++) {
            double left = fmax(0, part[v]) / sum * (double)steps - out[v];
            if (!isnan(part[v]) && left > lost) {
                lost = left;
                most = v;
            }
        }
        out[most]++;
    }
}

/* Each view's part, a view after the other, and which has the largest. */
static onefold_status put_parts(points *p)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes, *loudest, *own;
    size_t views = p->info->views,
           steps = views * p->shown > FINE_PARTS || views > PARTS ? FEW_PARTS : PARTS;
    OF_TRY(OF_NEW(&scratch, &bytes, p->shown, views));
    OF_TRY(OF_NEW(&scratch, &loudest, p->shown, 1));
    OF_TRY(OF_NEW(&scratch, &own, views, 1));
    for (size_t i = 0; i < p->shown; i++) {
        const float *part = p->picture->parts + sample_of(p, i) * views;
        float most = -1;
        loudest[i] = NONE;
        round_parts(views, part, steps, own);
        for (size_t v = 0; v < views; v++) {
            bytes[v * p->shown + i] = own[v];
            if (part[v] > most && v < NONE) {
                most = part[v];
                loudest[i] = (unsigned char)v;
            }
        }
    }
    p->report->failed |= of_json_put(p->about, "part_steps", of_json_whole(steps));
    OF_TRY(of_page_block(p->report->page, "loudest", loudest, p->shown));
    if (views * p->shown + p->name_bytes > 2 * BUDGET)
        return ONEFOLD_OK;
    return of_page_block(p->report->page, "parts", bytes, views * p->shown);
}

static onefold_status put_ids(points *p)
{
    OF_SCRATCH(scratch, p->report->context);
    unsigned char *bytes;
    if (!p->sample)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &bytes, p->shown, 4));
    for (size_t i = 0; i < p->shown; i++)
        for (size_t b = 0; b < 4; b++)
            bytes[4 * i + b] = (unsigned char)(p->sample[i] >> 8 * b & 255);
    return of_page_block(p->report->page, "ids", bytes, 4 * p->shown);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static onefold_status put_numbers(points *p)
{
    const onefold_dataset *dataset = p->report->dataset;
    int wide = p->info->clusters > NONE,
        wide_truth = dataset && onefold_dataset_describe(dataset)->classes > NONE;
    OF_TRY(put_labels(p, "labels", p->info->labels, wide));
    if (dataset && onefold_dataset_describe(dataset)->truth)
        OF_TRY(put_labels(p, "truth", onefold_dataset_describe(dataset)->truth, wide_truth));
    if (p->info->confidence)
        OF_TRY(put_confidence(p));
    OF_TRY(put_names(p->report, p->sample, p->shown, p->about, &p->name_bytes));
    if (p->picture && p->picture->parts)
        OF_TRY(put_parts(p));
    return put_ids(p);
}

/* What the page says of the points. */
static void put_about(points *p)
{
    const onefold_dataset *dataset = p->report->dataset;
    p->report->failed |=
        of_json_put(p->about, "shown", of_json_whole(p->shown)) |
        of_json_put(p->about, "of", of_json_whole(p->info->samples)) |
        of_json_put(p->about, "stride", of_json_whole(p->stride)) |
        of_json_put(p->about, "wide_labels", json_boolean(p->info->clusters > NONE)) |
        of_json_put(p->about, "wide_truth",
                    json_boolean(dataset && onefold_dataset_describe(dataset)->classes > NONE)) |
        of_json_put(p->about, "pictures", json_incref(p->pictures));
}

/* Pictures and columns after the first have as many points as names leave room for. */
static void set_stride(points *p, size_t columns)
{
    size_t later = 1 + (p->picture ? p->info->views : 0), each = 4 * later + columns;
    size_t room = p->name_bytes < BUDGET - MIN_BUDGET ? BUDGET - p->name_bytes : MIN_BUDGET;
    size_t most = room > each ? room / each : 1;
    if (p->shown > most)
        p->stride = (p->shown + most - 1) / most;
}

static onefold_status put_points(points *p)
{
    point_columns columns = {.report = p->report, .result = p->report->asked->result};
    json_t *named = NULL;
    OF_TRY(draw(p, p->report->asked->points));
    OF_TRY(columns_choose(&columns, p->arena, p->shown));
    OF_TRY(put_numbers(p));
    set_stride(p, columns.count);
    OF_TRY(put_pictures(p));
    onefold_status status = columns_put(&columns, p->sample, p->shown, p->stride, &named);
    p->report->failed |= of_json_put(p->about, "columns", named); /* whose it is then */
    put_about(p);
    return status;
}

onefold_status of_report_points(of_report *report)
{
    OF_SCRATCH(scratch, report->context);
    points p = {.report = report, .arena = &scratch, .stride = 1};
    p.info = onefold_result_describe(report->asked->result);
    if (!p.info->embedding)
        return ONEFOLD_OK;
    p.picture = report->asked->result->picture;
    p.pictures = json_array();
    p.about = json_object();
    onefold_status status = put_points(&p);
    json_decref(p.pictures);
    of_report_put(report, "points", p.about);
    return status;
}

#endif
