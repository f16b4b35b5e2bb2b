/* SPDX-License-Identifier: Apache-2.0 */
/* The last error of each thread, and the words for status codes. */
#include "base/status.h"

#include "base/structs.h"
#include "onefold.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local of_error last;

__attribute__((format(printf, 3, 0))) static void format_into(char *text, size_t size,
                                                              const char *format, va_list arguments)
{
    if (vsnprintf(text, size, format, arguments) < 0)
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

const char *onefold_status_name(onefold_status status)
{
    switch (status) {
    case ONEFOLD_OK:
        return "ok";
    case ONEFOLD_FAULT:
        return "fault";
    case ONEFOLD_USAGE:
        return "usage";
    case ONEFOLD_BAD_DATA:
        return "bad-data";
    case ONEFOLD_NO_MEMORY:
        return "no-memory";
    case ONEFOLD_IO:
        return "io";
    case ONEFOLD_UNSUPPORTED:
        return "unsupported";
    case ONEFOLD_INTERRUPTED:
        return "interrupted";
    }
    return "fault";
}

const char *onefold_version(void)
{
    return ONEFOLD_VERSION;
}

/* What this build can do, as the build's switches have it. */

const char *onefold_capabilities(void)
{
    return "threads zlib"
#ifdef ONEFOLD_WITH_HDF5
           " hdf5"
#endif
#ifdef ONEFOLD_WITH_JSON
           " json"
#endif
#ifdef ONEFOLD_WITH_MPI
           " mpi"
#endif
#ifdef ONEFOLD_WITH_CUDA
           " cuda"
#endif
        ;
}

/* The words for the values of the public enums, each list in the order of its enum. */

#define NAME(words, value)                                                                         \
    ((int)(value) >= 0 && (size_t)(value) < sizeof(words) / sizeof *(words) ? (words)[value] : NULL)

const char *onefold_storage_name(onefold_storage storage)
{
    static const char *const words[] = {"dense", "sparse", "kernel"};
    return NAME(words, storage);
}

const char *onefold_type_name(onefold_type type)
{
    static const char *const words[] = {"float64", "float32", "int8",   "uint8", "int16",
                                        "uint16",  "int32",   "uint32", "int64", "uint64"};
    return NAME(words, type);
}

const char *onefold_impute_name(onefold_impute impute)
{
    static const char *const words[] = {"none", "mean", "median", "model"};
    return NAME(words, impute);
}

const char *onefold_start_name(onefold_start start)
{
    static const char *const words[] = {"aligned", "paper"};
    return NAME(words, start);
}

const char *onefold_variant_name(onefold_variant variant)
{
    static const char *const words[] = {"exact", "printed"};
    return NAME(words, variant);
}

const char *onefold_stop_name(onefold_stop stop)
{
    static const char *const words[] = {"relative", "paper", "settled"};
    return NAME(words, stop);
}

const char *onefold_base_name(onefold_base base)
{
    static const char *const words[] = {"auto", "exact", "nystrom"};
    return NAME(words, base);
}

const char *onefold_precision_name(onefold_precision precision)
{
    static const char *const words[] = {"double", "single"};
    return NAME(words, precision);
}

const char *onefold_route_name(onefold_route route)
{
    static const char *const words[] = {"none",  "gram",    "krylov",   "dense",
                                        "tiles", "nystrom", "landmarks"};
    return NAME(words, route);
}

const char *onefold_prep_name(onefold_prep prep)
{
    static const char *const words[] = {"none", "standardise", "tf-idf"};
    return NAME(words, prep);
}

const char *onefold_kmeans_start_name(onefold_kmeans_start start)
{
    static const char *const words[] = {"plusplus", "samples"};
    return NAME(words, start);
}

const char *onefold_measure_name(onefold_measure measure)
{
    static const char *const words[] = {"acc", "nmi", "purity", "ari"};
    return NAME(words, measure);
}

/* The size is read and written by copying, as nothing is known of the struct but its first member.
 */

enum { MOST = 1 << 14 }; /* no version's struct is larger: such a size was never set */

/* The bytes that both know. */
static onefold_status shared_size(const void *theirs, size_t ours, const char *type, size_t *shared)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size <= sizeof size || size > MOST)
        return of_hint(of_fail(ONEFOLD_USAGE, "the struct_size of %s is %zu", type, size),
                       "start from its initialiser, ONEFOLD_..._INIT");
    for (size_t i = ours; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "%s has %zu bytes, and something in those past the %zu that "
                                   "this version knows",
                                   type, size, ours),
                           "leave out what came with a newer version, or use that");
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
