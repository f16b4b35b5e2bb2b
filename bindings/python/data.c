/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data sets: of arrays, which are borrowed through the buffer protocol and stay alive as long as
 * the data set, or of files.
 */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

static void dataset_free(dataset *self)
{
    if (!self)
        return;
    onefold_dataset_free(self->data);
    call_end(&self->job);
    for (size_t i = 0; i < self->count; i++)
        PyBuffer_Release(&self->buffers[i]);
    free(self->buffers);
    free(self);
}

static void destroy(PyObject *capsule)
{
    dataset_free(PyCapsule_GetPointer(capsule, DATASET_CAPSULE));
}

const onefold_dataset *data_of(PyObject *capsule)
{
    dataset *self = PyCapsule_GetPointer(capsule, DATASET_CAPSULE);
    return self ? self->data : NULL;
}

/* The library's type of a buffer's elements, or -1 with an exception. */
static int type_of(const Py_buffer *buffer)
{
    static const struct {
        char letter;
        int is_signed;
    } integers[] = {{'b', 1}, {'B', 0}, {'?', 0}, {'h', 1}, {'H', 0}, {'i', 1},
                    {'I', 0}, {'l', 1}, {'L', 0}, {'q', 1}, {'Q', 0}};
    const char *format = buffer->format ? buffer->format : "B";
    if (*format == '@' || *format == '=')
        format++;
    if (strcmp(format, "d") == 0)
        return ONEFOLD_FLOAT64;
    if (strcmp(format, "f") == 0)
        return ONEFOLD_FLOAT32;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (format[0] != integers[i].letter || format[1])
            continue;
        int is_signed = integers[i].is_signed;
        switch (buffer->itemsize) {
        case 1:
            return is_signed ? ONEFOLD_INT8 : ONEFOLD_UINT8;
        case 2:
            return is_signed ? ONEFOLD_INT16 : ONEFOLD_UINT16;
        case 4:
            return is_signed ? ONEFOLD_INT32 : ONEFOLD_UINT32;
        case 8:
            return is_signed ? ONEFOLD_INT64 : ONEFOLD_UINT64;
        }
    }
    PyErr_Format(PyExc_TypeError, "arrays of the type '%s' cannot be borrowed", format);
    return -1;
}

/* Borrows an array of `sides` sides for as long as the data set lives. */
static Py_buffer *borrow(dataset *self, PyObject *array, int sides)
{
    Py_buffer *buffer = &self->buffers[self->count];
    if (PyObject_GetBuffer(array, buffer, PyBUF_RECORDS_RO))
        return NULL;
    self->count++;
    if (buffer->ndim != sides) {
        PyErr_Format(PyExc_ValueError, "an array of %d sides was expected, not of %d", sides,
                     buffer->ndim);
        return NULL;
    }
    return buffer;
}

/* The step along a side in elements; a side of one has any. */
static int step_of(const Py_buffer *buffer, int side, size_t *step)
{
    Py_ssize_t bytes = buffer->strides[side];
    if (buffer->shape[side] <= 1) {
        *step = 1;
        return 0;
    }
    if (bytes <= 0 || bytes % buffer->itemsize) {
        PyErr_SetString(PyExc_ValueError, "an array's steps must be whole elements, forwards");
        return -1;
    }
    *step = (size_t)(bytes / buffer->itemsize);
    return 0;
}

static int add_dense(dataset *self, PyObject *view, const char *name, int kernel, size_t samples)
{
    call none = {0};
    size_t sample_step, column_step;
    Py_buffer *buffer = borrow(self, PyTuple_GetItem(view, 2), 2);
    int type = buffer ? type_of(buffer) : -1;
    if (type < 0 || step_of(buffer, 0, &sample_step) || step_of(buffer, 1, &column_step))
        return -1;
    if ((size_t)buffer->shape[0] != samples) {
        PyErr_Format(PyExc_ValueError, "the view %s has %zd samples, the first one has %zu", name,
                     buffer->shape[0], samples);
        return -1;
    }
    return call_check(
        &none,
        kernel ? onefold_dataset_borrow_kernel(self->data, name, buffer->buf, (onefold_type)type,
                                               sample_step, column_step)
               : onefold_dataset_borrow_dense(self->data, name, buffer->buf, (onefold_type)type,
                                              (size_t)buffer->shape[1], sample_step, column_step));
}

static int add_sparse(dataset *self, PyObject *view, const char *name, size_t samples)
{
    call none = {0};
    Py_buffer *start = borrow(self, PyTuple_GetItem(view, 2), 1);
    Py_buffer *index = start ? borrow(self, PyTuple_GetItem(view, 3), 1) : NULL;
    Py_buffer *value = index ? borrow(self, PyTuple_GetItem(view, 4), 1) : NULL;
    size_t columns = value ? PyLong_AsSize_t(PyTuple_GetItem(view, 5)) : 0;
    if (!value || (columns == (size_t)-1 && PyErr_Occurred()))
        return -1;
    int start_type = type_of(start), index_type = type_of(index), value_type = type_of(value);
    if (start_type < 0 || index_type < 0 || value_type < 0)
        return -1;
    if (start_type != index_type || (size_t)start->shape[0] != samples + 1 ||
        index->shape[0] != value->shape[0]) {
        PyErr_Format(PyExc_ValueError, "the arrays of the sparse view %s do not fit together",
                     name);
        return -1;
    }
    int64_t last = start->itemsize == 4 ? ((const int32_t *)start->buf)[samples]
                                        : ((const int64_t *)start->buf)[samples];
    if (last < 0 || last > index->shape[0]) {
        PyErr_Format(PyExc_ValueError, "the sparse view %s starts its samples outside its entries",
                     name);
        return -1;
    }
    return call_check(&none, onefold_dataset_borrow_sparse(self->data, name, columns, start->buf,
                                                           index->buf, (onefold_type)index_type,
                                                           value->buf, (onefold_type)value_type));
}

/* The texts of a list, which live as long as it; NULL with an exception. */
static const char **texts_of(PyObject *list, size_t count)
{
    const char **texts = malloc((count ? count : 1) * sizeof *texts);
    if (!texts) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *text = PyList_GetItem(list, (Py_ssize_t)i);
        texts[i] = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (!texts[i]) {
            free(texts);
            return NULL;
        }
    }
    return texts;
}

/* Which columns are one category's: an array of uint32, one for each. */
static int add_units(dataset *self, PyObject *units, size_t number)
{
    call none = {0};
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    Py_buffer *buffer = borrow(self, units, 1);
    if (!buffer || call_check(&none, onefold_dataset_view(self->data, number, &info)))
        return -1;
    if (buffer->itemsize != sizeof(uint32_t) || (size_t)buffer->shape[0] != info.columns ||
        !PyBuffer_IsContiguous(buffer, 'C')) {
        PyErr_SetString(PyExc_ValueError, "units are a number of 32 bits for each column");
        return -1;
    }
    return call_check(&none, onefold_dataset_set_column_units(self->data, number, buffer->buf));
}

/* One view: (kind, name, arrays..., column names or None, units or None), as _inputs.py makes them.
 */
static int add_view(dataset *self, PyObject *view, size_t number, size_t samples)
{
    call none = {0};
    const char *kind = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(view, 0), NULL);
    const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(view, 1), NULL);
    if (!kind || !name)
        return -1;
    int sparse = strcmp(kind, "sparse") == 0;
    if (sparse ? add_sparse(self, view, name, samples)
               : add_dense(self, view, name, strcmp(kind, "kernel") == 0, samples))
        return -1;
    PyObject *names = PyTuple_GetItem(view, sparse ? 6 : 3),
             *units = names ? PyTuple_GetItem(view, sparse ? 7 : 4) : NULL;
    if (!units || (units != Py_None && add_units(self, units, number)))
        return -1;
    if (names == Py_None)
        return 0;
    const char **texts = texts_of(names, (size_t)PyList_Size(names));
    if (!texts)
        return -1;
    int status = call_check(&none, onefold_dataset_set_column_names(self->data, number, texts));
    free(texts);
    return status;
}

static int fill(dataset *self, PyObject *views, size_t samples, int impute, PyObject *present)
{
    call none = {0};
    if (call_check(&none, onefold_dataset_create(&self->data, NULL, samples)) ||
        call_check(&none, onefold_dataset_set_impute(self->data, (onefold_impute)impute)))
        return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(views); i++)
        if (add_view(self, PyList_GetItem(views, i), (size_t)i, samples))
            return -1;
    if (present == Py_None)
        return 0;
    Py_buffer *table = borrow(self, present, 2);
    if (!table)
        return -1;
    if ((size_t)table->shape[0] != samples || table->shape[1] != PyList_Size(views) ||
        table->itemsize != 1 || !PyBuffer_IsContiguous(table, 'C')) {
        PyErr_SetString(PyExc_ValueError, "who is present is samples x views of bytes");
        return -1;
    }
    return call_check(&none, onefold_dataset_set_present(self->data, table->buf));
}

static PyObject *capsule_of(dataset *self, int failed)
{
    PyObject *capsule = failed ? NULL : PyCapsule_New(self, DATASET_CAPSULE, destroy);
    if (!capsule)
        dataset_free(self);
    return capsule;
}

/* make(views, samples, impute, present) */
PyObject *data_make(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *views, *present;
    Py_ssize_t samples;
    int impute;
    if (!PyArg_ParseTuple(arguments, "OniO", &views, &samples, &impute, &present))
        return NULL;
    size_t most = 4 * (size_t)PyList_Size(views) + 1;
    dataset *self = calloc(1, sizeof *self);
    if (self)
        self->buffers = calloc(most, sizeof *self->buffers);
    if (!self || !self->buffers) {
        free(self);
        return PyErr_NoMemory();
    }
    return capsule_of(self, fill(self, views, (size_t)samples, impute, present));
}

static int read_options_of(PyObject *options, onefold_read_options *read)
{
    int side = 0, impute = 0, match = 0, header = 0;
    if (option_text(options, "views", &read->views) ||
        option_text(options, "truth", &read->truth) ||
        option_text(options, "present", &read->present) ||
        option_text(options, "ids", &read->ids) || option_text(options, "drop", &read->drop) ||
        option_text(options, "columns", &read->columns) ||
        option_text(options, "as_category", &read->as_category) ||
        option_text(options, "as_number", &read->as_number) ||
        option_integer(options, "no_truth", &read->no_truth) ||
        option_integer(options, "samples_are", &side) ||
        option_integer(options, "impute", &impute) || option_integer(options, "match", &match) ||
        option_integer(options, "header", &header))
        return -1;
    read->samples_are = (onefold_side)side;
    read->impute = (onefold_impute)impute;
    read->match = (onefold_match)match;
    read->header = (onefold_header)header;
    return 0;
}

/* The names of a model's columns, where there are any: a list that the caller frees. */
static int expected_of(PyObject *options, const char ***names, onefold_read_options *read)
{
    PyObject *list = PyDict_GetItemString(options, "expected");
    if (!list || list == Py_None)
        return 0;
    read->expected_count = (size_t)PyList_Size(list);
    read->expected = *names = texts_of(list, read->expected_count);
    return *names ? 0 : -1;
}

/* read(paths, options) */
PyObject *data_read(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *paths, *options;
    if (!PyArg_ParseTuple(arguments, "OO", &paths, &options))
        return NULL;
    onefold_read_options read = ONEFOLD_READ_OPTIONS_INIT;
    const char **expected = NULL;
    if (read_options_of(options, &read) || expected_of(options, &expected, &read))
        return NULL;
    size_t count = (size_t)PyList_Size(paths);
    const char **texts = texts_of(paths, count);
    dataset *self = texts ? calloc(1, sizeof *self) : NULL;
    if (!self) {
        free(texts);
        free(expected);
        return texts ? PyErr_NoMemory() : NULL;
    }
    call *job = &self->job;
    int failed = call_begin(job, Py_None, 0);
    if (!failed) {
        call_leave(job);
        onefold_status status =
            onefold_dataset_read(&self->data, job->context, texts, count, &read);
        call_return(job);
        failed = call_check(job, status);
    }
    free(texts);
    free(expected);
    return capsule_of(self, failed);
}

/* A number for each column, the same for those of one category, or None. */
static PyObject *units_of(const onefold_view_info *info)
{
    if (!info->units)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < info->columns; i++) {
        PyObject *unit = PyLong_FromUnsignedLong(info->units[i]);
        if (!unit || PyList_Append(list, unit))
            Py_CLEAR(list);
        Py_XDECREF(unit);
    }
    return list;
}

static PyObject *describe_view(const onefold_dataset *data, size_t index)
{
    call none = {0};
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    if (call_check(&none, onefold_dataset_view(data, index, &info)))
        return NULL;
    PyObject *names = values_texts(info.column_names, info.columns),
             *units = names ? units_of(&info) : NULL;
    if (!units) {
        Py_XDECREF(names);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:n,s:n,s:n,s:N,s:N}", "name", info.name, "storage",
                         onefold_name(ONEFOLD_NAMES_STORAGE, info.storage), "type",
                         onefold_name(ONEFOLD_NAMES_TYPE, info.type), "columns",
                         (Py_ssize_t)info.columns, "nonzeros", (Py_ssize_t)info.nonzeros, "missing",
                         (Py_ssize_t)info.missing, "names", names, "units", units);
}

/* describe(capsule) */
PyObject *data_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const onefold_dataset *data = data_of(capsule);
    PyObject *all = data ? PyDict_New() : NULL, *views = PyList_New(0), *notes = PyList_New(0),
             *assumed = PyList_New(0), *classes = PyList_New(0), *names = PyList_New(0);
    int failed = !all || !views || !notes || !assumed || !classes || !names;
    for (size_t i = 0; !failed && i < onefold_dataset_describe(data)->views; i++) {
        PyObject *view = describe_view(data, i);
        failed = !view || PyList_Append(views, view);
        Py_XDECREF(view);
    }
    for (size_t i = 0; !failed && i < onefold_dataset_describe(data)->notes; i++) {
        PyObject *note = PyUnicode_FromString(onefold_dataset_describe(data)->note[i]);
        failed = !note || PyList_Append(notes, note);
        Py_XDECREF(note);
    }
    for (size_t i = 0; !failed && i < onefold_dataset_describe(data)->assumptions; i++) {
        PyObject *note = PyUnicode_FromString(onefold_dataset_describe(data)->assumption[i]);
        failed = !note || PyList_Append(assumed, note);
        Py_XDECREF(note);
    }
    for (size_t i = 0; !failed && i < onefold_dataset_describe(data)->classes; i++) {
        PyObject *name = PyUnicode_FromString(onefold_dataset_describe(data)->class_names[i]);
        failed = !name || PyList_Append(classes, name);
        Py_XDECREF(name);
    }
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    for (size_t i = 0; !failed && info->sample_names && i < info->samples; i++) {
        PyObject *name = PyUnicode_FromString(info->sample_names[i]);
        failed = !name || PyList_Append(names, name);
        Py_XDECREF(name);
    }
    failed =
        failed ||
        values_set(all, "samples", PyLong_FromSize_t(onefold_dataset_describe(data)->samples)) ||
        values_set(all, "truth",
                   values_copy(onefold_dataset_describe(data)->truth,
                               onefold_dataset_describe(data)->samples, sizeof(int32_t))) ||
        PyDict_SetItemString(all, "views", views) || PyDict_SetItemString(all, "notes", notes) ||
        PyDict_SetItemString(all, "assumptions", assumed) ||
        PyDict_SetItemString(all, "classes", classes) || PyDict_SetItemString(all, "names", names);
    Py_XDECREF(views);
    Py_XDECREF(notes);
    Py_XDECREF(assumed);
    Py_XDECREF(classes);
    Py_XDECREF(names);
    if (failed)
        Py_CLEAR(all);
    return all;
}

/* set_names(capsule, names): a list of str, one for each sample */
PyObject *data_set_names(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *names;
    call none = {0};
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &names))
        return NULL;
    dataset *self = PyCapsule_GetPointer(capsule, DATASET_CAPSULE);
    if (!self)
        return NULL;
    size_t samples = onefold_dataset_describe(self->data)->samples;
    if ((size_t)PyList_Size(names) != samples) {
        PyErr_SetString(PyExc_ValueError, "one name for each sample is needed");
        return NULL;
    }
    const char **texts = texts_of(names, samples);
    int failed = !texts || call_check(&none, onefold_dataset_set_sample_names(self->data, texts));
    free(texts);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* Labels, and then the names of their classes, which are counted then: 0, or -1 with an exception.
 */
static int set_truth(onefold_dataset *data, const Py_buffer *labels, PyObject *names)
{
    call none = {0};
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    if ((size_t)labels->len != info->samples * sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "one true label for each sample is needed");
        return -1;
    }
    if (call_check(&none, onefold_dataset_set_truth(data, labels->buf, NULL)))
        return -1;
    if ((size_t)PyList_Size(names) != info->classes) {
        PyErr_SetString(PyExc_ValueError, "one name for each class is needed");
        return -1;
    }
    const char **texts = texts_of(names, info->classes);
    int failed = !texts || call_check(&none, onefold_dataset_set_truth(data, labels->buf, texts));
    free(texts);
    return failed ? -1 : 0;
}

/* set_truth(capsule, labels, names): a buffer of int64, one for each sample, and a list of str, one
 * for each class */
PyObject *data_set_truth(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule, *names;
    Py_buffer labels;
    if (!PyArg_ParseTuple(arguments, "Oy*O!", &capsule, &labels, &PyList_Type, &names))
        return NULL;
    dataset *self = PyCapsule_GetPointer(capsule, DATASET_CAPSULE);
    int failed = !self || set_truth(self->data, &labels, names);
    PyBuffer_Release(&labels);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* values(capsule, view): a bytearray of samples x columns doubles */
PyObject *data_values(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *capsule;
    Py_ssize_t view;
    call none = {0};
    if (!PyArg_ParseTuple(arguments, "On", &capsule, &view))
        return NULL;
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    const onefold_dataset *data = data_of(capsule);
    if (!data || call_check(&none, onefold_dataset_view(data, (size_t)view, &info)))
        return NULL;
    size_t samples = onefold_dataset_describe(data)->samples;
    PyObject *bytes =
        PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(samples * info.columns * sizeof(double)));
    if (bytes &&
        call_check(&none, onefold_dataset_values((double *)(void *)PyByteArray_AsString(bytes),
                                                 data, (size_t)view, 0, samples)))
        Py_CLEAR(bytes);
    return bytes;
}
