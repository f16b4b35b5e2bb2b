/* SPDX-License-Identifier: Apache-2.0 */
/* The last error of each thread, and the words for status codes. */
#include "base/status.h"

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
