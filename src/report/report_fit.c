/* SPDX-License-Identifier: Apache-2.0 */
/* What the page of a fit shows besides its JSON. */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "data/dataset.h"
#include "model/result.h"

enum { BINS = 10, MOST_CELLS = 40000 };

/* What the fit kept to be drawn. */
static void put_picture(of_report *report, const onefold_fit_info *info)
{
    const of_picture *picture = report->asked->result->picture;
    json_t *spectra = json_array(), *traces = json_array();
    const double *trace = picture->traces;
    for (size_t v = 0; v < info->views; v++)
        report->failed |= json_array_append_new(
                              spectra, of_json_reals(picture->spectrum + v * picture->spectrum_rows,
                                                     picture->spectrum_rows)) != 0;
    for (size_t r = 0; trace && info->restart_iterations && r < info->restarts; r++) {
        size_t length = info->restart_iterations[r];
        report->failed |= json_array_append_new(traces, of_json_reals(trace, length)) != 0;
        trace += length;
    }
    of_report_put(report, "spectra", spectra);
    of_report_put(report, "traces", traces);
}

static void put_truth(of_report *report, const onefold_fit_info *info)
{
    const onefold_dataset *dataset = report->dataset;
    json_t *classes = json_array();
    for (size_t c = 0; c < onefold_dataset_class_count(dataset); c++)
        report->failed |= json_array_append_new(
                              classes, of_json_text(onefold_dataset_class_name(dataset, c))) != 0;
    of_report_put(report, "classes", classes);
    if (info->clusters * onefold_dataset_class_count(dataset) > MOST_CELLS)
        return; /* nobody looks through it, and it would be most of the page */
    of_report_put(report, "contingency",
                  of_report_contingency(report, onefold_result_labels(report->asked->result),
                                        info->clusters));
}

onefold_status of_report_fit(of_report *report)
{
    const onefold_result *result = report->asked->result;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    OF_TRY(onefold_result_describe(result, &info));
    if (result->picture)
        put_picture(report, &info);
    if (report->dataset && onefold_dataset_truth(report->dataset))
        put_truth(report, &info);
    if (report->dataset && report->dataset->set.present)
        of_report_put(report, "missing", of_report_patterns(report));
    if (info.confidence) {
        of_report_put(report, "confidence", of_report_spread(info.confidence, info.samples, BINS));
        of_report_put(report, "doubtful",
                      of_report_extremes(report->dataset, "confidence", info.confidence,
                                         onefold_result_labels(result), info.samples, 0));
    }
    return of_report_points(report);
}

onefold_status of_report_predict(of_report *report)
{
    const onefold_prediction *p = report->asked->prediction;
    size_t n = report->asked->predicted;
    if (p->confidence)
        of_report_put(report, "confidence", of_report_spread(p->confidence, n, BINS));
    if (p->distance)
        of_report_put(report, "distance", of_report_spread(p->distance, n, 2 * BINS));
    if (p->confidence && p->labels)
        of_report_put(
            report, "doubtful",
            of_report_extremes(report->dataset, "confidence", p->confidence, p->labels, n, 0));
    if (p->distance && p->labels)
        of_report_put(
            report, "farthest",
            of_report_extremes(report->dataset, "distance", p->distance, p->labels, n, 1));
    return ONEFOLD_OK;
}

#endif
