/* SPDX-License-Identifier: Apache-2.0 */
/* Where a report comes from: files with their SHA-256, every option of a fit, the command. */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "base/sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* {"path", "bytes", "sha256"}; null where a file cannot be read again (a pipe, one that is gone).
 */
static json_t *file_object(of_report *report, const char *path, onefold_status *status)
{
    char text[OF_SHA256_TEXT] = "", block[1 << 16];
    struct stat about;
    uint64_t bytes = 0;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (file) {
        of_sha256 hash = of_sha256_start();
        for (size_t got; *status == ONEFOLD_OK && (got = fread(block, 1, sizeof block, file));) {
            of_sha256_add(&hash, block, got);
            bytes += got;
            *status = of_context_check(report->context);
        }
        if (!ferror(file))
            of_sha256_text(&hash, text);
        fclose(file);
    }
    json_t *object = json_object();
    int failed = of_json_put(object, "path", of_json_text(path)) |
                 of_json_put(object, "bytes", *text ? of_json_whole(bytes) : json_null()) |
                 of_json_put(object, "sha256", *text ? of_json_text(text) : json_null());
    return of_json_keep(object, failed);
}

/* A line of the list of options: [name, value]. */
static void add(of_report *report, json_t *list, const char *name, json_t *value)
{
    json_t *pair = json_array();
    report->failed |= json_array_append_new(pair, of_json_text(name)) != 0;
    report->failed |= json_array_append_new(pair, value) != 0;
    report->failed |= json_array_append_new(list, pair) != 0;
}

static json_t *word(const char *text, const char *otherwise)
{
    return of_json_text(text ? text : otherwise);
}

static json_t *number(size_t value, const char *otherwise)
{
    return value ? of_json_whole(value) : of_json_text(otherwise);
}

/* Options of the solver. The default method settles them for each candidate by itself: of it, those
 * that were changed are listed, so that the page does not name what had no part in the fit. */
static void add_solver_options(of_report *report, json_t *list, const onefold_fit_options *o)
{
    const onefold_fit_options usual = ONEFOLD_FIT_OPTIONS_INIT;
    int all = o->method && strcmp(o->method, "onefold") != 0;
    if (all || o->dims)
        add(report, list, "dims", number(o->dims, "twice the clusters"));
    if (all || o->anchors)
        add(report, list, "anchors", number(o->anchors, "twice the clusters"));
    if (all || o->restarts != usual.restarts)
        add(report, list, "restarts", of_json_whole(o->restarts));
    if (all || o->start != usual.start)
        add(report, list, "start", word(onefold_name(ONEFOLD_NAMES_START, o->start), "?"));
    if (all || o->variant != usual.variant)
        add(report, list, "variant", word(onefold_name(ONEFOLD_NAMES_VARIANT, o->variant), "?"));
    if (all || o->nonneg)
        add(report, list, "nonneg", of_json_text(o->nonneg ? "yes" : "no"));
    if (all || o->stop != usual.stop)
        add(report, list, "stop", word(onefold_name(ONEFOLD_NAMES_STOP, o->stop), "?"));
    if (all || fabs(o->tolerance - usual.tolerance) > 0)
        add(report, list, "tolerance", of_json_real(o->tolerance));
    if (all || o->max_iterations != usual.max_iterations)
        add(report, list, "most iterations", of_json_whole(o->max_iterations));
}

static json_t *options_list(of_report *report, const onefold_fit_options *o)
{
    json_t *list = json_array();
    if (o->clusters)
        add(report, list, "clusters", of_json_whole(o->clusters));
    add(report, list, "method", word(o->method, "default"));
    add(report, list, "method options", word(o->method_options, "default"));
    add(report, list, "kernel", word(o->kernel, "auto"));
    add(report, list, "weights", word(o->weights, "auto"));
    add_solver_options(report, list, o);
    add(report, list, "base", word(onefold_name(ONEFOLD_NAMES_BASE, o->base), "?"));
    add(report, list, "landmarks", number(o->landmarks, "chosen"));
    add(report, list, "precision", word(onefold_name(ONEFOLD_NAMES_PRECISION, o->precision), "?"));
    add(report, list, "seed", of_json_whole(o->seed));
    add(report, list, "explain", number(o->explain, "no"));
    add(report, list, "model kept", of_json_text(o->keep_model ? "yes" : "no"));
    return list;
}

onefold_status of_report_origin(of_report *report)
{
    const onefold_report *asked = report->asked;
    const onefold_json_extras *extras = asked->extras;
    onefold_status status = ONEFOLD_OK;
    json_t *origin = json_object(), *files = json_array();
    for (size_t i = 0; extras && extras->paths && i < extras->path_count; i++)
        report->failed |=
            json_array_append_new(files, file_object(report, extras->paths[i], &status)) != 0;
    report->failed |= of_json_put(origin, "files", files);
    if (asked->options)
        report->failed |= of_json_put(origin, "options", options_list(report, asked->options));
    if (asked->command)
        report->failed |= of_json_put(origin, "command", of_json_text(asked->command));
    of_report_put(report, "origin", origin);
    return status;
}

#endif
