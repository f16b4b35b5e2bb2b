/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in aligned columns, whoever writes them. */
#include "table_cells.h"

#include "utf8_text.h"

#include <string.h>

cli_cells cli_cells_make(cli_arena *arena, const char *align)
{
    return (cli_cells){.arena = arena, .align = align, .columns = strlen(align)};
}

onefold_status cli_cells_add(cli_cells *cells, int strong, const char *text)
{
    char *kept;
    if (cells->count == cells->room) {
        cli_cell *longer;
        CLI_TRY(CLI_NEW(cells->arena, &longer, 2 * cells->room + 64));
        if (cells->count)
            memcpy(longer, cells->cell, cells->count * sizeof *longer);
        cells->cell = longer;
        cells->room = 2 * cells->room + 64;
    }
    CLI_TRY(cli_arena_string(cells->arena, &kept, "%s", text));
    cells->cell[cells->count++] = (cli_cell){kept, strong};
    return ONEFOLD_OK;
}

static size_t width_of(const cli_cell *cell)
{
    return cli_characters(cell->text, strlen(cell->text));
}

size_t cli_cells_width(const cli_cells *cells, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < cells->count; i += cells->columns) {
        size_t length = width_of(&cells->cell[i]);
        width = length > width ? length : width;
    }
    return width;
}

void cli_cells_row(const cli_cells *cells, size_t row, size_t lead, cli_cells_put put, void *to)
{
    size_t owed = lead; /* blanks: none are left at the end of a line */
    for (size_t c = 0; c < cells->columns; c++) {
        const cli_cell *cell = &cells->cell[row * cells->columns + c];
        size_t blanks = cli_cells_width(cells, c) - width_of(cell);
        int right = cells->align[c] == 'r';
        owed += (c > 0 ? 2 : 0) + (right ? blanks : 0);
        if (*cell->text) {
            put(to, row, owed, cell);
            owed = 0;
        }
        owed += right ? 0 : blanks;
    }
}
