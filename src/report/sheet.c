/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of writing a sheet. */
#include "report/sheet.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

enum { WIDTH = 79 };

of_sheet of_sheet_make(of_arena *arena, int markdown, int unicode, int strong)
{
    of_sheet sheet = {.arena = arena, .markdown = markdown, .unicode = unicode, .strong = strong};
    sheet.out.arena = arena;
    return sheet;
}

const char *of_sheet_spread(const of_sheet *sheet)
{
    return sheet->markdown || sheet->unicode ? " \xc2\xb1 " : " +- ";
}

/* A line of its own before everything but the first. */
static void space(of_sheet *sheet)
{
    if (sheet->begun)
        of_text_put(&sheet->out, "\n");
    sheet->begun = 1;
}

/* Text in lines of at most WIDTH, the later ones indented; Markdown has it on one line. Control
 * characters of a file's names are shown as '?'. */
static void put_wrapped(of_sheet *sheet, const char *text, size_t indent)
{
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " "), width = of_utf8_count(text, length);
        if (column > indent && !sheet->markdown && column + 1 + width > WIDTH) {
            of_text_put(&sheet->out, "\n");
            of_text_blanks(&sheet->out, indent);
            column = indent;
        } else if (column > indent) {
            of_text_blanks(&sheet->out, 1);
            column++;
        }
        for (size_t i = 0; i < length; i++)
            of_text_bytes(&sheet->out, (unsigned char)text[i] < ' ' ? "?" : text + i, 1);
        column += width;
        text += length;
        text += strspn(text, " ");
    }
    of_text_put(&sheet->out, "\n");
}

__attribute__((format(printf, 3, 0))) static void
put_formatted(of_sheet *sheet, size_t indent, const char *format, va_list arguments)
{
    char text[2048];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    put_wrapped(sheet, text, indent);
}

void of_sheet_heading(of_sheet *sheet, int level, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    for (int i = 0; sheet->markdown && i <= level; i++)
        of_text_put(&sheet->out, i < level ? "#" : " ");
    if (!sheet->markdown && sheet->strong)
        of_text_put(&sheet->out, "\033[1m");
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
    if (!sheet->markdown && sheet->strong)
        of_text_put(&sheet->out, "\033[0m");
}

void of_sheet_paragraph(of_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
}

void of_sheet_item(of_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    of_text_put(&sheet->out, "- ");
    va_start(arguments, format);
    put_formatted(sheet, 2, format, arguments);
    va_end(arguments);
}

/* ---- tables -------------------------------------------------------------------------------- */

void of_sheet_table(of_sheet *sheet, const char *align)
{
    space(sheet);
    sheet->align = align;
    sheet->columns = strlen(align);
    sheet->count = 0;
}

onefold_status of_sheet_cell(of_sheet *sheet, int strong, const char *format, ...)
{
    char text[512];
    char *kept;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    va_end(arguments);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || (sheet->markdown && *at == '|'))
            *at = (unsigned char)*at < ' ' ? '?' : '/';
    OF_TRY(OF_GROW(sheet->arena, &sheet->cells, sheet->count, &sheet->room, sheet->count + 1));
    OF_TRY(of_arena_string(sheet->arena, &kept, "%s", text));
    sheet->cells[sheet->count++] = (struct of_sheet_cell){kept, strong};
    return ONEFOLD_OK;
}

static void put_markdown_row(of_sheet *sheet, size_t row)
{
    for (size_t c = 0; c < sheet->columns; c++) {
        const struct of_sheet_cell *cell = &sheet->cells[row * sheet->columns + c];
        const char *mark = cell->strong ? "**" : "";
        of_text_put(&sheet->out, "| %s%s%s ", mark, cell->text, mark);
    }
    of_text_put(&sheet->out, "|\n");
}

static void put_markdown_rule(of_sheet *sheet)
{
    for (size_t c = 0; c < sheet->columns; c++)
        of_text_put(&sheet->out, sheet->align[c] == 'r' ? "| ---: " : "| --- ");
    of_text_put(&sheet->out, "|\n");
}

static void put_text_row(of_sheet *sheet, size_t row, const size_t *widths)
{
    size_t behind = 0; /* blanks that are owed: none are left at the end of a line */
    for (size_t c = 0; c < sheet->columns; c++) {
        const struct of_sheet_cell *cell = &sheet->cells[row * sheet->columns + c];
        size_t blanks = widths[c] - of_utf8_count(cell->text, strlen(cell->text));
        behind += 2;
        if (sheet->align[c] == 'r')
            behind += blanks;
        if (*cell->text) {
            of_text_blanks(&sheet->out, behind);
            behind = 0;
        }
        int shine = sheet->strong && cell->strong;
        of_text_put(&sheet->out, "%s%s%s", shine ? "\033[1m" : "", cell->text,
                    shine ? "\033[0m" : "");
        if (sheet->align[c] != 'r')
            behind += blanks;
    }
    of_text_put(&sheet->out, "\n");
}

void of_sheet_table_end(of_sheet *sheet)
{
    size_t rows = sheet->count / sheet->columns, widths[OF_SHEET_COLUMNS] = {0};
    for (size_t i = 0; i < sheet->count; i++) {
        const char *text = sheet->cells[i].text;
        size_t width = of_utf8_count(text, strlen(text)), c = i % sheet->columns;
        if (width > widths[c])
            widths[c] = width;
    }
    for (size_t row = 0; row < rows; row++) {
        if (sheet->markdown)
            put_markdown_row(sheet, row);
        else
            put_text_row(sheet, row, widths);
        if (row == 0 && sheet->markdown)
            put_markdown_rule(sheet);
    }
    for (size_t i = 0; i < sheet->count; i++)
        of_arena_release(sheet->arena, sheet->cells[i].text);
    sheet->count = 0;
}

onefold_status of_sheet_write(const of_sheet *sheet, FILE *out)
{
    return of_text_write(&sheet->out, out, "the report");
}
