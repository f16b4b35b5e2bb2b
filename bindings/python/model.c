/* SPDX-License-Identifier: Apache-2.0 */
/* Models: out of bytes, and the labels they give to new samples. */
#include "extension.h"

#include <stdlib.h>

#define MODEL_CAPSULE "onefold.model"

static void destroy(PyObject *capsule)
{
    onefold_model_free(PyCapsule_GetPointer(capsule, MODEL_CAPSULE));
}

/* decode(bytes) */
PyObject *model_decode(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *bytes;
    Py_ssize_t size;
    call none = {0};
    onefold_model *model = NULL;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size) ||
        call_check(&none, onefold_model_decode(&model, NULL, bytes, (size_t)size)))
        return NULL;
    PyObject *capsule = PyCapsule_New(model, MODEL_CAPSULE, destroy);
    if (!capsule)
        onefold_model_free(model);
    return capsule;
}

static PyObject *view_of(const onefold_model_view_info *info)
{
    PyObject *names = values_texts(info->column_names, info->columns);
    if (!names)
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:n,s:d,s:N}", "name", info->name, "storage",
                         onefold_name(ONEFOLD_NAMES_STORAGE, info->storage), "kernel", info->kernel,
                         "columns", (Py_ssize_t)info->columns, "weight", info->weight, "names",
                         names);
}

/* describe(model) */
PyObject *model_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    const onefold_model *model = PyCapsule_GetPointer(capsule, MODEL_CAPSULE);
    if (!model)
        return NULL;
    const onefold_model_info *info = onefold_model_describe(model);
    PyObject *views = PyList_New(0);
    for (size_t i = 0; views && i < info->views; i++) {
        PyObject *view = view_of(info->view[i]);
        if (!view || PyList_Append(views, view))
            Py_CLEAR(views);
        Py_XDECREF(view);
    }
    if (!views)
        return NULL;
    return Py_BuildValue("{s:n,s:n,s:n,s:K,s:s,s:N}", "samples", (Py_ssize_t)info->samples,
                         "clusters", (Py_ssize_t)info->clusters, "dims", (Py_ssize_t)info->dims,
                         "seed", (unsigned long long)info->seed, "impute",
                         onefold_name(ONEFOLD_NAMES_IMPUTE, info->impute), "views", views);
}

/* A bytearray of so many zeros, and where they lie; NULL with an exception. */
static PyObject *room(size_t count, size_t size, void *where)
{
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
    if (bytes)
        *(void **)where = PyByteArray_AsString(bytes);
    return bytes;
}

/* predict(model, data, embedding, threads) */
PyObject *model_predict(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *model_capsule, *data_capsule;
    int embedding, threads;
    if (!PyArg_ParseTuple(arguments, "OOpi", &model_capsule, &data_capsule, &embedding, &threads))
        return NULL;
    const onefold_model *model = PyCapsule_GetPointer(model_capsule, MODEL_CAPSULE);
    const onefold_dataset *data = model ? data_of(data_capsule) : NULL;
    call job = {0};
    if (!data)
        return NULL;
    const onefold_model_info *info = onefold_model_describe(model);
    size_t n = onefold_dataset_describe(data)->samples;
    onefold_prediction into = ONEFOLD_PREDICTION_INIT;
    PyObject *labels = room(n, sizeof *into.labels, &into.labels),
             *confidence = room(n, sizeof *into.confidence, &into.confidence),
             *distance = room(n, sizeof *into.distance, &into.distance), *fused = NULL, *all = NULL;
    if (embedding)
        fused = room(n * info->dims, sizeof *into.embedding, &into.embedding);
    if (labels && confidence && distance && (fused || !embedding) &&
        !call_begin(&job, Py_None, threads)) {
        call_leave(&job);
        onefold_status status = onefold_predict(&into, job.context, model, data, 0, n);
        call_return(&job);
        char *remarks = NULL;
        if (!call_check(&job, status) &&
            !call_check(&job, onefold_model_remarks(&remarks, model, data)))
            all = Py_BuildValue("{s:O,s:O,s:O,s:O,s:s}", "labels", labels, "confidence", confidence,
                                "distance", distance, "embedding", fused ? fused : Py_None,
                                "remarks", remarks);
        onefold_free(remarks);
    }
    call_end(&job);
    Py_XDECREF(labels);
    Py_XDECREF(confidence);
    Py_XDECREF(distance);
    Py_XDECREF(fused);
    return all;
}
