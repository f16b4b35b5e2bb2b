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

/* Formatted text in a style. What a terminal would obey is written out (\x1b), line ends apart, so
 * that a file's name cannot drive it. */
void cli_put(const cli_screen *screen, cli_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A heading in the left margin, or the margin alone for NULL. */
void cli_margin(const cli_screen *screen, const char *heading);
enum { CLI_MARGIN = 10 };

/* A line that starts with a heading in the margin, or with the margin alone. */
void cli_line(const cli_screen *screen, const char *heading, cli_style style, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* A line for what a list of `total` left out after `shown`; nothing where it shows them all. */
void cli_left_out(const cli_screen *screen, size_t total, size_t shown);

/* " - " or a middle dot, between the parts of a line. */
const char *cli_dot(const cli_screen *screen);

/* Seconds for people: "0.25 s", "12 s", "3 min 5 s". The text is at least 32 long, and returned. */
const char *cli_seconds_text(char *text, double seconds);

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct cli_cell {
    const char *text;
    int strong;
} cli_cell;

typedef struct cli_cells {
    cli_arena *arena;
    const char *align; /* 'l' or 'r' for each column */
    size_t longest;    /* characters of a cell that is not the last of its row; 0: any */
    size_t columns, count, room;
    cli_cell *cell;
    onefold_status status; /* of the first cell that there was no memory for */
} cli_cells;

cli_cells cli_cells_make(cli_arena *arena, const char *align);

/* Adds the cells of a text with tabs between them, row by row; the text is cut up. */
void cli_cells_add(cli_cells *cells, int strong, char *text);

/* A row in aligned columns, from `lead` blanks on, without blanks at its end; cells that are not
 * strong in the style. */
void cli_cells_row(const cli_screen *screen, const cli_cells *cells, size_t row, size_t lead,
                   cli_style style);

/* Adds cells to a table for a terminal; the first row is the heading. It is shown within the
 * margin. `bars`, or NULL, has the share of a bar after each row but the heading.
 */
void cli_table_add(cli_cells *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
onefold_status cli_table_show(const cli_screen *screen, const cli_cells *table, const char *heading,
                              const double *bars);

/* ---- how far a long call has come: a bar on a terminal, JSON lines, or nothing -------------- */

typedef enum cli_progress_mode { CLI_PROGRESS_NONE, CLI_PROGRESS_BAR, CLI_PROGRESS_JSON } cli_mode;

typedef struct cli_progress {
    cli_screen screen; /* standard error */
    cli_mode mode;
    int verbose;         /* log lines are shown */
    const char *stage;   /* the last one said */
    double began, shown; /* seconds: when the stage began, when it was last said */
    int drawn;           /* a bar stands on the line */
} cli_progress;

/* For the hooks of a context; `user` is a cli_progress. */
void cli_progress_step(void *user, const onefold_progress *step);
void cli_progress_log(void *user, const char *line);

/* Wipes the bar. */
void cli_progress_end(cli_progress *progress);

#endif
