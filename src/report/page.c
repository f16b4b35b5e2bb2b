/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a report page: head, data, script. */
#include "report/report.h"

#include <string.h>
#include <zlib.h>

static const unsigned char built[] = {
#include "report/page_data.inc"
};
static const char marker[] = "<!--data-->";
enum { MOST_PAGE = 4 << 20, LINE = 3 * 1024 };

onefold_status of_page_open(of_page *page, of_context *context, const char *path)
{
    char *text; /* the page as web/report built it, with a closing zero */
    uLongf size = MOST_PAGE;
    page->context = context;
    page->arena = of_arena_make(context);
    OF_TRY(OF_NEW(&page->arena, &text, MOST_PAGE, 1));
    int unpacked = uncompress((Bytef *)text, &size, built, sizeof built);
    if (unpacked == Z_MEM_ERROR)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to unpack the report page");
    if (unpacked != Z_OK || size >= MOST_PAGE)
        return of_fail(ONEFOLD_FAULT, "the report page in this build cannot be unpacked");
    text[size] = '\0';
    const char *place = strstr(text, marker);
    if (!place)
        return of_fail(ONEFOLD_FAULT, "the report page in this build has no place for data");
    page->rest = place + strlen(marker);
    page->rest_size = strlen(page->rest);
    OF_TRY(of_atomic_open(&page->file, context, path));
    return of_atomic_write(&page->file, text, (size_t)(place - text));
}

onefold_status of_page_summary(of_page *page, of_json *json, const of_json *extra)
{
    OF_TRY(of_json_check(extra));
    of_json_raw(json, "extra", (of_span){extra->text, extra->length});
    of_json_put(json, "}");
    OF_TRY(of_json_check(json));
    OF_TRY(of_atomic_print(&page->file, "<script type=\"application/json\" id=\"summary\">"));
    for (const char *at = json->text; *at;) {
        size_t plain = strcspn(at, "<>&");
        OF_TRY(of_atomic_write(&page->file, at, plain));
        at += plain;
        if (*at)
            OF_TRY(of_atomic_print(&page->file, "\\u%04x", (unsigned)*at++));
    }
    return of_atomic_print(&page->file, "</script>\n");
}

/* Three bytes to four letters; `size` is a multiple of three but at the end. */
static size_t encode(const unsigned char *bytes, size_t size, char *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned left = (unsigned)(size - i < 3 ? size - i : 3);
        unsigned value = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++)
            out[length++] = k <= left ? letters[value >> (18 - 6 * k) & 63] : '=';
    }
    return length;
}

static onefold_status pack(of_arena *arena, const void *bytes, size_t size, unsigned char **packed,
                           size_t *length)
{
    uLongf room = compressBound((uLong)size);
    OF_TRY(OF_NEW(arena, packed, room, 1));
    if (compress2(*packed, &room, bytes, (uLong)size, Z_BEST_COMPRESSION) != Z_OK)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to deflate %zu bytes", size);
    *length = room;
    return ONEFOLD_OK;
}

onefold_status of_page_deflated(of_page *page, const void *bytes, size_t size, size_t *packed_size)
{
    OF_SCRATCH(scratch, page->context);
    unsigned char *packed;
    return pack(&scratch, bytes, size, &packed, packed_size);
}

onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size)
{
    OF_SCRATCH(scratch, page->context);
    size_t length = 0;
    unsigned char *small;
    char line[LINE / 3 * 4];
    OF_TRY(pack(&scratch, bytes, size, &small, &length));
    OF_TRY(of_atomic_print(&page->file, "<script type=\"text/plain\" id=\"block-%s\">", name));
    for (size_t at = 0; at < length; at += LINE) {
        size_t chunk = length - at < LINE ? length - at : LINE;
        OF_TRY(of_atomic_write(&page->file, line, encode(small + at, chunk, line)));
    }
    return of_atomic_print(&page->file, "</script>\n");
}

onefold_status of_page_numbers(of_page *page, const char *name, const uint32_t *number,
                               size_t count, size_t width)
{
    OF_SCRATCH(scratch, page->context);
    unsigned char *bytes;
    OF_TRY(OF_NEW(&scratch, &bytes, count, width));
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < width; b++)
            bytes[width * i + b] = (unsigned char)(number[i] >> 8 * b & 255);
    return of_page_block(page, name, bytes, width * count);
}

onefold_status of_page_close(of_page *page)
{
    OF_TRY(of_atomic_write(&page->file, page->rest, page->rest_size));
    return of_atomic_commit(&page->file);
}

void of_page_abandon(of_page *page)
{
    of_atomic_abandon(&page->file);
    of_arena_free(&page->arena);
}
