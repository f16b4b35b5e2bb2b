/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts. */
#include "text_buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the closing zero. */
static onefold_status make_room(cli_text *text, size_t more)
{
    size_t need = text->size + 1 + more;
    if (need <= text->room)
        return ONEFOLD_OK;
    char *longer = realloc(text->bytes, 2 * need + 256);
    if (!longer)
        return cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for the report");
    text->bytes = longer;
    text->room = 2 * need + 256;
    return ONEFOLD_OK;
}

void cli_text_bytes(cli_text *text, const char *bytes, size_t size)
{
    if (text->status == ONEFOLD_OK)
        text->status = make_room(text, size);
    if (text->status != ONEFOLD_OK)
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void cli_text_blanks(cli_text *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cli_text_bytes(text, " ", 1);
}

void cli_text_put(cli_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (text->status == ONEFOLD_OK)
        text->status = length < 0 ? cli_fail(ONEFOLD_FAULT, "a text could not be formatted")
                                  : make_room(text, (size_t)length);
    if (text->status == ONEFOLD_OK) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

onefold_status cli_text_write(const cli_text *text, FILE *out, const char *what)
{
    CLI_TRY(text->status);
    errno = 0;
    if (fwrite(text->bytes, 1, text->size, out) == text->size && fflush(out) == 0)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "%s cannot be written: %s", what,
                             errno ? strerror(errno) : "unknown error"),
                    "look whether the disk is full or the reader has gone");
}

void cli_text_free(cli_text *text)
{
    free(text->bytes);
    text->bytes = NULL;
}
