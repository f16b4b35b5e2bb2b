/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of writing a sheet. */
#include "sheet.h"

#include "base.h"
#include "base/number.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { WIDTH = 79 };

cli_sheet cli_sheet_make(cli_arena *arena, cli_screen screen, int markdown)
{
    cli_sheet sheet = {screen, markdown, 0, "", cli_cells_make(arena, "")};
    sheet.cells.longest = 0;
    return sheet;
}

const char *cli_sheet_spread(const cli_sheet *sheet)
{
    return sheet->markdown || sheet->screen.unicode ? " \xc2\xb1 " : " +- ";
}

/* An empty line before every part but the first. */
static void space(cli_sheet *sheet)
{
    if (sheet->begun)
        fputs("\n", sheet->screen.file);
    sheet->begun = 1;
}

/* Prints a text in lines of at most WIDTH, the later ones indented; in Markdown on one line.
 */
static void put_wrapped(cli_sheet *sheet, const char *text, size_t indent)
{
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " "), width = cli_characters(text, length);
        if (column > indent && !sheet->markdown && column + 1 + width > WIDTH) {
            fputs("\n", sheet->screen.file);
            fprintf(sheet->screen.file, "%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', sheet->screen.file);
            column++;
        }
        for (const char *end = text + length, *at = text; at < end;) {
            char shown[CLI_SHOWN];
            at += cli_show_character(at, shown);
            fputs(shown, sheet->screen.file);
        }
        column += width;
        text += length;
        text += strspn(text, " ");
    }
    fputs("\n", sheet->screen.file);
}

__attribute__((format(printf, 3, 0))) static void
put_formatted(cli_sheet *sheet, size_t indent, const char *format, va_list arguments)
{
    char text[2048];
    if (of_number_print_list(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    put_wrapped(sheet, text, indent);
}

void cli_sheet_heading(cli_sheet *sheet, int level, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    for (int i = 0; sheet->markdown && i <= level; i++)
        fputs(i < level ? "#" : " ", sheet->screen.file);
    if (!sheet->markdown && sheet->screen.colour)
        fputs("\033[1m", sheet->screen.file);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
    if (!sheet->markdown && sheet->screen.colour)
        fputs("\033[0m", sheet->screen.file);
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
    fputs("- ", sheet->screen.file);
    va_start(arguments, format);
    put_formatted(sheet, 2, format, arguments);
    va_end(arguments);
}

/* ---- tables --------------------------------------------------------------------------------- */

void cli_sheet_table(cli_sheet *sheet, const char *align)
{
    space(sheet);
    snprintf(sheet->align, sizeof sheet->align, "%s", align);
    sheet->cells.align = sheet->align;
    sheet->cells.columns = strlen(sheet->align);
}

void cli_sheet_cell(cli_sheet *sheet, int strong, const char *format, ...)
{
    char text[2048] = "";
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at; at++)
        if (sheet->markdown && *at == '|')
            *at = '/';
    cli_cells_add(&sheet->cells, strong, text);
}

static void put_markdown_row(cli_sheet *sheet, size_t row)
{
    for (size_t c = 0; c < sheet->cells.columns; c++) {
        const cli_cell *cell = &sheet->cells.cell[row * sheet->cells.columns + c];
        const char *mark = cell->strong ? "**" : "";
        fprintf(sheet->screen.file, "| %s", mark);
        cli_print_text(sheet->screen.file, cell->text);
        fprintf(sheet->screen.file, "%s ", mark);
    }
    fputs("|\n", sheet->screen.file);
}

static void put_markdown_rule(cli_sheet *sheet)
{
    for (size_t c = 0; c < sheet->cells.columns; c++)
        fputs(sheet->cells.align[c] == 'r' ? "| ---: " : "| --- ", sheet->screen.file);
    fputs("|\n", sheet->screen.file);
}

void cli_sheet_table_end(cli_sheet *sheet)
{
    enum { INDENT = 2 };
    size_t rows = sheet->cells.count / sheet->cells.columns;
    for (size_t row = 0; row < rows; row++) {
        if (sheet->markdown) {
            put_markdown_row(sheet, row);
        } else {
            cli_cells_row(&sheet->screen, &sheet->cells, row, INDENT, CLI_PLAIN);
            fputs("\n", sheet->screen.file);
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
    if (fflush(sheet->screen.file) == 0 && !ferror(sheet->screen.file))
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "the report cannot be written: %s",
                             errno ? strerror(errno) : "unknown error"),
                    "check whether the disk is full or the reader has ended");
}
