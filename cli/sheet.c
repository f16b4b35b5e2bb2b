/* SPDX-License-Identifier: Apache-2.0 */
/* The three ways of writing a sheet. */
#include "sheet.h"

#include "base.h"
#include "base/number.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { WIDTH = 79 };

cli_sheet cli_sheet_make(cli_arena *arena, cli_screen screen, int markdown)
{
    cli_sheet sheet = {.screen = screen, .markdown = markdown, .cells = cli_cells_make(arena, "")};
    sheet.cells.longest = 0;
    return sheet;
}

const char *cli_sheet_spread(const cli_sheet *sheet)
{
    return sheet->markdown || sheet->latex || sheet->screen.unicode ? " \xc2\xb1 " : " +- ";
}

void cli_sheet_latex(cli_sheet *sheet)
{
    sheet->latex = 1;
    sheet->markdown = 0;
}

void cli_latex_text(FILE *file, const char *text)
{
    static const char special[] = "\\{}$&#^_~%<>|\"";
    static const char *const written[] = {
        "\\textbackslash{}",  "\\{", "\\}", "\\$", "\\&", "\\#", "\\textasciicircum{}", "\\_",
        "\\textasciitilde{}", "\\%", "$<$", "$>$", "$|$", "''"};
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            fputs(written[at - special], file);
        else if (strncmp(text, "\xc2\xb1", 2) == 0)
            fputs("$\\pm$", file), text++;
        else
            fputc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
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
    if (sheet->latex)
        cli_latex_text(sheet->screen.file, text);
    else
        put_wrapped(sheet, text, indent);
}

void cli_sheet_heading(cli_sheet *sheet, int level, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    for (int i = 0; sheet->markdown && i <= level; i++)
        fputs(i < level ? "#" : " ", sheet->screen.file);
    int coloured = !sheet->markdown && !sheet->latex && sheet->screen.colour;
    if (sheet->latex)
        fprintf(sheet->screen.file, "\\%ssection*{", level > 1 ? "sub" : "");
    if (coloured)
        fputs("\033[1m", sheet->screen.file);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
    if (sheet->latex)
        fputs("}\n", sheet->screen.file);
    if (coloured)
        fputs("\033[0m", sheet->screen.file);
}

void cli_sheet_paragraph(cli_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    space(sheet);
    va_start(arguments, format);
    put_formatted(sheet, 0, format, arguments);
    va_end(arguments);
    if (sheet->latex)
        fputs("\n", sheet->screen.file);
}

void cli_sheet_item(cli_sheet *sheet, const char *format, ...)
{
    va_list arguments;
    fputs(sheet->latex ? "\n\\noindent\\textbullet\\ " : "- ", sheet->screen.file);
    va_start(arguments, format);
    put_formatted(sheet, 2, format, arguments);
    va_end(arguments);
    if (sheet->latex)
        fputs("\\par\n", sheet->screen.file);
}

/* ---- tables --------------------------------------------------------------------------------- */

void cli_sheet_table(cli_sheet *sheet, const char *align)
{
    space(sheet);
    snprintf(sheet->align, sizeof sheet->align, "%s", align);
    sheet->cells.align = sheet->align;
    sheet->cells.columns = strlen(sheet->align);
    sheet->title = sheet->note = NULL;
}

void cli_sheet_titled(cli_sheet *sheet, const char *align, const char *title, const char *note)
{
    if (!sheet->latex)
        cli_sheet_heading(sheet, 2, "%s", title);
    cli_sheet_table(sheet, align);
    sheet->title = title;
    sheet->note = note;
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
        const char *mark = cell->strong == CLI_SHEET_BEST ? "**" : cell->strong ? "*" : "";
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

static void put_latex_row(cli_sheet *sheet, size_t row)
{
    for (size_t c = 0; c < sheet->cells.columns; c++) {
        const cli_cell *cell = &sheet->cells.cell[row * sheet->cells.columns + c];
        fputs(c ? " & " : "  ", sheet->screen.file);
        fputs(cell->strong == CLI_SHEET_BEST ? "\\textbf{"
              : cell->strong                 ? "\\underline{"
                                             : "",
              sheet->screen.file);
        cli_latex_text(sheet->screen.file, cell->text);
        fputs(cell->strong ? "}" : "", sheet->screen.file);
    }
    fputs(" \\\\\n", sheet->screen.file);
}

/* A float with caption and notes; long tables are cut where a page is full. */
static void put_latex_table(cli_sheet *sheet)
{
    enum { PAGE = 45 }; /* rows */
    FILE *out = sheet->screen.file;
    size_t rows = sheet->cells.count / sheet->cells.columns;
    for (size_t first = 1; first < rows || first == 1; first += PAGE) {
        fputs("\\begin{table}[htbp]\n\\centering\\small\n", out);
        if (sheet->title) {
            fputs("\\caption{", out);
            cli_latex_text(out, sheet->title);
            fputs(first > 1 ? ", continued}\n" : "}\n", out);
        }
        fprintf(out,
                "\\setlength{\\tabcolsep}{4pt}\n\\sbox0{\\begin{tabular}{@{}%s@{}}\n\\toprule\n",
                sheet->align);
        put_latex_row(sheet, 0);
        fputs("\\midrule\n", out);
        for (size_t row = first; row < rows && row < first + PAGE; row++)
            put_latex_row(sheet, row);
        fputs("\\bottomrule\n\\end{tabular}}\n"
              "\\ifdim\\wd0>\\textwidth\\resizebox{\\textwidth}{!}{\\usebox0}\\else\\usebox0\\fi\n",
              out);
        if (sheet->note) {
            fputs("\n\\medskip\\parbox{\\textwidth}{\\footnotesize ", out);
            cli_latex_text(out, sheet->note);
            fputs("}\n", out);
        }
        fputs("\\end{table}\n", out);
    }
}

void cli_sheet_table_end(cli_sheet *sheet)
{
    enum { INDENT = 2 };
    size_t rows = sheet->cells.count / sheet->cells.columns;
    if (sheet->latex) {
        put_latex_table(sheet);
        rows = 0;
    }
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
    if (sheet->note && !sheet->latex)
        cli_sheet_paragraph(sheet, "%s", sheet->note);
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
