/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawings of lines, boxes, dots and text, written as SVG or PDF from the same list of marks, and
 * the charts of an experiment. Units are points, y downwards.
 */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include "base.h"

typedef struct cli_mark {
    char kind; /* l: line, b: box, d: dot, t: text */
    double x, y, w, h, size;
    unsigned colour;  /* 0xrrggbb */
    int anchor, turn; /* of text: -1 starts, 0 is centred, 1 ends here; turned by 90 degrees */
    int dashed;
    const char *text;
} cli_mark;

typedef struct cli_drawing {
    cli_arena *arena;
    double width, height;
    cli_mark *mark;
    size_t count, room;
    onefold_status status; /* the first failure */
} cli_drawing;

cli_drawing cli_drawing_make(cli_arena *arena, double width, double height);
void cli_draw_text(cli_drawing *drawing, double x, double y, double size, int anchor, int turn,
                   const char *format, ...) __attribute__((format(printf, 7, 8)));

/* The bytes of a file: SVG, or PDF with a font that every reader has. Allocated by malloc. */
onefold_status cli_drawing_svg(const cli_drawing *drawing, char **text, size_t *size);
onefold_status cli_drawing_pdf(const cli_drawing *drawing, char **text, size_t *size);

/* Writes FOLDER/NAME.svg and FOLDER/NAME.pdf. */
onefold_status cli_drawing_write(const cli_drawing *drawing, onefold_context *context,
                                 const char *folder, const char *name);

/* ---- charts --------------------------------------------------------------------------------- */

/* A series of points, or a bar in each group. NaN: no point. */
typedef struct cli_series {
    const char *name;
    const double *x, *y, *deviation; /* x NULL: 1, 2, ...; deviation NULL: none */
    size_t count, colour;            /* colour: an index, of series that belong together */
} cli_series;

typedef struct cli_chart {
    const char *title, *across, *up; /* NULL: none */
    double x, y, width, height;      /* where it is in the drawing, axes and texts included */
    int log_x, log_y, from_zero;     /* axes */
    int dots;                        /* mark the points of lines */
    const char *const *group;        /* of bars: a name under each group */
    size_t groups;
} cli_chart;

void cli_chart_lines(cli_drawing *drawing, const cli_chart *chart, const cli_series *series,
                     size_t count);
void cli_chart_bars(cli_drawing *drawing, const cli_chart *chart, const cli_series *series,
                    size_t count);

/* Names of series in rows from (x, y) on, at most `width` wide. Returns the height. */
double cli_chart_legend(cli_drawing *drawing, double x, double y, double width,
                        const cli_series *series, size_t count);

/* The critical-difference diagram: average ranks on a line, and bars that join methods whose ranks
 * differ by less than `critical`. Returns the height. */
double cli_chart_ranks(cli_drawing *drawing, double x, double y, double width, const char *title,
                       const char *const *name, const double *rank, size_t count, double critical);

#endif
