/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the library without the interpreter's lock, and what its statuses are in Python. */
#include "extension.h"

#include <time.h>

enum { ASK_EVERY = 50 * 1000 * 1000 }; /* nanoseconds between two looks for signals */

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Keeps the exception of a hook for the end of the call; the lock is held. */
static void keep_exception(call *self)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (self->type) { /* the first one counts */
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
    } else {
        self->type = type;
        self->value = value;
        self->traceback = traceback;
    }
    atomic_store(&self->stopped, 1);
}

static int cancel(void *user)
{
    call *self = user;
    long long last = atomic_load(&self->asked), time = now();
    if (atomic_load(&self->stopped))
        return 1;
    if (time - last < ASK_EVERY || !atomic_compare_exchange_strong(&self->asked, &last, time))
        return 0;
    PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_CheckSignals() != 0)
        keep_exception(self);
    PyGILState_Release(state);
    return atomic_load(&self->stopped);
}

static void progress(void *user, const onefold_progress *at)
{
    call *self = user;
    if (atomic_load(&self->stopped))
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer =
        PyObject_CallFunction(self->progress, "sddz", at->stage, at->done, at->total, at->detail);
    if (answer)
        Py_DECREF(answer);
    else
        keep_exception(self);
    PyGILState_Release(state);
}

int call_begin(call *self, PyObject *progress_to, int threads)
{
    *self = (call){.progress = progress_to == Py_None ? NULL : progress_to};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = self;
    hooks.cancel = cancel;
    if (self->progress)
        hooks.progress = progress;
    if (call_check(self, onefold_context_create(&self->context, &hooks)))
        return -1;
    return call_check(self, onefold_context_set_threads(self->context, threads));
}

void call_leave(call *self)
{
    self->released = PyEval_SaveThread();
}

void call_return(call *self)
{
    PyEval_RestoreThread(self->released);
}

int call_check(call *self, onefold_status status)
{
    if (self->type) {
        PyErr_Restore(self->type, self->value, self->traceback);
        self->type = self->value = self->traceback = NULL;
        return -1;
    }
    PyObject *kind = PyExc_RuntimeError;
    switch (status) {
    case ONEFOLD_OK:
        return 0;
    case ONEFOLD_USAGE:
    case ONEFOLD_BAD_DATA:
        kind = PyExc_ValueError;
        break;
    case ONEFOLD_NO_MEMORY:
        kind = PyExc_MemoryError;
        break;
    case ONEFOLD_IO:
        kind = PyExc_OSError;
        break;
    case ONEFOLD_UNSUPPORTED:
        kind = PyExc_NotImplementedError;
        break;
    case ONEFOLD_INTERRUPTED:
        kind = PyExc_KeyboardInterrupt;
        break;
    case ONEFOLD_FAULT:
        break;
    }
    const char *hint = onefold_last_hint();
    PyErr_Format(kind, "%s%s%s", onefold_last_error(), *hint ? "; " : "", hint);
    return -1;
}

void call_end(call *self)
{
    Py_XDECREF(self->type);
    Py_XDECREF(self->value);
    Py_XDECREF(self->traceback);
    onefold_context_free(self->context);
    self->context = NULL;
}
