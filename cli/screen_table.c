/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in aligned columns. */
#include "screen.h"

#include <stdarg.h>
#include <string.h>

enum { LONGEST = 32 }; /* characters of a cell that is not the last of its row */

size_t cli_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

cli_table cli_table_make(cli_arena *arena, const char *align)
{
    cli_table table = {arena, align, strlen(align), 0, 0, NULL};
    return table;
}

static onefold_status make_room(cli_table *table)
{
    if (table->count < table->room)
        return ONEFOLD_OK;
    size_t room = table->room ? 2 * table->room : 64;
    char **cells;
    CLI_TRY(CLI_NEW(table->arena, &cells, room));
    if (table->count)
        memcpy(cells, table->cells, table->count * sizeof *cells);
    table->cells = cells;
    table->room = room;
    return ONEFOLD_OK;
}

void cli_shorten(char *text, size_t longest)
{
    if (cli_characters(text) <= longest)
        return;
    size_t count = 0;
    char *at = text;
    for (; *at; at++) {
        count += (*at & 0xc0) != 0x80;
        if (count > longest - 2)
            break;
    }
    memcpy(at, "..", 3);
}

onefold_status cli_table_add(cli_table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return cli_fail(ONEFOLD_FAULT, "a text could not be formatted");
    CLI_TRY(make_room(table));
    if (table->count % table->columns + 1 < table->columns)
        cli_shorten(text, LONGEST);
    CLI_TRY(cli_arena_string(table->arena, &table->cells[table->count], "%s", text));
    table->count++;
    return ONEFOLD_OK;
}

static size_t column_width(const cli_table *table, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < table->count; i += table->columns) {
        size_t length = cli_characters(table->cells[i]);
        width = length > width ? length : width;
    }
    return width;
}

/* Room for bars after the columns: what a terminal has left of its width, BAR at most. */
static size_t bar_width(const cli_screen *screen, const cli_table *table)
{
    enum { BAR = 20 };
    size_t used = CLI_MARGIN;
    for (size_t c = 0; c < table->columns; c++)
        used += column_width(table, c) + 2;
    if (!screen->terminal || used + BAR <= screen->width)
        return BAR;
    return used < screen->width ? screen->width - used : 0;
}

static void show_row(const cli_screen *screen, const cli_table *table, size_t row,
                     const double *bars)
{
    char *const *cells = table->cells + row * table->columns;
    size_t used = table->columns; /* no blanks at the end of a line */
    while (used > 0 && !*cells[used - 1])
        used--;
    for (size_t c = 0; c < used; c++) {
        const char *cell = cells[c];
        size_t blanks = column_width(table, c) - cli_characters(cell);
        int last = c + 1 == used;
        cli_style style = row == 0 ? CLI_FAINT : CLI_PLAIN;
        if (table->align[c] == 'r')
            cli_put(screen, style, "%*s%s", (int)blanks, "", cell);
        else
            cli_put(screen, style, "%s%*s", cell, last ? 0 : (int)blanks, "");
        if (!last)
            cli_put(screen, CLI_PLAIN, "  ");
    }
    if (bars && row > 0) {
        cli_put(screen, CLI_PLAIN, "  ");
        cli_bar(screen, bars[row - 1], bar_width(screen, table));
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

void cli_table_show(const cli_screen *screen, const cli_table *table, const char *heading,
                    const double *bars)
{
    for (size_t row = 0; row < table->count / table->columns; row++) {
        cli_margin(screen, row == 0 ? heading : NULL);
        show_row(screen, table, row, bars);
    }
}
