/* SPDX-License-Identifier: Apache-2.0 */
/* Marks, their two forms as files, and charts made of them. */
#include "drawing.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, MIDDLE = 9, LARGE = 10 }; /* sizes of text */
enum { BLACK = 0x222222, GREY = 0xb8b8b8, PALE = 0xe6e6e6 };

/* Colours that colour-blind people tell apart (Okabe and Ito); after eight, lines are dashed. */
static const unsigned palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0xe69f00, 0x56b4e9, 0x000000, 0x999933};
enum { COLOURS = sizeof palette / sizeof *palette };

/* ---- marks ---------------------------------------------------------------------------------- */

cli_drawing cli_drawing_make(cli_arena *arena, double width, double height)
{
    return (cli_drawing){.arena = arena, .width = width, .height = height};
}

static void add_mark(cli_drawing *drawing, cli_mark mark)
{
    if (drawing->status != ONEFOLD_OK)
        return;
    if (drawing->count == drawing->room) {
        cli_mark *longer;
        size_t room = 2 * drawing->room + 64;
        drawing->status = CLI_NEW(drawing->arena, &longer, room);
        if (drawing->status != ONEFOLD_OK)
            return;
        if (drawing->count)
            memcpy(longer, drawing->mark, drawing->count * sizeof mark);
        drawing->mark = longer;
        drawing->room = room;
    }
    drawing->mark[drawing->count++] = mark;
}

static void line(cli_drawing *drawing, double x, double y, double to_x, double to_y, double size,
                 unsigned colour, int dashed)
{
    add_mark(drawing, (cli_mark){.kind = 'l',
                                 .x = x,
                                 .y = y,
                                 .w = to_x,
                                 .h = to_y,
                                 .size = size,
                                 .colour = colour,
                                 .dashed = dashed});
}

static void box(cli_drawing *drawing, double x, double y, double w, double h, unsigned colour)
{
    add_mark(drawing, (cli_mark){.kind = 'b', .x = x, .y = y, .w = w, .h = h, .colour = colour});
}

static void dot(cli_drawing *drawing, double x, double y, double radius, unsigned colour)
{
    add_mark(drawing, (cli_mark){.kind = 'd', .x = x, .y = y, .size = radius, .colour = colour});
}

void cli_draw_text(cli_drawing *drawing, double x, double y, double size, int anchor, int turn,
                   const char *format, ...)
{
    char text[512] = "", *kept;
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (drawing->status == ONEFOLD_OK)
        drawing->status = cli_arena_string(drawing->arena, &kept, "%s", text);
    if (drawing->status != ONEFOLD_OK)
        return;
    add_mark(drawing, (cli_mark){.kind = 't',
                                 .x = x,
                                 .y = y,
                                 .size = size,
                                 .anchor = anchor,
                                 .turn = turn,
                                 .colour = BLACK,
                                 .text = kept});
}

/* ---- SVG ------------------------------------------------------------------------------------ */

static void put_xml(FILE *out, const char *text)
{
    while (*text) {
        char shown[CLI_SHOWN];
        size_t taken = cli_show_character(text, shown);
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else
            fputs(shown, out);
        text += taken;
    }
}

static void put_svg_mark(FILE *out, const cli_mark *m)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (m->kind == 'l')
        cli_print(out,
                  "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" "
                  "stroke-width=\"%.2f\"%s/>\n",
                  m->x, m->y, m->w, m->h, m->colour, m->size,
                  m->dashed ? " stroke-dasharray=\"4 3\"" : "");
    else if (m->kind == 'b')
        cli_print(out,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n",
                  m->x, m->y, m->w, m->h, m->colour);
    else if (m->kind == 'd')
        cli_print(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", m->x, m->y,
                  m->size, m->colour);
    if (m->kind != 't')
        return;
    cli_print(out,
              "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\"",
              m->x, m->y, m->size, anchors[m->anchor + 1], m->colour);
    if (m->turn)
        cli_print(out, " transform=\"rotate(-90 %.2f %.2f)\"", m->x, m->y);
    fputs(">", out);
    put_xml(out, m->text);
    fputs("</text>\n", out);
}

/* The end of a stream to memory. */
static onefold_status end_memory(FILE *out, char **text)
{
    if (fclose(out) == 0 && *text)
        return ONEFOLD_OK;
    free(*text);
    *text = NULL;
    return cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for a drawing");
}

static onefold_status begin_memory(FILE **out, char **text, size_t *size)
{
    *text = NULL;
    *out = open_memstream(text, size);
    return *out ? ONEFOLD_OK : cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for a drawing");
}

onefold_status cli_drawing_svg(const cli_drawing *drawing, char **text, size_t *size)
{
    FILE *out;
    CLI_TRY(drawing->status);
    CLI_TRY(begin_memory(&out, text, size));
    cli_print(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0fpt\" height=\"%.0fpt\" "
              "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
              drawing->width, drawing->height, drawing->width, drawing->height);
    for (size_t i = 0; i < drawing->count; i++)
        put_svg_mark(out, &drawing->mark[i]);
    fputs("</svg>\n", out);
    return end_memory(out, text);
}

/* ---- PDF ------------------------------------------------------------------------------------ */

/* The text in the encoding of PDF's own fonts, Windows-1252, as far as that is Latin-1. Returns its
 * width at size 1. */
static double latin_text(const char *text, char *latin, size_t room)
{
    /* of Helvetica, characters 32 to 126, in thousandths */
    static const short widths[] = {
        278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
    double width = 0;
    size_t used = 0;
    while (*text && used + 1 < room) {
        char shown[CLI_SHOWN];
        size_t taken = cli_show_character(text, shown);
        unsigned code = (unsigned char)*text;
        if (taken == 2 && (code == 0xc2 || code == 0xc3))
            code = (code & 3) << 6 | ((unsigned char)text[1] & 0x3f);
        else if (taken > 1 || code < 32 || code > 126)
            code = '?';
        latin[used++] = (char)code;
        width += code < 127 ? widths[code - 32] : 556;
        text += taken;
    }
    latin[used] = '\0';
    return width / 1000;
}

static void put_colour(FILE *out, unsigned colour, const char *what)
{
    cli_print(out, "%.3f %.3f %.3f %s\n", (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
              (colour & 255) / 255.0, what);
}

static void put_pdf_text(FILE *out, const cli_mark *m, double y)
{
    char latin[512];
    double back = latin_text(m->text, latin, sizeof latin) * m->size * (m->anchor + 1) / 2;
    cli_print(out, "BT /F1 %.1f Tf ", m->size);
    if (m->turn)
        cli_print(out, "0 1 -1 0 %.2f %.2f Tm (", m->x, y - back);
    else
        cli_print(out, "1 0 0 1 %.2f %.2f Tm (", m->x - back, y);
    for (const char *at = latin; *at; at++)
        if (*at == '(' || *at == ')' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if ((unsigned char)*at > 126)
            fprintf(out, "\\%03o", (unsigned char)*at);
        else
            fputc(*at, out);
    fputs(") Tj ET\n", out);
}

static void put_pdf_mark(FILE *out, const cli_mark *m, double height)
{
    double y = height - m->y;
    put_colour(out, m->colour, m->kind == 'l' ? "RG" : "rg");
    if (m->kind == 'l') {
        cli_print(out, "%s 0 d %.2f w %.2f %.2f m %.2f %.2f l S\n", m->dashed ? "[4 3]" : "[]",
                  m->size, m->x, y, m->w, height - m->h);
    } else if (m->kind == 'b') {
        cli_print(out, "%.2f %.2f %.2f %.2f re f\n", m->x, y - m->h, m->w, m->h);
    } else if (m->kind == 'd') {
        double r = m->size, c = r * 0.5523, x = m->x; /* a circle of four Bezier curves */
        cli_print(out, "%.2f %.2f m %.2f %.2f %.2f %.2f %.2f %.2f c\n", x + r, y, x + r, y + c,
                  x + c, y + r, x, y + r);
        cli_print(out, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", x - c, y + r, x - r, y + c, x - r, y);
        cli_print(out, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", x - r, y - c, x - c, y - r, x, y - r);
        cli_print(out, "%.2f %.2f %.2f %.2f %.2f %.2f c f\n", x + c, y - r, x + r, y - c, x + r, y);
    } else {
        put_pdf_text(out, m, y);
    }
}

onefold_status cli_drawing_pdf(const cli_drawing *drawing, char **text, size_t *size)
{
    enum { OBJECTS = 5 };
    FILE *out;
    char *marks;
    size_t length;
    long at[OBJECTS + 1];
    CLI_TRY(drawing->status);
    CLI_TRY(begin_memory(&out, &marks, &length));
    for (size_t i = 0; i < drawing->count; i++)
        put_pdf_mark(out, &drawing->mark[i], drawing->height);
    CLI_TRY(end_memory(out, &marks));
    onefold_status status = begin_memory(&out, text, size);
    if (status != ONEFOLD_OK) {
        free(marks);
        return status;
    }
    fputs("%PDF-1.4\n", out);
    at[1] = ftell(out);
    fputs("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n", out);
    at[2] = ftell(out);
    fputs("2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n", out);
    at[3] = ftell(out);
    cli_print(out,
              "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.0f %.0f] /Contents 4 0 R "
              "/Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n",
              drawing->width, drawing->height);
    at[4] = ftell(out);
    fprintf(out, "4 0 obj\n<< /Length %zu >>\nstream\n", length);
    fwrite(marks, 1, length, out);
    fputs("\nendstream\nendobj\n", out);
    at[5] = ftell(out);
    fputs("5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding "
          "/WinAnsiEncoding >>\nendobj\n",
          out);
    long table = ftell(out);
    fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int i = 1; i <= OBJECTS; i++)
        fprintf(out, "%010ld 00000 n \n", at[i]);
    fprintf(out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%ld\n%%%%EOF\n", OBJECTS + 1,
            table);
    free(marks);
    return end_memory(out, text);
}

onefold_status cli_drawing_write(const cli_drawing *drawing, onefold_context *context,
                                 const char *folder, const char *name)
{
    for (int pdf = 0; pdf < 2; pdf++) {
        CLI_SCRATCH(scratch);
        char *text, *path;
        size_t size;
        CLI_TRY(cli_arena_string(&scratch, &path, "%s/%s.%s", folder, name, pdf ? "pdf" : "svg"));
        CLI_TRY(pdf ? cli_drawing_pdf(drawing, &text, &size)
                    : cli_drawing_svg(drawing, &text, &size));
        onefold_status status = onefold_text_write(text, size, context, path);
        free(text);
        CLI_TRY(status);
    }
    return ONEFOLD_OK;
}

/* ---- axes ----------------------------------------------------------------------------------- */

typedef struct axis {
    double low, high, from, to; /* values, and where they are */
    int log, whole;             /* whole: marks are whole numbers */
    double step;                /* between marks */
} axis;

typedef struct frame {
    axis x, y;
} frame;

static double place(const axis *a, double value)
{
    double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high,
           at = a->log ? log10(value) : value;
    return a->from + (at - low) / (high - low) * (a->to - a->from);
}

static int is_there(const axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0);
}

static void widen(axis *a, double value)
{
    if (!is_there(a, value))
        return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* A step of 1, 2 or 5 times a power of ten that divides a range into about five. */
static double step_of(double range)
{
    double power = pow(10, floor(log10(range / 5))), times = range / 5 / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* Ends of an axis at values that are marked, or at powers of ten. */
static void round_axis(axis *a, int outwards)
{
    if (!(a->low <= a->high)) {
        a->low = a->log ? 1 : 0;
        a->high = a->log ? 10 : 1;
    }
    if (a->log && outwards) {
        a->low = pow(10, floor(log10(a->low)));
        a->high = pow(10, ceil(log10(a->high)));
    }
    if (!a->log && a->high - a->low <= 1e-9 * fmax(fabs(a->low), fabs(a->high)))
        a->low = a->high = (a->low + a->high) / 2; /* too near for marks between */
    if (a->low == a->high) {
        double room = a->log ? 0 : a->low ? fabs(a->low) * 0.1 : 1;
        a->low = a->log ? a->low / 2 : a->low - room;
        a->high = a->log ? a->high * 2 : a->high + room;
    }
    a->step = a->whole ? fmax(1, step_of(a->high - a->low)) : step_of(a->high - a->low);
    if (!a->log && outwards) {
        a->low = floor(a->low / a->step + 1e-9) * a->step;
        a->high = ceil(a->high / a->step - 1e-9) * a->step;
    }
}

/* The mark on the axis after `value`; the first for NaN. */
static double next_mark(const axis *a, double value)
{
    if (a->log) {
        double first = pow(10, ceil(log10(a->low) - 1e-9));
        return isnan(value) ? first : value * 10;
    }
    double next = isnan(value) ? ceil(a->low / a->step - 1e-9) * a->step : value + a->step;
    return fabs(next) < a->step * 1e-9 ? 0 : next;
}

static void draw_frame(cli_drawing *drawing, const cli_chart *chart, const frame *f)
{
    enum { TICK = 3 };
    double bottom = f->y.from, left = f->x.from, right = f->x.to;
    for (double v = next_mark(&f->y, NAN); v <= f->y.high * (1 + 1e-9) + 1e-300 ||
                                           fabs(v - f->y.high) < 1e-9 * (f->y.high - f->y.low);
         v = next_mark(&f->y, v)) {
        double y = place(&f->y, v);
        line(drawing, left, y, right, y, 0.4, PALE, 0);
        cli_draw_text(drawing, left - TICK, y + SMALL * 0.35, SMALL, 1, 0, "%.6g", v);
    }
    line(drawing, left, bottom, right, bottom, 0.7, BLACK, 0);
    line(drawing, left, bottom, left, f->y.to, 0.7, BLACK, 0);
    for (double v = next_mark(&f->x, NAN);
         !chart->groups && v <= f->x.high + 1e-9 * (f->x.high - f->x.low);
         v = next_mark(&f->x, v)) {
        double x = place(&f->x, v);
        line(drawing, x, bottom, x, bottom + TICK, 0.7, BLACK, 0);
        cli_draw_text(drawing, x, bottom + TICK + SMALL, SMALL, 0, 0, "%.6g", v);
    }
    if (chart->title)
        cli_draw_text(drawing, (left + right) / 2, chart->y + LARGE, MIDDLE, 0, 0, "%s",
                      chart->title);
    if (chart->across)
        cli_draw_text(drawing, (left + right) / 2, chart->y + chart->height - 2, SMALL, 0, 0, "%s",
                      chart->across);
    if (chart->up)
        cli_draw_text(drawing, chart->x + SMALL, (bottom + f->y.to) / 2, SMALL, 0, 1, "%s",
                      chart->up);
}

/* The room of the axes in a chart. */
static frame frame_of(const cli_chart *chart)
{
    enum { LEFT = 52, TOP = 18, RIGHT = 8, BOTTOM = 30 };
    return (frame){.x = {.low = INFINITY,
                         .high = -INFINITY,
                         .from = chart->x + LEFT,
                         .to = chart->x + chart->width - RIGHT,
                         .log = chart->log_x},
                   .y = {.low = chart->from_zero ? 0 : INFINITY,
                         .high = chart->from_zero ? 0 : -INFINITY,
                         .from = chart->y + chart->height - BOTTOM,
                         .to = chart->y + TOP,
                         .log = chart->log_y}};
}

static double deviation_of(const cli_series *series, size_t i)
{
    return series->deviation && isfinite(series->deviation[i]) ? series->deviation[i] : 0;
}

/* A line from mean - deviation to mean + deviation, with ends. */
static void draw_deviation(cli_drawing *drawing, const frame *f, double x, double mean, double off)
{
    enum { HALF = 2 };
    if (!(off > 0))
        return;
    double top = place(&f->y, mean + off),
           low = place(&f->y, is_there(&f->y, mean - off) ? mean - off : f->y.low);
    line(drawing, x, top, x, low, 0.7, BLACK, 0);
    line(drawing, x - HALF, top, x + HALF, top, 0.7, BLACK, 0);
    line(drawing, x - HALF, low, x + HALF, low, 0.7, BLACK, 0);
}

/* ---- charts --------------------------------------------------------------------------------- */

void cli_chart_lines(cli_drawing *drawing, const cli_chart *chart, const cli_series *series,
                     size_t count)
{
    frame f = frame_of(chart);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].count; i++) {
            widen(&f.x, series[s].x ? series[s].x[i] : (double)i + 1);
            widen(&f.y, series[s].y[i] - deviation_of(&series[s], i));
            widen(&f.y, series[s].y[i] + deviation_of(&series[s], i));
        }
    f.x.whole = count > 0 && !series[0].x;
    round_axis(&f.x, 0);
    round_axis(&f.y, 1);
    draw_frame(drawing, chart, &f);
    for (size_t s = 0; s < count; s++) {
        unsigned colour = palette[series[s].colour % COLOURS];
        double last_x = NAN, last_y = NAN;
        for (size_t i = 0; i < series[s].count; i++) {
            double value = series[s].y[i], across = series[s].x ? series[s].x[i] : (double)i + 1;
            int there = is_there(&f.y, value) && is_there(&f.x, across);
            double x = there ? place(&f.x, across) : NAN, y = there ? place(&f.y, value) : NAN;
            if (there && isfinite(last_x))
                line(drawing, last_x, last_y, x, y, 1.2, colour, series[s].colour >= COLOURS);
            if (there)
                draw_deviation(drawing, &f, x, value, deviation_of(&series[s], i));
            if (there && (chart->dots || series[s].count == 1))
                dot(drawing, x, y, 2, colour);
            last_x = x;
            last_y = y;
        }
    }
}

void cli_chart_bars(cli_drawing *drawing, const cli_chart *chart, const cli_series *series,
                    size_t count)
{
    frame f = frame_of(chart);
    for (size_t s = 0; s < count; s++)
        for (size_t g = 0; g < chart->groups; g++) {
            widen(&f.y, series[s].y[g]);
            widen(&f.y, series[s].y[g] + deviation_of(&series[s], g));
        }
    round_axis(&f.y, 1);
    f.x.low = 0;
    f.x.high = (double)chart->groups;
    draw_frame(drawing, chart, &f);
    double group = (f.x.to - f.x.from) / (double)chart->groups, bar = group * 0.84 / (double)count;
    for (size_t g = 0; g < chart->groups; g++) {
        double left = f.x.from + ((double)g + 0.08) * group;
        char name[64];
        snprintf(name, sizeof name, "%s", chart->group[g]);
        cli_shorten(name, (size_t)fmax(4, group / (SMALL * 0.55)));
        cli_draw_text(drawing, left + group * 0.42, f.y.from + SMALL + 4, SMALL, 0, 0, "%s", name);
        for (size_t s = 0; s < count; s++, left += bar) {
            double value = series[s].y[g];
            if (!is_there(&f.y, value))
                continue;
            double y = place(&f.y, value),
                   zero = f.y.log ? f.y.from : place(&f.y, fmax(0, f.y.low));
            box(drawing, left, fmin(y, zero), bar * 0.92, fabs(zero - y),
                palette[series[s].colour % COLOURS]);
            draw_deviation(drawing, &f, left + bar * 0.46, value, deviation_of(&series[s], g));
        }
    }
}

double cli_chart_legend(cli_drawing *drawing, double x, double y, double width,
                        const cli_series *series, size_t count)
{
    enum { SAMPLE = 14, ROW = 13, GAP = 12 };
    double at = x, row = y + ROW;
    for (size_t s = 0; s < count; s++) {
        char latin[256];
        double wide = SAMPLE + 4 + GAP + SMALL * latin_text(series[s].name, latin, sizeof latin);
        if (at > x && at + wide > x + width) {
            at = x;
            row += ROW;
        }
        line(drawing, at, row - 3, at + SAMPLE, row - 3, 3, palette[series[s].colour % COLOURS],
             series[s].colour >= COLOURS);
        cli_draw_text(drawing, at + SAMPLE + 4, row, SMALL, -1, 0, "%s", series[s].name);
        at += wide;
    }
    return row + 4 - y;
}

/* Places of the methods from the smallest rank up. */
static void order_ranks(const double *rank, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && rank[order[at - 1]] > rank[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

double cli_chart_ranks(cli_drawing *drawing, double x, double y, double width, const char *title,
                       const char *const *name, const double *rank, size_t count, double critical)
{
    enum { NAMES = 110, ROW = 14, TOP = 52, MOST = 64 };
    size_t order[MOST];
    count = count < MOST ? count : MOST;
    order_ranks(rank, count, order);
    axis a = {.low = 1, .high = (double)count, .from = x + NAMES, .to = x + width - NAMES};
    double scale = (a.to - a.from) / (a.high - a.low), at = y + TOP, joined = at + 6;
    cli_draw_text(drawing, x + width / 2, y + LARGE, MIDDLE, 0, 0, "%s", title);
    line(drawing, a.from, y + 26, a.from + critical * scale, y + 26, 1.2, BLACK, 0);
    line(drawing, a.from, y + 23, a.from, y + 29, 0.7, BLACK, 0);
    line(drawing, a.from + critical * scale, y + 23, a.from + critical * scale, y + 29, 0.7, BLACK,
         0);
    cli_draw_text(drawing, a.from + critical * scale + 4, y + 29, SMALL, -1, 0,
                  "critical difference %.2f", critical);
    line(drawing, a.from, at, a.to, at, 0.9, BLACK, 0);
    for (size_t i = 1; i <= count; i++) {
        double mark = place(&a, (double)i);
        line(drawing, mark, at - 4, mark, at, 0.7, BLACK, 0);
        cli_draw_text(drawing, mark, at - 6, SMALL, 0, 0, "%zu", i);
    }
    /* bars over groups that are not contained in another one */
    size_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        size_t last = i;
        while (last + 1 < count && rank[order[last + 1]] - rank[order[i]] < critical)
            last++;
        if (last > i && (last > reached || i == 0)) {
            line(drawing, place(&a, rank[order[i]]) - 2, joined, place(&a, rank[order[last]]) + 2,
                 joined, 2.6, BLACK, 0);
            joined += 6;
            reached = last;
        }
    }
    size_t half = (count + 1) / 2;
    for (size_t i = 0; i < count; i++) { /* the better half on the left, from above down */
        int left = i < half;
        double from = place(&a, rank[order[i]]),
               row = joined + 8 + ROW * (double)(left ? i : count - 1 - i),
               end = left ? a.from - 8 : a.to + 8;
        line(drawing, from, at, from, row, 0.6, GREY, 0);
        line(drawing, from, row, end, row, 0.6, GREY, 0);
        cli_draw_text(drawing, end + (left ? -3 : 3), row + 3, SMALL, left ? 1 : -1, 0, "%s (%.2f)",
                      name[order[i]], rank[order[i]]);
    }
    return joined + 8 + ROW * (double)half - y + 4;
}
