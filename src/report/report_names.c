/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the samples that a report shows, as the block `names`. Names of one length, as
 * barcodes are, lie letter by letter: all first letters, then all second ones; that deflates far
 * better. Others end in a zero byte each.
 */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include <string.h>
#include <zlib.h>

enum {
    MOST_NAME = 400, /* bytes of a name that are kept */
    ROOM = 450000    /* deflated, for up to 100 000 points; beyond, in proportion */
};

typedef struct shown_names {
    const onefold_dataset *dataset;
    const size_t *sample; /* NULL: points are samples */
    size_t shown, stride; /* every stride-th has its name in the page */
} shown_names;

static const char *name_at(const shown_names *names, size_t i)
{
    size_t point = i * names->stride;
    return onefold_dataset_sample_name(names->dataset,
                                       names->sample ? names->sample[point] : point);
}

static size_t count_of(const shown_names *names)
{
    return (names->shown + names->stride - 1) / names->stride;
}

/* Bytes of a name that are kept: whole characters of UTF-8. */
static size_t kept_length(const char *name)
{
    size_t length = strnlen(name, MOST_NAME + 1);
    if (length <= MOST_NAME)
        return length;
    for (length = MOST_NAME; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
        length--;
    return length;
}

/* The names' bytes from `arena`; *length is that of each, 0 where they differ. */
static onefold_status spell(of_arena *arena, const shown_names *names, unsigned char **bytes,
                            size_t *size, size_t *length)
{
    size_t count = count_of(names), at = 0;
    *size = 0;
    *length = kept_length(name_at(names, 0));
    for (size_t i = 0; i < count; i++) {
        size_t own = kept_length(name_at(names, i));
        *length = own == *length ? own : 0;
        *size += own + 1;
    }
    OF_TRY(OF_NEW(arena, bytes, *size, 1));
    for (size_t i = 0; i < count; i++) {
        const char *name = name_at(names, i);
        size_t own = kept_length(name);
        if (*length) {
            for (size_t k = 0; k < own; k++)
                (*bytes)[k * count + i] = (unsigned char)name[k];
        } else {
            memcpy(*bytes + at, name, own);
            (*bytes)[at + own] = 0;
            at += own + 1;
        }
    }
    if (*length)
        *size = *length * count;
    return ONEFOLD_OK;
}

onefold_status of_report_names(of_report *report, const size_t *sample, size_t shown, json_t *about,
                               size_t *packed)
{
    shown_names names = {report->dataset, sample, shown, 1};
    size_t room = shown > 100000 ? shown / 2 * 9 : ROOM;
    *packed = 0;
    if (!report->dataset || !shown || !onefold_dataset_sample_name(report->dataset, 0))
        return ONEFOLD_OK;
    for (;; names.stride *= 2) {
        OF_SCRATCH(scratch, report->context);
        unsigned char *bytes;
        size_t size, length;
        OF_TRY(of_context_check(report->context));
        OF_TRY(spell(&scratch, &names, &bytes, &size, &length));
        OF_TRY(of_page_deflated(report->page, bytes, size, packed));
        if (*packed > room && names.stride < shown)
            continue;
        report->failed |= of_json_put(about, "name_length", of_json_whole(length)) |
                          of_json_put(about, "name_stride", of_json_whole(names.stride));
        return of_page_block(report->page, "names", bytes, size);
    }
}

#endif
