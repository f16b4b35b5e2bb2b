/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a table, added row by row, and how a row of aligned columns is laid out. */
#ifndef CLI_TABLE_CELLS_H
#define CLI_TABLE_CELLS_H

#include "base.h"

typedef struct cli_cell {
    const char *text;
    int strong;
} cli_cell;

typedef struct cli_cells {
    cli_arena *arena;
    const char *align; /* 'l' or 'r' for each column */
    size_t columns, count, room;
    cli_cell *cell;
} cli_cells;

cli_cells cli_cells_make(cli_arena *arena, const char *align);

/* The text is copied. */
onefold_status cli_cells_add(cli_cells *cells, int strong, const char *text);

/* Characters of the widest cell of a column. */
size_t cli_cells_width(const cli_cells *cells, size_t column);

/* Hands each cell of a row that is not empty to `put`, with the blanks that go before it: `lead` at
 * the start of the line, two between columns, none at its end. */
typedef void (*cli_cells_put)(void *to, size_t row, size_t blanks, const cli_cell *cell);
void cli_cells_row(const cli_cells *cells, size_t row, size_t lead, cli_cells_put put, void *to);

#endif
