/* SPDX-License-Identifier: Apache-2.0 */
/* The same functions in a build without a JSON library: each says so. */
#include "report/json.h"

#include "base/status.h"

#ifndef ONEFOLD_WITH_JSON

onefold_status of_json_check(void)
{
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "JSON is not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON, or leave out --json");
}

onefold_status of_json_fit(FILE *out, const of_fit_report *report)
{
    (void)out, (void)report;
    return of_json_check();
}

onefold_status of_json_choose(FILE *out, const of_choose_report *report)
{
    (void)out, (void)report;
    return of_json_check();
}

onefold_status of_json_info(FILE *out, const of_info_report *report)
{
    (void)out, (void)report;
    return of_json_check();
}

onefold_status of_json_estimate(FILE *out, const of_estimate_report *report)
{
    (void)out;
    (void)report;
    return of_json_check();
}

onefold_status of_json_model(FILE *out, const char *path, const onefold_model_info *info)
{
    (void)out, (void)path, (void)info;
    return of_json_check();
}

onefold_status of_json_predict(FILE *out, const of_predict_report *report)
{
    (void)out, (void)report;
    return of_json_check();
}

onefold_status of_json_scores(FILE *out, size_t samples, const onefold_scores *scores)
{
    (void)out, (void)samples, (void)scores;
    return of_json_check();
}

onefold_status of_json_written(FILE *out, const char *path, const onefold_dataset *dataset)
{
    (void)out, (void)path, (void)dataset;
    return of_json_check();
}

onefold_status of_json_error(FILE *out, onefold_status status, const char *message,
                             const char *hint)
{
    (void)out, (void)status, (void)message, (void)hint;
    return of_json_check();
}

onefold_status of_json_progress(FILE *out, const onefold_progress *progress)
{
    (void)out, (void)progress;
    return of_json_check();
}

#endif
