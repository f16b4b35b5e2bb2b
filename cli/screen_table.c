/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for a terminal. */
#include "screen.h"
#include "utf8_text.h"

#include <stdarg.h>

enum { LONGEST = 32 }; /* characters of a cell that is not the last of its row */

cli_table cli_table_make(cli_arena *arena, const char *align)
{
    return (cli_table){cli_cells_make(arena, align)};
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
    if (table->cells.count % table->cells.columns + 1 < table->cells.columns)
        cli_shorten(text, LONGEST);
    return cli_cells_add(&table->cells, 0, text);
}

/* Room for bars after the columns: what a terminal has left of its width, BAR at most. */
static size_t bar_width(const cli_screen *screen, const cli_table *table)
{
    enum { BAR = 20 };
    size_t used = CLI_MARGIN;
    for (size_t c = 0; c < table->cells.columns; c++)
        used += cli_cells_width(&table->cells, c) + 2;
    if (!screen->terminal || used + BAR <= screen->width)
        return BAR;
    return used < screen->width ? screen->width - used : 0;
}

static void put_cell(void *to, size_t row, size_t blanks, const cli_cell *cell)
{
    const cli_screen *screen = to;
    cli_put(screen, CLI_PLAIN, "%*s", (int)blanks, "");
    cli_put(screen, row == 0 ? CLI_FAINT : CLI_PLAIN, "%s", cell->text);
}

static void show_row(const cli_screen *screen, const cli_table *table, size_t row,
                     const double *bars)
{
    cli_screen to = *screen;
    cli_cells_row(&table->cells, row, 0, put_cell, &to);
    if (bars && row > 0) {
        cli_put(screen, CLI_PLAIN, "  ");
        cli_bar(screen, bars[row - 1], bar_width(screen, table));
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

void cli_table_show(const cli_screen *screen, const cli_table *table, const char *heading,
                    const double *bars)
{
    for (size_t row = 0; row < table->cells.count / table->cells.columns; row++) {
        cli_margin(screen, row == 0 ? heading : NULL);
        show_row(screen, table, row, bars);
    }
}
