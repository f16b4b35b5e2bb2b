/* SPDX-License-Identifier: Apache-2.0 */
/* A fit, and everything about it as a dictionary. */
#include "extension.h"

int fit_options_of(PyObject *from, onefold_fit_options *options)
{
    int base = 0, precision = 0, start = 0, variant = 0, stop = 0, effort = options->effort;
    if (option_size(from, "clusters", &options->clusters) ||
        option_text(from, "method", &options->method) ||
        option_text(from, "method_options", &options->method_options) ||
        option_text(from, "kernel", &options->kernel) ||
        option_size(from, "dims", &options->dims) ||
        option_size(from, "anchors", &options->anchors) ||
        option_size(from, "restarts", &options->restarts) ||
        option_number(from, "tolerance", &options->tolerance) ||
        option_size(from, "max_iterations", &options->max_iterations) ||
        option_integer(from, "base", &base) || option_integer(from, "precision", &precision) ||
        option_integer(from, "start", &start) || option_integer(from, "variant", &variant) ||
        option_integer(from, "stop", &stop) || option_integer(from, "nonneg", &options->nonneg) ||
        option_size(from, "landmarks", &options->landmarks) ||
        option_size(from, "neighbours", &options->neighbours) ||
        option_integer(from, "effort", &effort) || option_seed(from, "seed", &options->seed) ||
        option_text(from, "weights", &options->weights) ||
        option_integer(from, "keep_model", &options->keep_model) ||
        option_integer(from, "view_parts", &options->view_parts) ||
        option_integer(from, "bare", &options->bare) ||
        option_size(from, "explain", &options->explain))
        return -1;
    options->base = (onefold_base)base;
    options->precision = (onefold_precision)precision;
    options->start = (onefold_start)start;
    options->variant = (onefold_variant)variant;
    options->stop = (onefold_stop)stop;
    options->effort = (onefold_effort)effort;
    return 0;
}

/* The columns of a view that set a cluster apart: a list of (name, index, strength). */
static PyObject *columns_of(const onefold_result *result, size_t view, size_t cluster)
{
    PyObject *list = PyList_New(0);
    const onefold_column *column;
    for (size_t i = 0; list && (column = onefold_result_column(result, view, cluster, i)); i++) {
        PyObject *one =
            Py_BuildValue("(snd)", column->name, (Py_ssize_t)column->index, column->strength);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *view_of(const onefold_result *result, size_t view, size_t clusters)
{
    const onefold_view_fit *info = onefold_result_describe(result)->view[view];
    PyObject *all = PyList_New(0);
    for (size_t c = 0; all && c < clusters; c++) {
        PyObject *columns = columns_of(result, view, c);
        if (!columns || PyList_Append(all, columns))
            Py_CLEAR(all);
        Py_XDECREF(columns);
    }
    if (!all)
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:d,s:n,s:n,s:s,s:n,s:N}", "name", info->name, "kernel",
                         info->kernel, "route", onefold_name(ONEFOLD_NAMES_ROUTE, info->route),
                         "weight", info->weight, "rank", (Py_ssize_t)info->rank, "columns",
                         (Py_ssize_t)info->columns, "storage",
                         onefold_name(ONEFOLD_NAMES_STORAGE, info->storage), "missing",
                         (Py_ssize_t)info->missing, "explained", all);
}

static PyObject *views_of(const onefold_result *result, const onefold_fit_info *info)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < info->views; i++) {
        PyObject *view = view_of(result, i, info->clusters);
        if (!view || PyList_Append(list, view))
            Py_CLEAR(list);
        Py_XDECREF(view);
    }
    return list;
}

/* What the labels were chosen from: a list of dictionaries, empty where there was one fit alone. */
static PyObject *candidates_of(const onefold_fit_info *fit)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < fit->candidates; i++) {
        const onefold_candidate *info = fit->candidate[i];
        PyObject *one =
            Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:d,s:N,s:N}", "name", info->name, "agreement",
                          info->agreement, "told", info->told, "entropy", info->entropy, "chance",
                          info->chance, "score", info->score, "eligible",
                          PyBool_FromLong(info->eligible), "chosen", PyBool_FromLong(info->chosen));
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* Whether the labels are more than chance: a dictionary, or None. */
static PyObject *finding_of(const onefold_finding *it)
{
    if (!it)
        Py_RETURN_NONE;
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:s}", "stable", it->stable, "chance", it->chance,
                         "told", it->told, "told_chance", it->told_chance, "beyond", it->beyond,
                         "verdict", it->verdict);
}

static PyObject *model_bytes(call *job, const onefold_result *result)
{
    const onefold_model *model = onefold_result_describe(result)->model;
    if (!model)
        Py_RETURN_NONE;
    void *bytes = NULL;
    size_t size = 0;
    if (call_check(job, onefold_model_encode(&bytes, &size, job->context, model)))
        return NULL;
    PyObject *copy = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    onefold_free(bytes);
    return copy;
}

static PyObject *describe(call *job, const onefold_result *result)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    PyObject *all = PyDict_New();
    size_t n = info->samples, p = info->views, number = sizeof(double);
    if (!all || values_set(all, "method", PyUnicode_FromString(info->method)) ||
        values_set(all, "labels", values_copy(info->labels, n, sizeof(int32_t))) ||
        values_set(all, "clusters_used", PyLong_FromSize_t(info->clusters_used)) ||
        values_set(all, "dims", PyLong_FromSize_t(info->dims)) ||
        values_set(all, "best_restart", PyLong_FromSize_t(info->best_restart)) ||
        values_set(all, "iterations", PyLong_FromSize_t(info->iterations)) ||
        values_set(all, "converged", PyBool_FromLong(info->converged)) ||
        values_set(all, "objective", PyFloat_FromDouble(info->objective)) ||
        values_set(all, "trace", values_copy(info->trace, info->iterations, number)) ||
        values_set(all, "embedding",
                   values_copy(info->embedding, n * info->embedding_rows, number)) ||
        values_set(all, "embedding_rows", PyLong_FromSize_t(info->embedding_rows)) ||
        values_set(all, "agreement", values_copy(info->agreement, p, number)) ||
        values_set(all, "view_agreement", values_copy(info->view_agreement, p * p, number)) ||
        values_set(all, "cluster_agreement",
                   values_copy(info->cluster_agreement, p * info->clusters, number)) ||
        values_set(all, "confidence", values_copy(info->confidence, n, number)) ||
        values_set(all, "view_parts", values_copy(info->view_parts, n * p, number)) ||
        values_set(all, "note", PyUnicode_FromString(info->note)) ||
        values_set(all, "candidates", candidates_of(info)) ||
        values_set(all, "finding", finding_of(info->finding)) ||
        values_set(all, "stability",
                   values_copy(info->stability, info->stability ? info->clusters : 0, number)) ||
        values_set(all, "views", views_of(result, info)) ||
        values_set(all, "model", model_bytes(job, result)))
        Py_CLEAR(all);
    return all;
}

static PyObject *json_of(call *job, const onefold_result *result)
{
    char *text = NULL;
    onefold_report report = ONEFOLD_REPORT_INIT;
    report.result = result;
    if (call_check(job, onefold_report_json(&text, &report)))
        return NULL;
    PyObject *copy = PyUnicode_FromString(text);
    onefold_free(text);
    return copy;
}

/* Coordinates for a picture, or None where the method has no embedding. */
static PyObject *layout_of(call *job, const onefold_result *result, size_t samples)
{
    double *coordinates = PyMem_Malloc(2 * samples * sizeof *coordinates);
    if (!coordinates)
        return PyErr_NoMemory();
    call_leave(job);
    onefold_status status = onefold_layout(coordinates, job->context, result, NULL);
    call_return(job);
    PyObject *copy = NULL;
    if (status == ONEFOLD_UNSUPPORTED)
        copy = values_copy(NULL, 0, 0);
    else if (!call_check(job, status))
        copy = values_copy(coordinates, 2 * samples, sizeof *coordinates);
    PyMem_Free(coordinates);
    return copy;
}

/* fit(data, options, threads, progress) */
PyObject *fit_run(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *dictionary, *progress, *all = NULL;
    int threads, want_json = 0, want_layout = 0;
    if (!PyArg_ParseTuple(arguments, "OOiO", &capsule, &dictionary, &threads, &progress))
        return NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    const onefold_dataset *data = data_of(capsule);
    if (!data || fit_options_of(dictionary, &options) ||
        option_integer(dictionary, "json", &want_json) ||
        option_integer(dictionary, "layout", &want_layout))
        return NULL;
    call job;
    onefold_result *result = NULL;
    if (!call_begin(&job, progress, threads)) {
        call_leave(&job);
        onefold_status status = onefold_fit(&result, job.context, data, &options);
        call_return(&job);
        if (!call_check(&job, status))
            all = describe(&job, result);
        if (all && want_json && values_set(all, "json", json_of(&job, result)))
            Py_CLEAR(all);
        if (all && want_layout &&
            values_set(all, "layout",
                       layout_of(&job, result, onefold_dataset_describe(data)->samples)))
            Py_CLEAR(all);
    }
    onefold_result_free(result);
    call_end(&job);
    return all;
}
