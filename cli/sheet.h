/* SPDX-License-Identifier: Apache-2.0 */
/* Headings, paragraphs and tables, written as Markdown, as LaTeX or as text in aligned columns. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "base.h"
#include "screen.h"

enum { CLI_SHEET_COLUMNS = 64 };

typedef struct cli_sheet {
    cli_screen screen;                 /* where it is printed, and what that can show */
    int markdown, latex;               /* else text */
    int begun;                         /* something was printed */
    char align[CLI_SHEET_COLUMNS + 1]; /* of the current table */
    cli_cells cells;                   /* of the current table, with the first failure */
    const char *title, *note;          /* of the current table; NULL: none */
} cli_sheet;

/* An empty sheet: Markdown, or text as the screen can show it. */
cli_sheet cli_sheet_make(cli_arena *arena, cli_screen screen, int markdown);

/* " ± ", or " +- " where the screen cannot show it. */
const char *cli_sheet_spread(const cli_sheet *sheet);

/* A heading of level 1, 2, ... */
void cli_sheet_heading(cli_sheet *sheet, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_sheet_paragraph(cli_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_sheet_item(cli_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a text as LaTeX. */
void cli_latex_text(FILE *file, const char *text);

/* Makes LaTeX of a sheet: tables by booktabs, at most as wide as the text by graphicx. */
void cli_sheet_latex(cli_sheet *sheet);

/* A table: begin it with a letter per column, at most CLI_SHEET_COLUMNS; add cells, headings first,
 * one by one or several separated by tabs; end it. A cell is strong (1: bold), second (2:
 * underlined in LaTeX, in italics in Markdown) or neither (0). */
enum { CLI_SHEET_BEST = 1, CLI_SHEET_SECOND = 2 };
void cli_sheet_table(cli_sheet *sheet, const char *align);
/* The same with a heading, or caption, and a paragraph of notes; they live until the end. */
void cli_sheet_titled(cli_sheet *sheet, const char *align, const char *title, const char *note);
void cli_sheet_cell(cli_sheet *sheet, int strong, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_sheet_table_end(cli_sheet *sheet);

/* Flushes the sheet; returns the first failure. */
onefold_status cli_sheet_end(const cli_sheet *sheet);

#endif
