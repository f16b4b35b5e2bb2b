/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream can show: colours and bars where it is a terminal, plain text elsewhere. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "table_cells.h"

#include <stdio.h>

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

/* A line for what a list of `total` left out after `shown`; nothing where it shows them all. */
void cli_left_out(const cli_screen *screen, size_t total, size_t shown);

/* " - " or a middle dot, between the parts of a line. */
const char *cli_dot(const cli_screen *screen);

/* A bar of `share` (0 .. 1) of `width` characters; returns how many it took. */
size_t cli_bar(const cli_screen *screen, double share, size_t width);

/* Seconds for people: "0.25 s", "12 s", "3 min 5 s". The text is at least 32 long, and returned. */
const char *cli_seconds_text(char *text, double seconds);

/* A table: cells are added row by row, the first row is the heading; then it is shown in aligned
 * columns within the margin. `align` has 'l' or 'r' for each column. `bars`, or NULL, has the share
 * of a bar after each row but the heading. */
typedef struct cli_table {
    cli_cells cells;
} cli_table;

cli_table cli_table_make(cli_arena *arena, const char *align);
onefold_status cli_table_add(cli_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_table_show(const cli_screen *screen, const cli_table *table, const char *heading,
                    const double *bars);

#endif
