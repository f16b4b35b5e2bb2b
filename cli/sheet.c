/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of writing a sheet. */
#include "sheet.h"

#include "base.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { WIDTH = 79 };

cli_sheet cli_sheet_make(cli_arena *arena, FILE *out, int markdown, int unicode, int strong)
{
    return (cli_sheet){.out = out,
                       .markdown = markdown,
                       .unicode = unicode,
                       .strong = strong,
                       .cells = cli_cells_make(arena, "l")};
}

const char *cli_sheet_spread(const cli_sheet *sheet)
{
    return sheet->markdown || sheet->unicode ? " \xc2\xb1 " : " +- ";
}

/* A line of its own before everything but the first. */
static void space(cli_sheet *sheet)
{
    if (sheet->begun)
        fputs("\n", sheet->out);
    sheet->begun = 1;
}

/* Text in lines of at most WIDTH, the later ones indented; Markdown has it on one line. Control
 * characters of a file's names are shown as '?'. */
static void put_wrapped(cli_sheet *sheet, const char *text, size_t indent)
{
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " "), width = cli_characters(text, length);
        if (column > indent && !sheet->markdown && column + 1 + width > WIDTH) {
            fputs("\n", sheet->out);
            fprintf(sheet->out, "%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', sheet->out);
            column++;
        }
        for (size_t i = 0; i < length; i++)
            fputc((unsigned char)text[i] < ' ' ? '?' : text[i], sheet->out);
        column += width;
        text += length;
        text += strspn(text, " ");
    }
    fputs("\n", sheet->out);
}

__attribute__((format(printf, 3, 0))) static void
put_formatted(cli_sheet *sheet, size_t indent, const char *format, va_list arguments)
{
    char text[2048];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    put_wrapped(sheet, text, indent);
}

void cli_sheet_heading(cli_sheet *sheet, int level, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    for (int i = 0; sheet->markdown && i <= level; i++)
        fputs(i < level ? "#" : " ", sheet->out);
    if (!sheet->markdown && sheet->strong)
        fputs("\033[1m", sheet->out);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
    if (!sheet->markdown && sheet->strong)
        fputs("\033[0m", sheet->out);
}

void cli_sheet_paragraph(cli_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
}

void cli_sheet_item(cli_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    fputs("- ", sheet->out);
    va_start(arguments, format);
    put_formatted(sheet, 2, format, arguments);
    va_end(arguments);
}

/* ---- tables --------------------------------------------------------------------------------- */

void cli_sheet_table(cli_sheet *sheet, const char *align)
{
    space(sheet);
    sheet->cells.align = align;
    sheet->cells.columns = strlen(align);
}

void cli_sheet_cell(cli_sheet *sheet, int strong, const char *format, ...)
{
    char text[2048], *rest = text;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    va_end(arguments);
    for (char *cell; (cell = strsep(&rest, "\t"));) {
        for (char *at = cell; *at; at++)
            if ((unsigned char)*at < ' ' || (sheet->markdown && *at == '|'))
                *at = (unsigned char)*at < ' ' ? '?' : '/';
        cli_cells_add(&sheet->cells, strong, cell);
    }
}

static void put_markdown_row(cli_sheet *sheet, size_t row)
{
    for (size_t c = 0; c < sheet->cells.columns; c++) {
        const cli_cell *cell = &sheet->cells.cell[row * sheet->cells.columns + c];
        const char *mark = cell->strong ? "**" : "";
        fprintf(sheet->out, "| %s%s%s ", mark, cell->text, mark);
    }
    fputs("|\n", sheet->out);
}

static void put_markdown_rule(cli_sheet *sheet)
{
    for (size_t c = 0; c < sheet->cells.columns; c++)
        fputs(sheet->cells.align[c] == 'r' ? "| ---: " : "| --- ", sheet->out);
    fputs("|\n", sheet->out);
}

static void put_text_cell(void *to, size_t row, size_t blanks, const cli_cell *cell)
{
    cli_sheet *sheet = to;
    int shine = sheet->strong && cell->strong;
    (void)row;
    fprintf(sheet->out, "%*s", (int)blanks, "");
    fprintf(sheet->out, "%s%s%s", shine ? "\033[1m" : "", cell->text, shine ? "\033[0m" : "");
}

void cli_sheet_table_end(cli_sheet *sheet)
{
    enum { INDENT = 2 };
    size_t rows = sheet->cells.count / sheet->cells.columns;
    for (size_t row = 0; row < rows; row++) {
        if (sheet->markdown) {
            put_markdown_row(sheet, row);
        } else {
            cli_cells_row(&sheet->cells, row, INDENT, put_text_cell, sheet);
            fputs("\n", sheet->out);
        }
        if (row == 0 && sheet->markdown)
            put_markdown_rule(sheet);
    }
    sheet->cells.count = 0;
}

onefold_status cli_sheet_end(const cli_sheet *sheet)
{
    CLI_TRY(sheet->cells.status);
    errno = 0;
    if (fflush(sheet->out) == 0 && !ferror(sheet->out))
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "the report cannot be written: %s",
                             errno ? strerror(errno) : "unknown error"),
                    "check whether the disk is full or the reader has ended");
}
