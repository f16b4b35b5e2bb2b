/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension share: calls with hooks, errors, and buffers of arrays. */
#ifndef ONEFOLD_PYTHON_EXTENSION_H
#define ONEFOLD_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* the buffer protocol is part of it from 3.11 on */
#include <Python.h>

#include <onefold.h>
#include <stdatomic.h>

/* ---- calls (call.c) ---- */

/* One call of the library without the interpreter's lock: a context of its own, whose hooks look
 * for signals (so that Ctrl-C works) and tell `progress`, a callable or NULL, how far it is. */
typedef struct call {
    onefold_context *context;
    PyObject *progress;                 /* borrowed */
    PyObject *type, *value, *traceback; /* of an exception that a hook raised */
    _Atomic long long asked;            /* when signals were last looked for, in nanoseconds */
    _Atomic int stopped;
    PyThreadState *released;
} call;

/* 0, or -1 with an exception. `threads` 0: all cores. */
int call_begin(call *self, PyObject *progress, int threads);

/* Releases the lock, and takes it again. */
void call_leave(call *self);
void call_return(call *self);

/* Turns a status into an exception: -1 where it is one, else 0. */
int call_check(call *self, onefold_status status);
void call_end(call *self);

/* ---- data sets (data.c) ---- */

#define DATASET_CAPSULE "onefold.dataset"

/* A data set and what it borrows. */
typedef struct dataset {
    call job; /* that read it: its context must outlive the data */
    onefold_dataset *data;
    Py_buffer *buffers;
    size_t count;
} dataset;

PyObject *data_make(PyObject *module, PyObject *arguments);
PyObject *data_read(PyObject *module, PyObject *arguments);
PyObject *data_describe(PyObject *module, PyObject *capsule);
PyObject *data_values(PyObject *module, PyObject *arguments);
PyObject *data_set_names(PyObject *module, PyObject *arguments);
PyObject *data_set_truth(PyObject *module, PyObject *arguments);
const onefold_dataset *data_of(PyObject *capsule);

/* ---- values (values.c) ---- */

/* A bytearray with a copy of `count` values of `size` bytes; None where there are none. */
PyObject *values_copy(const void *values, size_t count, size_t size);

/* A list of texts; None for NULL. */
PyObject *values_texts(const char *const *texts, size_t count);

/* Puts a new reference into a dictionary under a name and gives it up: 0, or -1. NULL fails. */
int values_set(PyObject *dictionary, const char *name, PyObject *value);

/* Entries of a dictionary of options; what is not there, or None, leaves *value alone. 0, or -1. */
int option_text(PyObject *options, const char *name, const char **value);
int option_size(PyObject *options, const char *name, size_t *value);
int option_integer(PyObject *options, const char *name, int *value);
int option_seed(PyObject *options, const char *name, uint64_t *value);
int option_number(PyObject *options, const char *name, double *value);

/* ---- work (fit.c, model.c, other.c, report.c) ---- */

int fit_options_of(PyObject *dictionary, onefold_fit_options *options);
PyObject *fit_run(PyObject *module, PyObject *arguments);
PyObject *model_decode(PyObject *module, PyObject *arguments);
PyObject *model_describe(PyObject *module, PyObject *capsule);
PyObject *model_predict(PyObject *module, PyObject *arguments);
PyObject *report_write(PyObject *module, PyObject *arguments);
PyObject *other_choose(PyObject *module, PyObject *arguments);
PyObject *other_experiment(PyObject *module, PyObject *arguments);
PyObject *other_score(PyObject *module, PyObject *arguments);
PyObject *other_methods(PyObject *module, PyObject *unused);

#endif
