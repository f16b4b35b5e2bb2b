/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a report page: head, data, script. */
#include "report/report.h"

#include <string.h>
#include <zlib.h>

static const unsigned char built[] = {
#include "report/page_data.inc"
};
static const char marker[] = "<!--data-->";
enum { MOST_PAGE = 4 << 20 };

onefold_status of_page_open(of_page *page, of_context *context, const char *path)
{
    uLongf size = MOST_PAGE;
    if (!path || !*path)
        return of_fail(ONEFOLD_USAGE, "a report needs the path of a file");
    OF_TRY(of_atomic_open(&page->file, context, path));
    OF_TRY(OF_NEW(&page->file.arena, &page->text, MOST_PAGE, 1));
    int unpacked = uncompress((Bytef *)page->text, &size, built, sizeof built);
    if (unpacked == Z_MEM_ERROR)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to unpack the report page");
    if (unpacked != Z_OK || size >= MOST_PAGE)
        return of_fail(ONEFOLD_FAULT, "the report page in this build cannot be unpacked");
    page->text[size] = '\0';
    const char *place = strstr(page->text, marker);
    if (!place)
        return of_fail(ONEFOLD_FAULT, "the report page in this build has no place for data");
    page->rest = place + strlen(marker);
    return of_atomic_write(&page->file, page->text, (size_t)(place - page->text));
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

onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size,
                             size_t most, size_t *packed)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    OF_SCRATCH(scratch, page->file.context);
    uLongf length = compressBound((uLong)size);
    unsigned char *small;
    char four[4];
    OF_TRY(OF_NEW(&scratch, &small, length, 1));
    if (compress2(small, &length, bytes, (uLong)size, Z_BEST_COMPRESSION) != Z_OK)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to deflate %zu bytes", size);
    if (packed)
        *packed = length;
    if (length > most)
        return ONEFOLD_OK;
    OF_TRY(of_atomic_print(&page->file, "<script type=\"text/plain\" id=\"block-%s\">", name));
    for (size_t i = 0; i < length; i += 3) { /* three bytes to four letters */
        unsigned left = (unsigned)(length - i < 3 ? length - i : 3);
        unsigned value = (unsigned)small[i] << 16 | (left > 1 ? (unsigned)small[i + 1] << 8 : 0) |
                         (left > 2 ? small[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++)
            four[k] = k <= left ? letters[value >> (18 - 6 * k) & 63] : '=';
        OF_TRY(of_atomic_write(&page->file, four, sizeof four));
    }
    return of_atomic_print(&page->file, "</script>\n");
}

onefold_status of_page_close(of_page *page)
{
    OF_TRY(of_atomic_write(&page->file, page->rest, strlen(page->rest)));
    of_arena_release(&page->file.arena, page->text); /* before the commit, which may wait */
    return of_atomic_commit(&page->file);
}

void of_page_abandon(of_page *page)
{
    of_atomic_abandon(&page->file);
}
