/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a fit whose JSON was kept, or of two side by side. The text is checked and taken
 * apart, never turned into objects: what has a value for every sample goes into blocks, the rest is
 * passed on as it is, for the page to read.
 */
#include "report/report.h"

#include "data/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FITS = 2, MOST_POINTS = 200000, BINS = 10, NAME_ROOM = 900000, MOST_CELLS = 1000000 };

typedef struct named_sample {
    of_span name; /* with its quotes */
    size_t sample;
} named_sample;

/* A fit as its file tells it. */
typedef struct saved {
    const char *path;
    char *text;              /* all of the file, and a closing zero */
    size_t size, name_bytes; /* of the list of names */
    of_span version, run;
    of_span rest; /* the object without its arrays over samples */
    size_t samples, clusters;
    int32_t *label;
    double *sure;       /* NULL: there is no confidence */
    named_sample *name; /* NULL: there are no names */
} saved;

/* ---- a file ------------------------------------------------------------------------------- */

static onefold_status no_fit(const saved *fit, const char *why)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not the JSON of a fit: %s", fit->path, why),
                   "give a file that a fit with `json` wrote");
}

static onefold_status unreadable(const saved *fit)
{
    return of_fail(errno == ENOMEM ? ONEFOLD_NO_MEMORY : ONEFOLD_IO, "%s cannot be read: %s",
                   fit->path, strerror(errno));
}

static onefold_status read_text(of_arena *arena, saved *fit)
{
    size_t room = 0, got = 1;
    FILE *file = fopen(fit->path, "rb");
    onefold_status status = file ? ONEFOLD_OK : unreadable(fit);
    while (status == ONEFOLD_OK && got) {
        status = OF_GROW(arena, &fit->text, fit->size, &room, fit->size + (1 << 16));
        if (status != ONEFOLD_OK)
            break;
        got = fread(fit->text + fit->size, 1, room - fit->size - 1, file);
        fit->size += got;
        fit->text[fit->size] = '\0';
        status = ferror(file) ? unreadable(fit) : of_context_check(arena->context);
    }
    if (file)
        fclose(file);
    return status;
}

/* What the object has of each sample. */
static onefold_status read_samples(of_arena *arena, const of_members *all, saved *fit)
{
    size_t n = fit->samples;
    of_span sure = of_json_member(all, "confidence"), names = of_json_member(all, "sample_names"),
            *name = NULL;
    if (n == 0 || n > fit->size)
        return no_fit(fit, "its number of samples is wrong");
    if (fit->clusters > n)
        return no_fit(fit, "it has more clusters than samples");
    OF_TRY(of_json_array(arena, of_json_member(all, "labels"), 'i', n, &fit->label));
    OF_TRY(of_json_array(arena, sure, 'r', n, &fit->sure));
    OF_TRY(of_json_array(arena, names, 'v', n, &name));
    if (!fit->label)
        return no_fit(fit, "its labels are no list of a whole number for each sample");
    if (sure.size && !fit->sure)
        return no_fit(fit, "its confidences are no list of a number for each sample");
    if (name)
        OF_TRY(OF_NEW(arena, &fit->name, n, 1));
    int named = name || !names.size;
    for (size_t j = 0; j < n; j++) {
        if ((size_t)fit->label[j] >= fit->clusters)
            return no_fit(fit, "a label is beyond the number of clusters");
        named &= !name || *name[j].at == '"';
        if (name)
            fit->name[j] = (named_sample){name[j], j};
    }
    fit->name_bytes = names.size;
    return named ? ONEFOLD_OK : no_fit(fit, "its names are no list of a text for each sample");
}

/* Sorts out the members of the object: what is over samples, and the rest of the text. */
static onefold_status read_members(of_arena *arena, saved *fit)
{
    static const char space[] = " \t\r\n";
    static const char *const over_samples[] = {"labels", "confidence", "sample_names", "view_parts",
                                               "embedding"};
    of_members all;
    size_t filled = 0;
    char *rest;
    OF_TRY(OF_NEW(arena, &rest, fit->size + 2, 1));
    OF_TRY(of_json_members(arena, fit->text + strspn(fit->text, space), &all));
    if (!all.end || all.end[strspn(all.end, space)] || strlen(fit->text) != fit->size)
        return no_fit(fit, "its text is no JSON object");
    fit->version = of_json_member(&all, "onefold");
    fit->run = of_json_member(&all, "run");
    OF_TRY(of_json_get(arena, &all, "samples:n clusters:n", &fit->samples, &fit->clusters));
    if (!of_json_member(&all, "labels").size || *of_json_member(&all, "views").at != '[' ||
        !fit->version.size || !fit->clusters)
        return no_fit(fit, "there are no labels in it");
    rest[filled++] = '{';
    for (size_t i = 0; i < all.count; i++) {
        of_member one = all.list[i];
        size_t k = 0, length = (size_t)(one.value.at + one.value.size - (one.key.at - 1));
        while (k < 5 && !of_span_is(one.key, over_samples[k]))
            k++;
        if (k < 5)
            continue;
        if (filled > 1)
            rest[filled++] = ',';
        memcpy(rest + filled, one.key.at - 1, length);
        filled += length;
    }
    rest[filled++] = '}';
    fit->rest = (of_span){rest, filled};
    return read_samples(arena, &all, fit);
}

/* The labels must be those of the run that the file says it is of. Names with an escaped character
 * are not held against it. */
static onefold_status check_run(const saved *fit)
{
    char text[OF_RUN_TEXT];
    uint64_t sum = 0;
    for (size_t j = 0; j < fit->samples; j++) {
        const of_span *name = fit->name ? &fit->name[j].name : NULL;
        if (name && memchr(name->at, '\\', name->size))
            return ONEFOLD_OK;
        sum += name ? of_run_part(name->at + 1, name->size - 2, j, fit->label[j])
                    : of_run_part(NULL, 0, j, fit->label[j]);
    }
    of_run_text(of_run_end(sum, fit->samples), text);
    if (!fit->run.size ||
        (fit->run.size == strlen(text) + 2 && memcmp(fit->run.at + 1, text, strlen(text)) == 0))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%s says that it is of run %.*s, and its labels are those of run %s",
                           fit->path, (int)(fit->run.size < 40 ? fit->run.size : 40), fit->run.at,
                           text),
                   "it mixes two runs or was edited: run the fit again");
}

/* ---- the same samples --------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const named_sample *one = a, *other = b;
    size_t shorter = one->name.size < other->name.size ? one->name.size : other->name.size;
    int order = memcmp(one->name.at, other->name.at, shorter);
    if (order)
        return order;
    if (one->name.size != other->name.size)
        return one->name.size < other->name.size ? -1 : 1;
    return one->sample < other->sample ? -1 : one->sample > other->sample;
}

/* Brings the samples of `b` into the order of `a`, by their names where both have them. */
static onefold_status bring_together(of_arena *arena, const saved *a, saved *b)
{
    size_t n = a->samples;
    int32_t *label;
    named_sample *sorted;
    if (b->samples != n)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is of %zu samples, and %s of %zu", a->path, n,
                               b->path, b->samples),
                       "two fits are shown side by side where they are of the same samples");
    if (a->clusters > MOST_CELLS / b->clusters)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%zu clusters beside %zu are more than a page can show", a->clusters,
                               b->clusters),
                       "compare the labels by their scores");
    if (!a->name || !b->name)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &label, n, 1));
    OF_TRY(OF_NEW(arena, &sorted, n, 1));
    memcpy(sorted, a->name, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    qsort(b->name, n, sizeof *b->name, by_name);
    for (size_t i = 0; i < n; i++) {
        of_span one = sorted[i].name, other = b->name[i].name;
        if (one.size != other.size || memcmp(one.at, other.at, one.size) != 0)
            return of_hint(
                of_fail(ONEFOLD_BAD_DATA, "%s and %s are of different samples", a->path, b->path),
                "two fits are shown side by side where they are of the same samples");
        label[sorted[i].sample] = b->label[b->name[i].sample];
    }
    b->label = label;
    return ONEFOLD_OK;
}

/* ---- the page ----------------------------------------------------------------------------- */

/* The names as they stand in the file, as one list, where there is room for them. */
static onefold_status put_names(of_report *report, const saved *fit, const of_shown *shown)
{
    OF_SCRATCH(scratch, report->context);
    size_t filled = 0;
    char *text;
    if (!fit->name)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &text, fit->name_bytes + 2, 1));
    for (size_t i = 0; i < shown->count; i++) {
        of_span name = fit->name[of_shown_at(shown, i)].name;
        text[filled++] = i ? ',' : '[';
        memcpy(text + filled, name.at, name.size);
        filled += name.size;
    }
    text[filled++] = ']';
    return of_page_block(report->page, "names-json", text, filled, NAME_ROOM, NULL);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static onefold_status put_samples(of_report *report, of_arena *arena, const saved *fit,
                                  size_t count)
{
    size_t n = fit->samples, stride = (n + MOST_POINTS - 1) / MOST_POINTS, *sample = NULL;
    of_shown shown = {NULL, (n + stride - 1) / stride};
    int wide = fit->clusters > OF_NONE || (count == MOST_FITS && fit[1].clusters > OF_NONE);
    if (stride > 1) {
        OF_TRY(OF_NEW(arena, &sample, shown.count, 1));
        for (size_t i = 0; i < shown.count; i++)
            sample[i] = i * stride;
        shown.sample = sample;
    }
    of_json_put(report->extra, "{ points:{ shown:n of:n wide_labels:f }", shown.count, n, wide);
    OF_TRY(of_report_labels(report, "labels", &shown, fit->label, wide));
    OF_TRY(put_names(report, fit, &shown));
    OF_TRY(of_report_shown(report, &shown, count == MOST_FITS ? NULL : fit->sure));
    if (count == MOST_FITS) {
        const saved *b = fit + 1;
        size_t *table; /* samples of each cluster of the one in each of the other */
        OF_TRY(of_report_labels(report, "labels-b", &shown, b->label, wide));
        OF_TRY(OF_NEW_ZERO(arena, &table, fit->clusters, b->clusters));
        for (size_t j = 0; j < n; j++)
            table[(size_t)fit->label[j] * b->clusters + (size_t)b->label[j]]++;
        of_json_put(report->extra, "titles:[ t t ]", base_name(fit->path), base_name(b->path));
        of_json_put(report->extra, "contingency:W", table, fit->clusters, b->clusters);
        return ONEFOLD_OK;
    }
    of_json_put(report->extra, "title:t", base_name(fit->path));
    if (!fit->sure)
        return ONEFOLD_OK;
    return of_report_spread(report, "confidence", "doubtful", fit->sure, fit->label, n, BINS, 0);
}

onefold_status onefold_report_from_json(const char *const *results, size_t count,
                                        onefold_context *context, const char *path)
{
    if (!results || count < 1 || count > MOST_FITS || !results[0] || !results[count - 1])
        return of_fail(ONEFOLD_USAGE, "a report is made of the JSON of one fit, or of two");
    context = of_context_or_default(context);
    OF_PAGE(page);
    OF_JSON(summary) = {.in_page = 1};
    OF_JSON(extra) = {.in_page = 1};
    OF_SCRATCH(arena, context);
    onefold_report asked = ONEFOLD_REPORT_INIT;
    of_report report = {.context = context, .asked = &asked, .page = &page, .extra = &extra};
    saved fit[MOST_FITS] = {{.path = results[0]}, {.path = results[count - 1]}};
    asked.paths = results;
    asked.path_count = count;
    for (size_t i = 0; i < count; i++) {
        OF_TRY(read_text(&arena, &fit[i]));
        OF_TRY(read_members(&arena, &fit[i]));
        OF_TRY(check_run(&fit[i]));
    }
    if (count == MOST_FITS)
        OF_TRY(bring_together(&arena, &fit[0], &fit[1]));
    OF_TRY(of_page_open(&page, context, path));
    OF_TRY(put_samples(&report, &arena, fit, count));
    OF_TRY(of_report_origin(&report));
    of_json_put(&extra, "}");
    of_json_put(&summary, "{ kind:t", count == MOST_FITS ? "compare" : "fit");
    if (count == MOST_FITS) {
        of_json_put(&summary, "data:{");
        of_json_raw(&summary, "onefold", fit->version);
        of_json_put(&summary, "fits:[");
        of_json_raw(&summary, NULL, fit[0].rest);
        of_json_raw(&summary, NULL, fit[1].rest);
        of_json_put(&summary, "] }");
    } else {
        of_json_raw(&summary, "data", fit->rest);
    }
    OF_TRY(of_page_summary(&page, &summary, &extra));
    return of_page_close(&page);
}
