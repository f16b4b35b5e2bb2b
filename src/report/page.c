/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a report page: head, data, script. */
#include "report/page.h"

#include <string.h>
#include <zlib.h>

static const unsigned char packed[] = {
#include "report/page_data.inc"
};
static const char marker[] = "<!--data-->";
enum { MOST_PAGE = 4 << 20, LINE = 3 * 1024 };

/* The page as web/report built it, with a closing zero, from the arena. */
static onefold_status unpack(of_arena *arena, char **text)
{
    char *room, *kept;
    uLongf size = MOST_PAGE;
    OF_TRY(OF_NEW(arena, &room, MOST_PAGE, 1));
    if (uncompress((Bytef *)room, &size, packed, sizeof packed) != Z_OK || size >= MOST_PAGE)
        return of_fail(ONEFOLD_FAULT, "the report page in this build cannot be unpacked");
    OF_TRY(OF_NEW(arena, &kept, size + 1, 1));
    memcpy(kept, room, size);
    kept[size] = '\0';
    of_arena_release(arena, room);
    *text = kept;
    return ONEFOLD_OK;
}

onefold_status of_page_open(of_page *page, of_context *context, const char *path)
{
    char *text = NULL;
    page->context = context;
    page->arena = of_arena_make(context);
    OF_TRY(unpack(&page->arena, &text));
    const char *cut = strstr(text, marker);
    if (!cut)
        return of_fail(ONEFOLD_FAULT, "the report page in this build has no place for data");
    page->rest = cut + strlen(marker);
    page->rest_size = strlen(page->rest);
    OF_TRY(of_atomic_open(&page->file, context, path));
    return of_atomic_write(&page->file, text, (size_t)(cut - text));
}

onefold_status of_page_summary(of_page *page, const char *json, size_t size)
{
    OF_TRY(of_atomic_print(&page->file, "<script type=\"application/json\" id=\"summary\">"));
    for (size_t at = 0; at < size;) {
        size_t plain = 0;
        while (at + plain < size && !strchr("<>&", json[at + plain]))
            plain++;
        OF_TRY(of_atomic_write(&page->file, json + at, plain));
        at += plain;
        if (at < size)
            OF_TRY(of_atomic_print(&page->file, "\\u%04x", (unsigned)json[at++]));
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

onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size)
{
    OF_SCRATCH(scratch, page->context);
    uLongf length = compressBound((uLong)size);
    unsigned char *small;
    char line[LINE / 3 * 4];
    OF_TRY(OF_NEW(&scratch, &small, length, 1));
    if (compress2(small, &length, bytes, (uLong)size, 9) != Z_OK)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to deflate %zu bytes", size);
    OF_TRY(of_atomic_print(&page->file, "<script type=\"text/plain\" id=\"block-%s\">", name));
    for (size_t at = 0; at < length; at += LINE) {
        size_t part = length - at < LINE ? length - at : LINE;
        OF_TRY(of_atomic_write(&page->file, line, encode(small + at, part, line)));
    }
    return of_atomic_print(&page->file, "</script>\n");
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
