/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of one or two fits from their JSON. Members with a value for every sample are read and
 * go into blocks of the page; the text of all other members is checked and copied.
 */
#include "report/report.h"

#include "base/mapped.h"
#include "data/dataset.h"
#include "io/file.h"

enum { MOST_FITS = 2, BINS = 10, MOST_CELLS = 1000000 };

/* A fit that was read. */
typedef struct saved {
    const char *path;
    char *text; /* the file, with a closing zero */
    size_t size;
    of_span version, run;
    of_span rest; /* the object without its arrays over samples */
    size_t samples, clusters;
    int32_t *label;
    double *confidence; /* or NULL */
    const char **name;  /* or NULL */
} saved;

/* ---- a file ------------------------------------------------------------------------------- */

static onefold_status no_fit(const saved *fit, const char *why)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not the JSON of a fit: %s", fit->path, why),
                   "give a file that a fit with `json` wrote");
}

static onefold_status read_text(of_arena *arena, saved *fit)
{
    __attribute__((cleanup(of_file_close))) of_file file = {0};
    OF_TRY(of_file_read(&file, arena->context, fit->path, NULL, 0));
    OF_TRY(OF_NEW(arena, &fit->text, file.size + 1, 1));
    memcpy(fit->text, file.bytes, file.size);
    fit->text[file.size] = '\0';
    fit->size = file.size;
    return of_mapped_intact(file.contents->map, ONEFOLD_OK);
}

/* Reads the members with a value for every sample. */
static onefold_status read_samples(of_arena *arena, const of_members *all, saved *fit)
{
    size_t n = fit->samples;
    of_span confidence = of_json_member(all, "confidence"),
            names = of_json_member(all, "sample_names");
    if (n == 0 || n > fit->size)
        return no_fit(fit, "its number of samples is wrong");
    if (fit->clusters > n)
        return no_fit(fit, "it has more clusters than samples");
    OF_TRY(of_json_array(arena, of_json_member(all, "labels"), 'i', n, &fit->label));
    OF_TRY(of_json_array(arena, confidence, 'r', n, &fit->confidence));
    OF_TRY(of_json_array(arena, names, 't', n, &fit->name));
    if (!fit->label)
        return no_fit(fit, "its labels are no list of a whole number for each sample");
    if (confidence.size && !fit->confidence)
        return no_fit(fit, "its confidences are no list of a number for each sample");
    if (names.size && !fit->name)
        return no_fit(fit, "its names are no list of a text for each sample");
    for (size_t j = 0; j < n; j++)
        if ((size_t)fit->label[j] >= fit->clusters)
            return no_fit(fit, "a label is beyond the number of clusters");
    return ONEFOLD_OK;
}

/* Splits the members of the object: those over samples, and the text of the rest. */
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

/* Checks the number of the run against the labels. */
static onefold_status check_run(const saved *fit)
{
    char text[OF_RUN_TEXT];
    uint64_t sum = 0;
    for (size_t j = 0; j < fit->samples; j++) {
        const char *name = fit->name ? fit->name[j] : NULL;
        sum += of_run_part(name, name ? strlen(name) : 0, j, fit->label[j]);
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

/* ---- two fits ----------------------------------------------------------------------------- */

/* Matches the samples of `b` with those of `a`, by names where both have them. */
static onefold_status match_samples(of_arena *arena, const saved *a, saved *b)
{
    OF_SCRATCH(scratch, arena->context);
    size_t n = a->samples, found = 0;
    int32_t *label;
    of_name_index index;
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
    OF_TRY(of_name_index_make(&scratch, a->name, n, &index));
    memset(label, -1, n * sizeof *label);
    for (size_t j = 0; j < n; j++) {
        size_t at = of_name_index_find(&index, b->name[j]);
        found += at != SIZE_MAX && label[at] < 0;
        if (at != SIZE_MAX)
            label[at] = b->label[j];
    }
    if (found < n)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s and %s are of different samples", a->path, b->path),
            "two fits are shown side by side where they are of the same samples");
    b->label = label;
    return ONEFOLD_OK;
}

/* ---- the page ----------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static onefold_status put_samples(of_report *report, of_arena *arena, const saved *fit,
                                  size_t count)
{
    const saved *b = count == MOST_FITS ? fit + 1 : NULL;
    of_points points = {.samples = fit->samples,
                        .clusters = b && b->clusters > fit->clusters ? b->clusters : fit->clusters,
                        .labels = fit->label,
                        .other = b ? b->label : NULL,
                        .confidence = b ? NULL : fit->confidence,
                        .names = fit->name};
    of_json_put(report->extra, "{");
    OF_TRY(of_report_points(report, &points));
    if (b) {
        size_t *table; /* samples by cluster of the first and of the second fit */
        OF_TRY(OF_NEW_ZERO(arena, &table, fit->clusters, b->clusters));
        for (size_t j = 0; j < fit->samples; j++)
            table[(size_t)fit->label[j] * b->clusters + (size_t)b->label[j]]++;
        of_json_put(report->extra, "titles:[ t t ]", base_name(fit->path), base_name(b->path));
        of_json_put(report->extra, "contingency:W", table, fit->clusters, b->clusters);
        return ONEFOLD_OK;
    }
    of_json_put(report->extra, "title:t", base_name(fit->path));
    if (!fit->confidence)
        return ONEFOLD_OK;
    return of_report_spread(report, "confidence", "doubtful", fit->confidence, fit->label,
                            fit->samples, BINS, 0);
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
    onefold_report request = ONEFOLD_REPORT_INIT;
    of_report report = {.context = context, .request = &request, .page = &page, .extra = &extra};
    saved fit[MOST_FITS] = {{.path = results[0]}, {.path = results[count - 1]}};
    request.paths = results;
    request.path_count = count;
    for (size_t i = 0; i < count; i++) {
        OF_TRY(read_text(&arena, &fit[i]));
        OF_TRY(read_members(&arena, &fit[i]));
        OF_TRY(check_run(&fit[i]));
    }
    if (count == MOST_FITS)
        OF_TRY(match_samples(&arena, &fit[0], &fit[1]));
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
