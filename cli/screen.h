/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream can show: colours and bars where it is a terminal, plain text elsewhere. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "base.h"

#include <stdio.h>

/* ---- the screen ----------------------------------------------------------------------------- */

typedef struct cli_screen {
    FILE *file;
    int terminal;
    int colour;  /* a terminal, and NO_COLOR is not set */
    int unicode; /* the locale is UTF-8 */
    size_t width;
} cli_screen;

cli_screen cli_screen_of(FILE *file);

typedef enum cli_style { CLI_PLAIN, CLI_STRONG, CLI_FAINT, CLI_GOOD, CLI_WARN, CLI_BAD } cli_style;

/* Prints formatted text in a style. Control characters other than line ends are printed as escapes
 * (\x1b), so that a name in a file cannot control the terminal. */
void cli_put(const cli_screen *screen, cli_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A heading in the left margin, or the margin alone for NULL. */
void cli_margin(const cli_screen *screen, const char *heading);
enum { CLI_MARGIN = 10 };

/* A line that starts with a heading in the margin, or with the margin alone. */
void cli_line(const cli_screen *screen, const char *heading, cli_style style, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* A line on the items of a list that are not shown; nothing if all `total` are. */
void cli_left_out(const cli_screen *screen, size_t total, size_t shown);

/* " - " or a middle dot, between the parts of a line. */
const char *cli_dot(const cli_screen *screen);

/* Seconds for people: "0.25 s", "12 s", "3 min 5 s". The text is at least 32 long, and returned. */
const char *cli_seconds_text(char *text, double seconds);

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct cli_cell {
    const char *text;
    int strong; /* 1: bold */
} cli_cell;

typedef struct cli_cells {
    cli_arena *arena;
    const char *align; /* 'l' or 'r' for each column */
    size_t longest;    /* characters of a cell that is not the last of its row; 0: any */
    size_t columns, count, room;
    cli_cell *cell;
    onefold_status status; /* the first failure of adding a cell */
} cli_cells;

cli_cells cli_cells_make(cli_arena *arena, const char *align);

/* Adds the cells of a text, which are separated by tabs, row by row. Changes the text. */
void cli_cells_add(cli_cells *cells, int strong, char *text);

/* Prints a row in aligned columns after `lead` blanks, without blanks at its end. Cells that are
 * not strong have the style. */
void cli_cells_row(const cli_screen *screen, const cli_cells *cells, size_t row, size_t lead,
                   cli_style style);

/* Adds cells to a table for a terminal, whose first row is the heading; shows the table beside the
 * margin. `bars` (may be NULL) has the length of a bar after each row but the heading, 0 to 1. */
void cli_table_add(cli_cells *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
onefold_status cli_table_show(const cli_screen *screen, const cli_cells *table, const char *heading,
                              const double *bars);

/* ---- progress of a call: a bar on a terminal, JSON lines, or nothing ------------------------ */

typedef enum cli_progress_mode { CLI_PROGRESS_NONE, CLI_PROGRESS_BAR, CLI_PROGRESS_JSON } cli_mode;

typedef struct cli_progress {
    cli_screen screen; /* standard error */
    cli_mode mode;
    int verbose;         /* log lines are shown */
    const char *stage;   /* the last one shown */
    double began, shown; /* seconds: when the stage began, when it was last shown */
    int drawn;           /* a bar is on the line */
    int announces;       /* the first step is printed as a line if minutes are left */
} cli_progress;

/* For the hooks of a context; `user` is a cli_progress. */
void cli_progress_step(void *user, const onefold_progress *step);
void cli_progress_log(void *user, const char *line);

/* Wipes the bar. */
void cli_progress_end(cli_progress *progress);

#endif
