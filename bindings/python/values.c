/* SPDX-License-Identifier: Apache-2.0 */
/* Values that go between Python's objects and the library's structs. */
#include "extension.h"

PyObject *values_copy(const void *values, size_t count, size_t size)
{
    if (!values)
        Py_RETURN_NONE;
    return PyByteArray_FromStringAndSize(values, (Py_ssize_t)(count * size));
}

PyObject *values_texts(const char *const *texts, size_t count)
{
    if (!texts)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (!text || PyList_Append(list, text))
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

int values_set(PyObject *dictionary, const char *name, PyObject *value)
{
    if (!value)
        return -1;
    int status = PyDict_SetItemString(dictionary, name, value);
    Py_DECREF(value);
    return status;
}

/* A borrowed entry, or NULL where it is not there or None. */
static PyObject *entry(PyObject *options, const char *name)
{
    PyObject *value = PyDict_GetItemString(options, name);
    return value == Py_None ? NULL : value;
}

int option_text(PyObject *options, const char *name, const char **value)
{
    PyObject *found = entry(options, name);
    if (!found)
        return 0;
    *value = PyUnicode_AsUTF8AndSize(found, NULL);
    return *value ? 0 : -1;
}

int option_size(PyObject *options, const char *name, size_t *value)
{
    PyObject *found = entry(options, name);
    if (!found)
        return 0;
    size_t number = PyLong_AsSize_t(found);
    if (number == (size_t)-1 && PyErr_Occurred())
        return -1;
    *value = number;
    return 0;
}

int option_integer(PyObject *options, const char *name, int *value)
{
    PyObject *found = entry(options, name);
    if (!found)
        return 0;
    long number = PyLong_AsLong(found);
    if (number == -1 && PyErr_Occurred())
        return -1;
    *value = (int)number;
    return 0;
}

int option_seed(PyObject *options, const char *name, uint64_t *value)
{
    PyObject *found = entry(options, name);
    if (!found)
        return 0;
    unsigned long long number = PyLong_AsUnsignedLongLong(found);
    if (number == (unsigned long long)-1 && PyErr_Occurred())
        return -1;
    *value = number;
    return 0;
}

int option_number(PyObject *options, const char *name, double *value)
{
    PyObject *found = entry(options, name);
    if (!found)
        return 0;
    double number = PyFloat_AsDouble(found);
    if (number == -1.0 && PyErr_Occurred())
        return -1;
    *value = number;
    return 0;
}
