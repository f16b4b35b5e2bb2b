/* SPDX-License-Identifier: Apache-2.0 */
/* A report page: the fit made again with what a page shows, and the page written. */
#include "extension.h"

/* Scores against the truth of the data, where it has one: 0, or -1 with an exception. */
static int score_of(call *job, const onefold_dataset *data, const onefold_result *result,
                    onefold_scores *scores)
{
    size_t n = onefold_dataset_describe(data)->samples;
    const int32_t *labels = onefold_result_describe(result)->labels,
                  *truth = onefold_dataset_describe(data)->truth;
    return call_check(job, onefold_score(scores, ONEFOLD_INT32, labels, truth, n));
}

static int write_page(call *job, const onefold_dataset *data, const onefold_result *result,
                      const onefold_fit_options *options, const char *const text[3])
{
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    report.name = text[1];
    if (onefold_dataset_describe(data)->truth) {
        if (score_of(job, data, result, &scores))
            return -1;
        report.scores = &scores;
    }
    report.result = result;
    report.dataset = data;
    report.options = options;
    report.command = text[2];
    call_leave(job);
    onefold_status status = onefold_report_write(&report, job->context, text[0]);
    call_return(job);
    return call_check(job, status);
}

/* report(dataset, options, threads, progress, path, title, command) -> labels */
PyObject *report_write(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *dictionary, *progress, *labels = NULL;
    int threads;
    const char *text[3];
    if (!PyArg_ParseTuple(arguments, "OOiOsss", &capsule, &dictionary, &threads, &progress,
                          &text[0], &text[1], &text[2]))
        return NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    const onefold_dataset *data = data_of(capsule);
    if (!data || fit_options_of(dictionary, &options))
        return NULL;
    options.picture = 1;
    call job;
    onefold_result *result = NULL;
    if (!call_begin(&job, progress, threads)) {
        call_leave(&job);
        onefold_status status = onefold_fit(&result, job.context, data, &options);
        call_return(&job);
        if (!call_check(&job, status) && !write_page(&job, data, result, &options, text))
            labels = values_copy(onefold_result_describe(result)->labels,
                                 onefold_dataset_describe(data)->samples, sizeof(int32_t));
    }
    onefold_result_free(result);
    call_end(&job);
    return labels;
}
