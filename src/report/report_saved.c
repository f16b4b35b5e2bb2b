/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a fit whose JSON was kept, or of two side by side. The text is checked and taken
 * apart, never turned into objects: the page reads it, and jansson's reader is no friend of little
 * memory (see json_build.h). What has a value for every sample goes into blocks, the rest is passed
 * on as it is.
 */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "base/utf8.h"
#include "data/dataset.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FITS = 2, DEEPEST = 64, MOST_POINTS = 200000, NONE = 255, WIDE_NONE = 65535 };
enum { SURE = 250, BINS = 10, NAME_ROOM = 900000, MOST_CELLS = 1000000 };

typedef struct span {
    const char *at; /* NULL: nothing */
    size_t size;
} span;

typedef struct named_sample {
    span name; /* with its quotes */
    size_t sample;
} named_sample;

/* A fit as its file tells it. */
typedef struct saved {
    const char *path;
    char *text; /* all of the file, and a closing zero */
    size_t size;
    span labels, confidence, names, version, run;
    char *rest; /* the object without its arrays over samples */
    size_t samples, clusters;
    int32_t *label;
    double *sure;       /* NULL: there is no confidence */
    named_sample *name; /* NULL: there are no names */
} saved;

/* ---- JSON, as text ------------------------------------------------------------------------ */

/* Each returns where a thing ends, or NULL where it is none. */

static const char *past_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *past_string(const char *p)
{
    if (*p++ != '"')
        return NULL;
    while (*p != '"') {
        size_t length = of_utf8_length(p);
        if ((unsigned char)*p < ' ' || length == 0)
            return NULL;
        if (*p == '\\') {
            if (p[1] == 'u' && strspn(p + 2, "0123456789abcdefABCDEF") < 4)
                return NULL;
            if (!p[1] || !strchr("\"\\/bfnrtu", p[1]))
                return NULL;
            length = 2;
        }
        p += length;
    }
    return p + 1;
}

static const char *past_digits(const char *p)
{
    size_t length = strspn(p, "0123456789");
    return length ? p + length : NULL;
}

static const char *past_number(const char *p)
{
    p += *p == '-';
    p = *p == '0' ? p + 1 : past_digits(p);
    if (p && *p == '.')
        p = past_digits(p + 1);
    if (p && (*p == 'e' || *p == 'E'))
        p = past_digits(p + 1 + (p[1] == '+' || p[1] == '-'));
    return p;
}

static const char *past_value(const char *p, int depth);

/* The next member of an object or array, at `p` after its opening or after the member before:
 * `value` is set, and `key` of an object. NULL where it is wrong; at the closing, value->at is
 * NULL. */
static const char *next_member(const char *p, char closing, int first, int depth, span *key,
                               span *value)
{
    *value = (span){NULL, 0};
    p = past_space(p);
    if (*p == closing)
        return p + 1;
    if (!first && *p++ != ',')
        return NULL;
    p = past_space(p);
    if (closing == '}') {
        const char *end = past_string(p);
        if (!end)
            return NULL;
        *key = (span){p + 1, (size_t)(end - p) - 2};
        p = past_space(end);
        if (*p++ != ':')
            return NULL;
        p = past_space(p);
    }
    const char *end = past_value(p, depth);
    if (end)
        *value = (span){p, (size_t)(end - p)};
    return end;
}

static const char *past_value(const char *p, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    span key, value = {p, 1};
    if (*p == '"')
        return past_string(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    if (*p != '{' && *p != '[')
        return past_number(p);
    char closing = *p++ == '{' ? '}' : ']';
    if (depth >= DEEPEST)
        return NULL;
    for (int first = 1; p && value.at; first = 0)
        p = next_member(p, closing, first, depth + 1, &key, &value);
    return p;
}

static int is(span key, const char *name)
{
    return key.size == strlen(name) && memcmp(key.at, name, key.size) == 0;
}

/* ---- a file ------------------------------------------------------------------------------- */

static onefold_status no_fit(const saved *fit, const char *why)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not the JSON of a fit: %s", fit->path, why),
                   "give a file that a fit with `json` wrote");
}

static onefold_status read_text(of_arena *arena, saved *fit)
{
    size_t room = 0, got;
    char block[1 << 16];
    FILE *file = fopen(fit->path, "rb");
    if (!file)
        return of_fail(ONEFOLD_IO, "%s cannot be read: %s", fit->path, strerror(errno));
    onefold_status status = OF_GROW(arena, &fit->text, 0, &room, sizeof block);
    while (status == ONEFOLD_OK && (got = fread(block, 1, sizeof block, file))) {
        status = OF_GROW(arena, &fit->text, fit->size, &room, fit->size + got + 1);
        if (status == ONEFOLD_OK) {
            memcpy(fit->text + fit->size, block, got);
            fit->size += got;
            status = of_context_check(arena->context);
        }
    }
    if (status == ONEFOLD_OK && ferror(file))
        status = of_fail(ONEFOLD_IO, "%s cannot be read: %s", fit->path, strerror(errno));
    fclose(file);
    if (status == ONEFOLD_OK)
        fit->text[fit->size] = '\0';
    return status;
}

/* Sorts out the members of the object: what is over samples, and the rest of the text. */
static onefold_status sort_members(of_arena *arena, saved *fit)
{
    const char *p = past_space(fit->text);
    span key = {NULL, 0}, value = {p, 1}, views = {NULL, 0};
    size_t filled = 0;
    OF_TRY(OF_NEW(arena, &fit->rest, fit->size + 3, 1));
    fit->rest[filled++] = '{';
    p = *p == '{' ? p + 1 : NULL;
    for (int first = 1; p && value.at; first = 0) {
        p = next_member(p, '}', first, 0, &key, &value);
        if (!p || !value.at)
            break;
        span *over_samples = is(key, "labels")         ? &fit->labels
                             : is(key, "confidence")   ? &fit->confidence
                             : is(key, "sample_names") ? &fit->names
                                                       : NULL;
        if (over_samples)
            *over_samples = value;
        if (over_samples || is(key, "view_parts") || is(key, "embedding"))
            continue;
        if (is(key, "samples") || is(key, "clusters"))
            *(is(key, "samples") ? &fit->samples : &fit->clusters) = strtoull(value.at, NULL, 10);
        if (is(key, "onefold"))
            fit->version = value;
        if (is(key, "run"))
            fit->run = value;
        if (is(key, "views"))
            views = value;
        size_t length = (size_t)(value.at + value.size - (key.at - 1));
        if (filled > 1)
            fit->rest[filled++] = ',';
        memcpy(fit->rest + filled, key.at - 1, length);
        filled += length;
    }
    memcpy(fit->rest + filled, "}", 2);
    if (!p || *past_space(p) || strlen(fit->text) != fit->size)
        return no_fit(fit, "its text is no JSON object");
    if (!fit->labels.at || !views.at || *views.at != '[' || !fit->version.at || !fit->clusters)
        return no_fit(fit, "there are no labels in it");
    return ONEFOLD_OK;
}

/* The elements of an array over samples, one after the other; -1 where there is none. */
static int next_element(const char **p, int first, span *value)
{
    span key;
    *p = next_member(first ? *p + 1 : *p, ']', first, 0, &key, value);
    return *p && value->at ? 0 : -1;
}

static onefold_status read_samples(of_arena *arena, saved *fit)
{
    const char *label = fit->labels.at, *sure = fit->confidence.at, *name = fit->names.at;
    if (*label != '[' || (sure && *sure != '[') || (name && *name != '['))
        return no_fit(fit, "its labels are no list");
    if (fit->samples == 0 || fit->samples > fit->size)
        return no_fit(fit, "its number of samples is wrong");
    if (fit->clusters > fit->samples)
        return no_fit(fit, "it has more clusters than samples");
    OF_TRY(OF_NEW(arena, &fit->label, fit->samples, 1));
    if (sure)
        OF_TRY(OF_NEW(arena, &fit->sure, fit->samples, 1));
    if (name)
        OF_TRY(OF_NEW(arena, &fit->name, fit->samples, 1));
    for (size_t j = 0; j < fit->samples; j++) {
        span value;
        if (next_element(&label, j == 0, &value))
            return no_fit(fit, "it has fewer labels than samples");
        long cluster = strtol(value.at, NULL, 10);
        if (cluster < 0 || (size_t)cluster >= fit->clusters)
            return no_fit(fit, "a label is beyond the number of clusters");
        fit->label[j] = (int32_t)cluster;
        if (sure && next_element(&sure, j == 0, &value))
            return no_fit(fit, "its confidences are fewer than its samples");
        if (sure)
            fit->sure[j] = *value.at == 'n' ? NAN : strtod(value.at, NULL);
        if (name && (next_element(&name, j == 0, &value) || *value.at != '"'))
            return no_fit(fit, "its names are fewer than its samples");
        if (name)
            fit->name[j] = (named_sample){value, j};
    }
    return ONEFOLD_OK;
}

/* The labels must be those of the run that the file says it is of. Names with an escaped character
 * are not held against it. */
static onefold_status check_run(const saved *fit)
{
    char text[OF_RUN_TEXT];
    uint64_t sum = 0;
    for (size_t j = 0; j < fit->samples; j++) {
        const span *name = fit->name ? &fit->name[j].name : NULL;
        if (name && memchr(name->at, '\\', name->size))
            return ONEFOLD_OK;
        sum += name ? of_run_part(name->at + 1, name->size - 2, j, fit->label[j])
                    : of_run_part(NULL, 0, j, fit->label[j]);
    }
    of_run_text(of_run_end(sum, fit->samples), text);
    if (!fit->run.at ||
        (fit->run.size == strlen(text) + 2 && memcmp(fit->run.at + 1, text, strlen(text)) == 0))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%s says that it is of run %.*s, and its labels are those of run %s",
                           fit->path, (int)(fit->run.size < 40 ? fit->run.size : 40), fit->run.at,
                           text),
                   "it was put together of two runs, or changed: run the fit again");
}

static onefold_status read_saved(of_arena *arena, saved *fit)
{
    OF_TRY(read_text(arena, fit));
    OF_TRY(sort_members(arena, fit));
    OF_TRY(read_samples(arena, fit));
    return check_run(fit);
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

static int same_name(const named_sample *a, const named_sample *b)
{
    return a->name.size == b->name.size && memcmp(a->name.at, b->name.at, a->name.size) == 0;
}

/* Brings the samples of `b` into the order of `a`, by their names where both have them. */
static onefold_status bring_together(of_arena *arena, const saved *a, saved *b)
{
    size_t n = a->samples;
    int32_t *label;
    double *sure = NULL;
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
    if (b->sure)
        OF_TRY(OF_NEW(arena, &sure, n, 1));
    OF_TRY(OF_NEW(arena, &sorted, n, 1));
    memcpy(sorted, a->name, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    qsort(b->name, n, sizeof *b->name, by_name);
    for (size_t i = 0; i < n; i++) {
        if (!same_name(&sorted[i], &b->name[i]))
            return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s and %s are of samples with other names",
                                   a->path, b->path),
                           "two fits are shown side by side where they are of the same samples");
        label[sorted[i].sample] = b->label[b->name[i].sample];
        if (sure)
            sure[sorted[i].sample] = b->sure[b->name[i].sample];
    }
    b->label = label;
    b->sure = sure;
    return ONEFOLD_OK;
}

/* ---- the page ----------------------------------------------------------------------------- */

static onefold_status put_labels(of_report *report, const char *block, const saved *fit, int wide,
                                 size_t stride)
{
    OF_SCRATCH(scratch, report->context);
    size_t shown = (fit->samples + stride - 1) / stride;
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, shown, 2));
    for (size_t i = 0; i < shown; i++) {
        size_t label = (size_t)fit->label[i * stride], last = wide ? WIDE_NONE : NONE;
        unsigned value = (unsigned)(label < last ? label : last);
        bytes[wide ? 2 * i : i] = (unsigned char)(value & 255);
        if (wide)
            bytes[2 * i + 1] = (unsigned char)(value >> 8);
    }
    return of_page_block(report->page, block, bytes, shown * (wide ? 2 : 1));
}

static onefold_status put_confidence(of_report *report, const saved *fit, size_t stride)
{
    OF_SCRATCH(scratch, report->context);
    size_t shown = (fit->samples + stride - 1) / stride;
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, shown, 1));
    for (size_t i = 0; i < shown; i++) {
        double v = fit->sure[i * stride];
        bytes[i] = v >= 0 && v <= 1 ? (unsigned char)(v * SURE + 0.5) : NONE;
    }
    return of_page_block(report->page, "confidence", bytes, shown);
}

/* The names as they stand in the file, as one list, where there is room for them. */
static onefold_status put_names(of_report *report, const saved *fit, size_t stride)
{
    OF_SCRATCH(scratch, report->context);
    size_t filled = 0, packed;
    char *text;
    if (!fit->name)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &text, fit->names.size + 2, 1));
    for (size_t j = 0; j < fit->samples; j += stride) {
        text[filled++] = j ? ',' : '[';
        memcpy(text + filled, fit->name[j].name.at, fit->name[j].name.size);
        filled += fit->name[j].name.size;
    }
    text[filled++] = ']';
    OF_TRY(of_page_deflated(report->page, text, filled, &packed));
    return packed > NAME_ROOM ? ONEFOLD_OK
                              : of_page_block(report->page, "names-json", text, filled);
}

static onefold_status put_ids(of_report *report, size_t samples, size_t stride)
{
    OF_SCRATCH(scratch, report->context);
    unsigned char *bytes;
    size_t shown = (samples + stride - 1) / stride;
    if (stride == 1)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &bytes, shown, 4));
    for (size_t i = 0; i < shown; i++)
        for (size_t b = 0; b < 4; b++)
            bytes[4 * i + b] = (unsigned char)(i * stride >> 8 * b & 255);
    return of_page_block(report->page, "ids", bytes, 4 * shown);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Samples of each cluster of the one in each of the other. */
static onefold_status put_table(of_report *report, const saved *a, const saved *b)
{
    OF_SCRATCH(scratch, report->context);
    size_t *table;
    json_t *rows = json_array();
    onefold_status status = OF_NEW_ZERO(&scratch, &table, a->clusters, b->clusters);
    for (size_t j = 0; status == ONEFOLD_OK && j < a->samples; j++)
        table[(size_t)a->label[j] * b->clusters + (size_t)b->label[j]]++;
    for (size_t c = 0; status == ONEFOLD_OK && c < a->clusters; c++)
        report->failed |=
            json_array_append_new(rows, of_json_sizes(table + c * b->clusters, b->clusters)) != 0;
    of_report_put(report, "contingency", rows);
    return status;
}

static onefold_status put_samples(of_report *report, const saved *fit, size_t count)
{
    size_t n = fit->samples, stride = (n + MOST_POINTS - 1) / MOST_POINTS;
    int wide = fit->clusters > NONE || (count == MOST_FITS && fit[1].clusters > NONE);
    json_t *about = json_object();
    report->failed |= of_json_put(about, "shown", of_json_whole((n + stride - 1) / stride)) |
                      of_json_put(about, "of", of_json_whole(n)) |
                      of_json_put(about, "wide_labels", json_boolean(wide));
    of_report_put(report, "points", about);
    OF_TRY(put_labels(report, "labels", fit, wide, stride));
    OF_TRY(put_names(report, fit, stride));
    OF_TRY(put_ids(report, n, stride));
    if (count == MOST_FITS) {
        json_t *titles = json_array();
        for (size_t i = 0; i < count; i++)
            report->failed |=
                json_array_append_new(titles, of_json_text(base_name(fit[i].path))) != 0;
        of_report_put(report, "titles", titles);
        OF_TRY(put_labels(report, "labels-b", fit + 1, wide, stride));
        return put_table(report, fit, fit + 1);
    }
    of_report_put(report, "title", of_json_text(base_name(fit->path)));
    if (!fit->sure)
        return ONEFOLD_OK;
    of_report_put(report, "confidence", of_report_spread(fit->sure, n, BINS));
    of_report_put(report, "doubtful",
                  of_report_extremes(NULL, "confidence", fit->sure, fit->label, n, 0));
    return put_confidence(report, fit, stride);
}

static onefold_status put_summary(of_report *report, const saved *fit, size_t count)
{
    OF_SCRATCH(scratch, report->context);
    char *text;
    onefold_status status;
    char *extra = report->failed ? NULL : of_json_dump(report->extra, JSON_COMPACT);
    if (!extra)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the summary of the report");
    if (count == MOST_FITS)
        status = of_arena_string(&scratch, &text,
                                 "{\"kind\":\"compare\",\"data\":{\"onefold\":%.*s,\"fits\":[%s,%s]"
                                 "},\"extra\":%s}",
                                 (int)fit->version.size, fit->version.at, fit[0].rest, fit[1].rest,
                                 extra);
    else
        status = of_arena_string(&scratch, &text, "{\"kind\":\"fit\",\"data\":%s,\"extra\":%s}",
                                 fit->rest, extra);
    free(extra);
    return status == ONEFOLD_OK ? of_page_summary(report->page, text, strlen(text)) : status;
}

static onefold_status write_saved(of_report *report, of_arena *arena, const char *path)
{
    OF_PAGE(page);
    const char *const *paths = report->asked->paths;
    size_t count = report->asked->path_count;
    saved fit[MOST_FITS] = {{.path = paths[0]}, {.path = paths[count - 1]}};
    for (size_t i = 0; i < count; i++)
        OF_TRY(read_saved(arena, &fit[i]));
    if (count == MOST_FITS)
        OF_TRY(bring_together(arena, &fit[0], &fit[1]));
    report->page = &page;
    OF_TRY(of_page_open(&page, report->context, path));
    OF_TRY(put_samples(report, fit, count));
    OF_TRY(of_report_origin(report));
    OF_TRY(put_summary(report, fit, count));
    return of_page_close(&page);
}

onefold_status onefold_report_from_json(const char *const *results, size_t count,
                                        onefold_context *context, const char *path)
{
    onefold_report asked = ONEFOLD_REPORT_INIT;
    if (!results || count < 1 || count > MOST_FITS || !results[0] || !results[count - 1])
        return of_fail(ONEFOLD_USAGE, "a report is made of the JSON of one fit, or of two");
    if (!path || !*path)
        return of_fail(ONEFOLD_USAGE, "a report needs the path of a file");
    asked.paths = results;
    asked.path_count = count;
    of_report report = {.context = of_context_or_default(context), .asked = &asked};
    OF_SCRATCH(arena, report.context);
    report.extra = json_object();
    onefold_status status = write_saved(&report, &arena, path);
    json_decref(report.extra);
    return status;
}

#else

onefold_status onefold_report_from_json(const char *const *results, size_t count,
                                        onefold_context *context, const char *path)
{
    (void)results, (void)count, (void)context, (void)path;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "reports are not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON");
}

#endif
