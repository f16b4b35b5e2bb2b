/* SPDX-License-Identifier: Apache-2.0 */
/* The last error of each thread, the names of enum values, and structs of other versions. */
#include "base/status.h"

#include "base/number.h"
#include "base/seccomp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local of_error last;

__attribute__((format(printf, 3, 0))) static void format_into(char *text, size_t size,
                                                              const char *format, va_list arguments)
{
    if (of_number_print_list(text, size, format, arguments) < 0)
        text[0] = '\0';
}

onefold_status of_fail(onefold_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_into(last.message, sizeof last.message, format, arguments);
    va_end(arguments);
    last.hint[0] = '\0';
    last.status = status;
    return status;
}

onefold_status of_hint(onefold_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_into(last.hint, sizeof last.hint, format, arguments);
    va_end(arguments);
    return status;
}

onefold_status of_blame(onefold_status status, const char *format, ...)
{
    char prefix[sizeof last.message], old[sizeof last.message];
    va_list arguments;
    va_start(arguments, format);
    format_into(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    memcpy(old, last.message, sizeof old);
    if (snprintf(last.message, sizeof last.message, "%s: %s", prefix, old) < 0)
        memcpy(last.message, old, sizeof old);
    return status;
}

void of_error_save(of_error *error, onefold_status status)
{
    *error = last;
    error->status = status;
}

onefold_status of_error_restore(const of_error *error)
{
    if (error->status != ONEFOLD_OK)
        last = *error;
    return error->status;
}

const char *onefold_last_error(void)
{
    return last.message;
}

const char *onefold_last_hint(void)
{
    return last.hint;
}

const char *onefold_version(void)
{
    return ONEFOLD_VERSION;
}

#ifdef ONEFOLD_WITH_HDF5
#define HDF5_WORD " hdf5"
#else
#define HDF5_WORD ""
#endif
#ifdef ONEFOLD_WITH_MPI
#define MPI_WORD " mpi"
#else
#define MPI_WORD ""
#endif
#ifdef ONEFOLD_WITH_CUDA
#define CUDA_WORD " cuda"
#else
#define CUDA_WORD ""
#endif
#ifdef ONEFOLD_ENGINE_ONLY
#define WORDS "threads" MPI_WORD CUDA_WORD
#else
#define WORDS "threads zlib" HDF5_WORD " json" MPI_WORD CUDA_WORD
#endif

const char *onefold_capabilities(void)
{
    int filters =
        *HDF5_WORD && of_seccomp_works(); /* the process that reads HDF5 files (io/fence.h) */
    return filters ? WORDS " seccomp" : WORDS;
}

/* The names of the values of the public enums, in the order of each enum; of status codes, in the
 * order of their negatives. */
static const char *const words[][12] = {
    [ONEFOLD_NAMES_STATUS] = {"ok", "fault", "usage", "bad-data", "no-memory", "io", "unsupported",
                              "interrupted"},
    [ONEFOLD_NAMES_STORAGE] = {"dense", "sparse", "kernel"},
    [ONEFOLD_NAMES_TYPE] = {"float64", "float32", "int8", "uint8", "int16", "uint16", "int32",
                            "uint32", "int64", "uint64"},
    [ONEFOLD_NAMES_IMPUTE] = {"none", "mean", "median", "model"},
    [ONEFOLD_NAMES_START] = {"aligned", "paper"},
    [ONEFOLD_NAMES_VARIANT] = {"exact", "printed"},
    [ONEFOLD_NAMES_STOP] = {"relative", "paper", "settled"},
    [ONEFOLD_NAMES_BASE] = {"auto", "exact", "nystrom"},
    [ONEFOLD_NAMES_PRECISION] = {"double", "single"},
    [ONEFOLD_NAMES_ROUTE] = {"none", "gram", "krylov", "dense", "tiles", "nystrom", "landmarks"},
    [ONEFOLD_NAMES_PREP] = {"none", "standardise", "tf-idf"},
    [ONEFOLD_NAMES_KMEANS_START] = {"plusplus", "samples"},
    [ONEFOLD_NAMES_MEASURE] = {"acc", "nmi", "purity", "ari"},
};

const char *onefold_name(onefold_names set, int value)
{
    enum { SETS = sizeof words / sizeof *words, MOST_WORDS = sizeof *words / sizeof **words };
    if ((int)set < 0 || (int)set >= SETS)
        return NULL;
    if (set == ONEFOLD_NAMES_STATUS)
        value = value <= 0 && value >= ONEFOLD_INTERRUPTED ? -value : -(int)ONEFOLD_FAULT;
    return value >= 0 && value < MOST_WORDS ? words[set][value] : NULL;
}

/* Only the first member of a caller's struct, its size, is known here. */

enum { MOST = 1 << 14 }; /* no version's struct is larger: a larger size is uninitialised */

/* The bytes that both versions of a struct have. */
static onefold_status shared_size(const void *theirs, size_t ours, const char *type, size_t *shared)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size <= sizeof size || size > MOST)
        return of_hint(of_fail(ONEFOLD_USAGE, "the struct_size of %s is %zu", type, size),
                       "start from its initialiser, ONEFOLD_..._INIT");
    for (size_t i = ours; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return of_hint(
                of_fail(ONEFOLD_USAGE,
                        "%s has %zu bytes, and non-zero bytes past the %zu that this version knows",
                        type, size, ours),
                "leave out newer fields, or use a newer library");
    *shared = size < ours ? size : ours;
    return ONEFOLD_OK;
}

onefold_status of_struct_read(void *ours, size_t size, const void *theirs, const char *type)
{
    size_t shared = 0;
    if (theirs) {
        OF_TRY(shared_size(theirs, size, type, &shared));
        memcpy(ours, theirs, shared);
    }
    memcpy(ours, &size, sizeof size);
    return ONEFOLD_OK;
}

onefold_status of_struct_write(void *theirs, const void *ours, size_t size, const char *type)
{
    size_t shared = 0;
    OF_TRY(shared_size(theirs, size, type, &shared));
    memcpy(theirs, ours, shared);
    memcpy(theirs, &shared, sizeof shared);
    return ONEFOLD_OK;
}
