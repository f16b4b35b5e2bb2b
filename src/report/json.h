/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command says, as JSON: one object, on one line, numbers with 17 significant digits. Each
 * function writes to the stream it is given and fails with ONEFOLD_IO where that cannot be written,
 * or with ONEFOLD_UNSUPPORTED in a build without JSON.
 */
#ifndef OF_REPORT_JSON_H
#define OF_REPORT_JSON_H

#include "onefold.h"

#include <stdio.h>

/* ONEFOLD_OK where this build has JSON: to be asked before a long work is to be told in it. */
onefold_status of_json_check(void);

/* A fit and what surrounds it. */
typedef struct of_fit_report {
    const onefold_fit_info *info;
    const int32_t *labels;        /* info->samples */
    const onefold_scores *scores; /* NULL: no truth */
    uint64_t seed;
    int threads;
    double seconds_read, seconds_total;
    size_t peak_bytes;      /* of the process */
    const char *model_path; /* where the model was written; NULL: nowhere */
    const onefold_model_info *model;
} of_fit_report;
onefold_status of_json_fit(FILE *out, const of_fit_report *report);

/* A choice of the number of clusters and what surrounds it. */
typedef struct of_choose_report {
    const onefold_choose_info *info;
    const onefold_choose_options *options;
    size_t restarts;
    size_t classes; /* among the true labels; 0: there are none */
    uint64_t seed;
    int threads;
    double seconds_read, seconds_total;
    size_t peak_bytes; /* of the process */
} of_choose_report;
onefold_status of_json_choose(FILE *out, const of_choose_report *report);

/* A data set, the kernel `auto` takes for each view, and what a fit would cost. */
typedef struct of_info_report {
    const onefold_dataset *dataset;
    const char *const *paths;
    size_t path_count;
    const char *const *kernels, *const *reasons; /* one per view */
    const size_t *class_sizes;                   /* one per true class */
    size_t clusters;                             /* the cost is for this many */
    const onefold_cost *estimate;                /* NULL: not known */
    size_t free_bytes;
} of_info_report;
onefold_status of_json_info(FILE *out, const of_info_report *report);

/* What a fit would do: for --dry-run. */
typedef struct of_estimate_view {
    const char *name, *storage, *kernel;
    const char *base; /* NULL: the method makes no base partitions, and what follows is 0 */
    size_t columns, passes, landmarks;
    double seconds;
} of_estimate_view;
typedef struct of_estimate_report {
    const char *method;
    size_t samples, clusters, dims, anchors, restarts;
    size_t iterations, passes; /* that are assumed; 0: not known */
    const of_estimate_view *view;
    size_t views;
    const onefold_cost *estimate;
    size_t free_bytes;
    int threads;
    double seconds_read, seconds_prepare; /* measured */
    double seconds_base, seconds_fit;     /* estimates; 0 and 0: none is made */
} of_estimate_report;
onefold_status of_json_estimate(FILE *out, const of_estimate_report *report);

/* What is in a model file. */
onefold_status of_json_model(FILE *out, const char *path, const onefold_model_info *info);

/* New samples labelled by a model. */
typedef struct of_predict_report {
    const char *model; /* path */
    const onefold_model_info *info;
    size_t samples;
    const int32_t *labels;               /* samples */
    const double *confidence, *distance; /* samples */
    const size_t *sizes;                 /* clusters */
    size_t far;                          /* samples further away than any training sample */
    const onefold_scores *scores;        /* NULL: no truth */
    int threads;
    double seconds_read, seconds_predict, seconds_total;
    size_t peak_bytes;
} of_predict_report;
onefold_status of_json_predict(FILE *out, const of_predict_report *report);

onefold_status of_json_scores(FILE *out, size_t samples, const onefold_scores *scores);

/* What was written where, by the verbs that make files. */
onefold_status of_json_written(FILE *out, const char *path, const onefold_dataset *dataset);

/* {"error": {"code": ..., "message": ..., "hint": ...}} */
onefold_status of_json_error(FILE *out, onefold_status status, const char *message,
                             const char *hint);

/* One step of progress, flushed at once. */
onefold_status of_json_progress(FILE *out, const onefold_progress *progress);

#endif
