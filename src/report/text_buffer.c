/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts. */
#include "report/text_buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Room for `more` bytes and the closing zero. */
static onefold_status make_room(of_text *text, size_t more)
{
    size_t need;
    OF_TRY(of_size_add(&need, text->size + 1, more));
    return OF_GROW(text->arena, &text->bytes, text->size, &text->room, need);
}

void of_text_bytes(of_text *text, const char *bytes, size_t size)
{
    if (text->status == ONEFOLD_OK)
        text->status = make_room(text, size);
    if (text->status != ONEFOLD_OK)
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void of_text_blanks(of_text *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        of_text_bytes(text, " ", 1);
}

void of_text_put(of_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (text->status == ONEFOLD_OK)
        text->status = length < 0 ? of_fail(ONEFOLD_FAULT, "a text could not be formatted")
                                  : make_room(text, (size_t)length);
    if (text->status == ONEFOLD_OK) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

onefold_status of_text_write(const of_text *text, FILE *out, const char *what)
{
    OF_TRY(text->status);
    errno = 0;
    if (fwrite(text->bytes, 1, text->size, out) == text->size && fflush(out) == 0)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_IO, "%s cannot be written: %s", what,
                           errno ? strerror(errno) : "unknown error"),
                   "look whether the disk is full or the reader has gone");
}
