/* SPDX-License-Identifier: Apache-2.0 */
/* The module: what of the library Python sees. Arguments are checked in the package's own files. */
#include "extension.h"

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(onefold_version());
}

static PyObject *capabilities(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(onefold_capabilities());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "version() -> str"},
    {"capabilities", capabilities, METH_NOARGS, "capabilities() -> str"},
    {"methods", other_methods, METH_NOARGS, "methods() -> list of dict"},
    {"dataset", data_make, METH_VARARGS, "dataset(views, samples, impute, present) -> capsule"},
    {"read", data_read, METH_VARARGS, "read(paths, options) -> capsule"},
    {"describe", data_describe, METH_O, "describe(dataset) -> dict"},
    {"values", data_values, METH_VARARGS, "values(dataset, view) -> bytearray"},
    {"set_truth", data_set_truth, METH_VARARGS, "set_truth(dataset, labels, names)"},
    {"set_names", data_set_names, METH_VARARGS, "set_names(dataset, names)"},
    {"fit", fit_run, METH_VARARGS, "fit(dataset, options, threads, progress) -> dict"},
    {"report", report_write, METH_VARARGS,
     "report(dataset, options, threads, progress, path, title, command) -> labels"},
    {"decode", model_decode, METH_VARARGS, "decode(bytes) -> capsule"},
    {"describe_model", model_describe, METH_O, "describe_model(model) -> dict"},
    {"predict", model_predict, METH_VARARGS, "predict(model, dataset, embedding, threads) -> dict"},
    {"choose", other_choose, METH_VARARGS,
     "choose(dataset, fit, options, threads, progress) -> JSON"},
    {"experiment", other_experiment, METH_VARARGS,
     "experiment(dataset, fit, options, threads, progress) -> JSON"},
    {"score", other_score, METH_VARARGS, "score(labels, truth) -> dict"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_onefold",
                                        "The library behind the package onefold.",
                                        0,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__onefold(void);
PyMODINIT_FUNC PyInit__onefold(void)
{
    return PyModuleDef_Init(&definition);
}
