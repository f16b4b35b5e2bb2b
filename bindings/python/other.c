/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the number of clusters, comparing methods, scores, and what methods there are. */
#include "extension.h"

static PyObject *text_and_free(char *text)
{
    PyObject *copy = PyUnicode_FromString(text);
    onefold_free(text);
    return copy;
}

/* choose(data, fit options, choose options, threads, progress): JSON */
PyObject *other_choose(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *fit, *options, *progress, *answer = NULL;
    int threads;
    if (!PyArg_ParseTuple(arguments, "OOOiO", &capsule, &fit, &options, &threads, &progress))
        return NULL;
    onefold_fit_options of_fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options of_choose = ONEFOLD_CHOOSE_OPTIONS_INIT;
    const onefold_dataset *data = data_of(capsule);
    if (!data || fit_options_of(fit, &of_fit) || option_size(options, "least", &of_choose.least) ||
        option_size(options, "most", &of_choose.most))
        return NULL;
    call job;
    onefold_choice *choice = NULL;
    char *text = NULL;
    if (!call_begin(&job, progress, threads)) {
        call_leave(&job);
        onefold_status status = onefold_choose(&choice, job.context, data, &of_fit, &of_choose);
        call_return(&job);
        onefold_report report = ONEFOLD_REPORT_INIT;
        report.choice = choice;
        if (!call_check(&job, status) && !call_check(&job, onefold_report_json(&text, &report)))
            answer = text_and_free(text);
    }
    onefold_choice_free(choice);
    call_end(&job);
    return answer;
}

/* experiment(data, fit options, experiment options, threads, progress): JSON */
PyObject *other_experiment(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *fit, *options, *progress, *answer = NULL;
    int threads;
    if (!PyArg_ParseTuple(arguments, "OOOiO", &capsule, &fit, &options, &threads, &progress))
        return NULL;
    onefold_fit_options of_fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options of_run = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    int start = ONEFOLD_KMEANS_PLUSPLUS;
    const onefold_dataset *data = data_of(capsule);
    if (!data || fit_options_of(fit, &of_fit) || option_text(options, "methods", &of_run.methods) ||
        option_text(options, "grid", &of_run.grid) ||
        option_size(options, "repeats", &of_run.repeats) ||
        option_size(options, "replicates", &of_run.replicates) ||
        option_integer(options, "kmeans_start", &start) ||
        option_text(options, "sensitivity", &of_run.sensitivity) ||
        option_text(options, "store", &of_run.store))
        return NULL;
    of_run.kmeans_start = (onefold_kmeans_start)start;
    call job;
    onefold_experiment *experiment = NULL;
    char *text = NULL;
    if (!call_begin(&job, progress, threads)) {
        call_leave(&job);
        onefold_status status =
            onefold_experiment_run(&experiment, job.context, data, &of_fit, &of_run);
        call_return(&job);
        onefold_report report = ONEFOLD_REPORT_INIT;
        report.experiment = experiment;
        if (!call_check(&job, status) && !call_check(&job, onefold_report_json(&text, &report)))
            answer = text_and_free(text);
    }
    onefold_experiment_free(experiment);
    call_end(&job);
    return answer;
}

/* score(labels, truth): two buffers of int64 */
PyObject *other_score(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer labels, truth;
    if (!PyArg_ParseTuple(arguments, "y*y*", &labels, &truth))
        return NULL;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    call none = {0};
    PyObject *all = NULL;
    if (labels.len != truth.len)
        PyErr_Format(PyExc_ValueError, "there are %zd labels and %zd true ones",
                     labels.len / (Py_ssize_t)sizeof(int64_t),
                     truth.len / (Py_ssize_t)sizeof(int64_t));
    else if (!call_check(&none, onefold_score(&scores, ONEFOLD_INT64, labels.buf, truth.buf,
                                              (size_t)labels.len / sizeof(int64_t))))
        all = Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "acc", scores.acc, "nmi",
                            scores.nmi, "nmi_sum", scores.nmi_sum, "nmi_sqrt", scores.nmi_sqrt,
                            "purity", scores.purity, "ari", scores.ari, "f", scores.f, "precision",
                            scores.precision, "recall", scores.recall);
    PyBuffer_Release(&labels);
    PyBuffer_Release(&truth);
    return all;
}

/* methods(): a list of what each can do */
PyObject *other_methods(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    const onefold_method_info *info;
    for (size_t i = 0; list && (info = onefold_method_describe(i)); i++) {
        PyObject *one =
            Py_BuildValue("{s:s,s:s,s:i,s:i,s:i,s:i}", "name", info->name, "title", info->title,
                          "has_model", info->has_model, "takes_missing", info->takes_missing,
                          "has_weights", info->has_weights, "has_view_parts", info->has_view_parts);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}
