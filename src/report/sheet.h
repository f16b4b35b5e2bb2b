/* SPDX-License-Identifier: Apache-2.0 */
/* Headings, paragraphs and tables, written as Markdown or as text in aligned columns. */
#ifndef OF_REPORT_SHEET_H
#define OF_REPORT_SHEET_H

#include "report/text_buffer.h"

typedef struct of_sheet {
    of_arena *arena;
    of_text out;
    int markdown;        /* else text */
    int unicode, strong; /* of text: what the reader can show */
    int begun;           /* something was written */
    const char *align;   /* of the table being made: 'l' or 'r' for each column */
    size_t columns, count, room;
    struct of_sheet_cell {
        const char *text;
        int strong;
    } * cells;
} of_sheet;

/* An empty sheet: Markdown, or text for a reader that can show UTF-8, and bold by escapes. */
of_sheet of_sheet_make(of_arena *arena, int markdown, int unicode, int strong);

/* " ± " or " +- ", as the reader can show it. */
const char *of_sheet_spread(const of_sheet *sheet);

/* A heading of level 1, 2, ... */
void of_sheet_heading(of_sheet *sheet, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void of_sheet_paragraph(of_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void of_sheet_item(of_sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table: begun with a letter per column, OF_SHEET_COLUMNS at most, filled cell by cell, the
 * headings first, then ended. */
enum { OF_SHEET_COLUMNS = 64 };
void of_sheet_table(of_sheet *sheet, const char *align);
onefold_status of_sheet_cell(of_sheet *sheet, int strong, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void of_sheet_table_end(of_sheet *sheet);

/* Writes all of it to the stream. */
onefold_status of_sheet_write(const of_sheet *sheet, FILE *out);

#endif
